"""The diff of a commit, from a real little repository."""

from pathlib import Path

from tests.conftest import needs_git
from tests.features.past import begin, commit, git

from shirube.engine.repo.history import diff_of


@needs_git
def test_the_diff_of_a_commit_is_of_the_named_files_only(tmp_path: Path):
    begin(tmp_path)
    commit(tmp_path, "2024-01-01", "one", {"a.py": "a = 1\n" * 9, "b*.py": "b = 1\n", "bc.py": "c = 1\n"})
    git(tmp_path, "mv", "a.py", "日本.py")
    made = commit(tmp_path, "2024-01-02", "two", {"b*.py": "b = 2\n", "bc.py": "c = 2\n"})
    diff = diff_of(tmp_path, made, ["b*.py"]) or ""
    assert diff.splitlines()[-2:] == ["-b = 1", "+b = 2"]
    assert "bc.py" not in diff
    assert "rename from a.py\nrename to 日本.py\n" in (diff_of(tmp_path, made, ["a.py", "日本.py"]) or "")


@needs_git
def test_what_is_no_commit_has_no_diff_and_is_no_option(tmp_path: Path):
    begin(tmp_path)
    commit(tmp_path, "2024-01-01", "one", {"a.py": "a = 1\n"})
    assert diff_of(tmp_path, "0" * 40, ["a.py"]) is None
    assert diff_of(tmp_path, "--output=out", ["a.py"]) is None
    assert not (tmp_path / "out").exists()
