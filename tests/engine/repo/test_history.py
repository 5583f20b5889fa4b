"""What was changed lately and what changes together, from a real little repository."""

from pathlib import Path

import pytest

from shirube.engine.repo.history import (
    LEAST_TOGETHER,
    MOST_FILES,
    RECENT_DAYS,
    Commit,
    changes_of,
    cochange,
    head_of,
    read_history,
    recency,
    text_at,
)

DAY = 86_400
NOW = 2_000_000_000


@pytest.fixture
def root(tmp_path: Path, make, git) -> Path:
    made = make(tmp_path / "repo", {"README.md": "x"})
    git(made, "init", "-q", "-b", "main")
    return made


def commit(git, root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("a") as file:
            file.write("more\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "change", "--allow-empty")


def paths_of(root: Path, env: dict[str, str]) -> list[set[str]]:
    return [set(one.paths) for one in read_history(root, env)]


def test_commits_are_read_newest_first_with_what_they_changed(root: Path, git, env):
    commit(git, root, "a.py")
    commit(git, root, "a.py", "src/b.py")
    commit(git, root, "src/b.py")
    assert paths_of(root, env) == [{"src/b.py"}, {"a.py", "src/b.py"}, {"README.md", "a.py"}]
    times = [one.seconds for one in read_history(root, env)]
    assert times == sorted(times, reverse=True)


def test_any_name_is_read_as_it_is(root: Path, git, env):
    odd = ["日本語.py", "with space.py", 'quo"te.py', "tab\there.py", "src/[id]/page.tsx"]
    commit(git, root, *odd)
    assert set(odd) <= paths_of(root, env)[0]


def test_paths_are_relative_to_the_project_even_below_the_top_of_the_repository(root: Path, git, env):
    commit(git, root, "app/a.py", "other/b.py")
    commit(git, root, "other/b.py")
    assert [paths for paths in paths_of(root / "app", env) if paths] == [{"a.py"}]


def test_a_removed_file_and_a_renamed_one_count_under_their_names(root: Path, git, env):
    commit(git, root, "a.py", "b.py")
    git(root, "mv", "a.py", "c.py")
    git(root, "rm", "-q", "b.py")
    commit(git, root)
    assert paths_of(root, env)[0] == {"a.py", "b.py", "c.py"}


def test_a_merge_is_no_change_of_its_own(root: Path, git, env):
    commit(git, root, "a.py")
    git(root, "checkout", "-q", "-b", "side")
    commit(git, root, "b.py")
    git(root, "checkout", "-q", "main")
    commit(git, root, "c.py")
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    assert sorted(map(sorted, paths_of(root, env))) == [["README.md", "a.py"], ["b.py"], ["c.py"]]


def test_head_moves_with_every_commit(root: Path, git, env):
    assert head_of(root, env) == ""
    commit(git, root, "a.py")
    first = head_of(root, env)
    assert first == git(root, "rev-parse", "HEAD").strip()
    commit(git, root, "a.py")
    assert head_of(root, env) != first


@pytest.mark.parametrize("kind", ["no repository", "no commit", "no directory"])
def test_where_there_is_no_history_there_is_none(tmp_path: Path, root: Path, env, kind: str):
    place = {"no repository": tmp_path / "plain", "no commit": root, "no directory": tmp_path / "gone"}[kind]
    if kind == "no repository":
        place.mkdir()
    assert (head_of(place, env), read_history(place, env)) == ("", ())


def test_without_git_there_is_no_history(root: Path, git, env):
    commit(git, root, "a.py")
    nowhere = {**env, "PATH": "/nowhere"}
    assert (head_of(root, nowhere), read_history(root, nowhere)) == ("", ())


def days_ago(days: float, *paths: str) -> Commit:
    return Commit(NOW - int(days * DAY), paths)


def test_what_was_changed_just_now_is_wholly_recent_and_after_two_weeks_not_at_all():
    commits = [days_ago(0, "a"), days_ago(RECENT_DAYS / 2, "b"), days_ago(RECENT_DAYS, "c"), days_ago(99, "d")]
    assert recency(commits, NOW) == {"a": 1.0, "b": pytest.approx(0.5)}


def test_the_latest_change_of_a_file_counts():
    assert recency([days_ago(7, "a"), days_ago(0, "a")], NOW) == {"a": 1.0}


def test_a_clock_that_went_wrong_makes_nothing_more_recent_than_now():
    assert recency([days_ago(-30, "a")], NOW) == {"a": 1.0}


def test_a_sweep_over_the_code_says_nothing():
    many = tuple(map(str, range(MOST_FILES + 1)))
    assert recency([days_ago(0, *many)], NOW) == {}
    assert cochange([days_ago(0, *many)] * LEAST_TOGETHER, ["0"]) == {}


def test_what_changes_together_is_a_jaccard_computed_by_hand():
    """a with b three times; a four times, b four times: 3 / (4 + 4 - 3)."""
    commits = [days_ago(n, "a", "b") for n in range(3)] + [days_ago(4, "a", "x"), days_ago(5, "b", "x")]
    assert cochange(commits, ["a"]) == {"b": pytest.approx(3 / 5)}


def test_once_together_is_chance():
    assert cochange([days_ago(0, "a", "b")], ["a"]) == {}


def test_several_files_at_hand_count_as_one():
    commits = [days_ago(0, "a", "c"), days_ago(1, "b", "c"), days_ago(2, "a", "b")]
    assert cochange(commits, ["a", "b"]) == {"c": pytest.approx(2 / 3)}


def test_nothing_at_hand_changes_with_nothing():
    assert cochange([days_ago(0, "a", "b")] * 3, []) == {}


def test_who_changed_a_file_and_what_it_was_then(git, root: Path, env: dict[str, str]):
    commit(git, root, "a.md")
    commit(git, root, "b.md")
    commit(git, root, "a.md")
    found = changes_of(root, "a.md", 10, env=env)
    assert [one.subject for one in found] == ["change", "change"]
    assert all(one.who and one.seconds for one in found)
    assert [text_at(root, one.commit, "a.md", env) for one in found] == ["more\nmore\n", "more\n"]
    assert len(changes_of(root, "a.md", 1, env=env)) == 1
    assert changes_of(root, "a.md", 5, "MERGE_HEAD", env) == ()
    assert changes_of(root, "a.md", 5, "--output=evil", env) == ()
    assert not (root / "evil").exists()
    assert text_at(root, found[0].commit, "nothing.md", env) == ""


def test_without_git_nobody_knows(tmp_path: Path, env: dict[str, str]):
    assert changes_of(tmp_path, "a.md", 5, env=env) == ()
    assert text_at(tmp_path, "HEAD", "a.md", env) == ""
