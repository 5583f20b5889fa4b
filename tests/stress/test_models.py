"""Two models on one index, and processes that are killed while they make vectors: never a wrong or a mixed one."""

import json
import random
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from shirube.workspace import build_workspace
from tests.conftest import isolate, make_state_dirs, quiet
from tests.engine.embed.tiny import write_model
from tests.stress.conftest import Stressed, rounds

DYING = """
import os, signal, sys
from pathlib import Path
from shirube.deadline import Deadline
from shirube.engine.index import sync
from shirube.engine.store import catalog
from shirube.workspace import build_workspace

sync.GROUP_FILES = 4
root, source, groups = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
write, written = catalog.embed, []

def dying(db, model, rows):
    write(db, model, rows)  # and not committed yet
    written.append(rows)
    if len(written) > groups:
        os.kill(os.getpid(), signal.SIGKILL)

catalog.embed = dying
workspace = build_workspace(root, {"embed.model": "e5", "embed.source": source})
workspace.keeper.sync(full=False, progress=lambda *step: None, deadline=Deadline())
"""
MODELS = ("e5", "hashed", "static")
WORDS = ("login", "cart")


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def vectors(root: Path, model: str, tiny: Path, *, whole: bool) -> dict[str, bytes]:
    """Return the vectors of a model as they are, or after a sync; none may be of another length than its file has."""
    with closing(build_workspace(root, {"embed.model": model, "embed.source": str(tiny)})) as workspace:
        if whole:
            workspace.keeper.refresh(quiet, patient=True)
            assert workspace.store.check() == ()
            assert workspace.keeper.unembedded == 0
        found = {path: workspace.store.vectors(path) for path in workspace.store.files()}
        size = workspace.embedder.dimensions
        for path, rows in found.items():
            assert len(rows) in (0, size * len(workspace.store.pieces(path))), (model, path)
        return found


def fresh(root: Path, tiny: Path) -> dict[str, dict[str, bytes]]:
    """Return the vectors of an index that nobody disturbed."""
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(root.parent / "fresh"), patch)
        return {model: vectors(root, model, tiny, whole=True) for model in MODELS}


def test_killed_while_vectors_are_made_no_file_has_wrong_ones(stressed: Stressed, tiny: Path, seed: int):
    chance = random.Random(seed)
    killed = 0
    for number in range(rounds(6, 60)):
        stressed.write(WORDS[number % 2])
        model = chance.choice(MODELS)
        process = stressed.start("index", SHIRUBE_EMBED_MODEL=model, SHIRUBE_EMBED_SOURCE=str(tiny))
        try:
            process.communicate(timeout=chance.uniform(0.2, 2.0))
        except Exception:  # noqa: BLE001 - the time is up: that is the point
            process.send_signal(signal.SIGKILL)
            process.communicate()
            killed += 1
        for other in MODELS:
            vectors(stressed.root, other, tiny, whole=False)
    print(f"killed {killed} times")
    ours = {model: vectors(stressed.root, model, tiny, whole=True) for model in MODELS}
    assert ours == fresh(stressed.root, tiny), f"seed {seed}"


def test_a_process_that_dies_inside_a_write_of_vectors_leaves_those_before_it(stressed: Stressed, tiny: Path):
    stressed.write("login")
    done = 0
    for groups in (0, 1, 3):
        command = [sys.executable, "-c", DYING, str(stressed.root), str(tiny), str(groups)]
        died = subprocess.run(command, env=stressed.dirs.environ(), capture_output=True, text=True, check=False)
        assert died.returncode == -signal.SIGKILL, died.stderr
        done += 4 * groups
        found = vectors(stressed.root, "e5", tiny, whole=False)
        assert (len(found), sum(map(bool, found.values()))) == (40, done)
    assert {"e5": vectors(stressed.root, "e5", tiny, whole=True)}.items() <= fresh(stressed.root, tiny).items()


def test_programs_with_different_models_at_once_answer_each_by_its_own(stressed: Stressed, tiny: Path):
    for number in range(rounds(2, 20)):
        stressed.write(WORDS[number % 2])
        crowd = [
            stressed.start(
                *("search", "ログイン", "--mode", "dense", "--json", "-k", "3"),
                SHIRUBE_EMBED_MODEL=model,
                SHIRUBE_EMBED_SOURCE=str(tiny),
            )
            for model in (*MODELS, "e5")
        ]
        for process in crowd:
            out, err = process.communicate(timeout=120)
            assert process.returncode in (0, 1), err
            answer = json.loads(out)
            # That there is no model is no doubt about what is there.
            doubts = [note for note in answer["degraded"] if not note.startswith("model: none")]
            assert answer["forest_hits"] or answer["answer"] != "none" or not doubts, answer
    ours = {model: vectors(stressed.root, model, tiny, whole=True) for model in MODELS}
    assert ours == fresh(stressed.root, tiny)
