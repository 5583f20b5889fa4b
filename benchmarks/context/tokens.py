"""``python -m benchmarks.context.tokens --node DIR PATH…``: the token estimate beside a real tokenizer (o200k).

``--node`` is a directory in which ``npm install gpt-tokenizer`` was run; each PATH is a tree of files.
"""

import argparse
import json
import random
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from shirube.engine.parse.languages import language_of
from shirube.engine.text.budget import estimate_tokens

COUNT = Path(__file__).with_name("count.mjs")
CODE = (
    *("bash", "c", "cpp", "csharp", "elixir", "go", "haskell", "java", "javascript", "kotlin", "lua", "php", "python"),
    *("ruby", "rust", "scala", "swift", "typescript", "zig"),
)
PROSE = ("markdown", "rst")
JAPANESE = "Japanese"
_KANA = re.compile(r"[ぁ-んァ-ヶー]")
KANA_SHARE = 0.1
"""A text with this share of kana is Japanese, whatever else is in it."""
SMALLEST, LARGEST = 400, 200_000
"""Bytes: of a shorter text nothing can be said in per cent, a longer one is data."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context.tokens", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--node", type=Path, required=True, help="where gpt-tokenizer is installed")
    parser.add_argument("--files", type=int, default=150, help="files of each kind, drawn at random")
    options = parser.parse_args()
    print(json.dumps(measure(options.paths, options.node, options.files), indent=1))


def measure(paths: Sequence[Path], node: Path, most: int, seed: int = 0) -> dict[str, dict[str, float]]:
    """Return for each kind of text how far the estimate is off: in total, and for nine files of ten."""
    kinds = _drawn(paths, most, random.Random(seed))
    found = {}
    for kind, texts in sorted(kinds.items()):
        found[kind] = _compared(texts, counted(texts, node))
    code = [text for kind, texts in kinds.items() if kind in CODE for text in texts]
    found["all code"] = _compared(code, counted(code, node))
    return found


def counted(texts: Sequence[str], node: Path) -> list[int]:
    """Return what the real tokenizer counts."""
    done = subprocess.run(
        ["node", str(COUNT)], input=json.dumps(list(texts)), capture_output=True, text=True, check=True, cwd=node
    )
    return [int(number) for number in json.loads(done.stdout)]


def _compared(texts: Sequence[str], real: Sequence[int]) -> dict[str, float]:
    guessed = [estimate_tokens(text) for text in texts]
    off = sorted(abs(guess / count - 1) for guess, count in zip(guessed, real, strict=True))
    return {
        "files": len(texts),
        "tokens": sum(real),
        "total error": round(sum(guessed) / sum(real) - 1, 4),
        "p90 per file": round(off[int(0.9 * (len(off) - 1))], 4),
    }


def _drawn(paths: Sequence[Path], most: int, chance: random.Random) -> Mapping[str, list[str]]:
    """Return texts by kind, as many of each tree as of any other."""
    kinds: dict[str, list[str]] = {}
    share = max(20, -(-most // len(paths)))
    for path in paths:
        here: dict[str, list[str]] = {}
        for kind, text in _texts(path):
            here.setdefault(kind, []).append(text)
        for kind, texts in here.items():
            few = most if kind == JAPANESE else share
            kinds.setdefault(kind, []).extend(chance.sample(texts, min(few, len(texts))))
    return {kind: chance.sample(texts, min(most, len(texts))) for kind, texts in kinds.items() if len(texts) >= 20}


def _texts(tree: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(tree.rglob("*")):
        if not path.is_file() or path.is_symlink() or ".git" in path.parts:
            continue
        language = language_of(path.name)
        if language not in (*CODE, *PROSE, "text", "po") or not SMALLEST <= path.stat().st_size <= LARGEST:
            continue
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if len(_KANA.findall(text)) > KANA_SHARE * len(text):
            yield JAPANESE, text
        elif language in (*CODE, *PROSE):
            yield language, text


if __name__ == "__main__":
    main()
