"""Whatever happens in git, the store then knows the same as after reading everything again."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from shirube.deadline import Deadline
from shirube.engine.history import reading
from shirube.engine.history.commits import GitHistory, HistoryOptions
from shirube.engine.history.reading import BATCHES, LACKS, READ, VERSION, bring_up_to_date, is_current, trouble
from shirube.engine.store.lexical import kept_note
from shirube.errors import Cancelled, ToolFailed
from shirube.messages import Message
from tests.engine.history.repository import HOUR, Repository, copy_of, everything, touched
from tests.stores import change_counts, embedded_store, memory_store

YEAR = 31_557_600


def lacks(store) -> Message:
    return kept_note(store.noted(LACKS))


def subjects(changes) -> list[str]:
    return [change.subject for change in changes]


@pytest.fixture
def told(repository: Repository, store):
    """A repository with a rename and a file that is gone, read into the store."""
    repository.commit("begin", {"a.py": "def one():\n    return 1\n" * 9, "b.py": "x = 1\n", "c.py": "c\n"})
    repository.more("a.py", "b.py", message="fix the parser")
    repository.git("mv", "a.py", "d.py")
    repository.commit("rename a to d", {"c.py": None})
    repository.more("b.py", "d.py", message="解析を修正")
    repository.assert_like_rebuilt(store)
    return repository


def test_a_reading_follows_renames(told: Repository, store):
    found = {change.subject: change for change in store.past_changes()}
    assert set(touched(found["fix the parser"])) == {"d.py", "b.py"}
    (moved,) = [file for file in found["fix the parser"].files if file.path == "d.py"]
    assert (moved.then, moved.before) == ("a.py", "")
    (renamed,) = [file for file in found["rename a to d"].files if file.path == "d.py"]
    assert (renamed.then, renamed.before) == ("", "a.py")
    assert set(touched(found["begin"])) == {"d.py", "b.py", "c.py"}


def test_nothing_new_is_nothing_to_do(told: Repository, store):
    assert is_current(store, told.history().stamp())
    told.assert_like_rebuilt(store)


def test_what_another_machine_has_read_is_not_written_again(told: Repository, store, monkeypatch):
    for writing in ("write", "write_changes"):
        monkeypatch.setattr(store.backend, writing, lambda *args, **options: pytest.fail("nothing is to be written"))
    own, history = memory_store(), told.history()
    assert not is_current(store, history.stamp(), own)
    bring_up_to_date(store, history, lambda *step: None, Deadline(), own)
    assert is_current(store, history.stamp(), own)


def test_one_more_commit_reads_only_that(told: Repository, store, monkeypatch):
    new = told.more("b.py", message="one more")
    asked = []
    read = GitHistory.read
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: asked.extend(commits) or read(git, commits))
    told.read(store)
    assert [one.commit for one in asked] == [new]
    told.assert_like_rebuilt(store)


def test_a_new_rename_moves_what_was_known(told: Repository, store):
    told.git("mv", "d.py", "e.py")
    told.commit("rename d to e")
    told.git("mv", "b.py", "d.py")
    told.commit("rename b to d")
    told.more("d.py", "e.py")
    found = told.assert_like_rebuilt(store)
    assert set(touched(found[-1])) == {"e.py", "d.py", "c.py"}


def test_names_that_change_places(told: Repository, store):
    for before, after in (("d.py", "x"), ("b.py", "d.py"), ("x", "b.py")):
        told.git("mv", before, after)
        told.commit(f"rename {before} to {after}")
    found = told.assert_like_rebuilt(store)
    assert {file.path for file in found[-2].files if file.then == "a.py"} == {"b.py"}
    assert {file.path for file in found[-2].files if file.then == "b.py"} == {"d.py"}


def test_two_files_that_have_one_name_today_can_part_again(repository: Repository, store):
    text = {name: "".join(f"{name} {number}\n" for number in range(20)) for name in "ab"}
    both = repository.commit("both", text)
    repository.git("mv", "a", "c")
    repository.commit("a is c")
    repository.commit("no c", {"c": None})
    repository.git("mv", "b", "c")
    repository.commit("b is c")
    found = repository.assert_like_rebuilt(store)
    assert [(file.path, file.then) for file in found[-1].files] == [("c", "a"), ("c", "b")]
    assert change_counts(store, ["c"]) == {"c": 4}
    repository.git("reset", "-q", "--hard", both)
    found = repository.assert_like_rebuilt(store)
    assert [file.path for file in found[-1].files] == ["a", "b"]


def test_a_merge_of_a_side_branch(told: Repository, store):
    told.git("checkout", "-q", "-b", "side", "HEAD~2")
    told.more("b.py", message="side work")
    told.git("mv", "a.py", "side.py")
    told.commit("rename on the side")
    told.git("checkout", "-q", "main")
    told.more("c2.py")
    told.assert_like_rebuilt(store)
    told.now += HOUR
    told.git("merge", "-q", "-s", "ours", "--no-ff", "-m", "merge side", "side")
    found = told.assert_like_rebuilt(store)
    assert "side work" in subjects(found)
    assert "merge side" not in subjects(found)


@pytest.mark.parametrize("after", ["", "gc"])
def test_a_history_that_was_rewritten(told: Repository, store, after: str):
    told.now += HOUR
    told.git("commit", "-q", "--amend", "-m", "amended")
    told.assert_like_rebuilt(store)
    told.git("checkout", "-q", "-b", "base", "HEAD~3")
    told.more("z.py", message="another base")
    told.git("checkout", "-q", "main")
    told.now += HOUR
    told.git("rebase", "-q", "base")
    if after:
        told.git("reflog", "expire", "--expire=now", "--all")
        told.git("gc", "-q", "--prune=now")
    found = told.assert_like_rebuilt(store)
    assert "another base" in subjects(found)
    assert len(store.commits()) == 5


def test_another_branch_there_and_back(told: Repository, store):
    before = everything(store)
    told.git("checkout", "-q", "-b", "other", "HEAD~2")
    told.more("o.py", message="on the other one")
    assert "on the other one" in subjects(told.assert_like_rebuilt(store))
    told.git("checkout", "-q", "main")
    assert "on the other one" not in subjects(told.assert_like_rebuilt(store))
    assert everything(store) == before


def test_an_older_commit_is_checked_out(told: Repository, store):
    told.git("checkout", "-q", "--detach", "HEAD~1")
    assert len(told.assert_like_rebuilt(store)) == 3
    told.git("checkout", "-q", "main")
    told.git("reset", "-q", "--hard", "HEAD~2")
    found = told.assert_like_rebuilt(store)
    assert set(touched(found[0])) == {"a.py", "b.py"}


def test_a_linked_work_tree_has_its_own_head(told: Repository, store, tmp_path: Path):
    told.git("worktree", "add", "-q", "-b", "tree", str(tmp_path / "tree"), "HEAD~2")
    there = Repository(tmp_path / "tree", tmp_path / "home")
    assert len(told.assert_like_rebuilt(store, there.root)) == 2
    stamp = told.history(there.root).stamp()
    told.more("b.py")
    assert told.history(there.root).stamp() == stamp
    there.now = told.now
    there.more("new.py", message="in the tree")
    assert told.history(there.root).stamp() != stamp
    assert subjects(told.assert_like_rebuilt(store, there.root))[0] == "in the tree"


def test_a_submodule_and_the_project_around_it(told: Repository, store, tmp_path: Path):
    outer = Repository(tmp_path / "outer", tmp_path / "home").init()
    outer.commit("outer", {"main.py": "def run():\n    pass\n"})
    outer.git("submodule", "--quiet", "add", str(told.root), "inner")
    outer.commit("add the submodule", {"main.py": "def run():\n    return 1\n"})
    found = outer.assert_like_rebuilt(store)
    assert touched(found[0]) == {".gitmodules": (), "main.py": ("run",)}
    inside = memory_store(256)
    assert len(outer.assert_like_rebuilt(inside, outer.root / "inner")) == 4
    told.more("b.py", message="newer")
    outer.git("pull", "-q", cwd=outer.root / "inner")
    assert subjects(outer.assert_like_rebuilt(inside, outer.root / "inner"))[0] == "newer"
    outer.commit("move the submodule on")
    assert outer.assert_like_rebuilt(store)[0].files == ()


def test_a_part_of_a_repository(repository: Repository, store):
    text = "".join(f"line {number}\n" for number in range(30))
    repository.commit("born outside", {"old/thing.py": text, "app/main.py": "x = 1\n"})
    repository.more("old/thing.py", message="grown outside")
    (repository.root / "app").mkdir(exist_ok=True)
    repository.git("mv", "old/thing.py", "app/thing.py")
    repository.commit("moved in")
    repository.more("README.md", message="only outside")
    app = repository.root / "app"
    found = {change.subject: change for change in repository.assert_like_rebuilt(store, app)}
    assert [set(touched(found[name])) for name in ("moved in", "grown outside")] == [{"thing.py"}, {"thing.py"}]
    assert set(touched(found["born outside"])) == {"main.py", "thing.py"}
    assert set(touched(found["only outside"])) == {":/README.md"}
    repository.git("mv", "app/thing.py", "away.py")
    repository.commit("moved out")
    found = repository.assert_like_rebuilt(store, app)
    assert set(touched(found[0])) == {":/away.py"}


def test_a_shallow_clone_and_the_rest_of_it_later(told: Repository, tmp_path: Path):
    place, store = tmp_path / "shallow", memory_store(256)
    told.git("clone", "-q", "--depth=2", f"file://{told.root}", str(place))
    found = told.assert_like_rebuilt(store, place)
    assert [(change.subject, bool(change.files), change.weight) for change in found] == [
        ("解析を修正", True, 1.0),
        ("rename a to d", False, 0.0),  # it seems to add every file
    ]
    told.git("fetch", "-q", "--unshallow", cwd=place)
    assert len(told.assert_like_rebuilt(store, place)) == 4


def test_a_clone_that_becomes_shallow_keeps_what_was_read_before(told: Repository, store, tmp_path: Path):
    place = tmp_path / "clone"
    told.git("clone", "-q", f"file://{told.root}", str(place))
    told.assert_like_rebuilt(store, place)
    assert not lacks(store)
    before = everything(store)
    told.git("fetch", "-q", "--depth=1", cwd=place)
    told.read(store, place)
    assert everything(store) == before
    assert lacks(store).code == "history.shallow_kept"
    assert lacks(store).values["count"] == 3
    newer = told.more("b.py", message="newer")
    told.git("fetch", "-q", "--depth=1", cwd=place)
    told.git("reset", "-q", "--hard", "FETCH_HEAD", cwd=place)
    told.git("reflog", "expire", "--expire=now", "--all", cwd=place)
    told.git("gc", "-q", "--prune=now", cwd=place)
    assert told.git("rev-list", "--all", cwd=place).split() == [newer]
    assert len(told.read(store, place)) == 5
    told.git("fetch", "-q", "--unshallow", cwd=place)
    assert len(told.assert_like_rebuilt(store, place)) == 5
    assert not lacks(store)


def test_in_a_shallow_clone_only_the_commits_of_another_branch_are_forgotten(told: Repository, store, tmp_path: Path):
    place = tmp_path / "clone"
    told.git("checkout", "-q", "-b", "side", "HEAD~1")
    told.more("s.py", message="on the side")
    told.git("checkout", "-q", "main")
    told.git("clone", "-q", f"file://{told.root}", str(place))
    told.git("checkout", "-q", "side", cwd=place)
    assert "on the side" in subjects(told.read(store, place))
    told.git("fetch", "-q", "--depth=2", "origin", "main", "side", cwd=place)
    told.git("checkout", "-q", "main", cwd=place)
    assert subjects(told.read(store, place)) == ["解析を修正", "rename a to d", "fix the parser", "begin"]
    told.git("checkout", "-q", "side", cwd=place)
    assert subjects(told.read(store, place)) == ["on the side", "rename a to d", "fix the parser", "begin"]


def test_a_clone_that_was_shallow_from_the_beginning_says_so(told: Repository, tmp_path: Path):
    place, store = tmp_path / "shallow", memory_store(256)
    told.git("clone", "-q", "--depth=1", f"file://{told.root}", str(place))
    assert len(told.read(store, place)) == 1
    assert lacks(store).code == "history.shallow"


def test_a_process_that_lives_on_sees_a_shallow_clone_deepen(told: Repository, store, tmp_path: Path):
    place = tmp_path / "shallow"
    told.git("clone", "-q", "--depth=2", f"file://{told.root}", str(place))
    git = told.history(place)
    bring_up_to_date(store, git, lambda *step: None, Deadline())
    told.git("fetch", "-q", "--unshallow", cwd=place)
    bring_up_to_date(store, git, lambda *step: None, Deadline())
    told.assert_like_rebuilt(store, place)


def test_a_clone_without_the_contents_of_files(told: Repository, tmp_path: Path):
    place, store = tmp_path / "partial", memory_store(256)
    told.git("config", "uploadpack.allowFilter", "true")
    told.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{told.root}", str(place))
    found = told.assert_like_rebuilt(store, place)
    assert not trouble(store)
    assert set(touched(found[0])) == {"b.py", "d.py"}
    assert found[2].files[1].path == "d.py", "a plain rename is followed"
    assert not any(file.symbols for change in found for file in change.files)
    assert lacks(store).code == "history.partial"


def test_a_clone_without_the_lists_of_files_knows_only_messages_and_fetches_nothing(told: Repository, tmp_path: Path):
    place, store = tmp_path / "partial", memory_store(256)
    told.git("config", "uploadpack.allowFilter", "true")
    told.git("clone", "-q", "--no-checkout", "--filter=tree:0", f"file://{told.root}", str(place))
    packs = sorted((place / ".git" / "objects").rglob("*"))
    found = told.read(store, place)
    assert subjects(found) == ["解析を修正", "rename a to d", "fix the parser", "begin"]
    assert not any(change.files for change in found)
    assert sorted((place / ".git" / "objects").rglob("*")) == packs
    assert not trouble(store)
    assert lacks(store).code == "history.partial"


def test_the_limits_count_from_the_newest_commit(repository: Repository, store):
    for number in range(6):
        repository.more(f"{number}.py", message=str(number))
        repository.now += YEAR // 2
    assert subjects(repository.assert_like_rebuilt(store, commits=4)) == ["5", "4", "3", "2"]
    assert subjects(repository.assert_like_rebuilt(store, years=1.01)) == ["5", "4", "3"]
    assert subjects(repository.assert_like_rebuilt(store, commits=2, years=1.01)) == ["5", "4"]
    repository.more("6.py", message="6")
    assert subjects(repository.assert_like_rebuilt(store, commits=2, years=1.01)) == ["6", "5"]
    assert len(repository.assert_like_rebuilt(store)) == 7
    assert repository.assert_like_rebuilt(store, commits=0) == ()


def test_clocks_that_went_wrong(repository: Repository, store):
    """Neither a commit that is dated long ago hides those before it, nor does it move the limit for good."""
    moments = [0, 4 * YEAR, -20 * YEAR, 4 * YEAR + HOUR, YEAR // 2, 5 * YEAR]
    begin = repository.now
    for number, moment in enumerate(moments):
        repository.now = begin + moment
        repository.more("a.py", message=str(number))
        repository.assert_like_rebuilt(store, years=3.0)
        repository.assert_like_rebuilt(store, years=3.0, commits=2)
    assert subjects(repository.assert_like_rebuilt(store, years=3.0)) == ["5", "3", "1"]


def test_commits_of_the_same_second(repository: Repository, store):
    """Their order is arbitrary, but always the same, also where the limit cuts."""
    few = memory_store(256)
    for number in range(10):
        repository.write({f"{number}.txt": f"same 1 {number}\n" * 9})
        if number % 2:
            repository.git("mv", f"{number - 1}.txt", f"{number + 20}.txt")
        repository.now -= HOUR
        repository.commit(str(number))
        repository.assert_like_rebuilt(store)
        repository.assert_like_rebuilt(few, commits=2)


def test_nothing_but_what_led_to_the_checked_out_commit_is_read(repository: Repository, store, tmp_path: Path):
    """Other branches, tags, remotes, the stash, the reflog, notes and later commits stay unread."""
    origin = copy_of(repository, tmp_path / "origin")
    origin.commit("SECRET remote", {"r.py": "r\n"})
    repository.commit("first", {"a.py": "a\n"})
    repository.commit("second", {"a.py": "a\nb\n"})
    repository.git("remote", "add", "origin", str(origin.root))
    repository.git("fetch", "-q", "origin")
    repository.git("checkout", "-q", "-b", "other")
    repository.commit("SECRET branch", {"b.py": "b\n"})
    repository.git("tag", "later")
    repository.git("checkout", "-q", "main")
    repository.commit("SECRET later", {"a.py": "later\n"})
    repository.git("tag", "newest")
    repository.git("branch", "keep")
    repository.git("notes", "add", "-m", "SECRET note", "main~1")
    repository.git("reset", "-q", "--hard", "main~1")
    repository.write({"a.py": "stashed\n"})
    repository.git("stash", "push", "-q", "-m", "SECRET stash")
    repository.write({"staged.py": "SECRET\n"})
    repository.git("add", "-A")
    found = repository.assert_like_rebuilt(store)
    assert subjects(found) == ["second", "first"]
    assert set(store.commits()) == set(repository.git("rev-list", "main").split())
    assert "SECRET" not in str(everything(store))
    assert store.similar_changes({"secret": 1.0}, 10) == ()
    repository.git("checkout", "-q", "--detach", "main~1")
    assert subjects(repository.assert_like_rebuilt(store)) == ["first"]


# --- broken, missing, strange -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["no git", "no commit", "switched off"])
def test_where_there_is_no_history_nothing_is_said(repository: Repository, store, tmp_path: Path, kind: str):
    if kind == "no git":
        (tmp_path / "plain").mkdir()
        assert repository.read(store, tmp_path / "plain") == ()
    elif kind == "no commit":
        assert repository.read(store) == ()
    else:
        repository.commit()
        assert len(repository.read(store)) == 1
        assert repository.read(store, commits=0) == ()
    assert trouble(store) == ""


def test_when_git_goes_its_history_goes(told: Repository, store):
    shutil.rmtree(told.root / ".git")
    assert not is_current(store, told.history().stamp())
    assert told.read(store) == ()
    assert is_current(store, told.history().stamp())


def break_nothing_but_head(told: Repository) -> None:
    (told.root / ".git" / "HEAD").write_bytes(b"\x00\xff garbage")


def empty_git(told: Repository) -> None:
    shutil.rmtree(told.root / ".git")
    (told.root / ".git").mkdir()


def lose_branch(told: Repository) -> None:
    (told.root / ".git" / "refs" / "heads" / "main").write_text("garbage\n")


def lose_head_commit(told: Repository) -> None:
    told.object_file("HEAD").unlink()


def lose_old_commit(told: Repository) -> None:
    told.object_file("HEAD~2").unlink()


def corrupt_head_commit(told: Repository) -> None:
    place = told.object_file("HEAD")
    place.chmod(0o644)
    place.write_bytes(b"nothing that zlib knows")


def link_to_nowhere(told: Repository) -> None:
    shutil.rmtree(told.root / ".git")
    (told.root / ".git").write_text("gitdir: /nowhere/at/all\n")


BREAKS = [
    break_nothing_but_head, empty_git, lose_branch, lose_head_commit, lose_old_commit, corrupt_head_commit,
    link_to_nowhere,
]  # fmt: skip


@pytest.mark.parametrize("harm", BREAKS)
def test_a_broken_repository_is_left_out_and_the_reason_is_told(told: Repository, store, harm):
    (told.root / "e.py").write_text("moved\n")
    told.commit("packed in no pack")
    told.git("reflog", "expire", "--expire=now", "--all")
    harm(told)
    bring_up_to_date(store, told.history(), lambda *step: None, Deadline())
    assert store.past_changes() == ()
    assert "git cannot read this repository" in str(trouble(store))
    assert is_current(store, told.history().stamp()), "it is said once, not tried at every question"


def test_a_repaired_repository_is_read_again(told: Repository, store):
    branch = told.root / ".git" / "refs" / "heads" / "main"
    good = branch.read_text()
    branch.write_text("garbage\n")
    assert told.read(store) == ()
    branch.write_text(good)
    assert len(told.assert_like_rebuilt(store)) == 4
    assert trouble(store) == ""


def test_without_the_content_of_a_file_only_its_symbols_are_missing(told: Repository, store):
    told.commit("def", {"f.py": "def one():\n    return 1\n"})
    told.commit("content", {"f.py": "def one():\n    return 2\n"})
    told.object_file("HEAD:f.py").unlink()
    found = told.assert_like_rebuilt(store)
    assert (found[0].subject, touched(found[0])) == ("content", {"f.py": ()})
    assert touched(found[1]) == {"f.py": ("one",)}
    assert trouble(store) == ""


def test_without_the_list_of_its_files_a_commit_is_left_out(told: Repository, store):
    told.commit("lost", {"deep/f.py": "def one():\n    return 2\n"})
    told.more("b.py", message="after")
    told.object_file("HEAD~1^{tree}").unlink()
    found = told.assert_like_rebuilt(store)
    assert subjects(found) == ["解析を修正", "rename a to d", "fix the parser", "begin"], "two are compared with it"
    assert str(trouble(store)) == "history: 2 commits could not be read whole"
    told.more("b.py", message="later")
    told.read(store)
    assert str(trouble(store)) == "history: 2 commits could not be read whole", "it is still so"


def test_without_git_the_past_is_forgotten_and_the_reason_raised(told: Repository, store):
    git = GitHistory(told.root, HistoryOptions(1000, 0.0), {**told.env, "PATH": "/nowhere"})
    with pytest.raises(ToolFailed) as caught:
        bring_up_to_date(store, git, lambda *step: None, Deadline())
    assert caught.value.message.code == "repo.no_git"
    assert store.past_changes() == ()
    assert not is_current(store, git.stamp()), "a process that has git reads again"
    assert len(told.assert_like_rebuilt(store)) == 4


def test_a_reading_of_another_version_is_made_again(told: Repository, store, monkeypatch):
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: pytest.fail("known already"))
    store.note(reading.STAMP, "")
    told.read(store)
    monkeypatch.undo()
    store.note(READ, store.noted(READ).replace(VERSION, "0", 1))
    seen = []
    read = GitHistory.read
    monkeypatch.setattr(GitHistory, "read", lambda git, commits: seen.extend(commits) or read(git, commits))
    told.assert_like_rebuilt(store)
    assert len(seen) == 8, "four for each of the two stores"


# --- interrupted ------------------------------------------------------------------------------------------

KILLED = dedent(
    """
    import os, signal, sys
    from pathlib import Path
    from shirube.deadline import Deadline
    from shirube.engine.history.commits import GitHistory, HistoryOptions
    from shirube.engine.history.reading import bring_up_to_date
    from shirube.engine.store.embedded import EmbeddedStore
    from shirube.engine.store.store import Store

    left = int(sys.argv[3])
    class Mortal(Store):
        def write_changes(self, changes, removed=()):
            super().write_changes(changes, removed)
            self.step()
        def note(self, key, value):
            super().note(key, value)
            self.step()
        def step(self):
            global left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    store = Mortal(EmbeddedStore(Path(sys.argv[1]), 256))
    git = GitHistory(Path(sys.argv[2]), HistoryOptions(1000, 0.0), dict(os.environ))
    bring_up_to_date(store, git, lambda *step: None, Deadline())
    print("unharmed")
    """
)


def killed_after(writes: int, place: Path, told: Repository) -> bool:
    """Read in a process that kills itself after so many writes; return False when it finished first."""
    argv = [sys.executable, "-c", KILLED, str(place), str(told.root), str(writes)]
    done = subprocess.run(argv, env={**os.environ, **told.env}, capture_output=True, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


def test_killed_after_any_write_the_next_reading_ends_the_same(told: Repository, tmp_path: Path):
    for number in range(sum(BATCHES[:1]) + 5):
        told.git("commit", "-q", "--allow-empty", "-m", f"filler {number}")
    place, writes = tmp_path / "killed", 0
    harmed = True
    while harmed:
        writes += 1
        shutil.rmtree(place, ignore_errors=True)
        harmed = killed_after(writes, place, told)
        store = embedded_store(place, 256)
        told.assert_like_rebuilt(store)
        store.close()
    assert writes > 6


def test_killed_while_the_history_was_rewritten(told: Repository, tmp_path: Path):
    place = tmp_path / "killed"
    store = embedded_store(place, 256)
    told.read(store)
    store.close()
    told.git("checkout", "-q", "-b", "other", "HEAD~2")
    told.git("mv", "a.py", "other.py")
    told.commit("renamed otherwise")
    for writes in (2, 4, 6, 7):
        copy = tmp_path / f"copy {writes}"
        shutil.copytree(place, copy)
        assert killed_after(writes, copy, told)
        store = embedded_store(copy, 256)
        told.assert_like_rebuilt(store)
        store.close()


def test_cancelled_between_batches_what_was_read_is_kept(told: Repository, store, monkeypatch):
    monkeypatch.setattr(reading, "BATCHES", (1,))
    told.more("b.py")
    told.more("b.py")
    deadline = Deadline()
    store.note(READ, "")
    store.write_changes((), store.commits())
    with pytest.raises(Cancelled):
        bring_up_to_date(store, told.history(), lambda what, done, total: deadline.cancel() if done else None, deadline)
    assert len(store.commits()) == 2
    assert not is_current(store, told.history().stamp())
    told.assert_like_rebuilt(store)


def test_a_reading_that_goes_on_counts_what_was_read_before(told: Repository, store):
    told.more("b.py")
    seen = []
    bring_up_to_date(store, told.history(), lambda what, done, total: seen.append((done, total)), Deadline())
    assert seen == [(4, 5)]


def test_a_git_that_is_killed_by_cancelling_has_not_failed(told: Repository, store):
    """What is known must not be thrown away because the caller gave up."""
    before = everything(store)
    told.more("b.py")
    deadline = Deadline()
    deadline.cancel()
    with deadline.governing(), pytest.raises(Cancelled):
        bring_up_to_date(store, told.history(), lambda *step: None, deadline)
    assert everything(store) == before
    told.assert_like_rebuilt(store)
