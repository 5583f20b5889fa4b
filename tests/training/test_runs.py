"""The script that makes the model that ships, end to end in its small form: its stages fit each other."""

import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src/shirube/engine/embed/data/model.json"
MODULE = 'def insert(tree, key):\n    """Insert a key into the tree."""\n    tree.add(key)\n    return tree\n'


def lay_out(collected: Path, bench: Path) -> None:
    row = {"c": "def insert(tree, key): tree.add(key)", "n": "insert", "l": "python", "s": "pypi:attrs"}
    rows = [{**row, "q": f"Insert key number {number} into the tree"} for number in range(60)]
    rows += [{"e": f"open file {number}", "j": f"ファイル {number} を開く", "s": "pypi:attrs"} for number in range(60)]
    collected.mkdir()
    with lzma.open(collected / "rows.jsonl.xz", "wt", encoding="utf-8") as out:
        out.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    tree = bench / "repos/redux"
    tree.mkdir(parents=True)
    (tree / "tree.py").write_text(MODULE)
    (bench / "annotations").mkdir()
    note = {"query": "insert a key", "relevant": ["tree.py"]}
    (bench / "annotations/redux.json").write_text(json.dumps([note] * 40))
    (bench / "repos.json").write_text(json.dumps([{"name": "redux"}]))
    (bench / "all-repositories.txt").write_text("reduxjs/redux\n")


def test_the_small_form_runs_end_to_end_and_leaves_the_model_that_ships_alone(tmp_path: Path) -> None:
    before = SHIPPED.read_bytes()
    lay_out(tmp_path / "collected", tmp_path / "bench")
    small = {"LIMIT": "100", "STEPS": "2", "BATCH": "16", "WORKERS": "1", "PYTHON": sys.executable}
    folders = [str(tmp_path / name) for name in ("collected", "bench", "work")]
    command = ["bash", "training/runs/release.sh", *folders]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **small}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads((tmp_path / "work/model/model.json").read_text("utf-8"))
    packed = json.loads((tmp_path / "work/packed.jsonl.report.json").read_text("utf-8"))
    assert record["data"] == packed["digest"]
    assert packed["rows"] == 100
    assert "--steps 2" in record["command"]
    assert "en blend" in done.stdout
    assert SHIPPED.read_bytes() == before
