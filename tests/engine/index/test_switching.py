"""Choosing another model, and going back: nothing is parsed again, nothing mixed, and what is missing is said."""

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.conftest import StateDirs, quiet, sync
from tests.engine.embed.tiny import write_model

from shirube.deadline import Deadline
from shirube.engine.embed.e5 import E5Embedder
from shirube.engine.index.keeper import Keeper
from shirube.engine.index.pool import Pool
from shirube.engine.store.disk import locked
from shirube.errors import Cancelled, ModelFault
from shirube.project import Project
from shirube.workspace import Workspace, build_workspace

QUESTION = "signin"
"""A word of no file; the model knows that it means what ``login`` does."""


@pytest.fixture
def project(tmp_path: Path, state_dirs: StateDirs) -> Path:
    root = tmp_path / "shop"
    for path, text in {
        "src/auth.py": "def login(user):\n    return user\n",
        "src/shop.py": "def cart(items):\n    return items\n",
        "src/money.py": "def price(value):\n    return value\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root.resolve()


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def opened(root: Path, model: str, source: Path | str = "owner/name") -> Workspace:
    return build_workspace(root, {"embed.model": model, "embed.source": str(source), "index.workers": 1})


def asked(root: Path, model: str, source: Path | str = "owner/name", **request: object):
    with Project(opened(root, model, source)) as project:
        return project.search(**{"query": QUESTION, "mode": "hybrid", **request})


@pytest.mark.requirement("003-EMBED-01")
def test_the_chosen_model_finds_what_no_word_of_the_question_says(project: Path, tiny: Path):
    result = asked(project, "e5", tiny)
    assert result.degraded == ()
    assert result.forest_hits[0].path == "src/auth.py"
    assert any(reason.name == "text:sense" for reason in result.forest_hits[0].why)
    japanese = asked(project, "e5", tiny, query="カート")
    assert japanese.forest_hits[0].path == "src/shop.py"


@pytest.mark.requirement("N003-EMBED-03")
def test_texts_that_have_nothing_to_do_with_the_question_are_held_apart(project: Path, tiny: Path):
    first, *rest = asked(project, "e5", tiny, query="ログイン", mode="dense").forest_hits
    assert first.path == "src/auth.py"
    assert all(hit.score < 0.7 * first.score for hit in rest), "although all cosines are above 0.8"
    with Project(opened(project, "e5", tiny)) as opened_project:
        offered = [{"path": path} for path in ("src/money.py", "src/auth.py")]
        ranked = opened_project.semantic_rerank(text="ログイン", candidates=offered).candidates
    assert [one.path for one in ranked] == ["src/auth.py", "src/money.py"]
    assert ranked[1].semantic < ranked[0].semantic - 0.2


def test_going_to_another_model_and_back_parses_and_embeds_nothing_twice(
    project: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
):
    texts: list[str] = []
    contents = E5Embedder.contents

    def counted(self, given, *rest, **named):
        texts.extend(given)
        return contents(self, given, *rest, **named)

    monkeypatch.setattr(E5Embedder, "contents", counted)
    with closing(opened(project, "hashed")) as workspace:
        assert sync(workspace).parsed == 3

    def only_compared(pool: Pool, tasks):
        assert all(task.known_digest for task in tasks), "a file is read to see that it stands still, and no more"
        return read(pool, tasks)

    read = Pool.read
    monkeypatch.setattr(Pool, "read", only_compared)
    for model, made in (("e5", 3), ("static", 3), ("e5", 0), ("hashed", 0), ("static", 0), ("e5", 0)):
        with closing(opened(project, model, tiny)) as workspace:
            assert workspace.keeper.unembedded == made, model
            assert workspace.keeper.needs_sync() == bool(made)
            report = sync(workspace)
            assert (report.parsed, report.reused, report.anything) == (0, 0, False)
            assert workspace.store.coverage() == (3, 3)
    assert len(texts) == 3, "each text was given to the large model once"


def test_vectors_of_one_length_from_two_models_do_not_meet(project: Path, tmp_path: Path, tiny: Path):
    other = write_model(tmp_path / "other", shift=0.5)
    with closing(opened(project, "e5", tiny)) as one, closing(opened(project, "e5", other)) as two:
        sync(one)
        assert one.embedder.dimensions == two.embedder.dimensions
        assert two.store.coverage() == (0, 3)
        assert two.store.vectors("src/auth.py") == b""
        sync(two)
        assert one.store.vectors("src/auth.py") != two.store.vectors("src/auth.py")


def test_while_vectors_are_missing_the_words_answer_and_the_answer_says_so(
    project: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
):
    with closing(opened(project, "hashed")) as workspace:
        sync(workspace)
    monkeypatch.setattr(Keeper, "start_embedding", lambda keeper: None)
    result = asked(project, "e5", tiny, query="login")
    assert [hit.path for hit in result.forest_hits] == ["src/auth.py"]
    (note,) = result.degraded
    assert note.startswith("model: 3 files have no vectors of e5-16-")
    assert note.endswith("the answer goes by words alone")
    for mode in ("hybrid", "dense"):
        nothing = asked(project, "e5", tiny, mode=mode)
        assert (nothing.forest_hits, str(nothing.answer)) == ((), "unknown")
        assert "no vectors" in nothing.degraded[0]
    with Project(opened(project, "e5", tiny)) as opened_project:
        status = opened_project.index_status()
        ranked = opened_project.semantic_rerank(text="login", candidates=[{"path": "src/auth.py"}])
    assert (status.unembedded, status.needs_sync) == (3, True)
    assert "no vectors" in ranked.degraded[0]


def test_a_question_by_words_alone_says_nothing_of_vectors(project: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Keeper, "start_embedding", lambda keeper: None)
    assert asked(project, "e5", tiny, query="login", mode="lexical").degraded == ()


def test_a_file_that_changed_is_read_by_the_model_before_the_next_answer(project: Path, tiny: Path):
    with Project(opened(project, "e5", tiny)) as opened_project:
        assert opened_project.search(query=QUESTION, mode="dense").forest_hits[0].path == "src/auth.py"
        (project / "src" / "money.py").write_text("def login_signin_login(): pass\n")
        (project / "src" / "auth.py").unlink()
        opened_project.sync_index()
        result = opened_project.search(query=QUESTION, mode="dense")
    assert result.forest_hits[0].path == "src/money.py"
    assert result.degraded == ()


@pytest.mark.requirement("N003-EMBED-01")
def test_a_model_that_is_not_there_is_replaced_by_the_bundled_one_and_its_place_named(project: Path, state_dirs):
    result = asked(project, "e5", query="login")
    assert result.forest_hits[0].path == "src/auth.py"
    (note,) = result.degraded
    assert str(state_dirs.cache / "models" / "owner--name") in note
    assert "onnx/model.onnx, tokenizer.json, config.json" in note
    assert "the bundled model answers instead" in note


def test_files_put_where_the_message_says_are_used(project: Path, state_dirs, tiny: Path):
    shutil.copytree(tiny, state_dirs.cache / "models" / "owner--name")
    result = asked(project, "e5")
    assert result.degraded == ()
    assert result.forest_hits[0].path == "src/auth.py"


def test_a_damaged_model_leaves_the_words_and_is_told(project: Path, tiny: Path):
    (tiny / "onnx" / "model.onnx").write_bytes(b"no network")
    with Project(opened(project, "e5", tiny)) as opened_project:
        made = opened_project.sync_index()
        assert made.job.state == "done"
        assert any("cannot be used" in warning for warning in made.warnings)
        result = opened_project.search(query="login", mode="hybrid")
        assert [hit.path for hit in result.forest_hits] == ["src/auth.py"]
        assert "cannot be used" in result.degraded[0]
        assert opened_project.search(query="login", mode="dense").forest_hits, "the words answer in its stead"


def test_a_model_that_breaks_after_the_index_was_made_leaves_the_words(project: Path, tiny: Path, monkeypatch):
    with closing(opened(project, "e5", tiny)) as workspace:
        sync(workspace)

    def broken(*given: object) -> None:
        raise ModelFault("the model went away", "bring it back")

    monkeypatch.setattr(E5Embedder, "query", broken)
    result = asked(project, "e5", tiny, query="login")
    assert [hit.path for hit in result.forest_hits] == ["src/auth.py"]
    assert result.degraded == ("model: the model went away (bring it back); the answer goes by words alone",)


def test_workers_never_load_a_large_model(project: Path, tiny: Path):
    with closing(opened(project, "e5", tiny)) as workspace:
        assert workspace._pool._workers[0]._setup.model == ""
    with closing(opened(project, "static")) as workspace:
        assert workspace._pool._workers[0]._setup.model == "static"


def test_giving_up_while_vectors_are_made_keeps_the_words_and_what_is_done(project: Path, tiny: Path, monkeypatch):
    monkeypatch.setattr("shirube.engine.index.sync.GROUP_FILES", 1)
    deadline = Deadline()
    contents = E5Embedder.contents

    def one_at_a_time(self, given, *rest, **named):
        if workspace.store.coverage()[0]:
            deadline.cancel()
            workspace.keeper.start_embedding().deadline.cancel()  # the job that runs, which may be new to the keeper
        return contents(self, given, *rest, **named)

    monkeypatch.setattr(E5Embedder, "contents", one_at_a_time)
    with closing(opened(project, "e5", tiny)) as workspace:
        with pytest.raises(Cancelled):
            sync(workspace, deadline=deadline)
        assert workspace.keeper.state == "complete"
        done, total = workspace.store.coverage()
        assert 0 < done < total == 3
    monkeypatch.setattr(E5Embedder, "contents", contents)
    with closing(opened(project, "e5", tiny)) as workspace:
        sync(workspace)
        assert workspace.store.coverage() == (3, 3)
        assert workspace.store.check() == ()


def test_two_programs_with_two_models_on_one_index_answer_each_by_its_own(project: Path, tiny: Path):
    with (
        Project(opened(project, "e5", tiny)) as large,
        Project(opened(project, "hashed")) as plain,
    ):
        for number in range(4):
            (project / "src" / f"more{number}.py").write_text(f"def basket_{number}():\n    return 'cart'\n")
            writer, other = (large, plain) if number % 2 else (plain, large)
            writer.sync_index()
            other.sync_index()
            assert large.search(query=QUESTION, mode="dense").forest_hits[0].path == "src/auth.py"
            (near, *_) = plain.search(query=f"basket_{number}", mode="dense").forest_hits
            assert near.path == f"src/more{number}.py"
            for workspace in (large.workspace, plain.workspace):
                assert workspace.store.coverage() == (4 + number, 4 + number)
                size = workspace.embedder.dimensions
                assert all(
                    len(workspace.store.vectors(path)) == size * len(workspace.store.pieces(path))
                    for path in workspace.store.files()
                )


def test_vectors_that_another_process_makes_are_waited_for_by_a_sync(project: Path, tiny: Path):
    with closing(opened(project, "e5", tiny)) as one, closing(opened(project, "e5", tiny)) as two:
        with locked(one.directory / f"embed-{one.embedder.name}.lock"):
            job = one.keeper.start()
            job.wait(None)
            making = one.keeper.start_embedding()
            assert making is not None
            while making.step[0] != "embedding, by another process":
                making.wait(0.01, quiet)
            assert one.store.coverage() == (0, 3)
        making.wait(None)
        assert making.error is None
        assert one.store.coverage() == two.store.coverage() == (3, 3)


@pytest.mark.parametrize("offline", ["", "1"])
def test_on_the_command_line_a_missing_model_is_told_and_repair_says_what_to_do(
    project: Path, state_dirs: StateDirs, offline: str
):
    environ = {
        **state_dirs.environ(),
        "SHIRUBE_EMBED_MODEL": "e5",
        "SHIRUBE_EMBED_OFFLINE": "true",
        "HF_HUB_OFFLINE": offline,
    }

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "shirube", "--root", str(project), *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environ, check=False)

    place = state_dirs.cache / "models" / "intfloat--multilingual-e5-small"
    found = json.loads(run("search", "login", "--json").stdout)
    assert found["forest_hits"][0]["path"] == "src/auth.py"
    assert str(place) in found["degraded"][0]
    repaired = run("doctor", "--repair")
    assert repaired.returncode == 2
    assert str(place) in repaired.stderr
    write_model(place)
    examined = run("doctor", "--repair")
    assert "e5-16-" in examined.stdout
    indexed = run("index", "--json")
    assert indexed.returncode == 0, indexed.stderr
    assert json.loads(run("status", "--json").stdout)["unembedded"] == 0
    dense = json.loads(run("search", "signin", "--mode", "dense", "--json").stdout)
    assert dense["forest_hits"][0]["path"] == "src/auth.py"
    assert dense["degraded"] == []
