"""``python -m benchmarks.quality.messages make TREES OUT``: error messages of any trees, as a terminal prints them.

A message is a string of the sources of three words or more beside a word such as "raise" or "error"; placeholders are
filled in, and it is wrapped in one of several ways. Every place with the same string is right. ``ask TREES FILE`` asks
for each as a user does, and tells how often the first place is right, how often a wrong one is called found, and the
CPU time of a question.
"""

import argparse
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

SOURCE = re.compile(
    r"\.(py|[cm]?jsx?|[cm]?tsx?|go|java|kt|scala|swift|c|h|cc|cpp|hpp|cs|rb|php|rs|exs?|hs|lua|sh|vue)$"
)
ASIDE = re.compile(
    r"(^|/)([\w.]+-(?:tests?|bench)|benches|tests?|__tests__|specs?|testing|e2e|playground|templates?|template-[^/]*|examples?|docs?|bench(marks?)?|fixtures?|vendor"
    r"|third_party|node_modules|\.github|scripts|tools|ci|dist|build|migrations|locales?)(/|$)"
    r"|[._-](test|spec)s?\.|(^|/)tests?[_.]|Tests?\.\w+$|conftest|setup\.py|\.d\.ts$|\.min\.|_pb2?\.",
    re.IGNORECASE,
)
LITERAL = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:[^"\\\n]|\\(?s:.))*"|\'(?:[^\'\\\n]|\\.)*\'|`(?:[^`\\]|\\.)*`')
BETWEEN = re.compile(
    r"\s*(?:(?:\+|\.\.?|<>|&|\\)\s*(?:[\w.()\[\]>-]{1,40}\s*(?:\+|\.\.?|<>|&)\s*)?)?(?:[rbuf]{0,2})", re.DOTALL
)
CUE = re.compile(r"raise|throw|panic|fatal|abort|error|warn|fail|exception|bail|ensure|logg?|expect", re.IGNORECASE)
COMMENT = re.compile(r"\s*(?:#|//|\*|/\*|--|import\b|from\b|use\b|@)")
HOLE = re.compile(
    r"%[-+ #0]*\d*(?:\.\d+)?l{0,2}[sdrifxqvuc]|%\(\w+\)[srd]|\$\{[^}]*\}|#\{[^}]*\}|\\\([^()]*\)|\{[^{}\n]*\}"
    r"|%[A-Z]\b|\0"
)
VALUES = ("foo-bar", "src/App.vue", "users", "42", "Foo", "config.yml", "127.0.0.1", "app.main", "/tmp/x", "None")
CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception))\b")
LEAST_WORDS, MOST_PLACES, LONGEST = 3, 4, 240
Row = dict[str, Any]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """Yield the strings of a source with where they begin; those that are added to each other as one."""
    found = list(LITERAL.finditer(text))
    begin, parts = 0, list[str]()
    for one, following in pairwise([*found, None]):
        if one is None:
            continue
        begin = begin if parts else one.start()
        parts.append(one[0].strip(one[0][0]))
        between = text[one.end() : following.start()] if following else "!"
        if not between or not BETWEEN.fullmatch(between):
            yield begin, "".join(parts)
            parts = []
        elif re.search(r"\w{2,}", between):
            parts.append("\0")


def _said(piece: str) -> str:
    """Return a string as the program prints it, placeholders and all."""
    plain = re.sub(r"\\\n\s*", "", piece)
    return re.sub(
        r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[0] if match[1] == "(" else match[1]), plain
    )


def _words(text: str) -> int:
    return len(re.findall(r"[A-Za-z]{2,}", text)) + len(re.findall(r"[\u3040-\u30ff\u4e00-\u9fff]", text)) // 3


def messages(root: Path, most: int, dice: random.Random) -> list[Row]:
    """Return messages of a tree, each once, with the places of their strings."""
    texts = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not SOURCE.search(name) or ASIDE.search(name) or not path.is_file() or path.stat().st_size > 600_000:
            continue
        texts[name] = path.read_text("utf-8", "replace").partition("#[cfg(test)]")[0]
    found = []
    for name, text in texts.items():
        lines = text.split("\n")
        for begin, piece in _pieces(text):
            number = text.count("\n", 0, begin)
            said = _said(piece)
            near = " ".join(lines[max(0, number - 2) : number + 1])
            if (
                COMMENT.match(lines[number])
                or text[begin : begin + 3] == '"""'
                or not CUE.search(near)
                or not 12 <= len(said) <= LONGEST
                or "<" in said
                or "${" in HOLE.sub("", said)
            ):
                continue
            if _words(HOLE.sub(" ", said)) >= LEAST_WORDS and " " in said.strip() + " " * (not said.isascii()):
                parts = re.split(HOLE.pattern + r"|\\.|\n|[\"'`]", piece)
                found.append((name, number + 1, max(parts, key=len).strip(), said, CLASS.search(near)))
    dice.shuffle(found)
    rows: dict[str, Row] = {}
    for name, number, head, said, kind in found:
        places = [[path, text.count("\n", 0, at) + 1] for path, text in texts.items() for at in _all(head, text)]
        places += [[name, number]] if [name, number] not in places else []
        if said in rows or len(places) > MOST_PLACES or len(rows) == most:
            continue
        filled = HOLE.sub(lambda _: dice.choice(VALUES), said).strip()
        rows[said] = {
            "said": filled, "path": name, "line": number, "lines": places, "holes": bool(HOLE.search(said)),
            "class": kind[1] if kind else "",
        }  # fmt: skip
    return list(rows.values())


def _all(part: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(part), text)]


