"""Run one judge on one repository: ``python -m benchmarks.symbols pyright REPOSITORY --tools DIRECTORY``."""

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.symbols.clang import clangd
from benchmarks.symbols.compare import Score, judged, percent
from benchmarks.symbols.judge import HERE, Judge, Remembered, ScriptJudge
from benchmarks.symbols.server import pyright
from shirube import open_workspace
from shirube.engine.parse import grammars


def main() -> None:
    """Compare, print, and write what differs to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("judge", choices=["pyright", "typescript", "javascript", "clangd", "go"])
    parser.add_argument("root", type=Path)
    parser.add_argument("--tools", type=Path, required=True, help="where the judge was installed")
    parser.add_argument("--only", default="", help="only files below this directory")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="pyright finds dependencies by it")
    parser.add_argument("--keep", type=Path, help="where the judge's answers are kept for the next run, as JSON")
    parser.add_argument("--out", type=Path, help="where differences go, as JSON")
    options = parser.parse_args()
    root = options.root.resolve()
    judge: Judge = _judge(options, root)
    if options.keep:
        judge = Remembered(judge, options.keep)
    grammars.KEPT_BYTES = 64_000_000  # hundreds of questions about the same files
    with open_workspace(root) as project:
        project.sync_index()
        score = judged(project, judge, root, lambda path: path.startswith(options.only))
    for line in told(score):
        print(line)
    if options.out:
        options.out.write_text(json.dumps(asdict(score), indent=1), "utf-8")


def _judge(options: argparse.Namespace, root: Path) -> Judge:
    tools = options.tools.resolve()
    if options.judge == "pyright":
        return pyright(root, tools, options.python)
    if options.judge == "clangd":
        return clangd(root, tools, "cpp" if list(root.glob("**/*.cc")) else "c")
    if options.judge in ("typescript", "javascript"):
        scripts = options.judge == "javascript"
        environment = {
            **os.environ,
            "TYPESCRIPT": str(tools / "node_modules/typescript"),
            "SCRIPTS": "1" if scripts else "",
        }
        command = ["node", str(HERE / "typescript.js")]
        endings = (".js", ".cjs", ".mjs", ".jsx") if scripts else (".ts", ".tsx")
        return ScriptJudge(options.judge, endings, command, root, environment, tells_declared=True)
    go = tools / "usr/lib/go-1.19"
    environment = {
        **os.environ,
        "GOROOT": str(go),
        "GO111MODULE": "off",
        "GOFLAGS": "",
        "GOCACHE": str(tools / "cache"),
    }
    return ScriptJudge("go/types", (".go",), [str(go / "bin/go"), "run", str(HERE / "judge.go")], root, environment)


def told(score: Score) -> list[str]:
    """Return a row of the table of results, and what differed."""
    classes = ", ".join(f"{how} {percent(pair)}" for how, pair in score.precision.items())
    kinds = ", ".join(f"{kind} {count}" for kind, count in score.kinds.items())
    return [
        f"{score.repository} ({score.judge}), {score.files} files; references of {kinds}",
        f"  definitions: recall {percent(score.definition_recall)}, precision {percent(score.definition_precision)}",
        f"  references: recall {percent(score.reference_recall)}; precision {classes}",
        f"  edges: recall {percent(score.edge_recall)}, precision {percent(score.edge_precision)}, "
        f"to no file {score.dangling}",
    ]


if __name__ == "__main__":
    main()
