"""Pairs that belong together, pairs that do not, and how far each stands above the background of its project."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.quality.data import Labelled, Repository, japanese
from benchmarks.quality.metric import same_file
from benchmarks.quality.ours import Ours, questions

QUALITY = Path(__file__).parents[1] / "quality"
POOL, DOCS, OTHERS = 1000, 30, 10
"""Names to draw from, documented names for each project, wrong names for each right one."""
KINDS = frozenset({"function", "method", "class", "struct", "interface", "type"})
NEXT = 7
"""A question is also asked in the seventh project after its own, where nothing answers it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """How far a pair stands above the background, and whether it belongs together."""

    repository: str
    group: str
    steps: float
    true: bool


def name_pairs(ours: Ours, random: Any) -> list[Pair]:
    """Return Japanese terms and English sentences beside names of their projects."""
    terms = json.loads((QUALITY / "terms.json").read_text("utf-8"))
    pools = json.loads((QUALITY / "symbols.json").read_text("utf-8"))
    found: list[Pair] = []
    for name, workspace in ours.workspaces.items():
        if name in pools:
            right = [(row["japanese"], row["symbol"]) for row in terms if row["repo"] == name]
            found += _beside(workspace, name, "japanese", right, pools[name], random)
        documented = _documented(workspace, random)
        pool = sorted({symbol for _, symbol in documented})[:POOL]
        some = [pair for pair in documented if pair[1] in set(pool)]
        if len(pool) >= 2 * DOCS:
            some = [some[place] for place in random.choice(len(some), DOCS, replace=False)]
            found += _beside(workspace, name, "english", some, pool, random)
    return found


def _beside(
    workspace: Any, name: str, group: str, right: Sequence[tuple[str, str]], pool: Sequence[str], random: Any
) -> list[Pair]:
    found = []
    for term, symbol in right:
        wrong = [pool[place] for place in random.choice(len(pool), OTHERS) if pool[place] != symbol]
        steps = workspace.meaning.name_steps(term, [symbol, *wrong])
        found += [Pair(name, group, value, place == 0) for place, value in enumerate(steps)]
    return found


def _documented(workspace: Any, random: Any) -> list[tuple[str, str]]:
    """Return first sentences and the names they stand at, of more than one word each."""
    from shirube.engine.text.tokens import split_identifier

    found = {}
    for path, record in workspace.store.files().items():
        for symbol in workspace.store.symbols(path) if record.language else ():
            sentence = re.split(r"(?<=[.!?。])\s|\n\n", symbol.doc.strip())[0][:150]
            if symbol.kind in KINDS and len(sentence.split()) > 2 and len(split_identifier(symbol.name)) > 1:
                found[symbol.name] = sentence
    pairs = sorted((sentence, name) for name, sentence in found.items())
    return [pairs[place] for place in random.permutation(len(pairs))[:POOL]]


def passage_pairs(ours: Ours, repositories: list[Repository], random: Any) -> list[Pair]:
    """Return questions beside the passages that answer them, any other passage, and the best one of another project."""
    import numpy as np

    rows = {name: _passages(workspace) for name, workspace in ours.workspaces.items()}
    names = list(rows)
    found = []
    groups = (("english", questions(repositories)), ("japanese", questions(japanese(repositories))))
    for group, question in ((group, one) for group, asked in groups for one in asked):
        workspace = ours.workspaces[question.repository]
        asked = workspace.embedder.query(question.text)[0]
        paths, matrix = rows[question.repository]
        cosines = matrix @ asked
        meant = {path for path in set(paths.tolist()) if any(same_file(path, target) for target in question.targets)}
        right = np.isin(paths, list(meant))
        elsewhere = names[(names.index(question.repository) + NEXT) % len(names)]
        best_elsewhere = float((rows[elsewhere][1] @ asked).max())
        if right.any():
            found.append(_pair(workspace, question, group, float(cosines[right].max()), True))
        found.append(_pair(workspace, question, group, float(random.choice(cosines[~right])), False))
        found.append(_pair(ours.workspaces[elsewhere], question, group, best_elsewhere, False))
    return found


def _pair(workspace: Any, question: Labelled, group: str, cosine: float, true: bool) -> Pair:
    return Pair(question.repository, group, workspace.meaning.steps(cosine), true)


def _passages(workspace: Any) -> tuple[Any, Any]:
    """Return the path of every passage, and its unit rows."""
    import numpy as np

    store, width = workspace.store, workspace.embedder.dimensions
    paths = [path for path, record in store.files().items() if record.language]
    parts = [np.frombuffer(store.vectors(path), dtype=np.int8).reshape(-1, width) for path in paths]
    return np.repeat(paths, [len(part) for part in parts]), np.vstack(parts).astype(np.float32) / 127
