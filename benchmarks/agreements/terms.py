"""``python -m benchmarks.agreements.terms --repos DIR …``: which questions do agreements answer, and rightly?

``terms.tsv`` has real symbols of six projects: project, symbol, path, the term in English and in Japanese, and what
people say for it. ``siblings.tsv`` has pairs of terms that look alike and mean different things. The curve of the
similarity is fitted on five projects and judged on the sixth, six times over.
"""

import argparse
import math
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from shirube import Project, open_workspace
from shirube.features.guard.operations import SlotGiven
from shirube.features.map import lookup
from shirube.features.map.agreement import Agreement
from shirube.features.map.lookup import Index, concepts, covered, look_up
from shirube.features.map.same_term import SAME, SURE, SUREST, same

HERE = Path(__file__).parent
ENOUGH = 0.7
"""At least so similar is an answer by itself (``map.short_circuit``)."""
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8)
TIERS = {SAME: "alone: one language (1.0)", SUREST: "by the surest meanings (0.9)", SURE: "by other meanings (0.75)"}
Similarity = Callable[[str, Sequence[str]], Sequence[float]]


@dataclass(frozen=True)
class Known:
    """A symbol, what it is called in both languages, and what people say for it."""

    project: str
    symbol: str
    path: str
    terms: tuple[str, str]
    said: tuple[str, ...]

    def agreement(self, language: int) -> Agreement:
        return Agreement(self.terms[language % 2], self.symbol, successes=1)


def load() -> dict[str, list[Known]]:
    """Return the terms by project."""
    projects: dict[str, list[Known]] = {}
    for line in (HERE / "terms.tsv").read_text("utf-8").splitlines():
        project, symbol, path, english, japanese, said = line.split("\t")
        known = Known(project, symbol, path, (english, japanese), tuple(said.split(" | ")))
        projects.setdefault(project, []).append(known)
    return projects


def siblings() -> list[tuple[str, str]]:
    """Return pairs of terms that look alike and are different."""
    rows = (line.split("\t") for line in (HERE / "siblings.tsv").read_text("utf-8").splitlines())
    return [(one, other) for one, other in rows]


# --- different terms ---------------------------------------------------------------------------------------


def different(projects: dict[str, list[Known]], similarity: Similarity) -> dict[str, list[tuple[str, str]]]:
    """Ask every agreement for every other term of its project, in both languages; return what answered alone."""
    wrong: dict[str, list[tuple[str, str]]] = {name: [] for name in projects}
    for name, listed in projects.items():
        for known in listed:
            for language in (0, 1):
                index = Index((known.agreement(language),))
                asked = (term for other in listed if other is not known for term in other.terms)
                answered = (term for term in asked if _alone(look_up(term, index, similarity)))
                wrong[name] += [(term, known.terms[language]) for term in answered]
    return wrong


def count_pairs(listed: Sequence[Known]) -> int:
    """Return how many pairs of an agreement and another term a project has."""
    return len(listed) * (len(listed) - 1) * 4


def _alone(near: Sequence[lookup.Near]) -> bool:
    return bool(near) and near[0].alone and near[0].similarity >= ENOUGH


# --- people's words ----------------------------------------------------------------------------------------


@dataclass
class Asked:
    """What became of questions whose agreement is known."""

    total: int = 0
    alone: int = 0
    first: int = 0
    shown: int = 0
    wrong_alone: int = 0
    lines: int = 0
    tiers: Counter[float] = field(default_factory=Counter)
    """How similar the right ones are that answered alone."""

    def add(self, near: Sequence[lookup.Near], symbol: str) -> None:
        right = bool(near) and near[0].agreement.symbol == symbol
        self.total += 1
        self.first += right
        self.alone += right and _alone(near)
        self.wrong_alone += not right and _alone(near)
        self.shown += any(one.agreement.symbol == symbol for one in near)
        self.lines += len(near)
        self.tiers.update(near[0].similarity for _ in range(right and _alone(near)))


def maps(listed: Sequence[Known]) -> Iterator[list[tuple[Known, int]]]:
    """Yield two maps of a project; each term is in English in one and in Japanese in the other."""
    for shift in (0, 1):
        yield [(known, (place + shift) % 2) for place, known in enumerate(listed)]


