"""Make the model from the packed file, in one go.

    python -m training.release PACKED FOLDER [--seed N] [--steps N] [--limit N] …

The defaults are those of the next model; the one that ships has its own commit and command in its ``model.json``.
With ``--limit`` and few steps it runs on a laptop.
"""

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path
from typing import Any

from shirube.engine.embed.static import Vocabulary
from training.arrays import backend, host
from training.export import export
from training.tasks import Builder, Shares, learn_vocabulary, read_texts
from training.train import Settings, train

HISTORIES = "ja_commits=0.6,ja_comments=0.3,en_commits=1.0"


def main() -> None:
    """Read the arguments and make the model."""
    arguments = _parser().parse_args()
    make(arguments.packed, arguments.folder, arguments)


def make(packed: Path, folder: Path, options: argparse.Namespace) -> None:
    """Learn the vocabulary, train, and write the model with its provenance."""
    texts = read_texts(packed, options.limit)
    terms = learn_vocabulary(texts, (options.latin, options.japanese))
    vocabulary = Vocabulary(terms, options.shared)
    tasks = Builder(texts, vocabulary, options.workers).tasks(shares_of(options))
    settings = Settings(rows=vocabulary.size, batch=options.batch, steps=options.steps, seed=options.seed)
    rows = host(train(settings, tasks, _report))
    counts = {task.name: len(task) for task in tasks}
    export(folder, rows, terms, _record(packed, options, counts))


def shares_of(options: argparse.Namespace) -> Shares:
    """Return how often each kind of pair is drawn."""
    return Shares(
        japanese=options.strings,
        short=options.short,
        japanese_code=options.translated,
        japanese_name=options.names,
        histories=options.histories,
        block=options.block,
    )


def _shares(text: str) -> dict[str, float]:
    """Read ``ja_commits=0.6,en_commits=0.5``."""
    pairs = (part.split("=") for part in text.split(",") if part)
    return {kind: float(share) for kind, share in pairs}


def _report(step: int, task: str, loss: Any) -> None:
    print(f"step {step} {task} loss {float(loss):.4f}", file=sys.stderr, flush=True)


def _record(packed: Path, options: argparse.Namespace, counts: dict[str, int]) -> dict[str, Any]:
    """Return what is needed to make the same again."""
    used = {key: value for key, value in vars(options).items() if key not in ("packed", "folder", "commit")}
    used["histories"] = ",".join(f"{kind}={share}" for kind, share in options.histories.items())
    return {
        "data": hashlib.sha256(packed.read_bytes()).hexdigest(),
        "seed": options.seed,
        "commit": options.commit or _commit(),
        "command": "python -m training.release PACKED FOLDER " + " ".join(f"--{k} {v}" for k, v in used.items()),
        "arrays": backend().__name__,
        "pairs": counts,
    }


def _commit() -> str:
    done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packed", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--latin", type=int, default=38_000, help="rows of Latin terms")
    parser.add_argument("--japanese", type=int, default=20_000, help="rows of Japanese terms")
    parser.add_argument("--shared", type=int, default=8_192, help="rows that unknown terms share")
    parser.add_argument("--batch", type=int, default=4_096)
    parser.add_argument("--steps", type=int, default=1_500)
    parser.add_argument("--block", type=int, default=128, help="neighbours of one source in a batch")
    parser.add_argument("--strings", type=float, default=1.0, help="share of translated strings; docs with code have 1")
    parser.add_argument("--short", type=float, default=0.3, help="share of strings as short as a name")
    parser.add_argument("--translated", type=float, default=0.3, help="share of docs looked up in short strings")
    parser.add_argument("--names", type=float, default=0.3, help="share of names looked up in short strings")
    parser.add_argument("--histories", type=_shares, default=_shares(HISTORIES), help="share of each kind of history")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=int, default=0, help="rows of each kind, for a small run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--commit", default="", help="the commit, where the run is outside its repository")
    return parser


if __name__ == "__main__":
    main()