def _boxed(said: str) -> str:
    words, lines = said.split(" "), [""]
    for word in words:
        lines = [*lines, word] if len(lines[-1]) > 50 else [*lines[:-1], f"{lines[-1]} {word}".strip()]
    return "  × Failed to do the thing\n  ╰─▶ " + "\n      ".join(lines)


def _wrappings(row: Row) -> dict[str, str]:
    said, named, ending = row["said"], row["class"], Path(row["path"]).suffix
    program = {".py": "ValueError", ".java": "java.lang.IllegalStateException", ".rb": "ArgumentError"}
    raised = f"my.pkg.errors.{named}" if named and ending == ".py" else named or program.get(ending, "Error")
    frames = "    at Object.run (/srv/other/dist/run.js:10:3)\n    at main (/srv/other/dist/main.js:3:1)"
    return {
        "bare": said,
        "raised": f"{raised}: {said}",
        "tool": f"[vite] Internal server error: {said}" if "js" in ending or "ts" in ending else f"error: {said}",
        "panic": f"thread 'main' panicked at src/bin/mytool.rs:10:5:\n{said}" if ending == ".rs" else f"panic: {said}",
        "log": f"2026-03-02 10:12:13,456 ERROR [worker-1] my.service.loop: {said}",
        "process": f"ERROR [4711] app.logger: {said}",
        "json": json.dumps({"level": "error", "time": 1700000000, "msg": said}),
        "box": _boxed(said),
        "cause": f"error: Failed to run the job\n  Caused by: {said}\n  Caused by: No such file (os error 2)",
        "frames": f"{raised}: {said}\n{frames}",
        "quoted": f'what does "{said}" mean',
    }


def make(trees: Path, only: Sequence[str], most: int) -> dict[str, list[Row]]:
    """Return the messages of every tree of a folder, each in one wrapping; the wrappings take turns."""
    made = {}
    for root in sorted(path for path in trees.iterdir() if path.is_dir() and (not only or path.name in only)):
        rows = messages(root, most, random.Random(root.name))
        for number, row in enumerate(rows):
            ways = _wrappings(row)
            row["wrapping"] = list(ways)[number % len(ways)]
            row["query"] = ways[row["wrapping"]]
        made[root.name] = rows
    return made


def ask(trees: Path, asked: dict[str, list[Row]], cache: str) -> list[Row]:
    """Ask for each message, and return the rows with what was found."""
    os.environ |= {"SHIRUBE_CACHE_DIR": cache, "SHIRUBE_STATE_DIR": f"{cache}/state"}
    from shirube.operations import run
    from shirube.workspace import build_workspace

    answered = []
    for name, rows in asked.items():
        workspace = build_workspace(trees / name)
        run(workspace, "sync_index", {})
        for row in rows:
            begun = time.process_time()
            result: Any = run(workspace, "search", {"query": row["query"], "limit": 10})
            spent = time.process_time() - begun
            shown = [[hit.path, hit.start_line, hit.end_line] for hit in result.forest_hits]
            right = [at for at, hit in enumerate(shown, 1) if any(_holds(hit, place) for place in row["lines"])]
            rest = {"place": min(right, default=0), "answer": str(result.answer), "confidence": result.confidence}
            answered.append({"repo": name, **row, **rest, "first": shown[:1], "seconds": spent})
        workspace.close()
    return answered


def _holds(hit: list[Any], place: list[Any]) -> bool:
    return bool(hit[0] == place[0] and hit[1] <= place[1] <= hit[2])


def report(rows: Sequence[Row]) -> str:
    """Return a table: each wrapping and each tree, literal and filled in."""
    parts: dict[str, Callable[[Row], bool]] = {
        "all": lambda row: True,
        "literal": lambda row: not row["holes"],
        "filled in": lambda row: bool(row["holes"]),
    }
    for key in ("wrapping", "repo"):
        parts |= {
            value: lambda row, key=key, value=value: row[key] == value
            for value in dict.fromkeys(row[key] for row in rows)
        }
    lines = [f"{'':32} {'n':>5}  @1     @3     @10    found, wrong"]
    for name, keep in parts.items():
        some = [row for row in rows if keep(row)]
        if some:
            shares = "  ".join(f"{mean(0 < row['place'] <= most for row in some):.3f}" for most in (1, 3, 10))
            wrong = sum(row["answer"] == "found" and row["place"] != 1 for row in some)
            lines.append(f"{name:32} {len(some):5}  {shares}  {wrong:5}")
    cpu = [row["seconds"] * 1000 for row in rows]
    return "\n".join([*lines, f"CPU ms of a question: median {median(cpu):.1f}, mean {mean(cpu):.1f}"])


def main() -> None:
    """Make messages, or ask for them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.messages", description=__doc__)
    parser.add_argument("what", choices=("make", "ask"))
    parser.add_argument("trees", type=Path, help="a folder of trees")
    parser.add_argument("file", type=Path, help="the messages: repository → rows, as --errors of benchmarks.quality")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this tree; repeatable")
    parser.add_argument("--most", type=int, default=66, help="how many messages of a tree")
    parser.add_argument("--cache", help="keep the indexes here between runs")
    parser.add_argument("--out", type=Path, help="write the answers here")
    options = parser.parse_args()
    if options.what == "make":
        made = make(options.trees, options.only, options.most)
        options.file.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", "utf-8")
        print({name: len(rows) for name, rows in made.items()})
        return
    asked = json.loads(options.file.read_text("utf-8"))
    asked = {name: rows for name, rows in asked.items() if not options.only or name in options.only}
    answered = ask(options.trees, asked, options.cache or tempfile.mkdtemp())
    if options.out:
        options.out.write_text(json.dumps(answered, ensure_ascii=False, indent=1), "utf-8")
    print(report(answered))


if __name__ == "__main__":
    main()