def questions(listed: Sequence[Known], similarity: Similarity) -> dict[str, Asked]:
    """Ask the maps of a project in people's words, in the other language, and in other spellings."""
    groups = {name: Asked() for name in ("people's words", "the other language", "other spellings")}
    for made in maps(listed):
        index = Index(tuple(known.agreement(language) for known, language in made))
        for known, language in made:
            texts = {
                "people's words": known.said,
                "the other language": (known.terms[1 - language],),
                "other spellings": _spellings(known.terms[language]),
            }
            for group, asked in texts.items():
                for text in asked:
                    groups[group].add(look_up(text, index, similarity), known.symbol)
    return groups


def _spellings(term: str) -> tuple[str, ...]:
    if term.isascii():
        return (term.upper(), "_".join(term.split()), term.title().replace(" ", ""), f"the {term} feature", f"{term}s")
    wide = term.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)})
    return (term.replace("の", ""), f"{term}機能", wide, f"{term}の実装")


# --- the curve ---------------------------------------------------------------------------------------------


def shares(question: str, index: Index, similarity: Similarity) -> list[tuple[float, float]]:
    """Return for each agreement the two shares that the curve reads, of its best face."""
    pair = cache(lambda one, other: similarity(one, [other])[0])
    asked = index.weighed(concepts(question))
    found = []
    for faces in index.faces:
        rows = []
        for face in faces:
            part, missing = covered(asked, face.concepts)
            whole = max(pair(question, face.text), part * covered(face.concepts, asked)[0])
            for concept in missing:
                best = max((pair(concept[0], other[0]) for other in face.concepts), default=0.0)
                part += best * asked[concept] / sum(asked.values())
            rows.append((whole, part))
        found.append(max(rows, key=sum))
    return found


def fit(rows: Any, true: Any) -> Any:
    """Return the weights of a logistic curve over the shares: Newton's method, slightly damped."""
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        said = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (said - true) + np.r_[0, weights[1:]]
        bend = (rows * (said * (1 - said))[:, None]).T @ rows + np.eye(len(weights))
        weights -= np.linalg.solve(bend, slope)
    return weights


def held_out(projects: dict[str, list[Known]], similarity: Similarity) -> tuple[dict[str, Any], Any, Any, Any]:
    """Return the curve of all projects, and for each question what the curve of the other projects says."""
    rows: list[tuple[float, ...]] = []
    true: list[float] = []
    project: list[str] = []
    question: list[int] = []
    for name, listed in projects.items():
        for made in maps(listed):
            index = Index(tuple(known.agreement(language) for known, language in made))
            for place, (known, _) in enumerate(made):
                for text in known.said:
                    number = question[-1] + 1 if question else 0
                    for other, (whole, part) in enumerate(shares(text, index, similarity)):
                        rows.append((1.0, whole, part))
                        true.append(float(other == place))
                        project.append(name)
                        question.append(number)
    table, truth, names = np.array(rows), np.array(true), np.array(project)
    said = np.zeros(len(truth))
    for name in projects:
        weights = fit(table[names != name], truth[names != name])
        said[names == name] = 1 / (1 + np.exp(-table[names == name] @ weights))
    return {"all": fit(table, truth).round(2).tolist()}, said, truth, np.array(question)


def at_threshold(least: float, said: Any, true: Any, question: Any) -> dict[str, float]:
    """Return what a threshold lets through: agreements that are meant, others, and whether the first is right."""
    right = shown = 0
    for number in np.unique(question):
        mine = question == number
        best = int(np.argmax(said[mine]))
        if said[mine][best] >= least:
            shown += 1
            right += int(true[mine][best])
    total = len(np.unique(question))
    return {
        "meant": float(np.mean(said[true == 1] >= least)),
        "others": float(np.mean(said[true == 0] >= least)),
        "first right": right / total,
        "right when shown": right / shown if shown else math.nan,
    }


# --- sessions ----------------------------------------------------------------------------------------------


