from shirube.engine.repo.git import TrackedFiles


def test_knows_tracked_files_and_the_directories_that_hold_them(tmp_path, make, git, env):
    root = make(tmp_path / "p", {"a/b.py": "", "a-b": "", "new\nline": "", "loose": ""})
    git(root, "init", "-q")
    git(root, "add", "a", "a-b", "new\nline")
    with TrackedFiles.ask(root, env=env) as tracked:
        assert tracked.has(b"a/b.py")
        assert tracked.has(b"new\nline")
        assert not tracked.has(b"loose")
        assert tracked.has_below(b"a")
        assert not tracked.has_below(b"a-b")


def test_knows_nothing_without_git_or_repository(tmp_path, env):
    for settings in (env, env | {"PATH": ""}):
        with TrackedFiles.ask(tmp_path, env=settings) as tracked:
            assert not tracked.has(b"a")
            assert not tracked.has_below(b"a")


def test_a_question_nobody_needed_leaves_no_process_behind(tmp_path, git, env):
    git(tmp_path, "init", "-q")
    with TrackedFiles.ask(tmp_path, env=env) as tracked:
        pass
    assert tracked._running.finish().code is not None