def ready_by_wrong_term(
    projects: dict[str, list[Known]], roots: dict[str, Path], base: Path, most: int
) -> tuple[int, int, int, int]:
    """Drive real sessions: each asks for one term while the map has others; return wrong READYs, and right ones."""
    wrong = asked_wrong = right = asked_right = 0
    for name, listed in projects.items():
        root = base / name
        for known in listed:
            (root / known.path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(roots[name] / known.path, root / known.path)
        with open_workspace(root) as project:
            project.sync_index()
            for place, known in enumerate(listed):
                project.add_agreement(known.terms[place % 2], symbol=(known.symbol,), path=known.path)
            for place, known in enumerate(listed[:most]):
                agreed = f"{known.terms[place % 2]} → {known.symbol}"
                asked_right += 1
                right += _shortened(project, known.terms[place % 2])
                project.expire_agreement(agreed)
                for term in (*known.terms, known.said[0]):
                    asked_wrong += 1
                    wrong += _shortened(project, term)
                project.edit_agreement(agreed, confirm=True)
    return wrong, asked_wrong, right, asked_right


def _shortened(project: Project, term: str) -> bool:
    """Tell whether an agreement leads a session on that searches for a term and says that it has understood."""
    session = project.start_session("MODIFY", f"{term}: it fails when the value is empty").session_id
    issue = "it fails when the value is empty"
    project.set_query_frame(session, SlotGiven(term, term), observed_issue=SlotGiven(issue, issue))
    project.in_session(session).search(term)
    project.in_session(session).search_map(term)
    project.submit_understanding(session)
    return bool(project.get_session_status(session).map_used)


def of_symbols(projects: dict[str, list[Known]], base: Path) -> dict[str, list[tuple[bool, float]]]:
    """Return how similar terms and people's words are to their own symbol, and to the others of the project."""
    values: dict[str, list[tuple[bool, float]]] = {"terms": [], "people's words": []}
    for name, listed in projects.items():
        with open_workspace(base / name) as project:
            for known in listed:
                for kind, texts in (("terms", known.terms), ("people's words", known.said)):
                    values[kind] += [row for text in texts for row in _to_symbols(project, text, known, listed)]
    return values


def _to_symbols(project: Project, text: str, known: Known, listed: Sequence[Known]) -> Iterator[tuple[bool, float]]:
    """Yield the similarities as ``validate_symbol_relevance`` takes them: of the name, or of its scopes and name."""
    for other in listed:
        names = [other.symbol.rpartition(".")[2], other.symbol]
        yield other is known, max(project.workspace.similarity(text, names))


@dataclass(frozen=True)
class Driven:
    """What was measured on trees of files."""

    sessions: tuple[int, int, int, int]
    symbols: dict[str, list[tuple[bool, float]]]


# --- the report --------------------------------------------------------------------------------------------


def report(projects: dict[str, list[Known]], similarity: Similarity, driven: Driven | None, date: str) -> str:
    """Return results as Markdown."""
    wrong = different(projects, similarity)
    pairs = {name: count_pairs(listed) for name, listed in projects.items()}
    alike = [(one, other) for one, other in siblings() if same(one, other)]
    groups = {name: questions(listed, similarity) for name, listed in projects.items()}
    curve, said, true, question = held_out(projects, similarity)
    lines = [
        "# Terms: which agreements answer",
        "",
        f"`python -m benchmarks.agreements.terms` ({date}). {sum(map(len, projects.values()))} symbols of "
        f"{len(projects)} projects, each with a term in English and one in Japanese, and",
        f"{sum(len(known.said) for listed in projects.values() for known in listed)} things people say for them, "
        "written before anything was fitted. Every map is asked twice: with half of its terms in",
        "English, and with the other half.",
        "",
        "## Different terms",
        "",
        "An agreement is asked for every other term of its project, in both languages.",
        "",
        "| project | pairs | answered alone |",
        "|---|---|---|",
        *(f"| {name} | {pairs[name]} | {len(found)} |" for name, found in wrong.items()),
        f"| all | {sum(pairs.values())} | {sum(map(len, wrong.values()))} |",
        f"| siblings, written by hand | {len(siblings())} | {len(alike)} |",
        "",
        "Before step 15, when a similarity of 0.7 was enough, 97 of the 7112 were answered alone (ログアウト by the",
        "agreement on ログイン at 0.999), and 53 of the 142 siblings.",
        "",
    ]
    if driven:
        wrong_ready, asked_wrong, right_ready, asked_right = driven.sessions
        lines += [
            f"Real sessions that ask for a term whose agreement expired while the map has its siblings: {asked_wrong};",
            f"led on by an agreement: {wrong_ready}. Sessions that ask for a term that was agreed: {asked_right};",
            f"led on by it: {right_ready}.",
            "",
        ]
    lines += ["## The same in other words", "", _table(groups), "", *_curve_lines(curve, said, true, question)]
    lines += _symbol_lines(driven.symbols) if driven else []
    return "\n".join([*lines, ""])


def _symbol_lines(symbols: dict[str, list[tuple[bool, float]]]) -> list[str]:
    lines = [
        "",
        "## Terms and symbols",
        "",
        "What `validate_symbol_relevance` sees: the similarity of a term to its own symbol, and to the project's other",
        "symbols of this list.",
        "",
        "| asked in | at least | own symbol passes | others pass | own share of what passes |",
        "|---|---|---|---|---|",
    ]
    for kind, rows in symbols.items():
        for least in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            own = [value >= least for true, value in rows if true]
            others = [value >= least for true, value in rows if not true]
            passing = sum(own) + sum(others)
            lines.append(
                f"| {kind} | {least} | {sum(own) / len(own):.1%} | {sum(others) / len(others):.1%} | "
                f"{sum(own) / max(passing, 1):.1%} |"
            )
    return lines


def _table(groups: dict[str, dict[str, Asked]]) -> str:
    lines = [
        "| asked in | project | questions | answered alone | alone and wrong | shown first | shown | lines |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for kind in next(iter(groups.values())):
        total = Asked()
        for name, found in groups.items():
            one = found[kind]
            lines.append(_row(kind, name, one))
            total = Asked(*(getattr(total, name) + getattr(one, name) for name in total.__dataclass_fields__))
        lines.append(_row(f"**{kind}**", "**all**", total))
    lines += ["", "| asked in | " + " | ".join(TIERS.values()) + " |", "|---|---|---|---|"]
    for kind in next(iter(groups.values())):
        tiers = sum((found[kind].tiers for found in groups.values()), Counter[float]())
        lines.append(f"| {kind} | " + " | ".join(str(tiers[value]) for value in TIERS) + " |")
    return "\n".join(lines)


def _row(kind: str, project: str, asked: Asked) -> str:
    return (
        f"| {kind} | {project} | {asked.total} | {asked.alone / asked.total:.1%} | {asked.wrong_alone} | "
        f"{asked.first / asked.total:.1%} | {asked.shown / asked.total:.1%} | {asked.lines / asked.total:.1f} |"
    )


def _curve_lines(curve: dict[str, Any], said: Any, true: Any, question: Any) -> list[str]:
    lines = [
        "## The similarity of what is not the same",
        "",
        f"Fitted on all projects: bias, whole, part = {curve['all']}. Below, each project is judged by the curve of",
        "the other five.",
        "",
        "| at least | agreements that are meant | others | first is right | first is right when shown |",
        "|---|---|---|---|---|",
    ]
    for least in THRESHOLDS:
        row = at_threshold(least, said, true, question)
        lines.append(f"| {least} | " + " | ".join("–" if math.isnan(v) else f"{v:.1%}" for v in row.values()) + " |")
    lines += ["", "| said | really meant | pairs |", "|---|---|---|"]
    edges = (0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.01)
    for low, high in pairwise(edges):
        inside = (said >= low) & (said < high)
        if inside.any():
            lines.append(f"| {said[inside].mean():.3f} | {true[inside].mean():.3f} | {int(inside.sum())} |")
    return lines


def main() -> None:
    """Measure, and write terms.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agreements.terms", description=__doc__)
    parser.add_argument(
        "--repos", type=Path, action="append", required=True, help="a folder of repositories; repeatable"
    )
    parser.add_argument(
        "--sessions", type=int, default=8, metavar="N", help="how many terms of each project sessions ask"
    )
    parser.add_argument("--only", action="append", metavar="NAME", help="only this project; repeatable")
    parser.add_argument("--date", default="", help="the day, for the report")
    parser.add_argument("--out", type=Path, default=HERE / "terms.md", help="where to write")
    options = parser.parse_args()
    base = Path(tempfile.mkdtemp())
    os.environ |= {"SHIRUBE_CACHE_DIR": str(base / "cache"), "SHIRUBE_STATE_DIR": str(base / "state")}
    projects = {name: listed for name, listed in load().items() if not options.only or name in options.only}
    roots = {name: next(folder / name for folder in options.repos if (folder / name).exists()) for name in projects}
    driven = None
    if options.sessions:
        trees = base / "trees"
        driven = Driven(ready_by_wrong_term(projects, roots, trees, options.sessions), of_symbols(projects, trees))
    (base / "plain").mkdir()
    (base / "plain/a.py").write_text("x = 1\n")
    with open_workspace(base / "plain") as project:
        text = report(projects, project.workspace.similarity, driven, options.date)
    options.out.write_text(text, "utf-8")
    print(text)
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
