import os
import socket
import unicodedata

import pytest

from shirube.engine.repo.walk import WalkOptions, walk
from shirube.errors import NoPermission, NotADirectory, OutsideRoot


@pytest.fixture
def listed(env):
    def names(root, **options):
        return [found.path for found in walk(root, WalkOptions(env=env, **options)).files]

    return names


@pytest.fixture
def skipped(env):
    def reasons(root, **options):
        return {skip.path: skip.reason for skip in walk(root, WalkOptions(env=env, **options)).skipped}

    return reasons


# --- files and their names ---------------------------------------------------------------------------------


def test_the_directories_of_the_project_are_told_empty_ones_too(tmp_path, make, env):
    root = make(tmp_path / "p", {"src/a.py": "", "node_modules/x/y.js": "", "out/z": "", ".gitignore": "out/"})
    (root / "new" / "deep").mkdir(parents=True)
    assert walk(root, WalkOptions(env=env)).folders == ("", "new", "new/deep", "src")


def test_files_come_sorted_with_what_the_file_system_says_of_them(tmp_path, make):
    root = make(tmp_path / "p", {"b.py": "12345", "a/z.py": "", "a.py": "1"})
    files = walk(root).files
    assert [found.path for found in files] == ["a.py", "a/z.py", "b.py"]
    status = (root / "b.py").stat()
    assert files[2].stat.size == 5
    assert (files[2].stat.mtime_ns, files[2].stat.inode) == (status.st_mtime_ns, status.st_ino)


@pytest.mark.requirement("N001-FILES-04")
@pytest.mark.parametrize(
    "name",
    [
        "with space.py",
        "[id]/page.tsx",
        "(group)/page.tsx",
        "@modal/x.ts",
        "new\nline.py",
        "-rf",
        "--pre=evil",
        "日本語/ファイル.py",
        unicodedata.normalize("NFC", "é.py"),
        unicodedata.normalize("NFD", "é.py"),
        "a\\b.py",
        "'\"$(x)`.py",
    ],
)
def test_every_valid_name_is_kept_as_it_is(tmp_path, make, listed, name):
    assert listed(make(tmp_path / "p", {name: "x"})) == [name]


def test_names_that_are_no_text_are_reported_and_do_not_stop_the_walk(tmp_path, make, listed, skipped):
    root = make(tmp_path / "p", {"a.py": "x"})
    base = os.fsencode(root)
    with open(base + b"/bad\xff.py", "wb"):  # noqa: PTH123
        pass
    os.mkdir(base + b"/dir\xfe")  # noqa: PTH102
    assert listed(root) == ["a.py"]
    assert skipped(root) == {"bad\\xff.py": "odd_name", "dir\\xfe": "odd_name"}


def test_a_very_deep_tree_is_walked(tmp_path, make, listed):
    folders = [make(tmp_path / "p", {})]
    for _ in range(1100):
        folders.append(folders[-1] / "d")
        folders[-1].mkdir()
    file = make(folders[-1], {"x.py": ""}) / "x.py"
    assert listed(folders[0]) == [file.relative_to(folders[0]).as_posix()]
    file.unlink()
    for folder in reversed(folders):  # what cleans up after tests would recurse too deeply
        folder.rmdir()


@pytest.mark.requirement("N001-FILES-01")
def test_files_above_the_cap_are_reported_with_their_size(tmp_path, make, env):
    root = make(tmp_path / "p", {"big": "x" * 11, "small": "x" * 10})
    listing = walk(root, WalkOptions(max_bytes=10, env=env))
    assert [found.path for found in listing.files] == ["small"]
    assert [(skip.path, skip.reason, skip.detail) for skip in listing.skipped] == [("big", "too_large", "11 bytes")]


# --- the root ----------------------------------------------------------------------------------------------


def test_a_root_that_is_missing_or_a_file_is_refused(tmp_path, make):
    make(tmp_path, {"file": ""})
    for name in ("file", "nowhere"):
        with pytest.raises(NotADirectory):
            walk(tmp_path / name)


def test_directories_that_may_not_be_listed_are_reported_and_a_root_is_refused(
    tmp_path, make, listed, skipped, monkeypatch
):
    root = make(tmp_path / "p", {"closed/a.py": "", "b.py": ""})
    closed = {os.fsencode(root / "closed")}
    scandir = os.scandir

    def refuse(path):
        if path.rstrip(b"/") in closed:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert listed(root) == ["b.py"]
    assert skipped(root) == {"closed": "unreadable"}
    closed.add(os.fsencode(root))
    with pytest.raises(NoPermission):
        walk(root)


def test_a_walk_below_the_top_of_a_repository_obeys_the_rules_above_it(tmp_path, make, git, listed):
    files = {
        ".gitignore": "*.log\n/a/b/x\n",
        "a/.gitignore": "b/y",
        "a/b/x": "",
        "a/b/y": "",
        "a/b/z": "",
        "a/b/l.log": "",
    }
    root = make(tmp_path / "p", files)
    git(root, "init", "-q")
    assert listed(root / "a" / "b") == ["z"]


def test_a_project_that_the_repository_around_it_ignores_is_walked_by_its_own_rules(tmp_path, make, git, listed):
    home = make(
        tmp_path / "dotfiles", {".gitignore": "*\n!.gitignore", "code/p/a.py": "", "code/p/.gitignore": "*.log"}
    )
    make(home, {"code/p/x.log": ""})
    git(home, "init", "-q")
    assert listed(home / "code" / "p") == [".gitignore", "a.py"]


# --- links and special files -------------------------------------------------------------------------------


def test_links_are_reported_and_never_followed(tmp_path, make, listed, skipped):
    outside = make(tmp_path / "outside", {"secret.py": "x"})
    root = make(tmp_path / "p", {"real/a.py": "x"})
    (root / "inside").symlink_to("real/a.py")
    (root / "folder").symlink_to("real")
    (root / "real" / "loop").symlink_to("..")
    (root / "self").symlink_to("self")
    (root / "broken").symlink_to("nowhere")
    (root / "out").symlink_to(outside)
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "dangling").symlink_to("/nowhere/at/all")
    assert listed(root) == ["real/a.py"]
    inside = dict.fromkeys(["inside", "folder", "real/loop", "self", "broken"], "link")
    assert skipped(root) == inside | dict.fromkeys(["out", "passwd", "dangling"], "outside_link")


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(tmp_path, make, skipped):
    make(tmp_path / "p-other", {"a": ""})
    root = make(tmp_path / "p", {})
    (root / "x").symlink_to("../p-other/a")
    assert skipped(root) == {"x": "outside_link"}


def test_a_root_that_is_a_link_is_walked(tmp_path, make, listed):
    make(tmp_path / "real", {"a.py": ""})
    (tmp_path / "link").symlink_to("real")
    assert listed(tmp_path / "link") == ["a.py"]


def test_pipes_and_sockets_are_reported_and_never_opened(tmp_path, make, listed, skipped):
    root = make(tmp_path / "p", {"a.py": ""})
    for name in ("pipe", ".gitignore", ".shirubeignore"):
        os.mkfifo(root / name)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket"))
        assert listed(root) == ["a.py"]
        assert set(skipped(root).values()) == {"special"}
        assert set(skipped(root)) == {"pipe", "socket", ".gitignore", ".shirubeignore"}


def test_an_ignore_file_that_is_a_link_is_not_read(tmp_path, make, listed):
    make(tmp_path, {"rules": "*.py"})
    root = make(tmp_path / "p", {"a.py": ""})
    (root / ".gitignore").symlink_to("../rules")
    assert listed(root) == ["a.py"]


# --- git's rules -------------------------------------------------------------------------------------------


def test_ignore_files_hold_without_git_and_without_a_repository(tmp_path, make, env):
    root = make(tmp_path / "p", {".gitignore": "*.log\n!keep.log", "a.log": "", "keep.log": "", "d/b.log": ""})
    for options in (WalkOptions(use_git=False), WalkOptions(env=env | {"PATH": ""})):
        assert [found.path for found in walk(root, options).files] == [".gitignore", "keep.log"]


def test_the_rules_of_repository_and_user_hold_without_git(tmp_path, make, env, listed):
    files = {".git/info/exclude": "a", ".git/HEAD": "", "a": "", "b": "", "c": ""}
    root = make(tmp_path / "p", files)
    make(tmp_path / "home", {".config/git/ignore": "b"})
    assert listed(root, use_git=False) == ["c"]


def test_tracked_files_are_listed_although_ignored(tmp_path, make, git, listed):
    root = make(tmp_path / "p", {".gitignore": "out/\n*.gen", "out/a": "", "out/b": "", "x.gen": "", "y.gen": ""})
    git(root, "init", "-q")
    git(root, "add", "-f", "out/a", "x.gen")
    assert listed(root) == [".gitignore", "out/a", "x.gen"]
    assert listed(root, use_git=False) == [".gitignore"]


def test_a_linked_worktree_uses_the_exclude_file_of_its_repository(tmp_path, make, git, listed):
    root = make(tmp_path / "p", {"a": ""})
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", str(tmp_path / "linked"))
    make(root, {".git/info/exclude": "*.tmp"})
    linked = make(tmp_path / "linked", {"b.tmp": ""})
    assert listed(linked) == ["a"]
    assert listed(linked, use_git=False) == ["a"]


def test_other_repositories_and_worktrees_inside_are_skipped(tmp_path, make, git, listed, skipped):
    root = make(
        tmp_path / "p", {"a": "", "nested/.git/HEAD": "", "nested/x": "", "fake/.git": "gitdir: /x", "fake/y": ""}
    )
    git(root, "init", "-q")
    git(root, "add", "a")
    git(root, "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", "trees/one")
    make(root, {".worktrees/two/a": "", ".claude/worktrees/three/a": "", ".claude/settings.json": ""})
    assert listed(root) == [".claude/settings.json", "a"]
    built_in = ["nested", "fake", "trees/one", ".worktrees", ".claude/worktrees", ".git"]
    assert skipped(root) == dict.fromkeys(built_in, "built_in")


def test_submodules_are_walked_by_their_own_rules(tmp_path, make, git, listed):
    library = make(tmp_path / "library", {"lib.py": "", ".gitignore": "*.o", "forced.o": ""})
    git(library, "init", "-q")
    git(library, "add", "-f", ".")
    git(library, "commit", "-qm", "x")
    root = make(tmp_path / "p", {"a.py": "", ".gitignore": "*.x"})
    git(root, "init", "-q")
    git(root, "submodule", "--quiet", "add", str(library), "deps/library")
    make(root, {"deps/library/b.o": "", "deps/library/c.x": "", "b.x": ""})
    inside = [f"deps/library/{name}" for name in (".gitignore", "c.x", "forced.o", "lib.py")]
    assert listed(root) == [".gitignore", ".gitmodules", "a.py", *inside]


# --- our own rules -----------------------------------------------------------------------------------------


def test_our_ignore_files_hold_after_those_of_git(tmp_path, make, listed):
    files = {".gitignore": "*.gen\n", ".shirubeignore": "!keep.gen\ndocs/\n", "sub/.shirubeignore": "b.py"}
    content = {"keep.gen": "", "x.gen": "", "docs/a.md": "", "sub/b.py": "", "sub/c.py": "", "b.py": ""}
    root = make(tmp_path / "p", files | content)
    names = [name for name in listed(root) if "ignore" not in name]
    assert names == ["b.py", "keep.gen", "sub/c.py"]


def test_a_negated_pattern_reaches_into_an_ignored_directory(tmp_path, make, listed):
    files = {
        ".gitignore": "generated/\n",
        ".shirubeignore": "!generated/api/**\n!*.keep\n",
        "generated/api/deep/a.py": "",
        "generated/other/b.py": "",
        "generated/other/c.keep": "",
    }
    names = [name for name in listed(make(tmp_path / "p", files)) if "ignore" not in name]
    assert names == ["generated/api/deep/a.py", "generated/other/c.keep"]


def test_knowledge_at_the_root_is_not_listed_as_code(tmp_path, make, listed):
    pages = {".shirube/agreements/a.md": "", ".code-intel/agreements/a.md": "", "docs/.code-intel/b.md": ""}
    assert listed(make(tmp_path / "p", pages)) == ["docs/.code-intel/b.md"]


def test_a_directory_of_tools_opens_only_to_a_pattern_that_spells_it(tmp_path, make, listed):
    packages = {"node_modules/ours/a.md": "", "node_modules/theirs/b.md": "", "README.md": ""}
    root = make(tmp_path / "p", packages | {".shirubeignore": "!*.md"})
    assert listed(root) == [".shirubeignore", "README.md"]
    make(root, {".shirubeignore": "!node_modules/ours/"})
    assert listed(root) == [".shirubeignore", "README.md", "node_modules/ours/a.md"]


def test_a_virtual_environment_can_be_taken_back(tmp_path, make, listed, skipped):
    root = make(tmp_path / "p", {"env/pyvenv.cfg": "", "env/a.py": "", "b.py": ""})
    assert listed(root) == ["b.py"]
    assert skipped(root) == {"env": "built_in"}
    make(root, {".shirubeignore": "!env/"})
    assert "env/a.py" in listed(root)


def test_what_our_own_file_ignores_stays_ignored_inside(tmp_path, make, listed):
    root = make(tmp_path / "p", {".shirubeignore": "docs/\n!docs/keep.md", "docs/keep.md": ""})
    assert listed(root) == [".shirubeignore"]


def test_no_file_of_the_project_opens_the_store_of_git_or_a_secret(tmp_path, make, listed):
    root = make(tmp_path / "p", {".git/config": "", ".env": "", "a": "", ".shirubeignore": "!.git/**\n!.git/\n!.env"})
    assert listed(root, use_git=False) == [".shirubeignore", "a"]


@pytest.mark.requirement("003-CHUNK-15")
def test_extra_patterns_are_stronger_than_any_file(tmp_path, make, listed):
    root = make(tmp_path / "p", {".shirubeignore": "!a.py", "a.py": "", "b.py": "", "gen/x": ""})
    assert listed(root, excludes=("*.py", "gen/", ".shirubeignore")) == []


@pytest.mark.requirement("003-SYNC-01")
def test_only_source_directories_are_listed_when_named(tmp_path, make, listed, skipped):
    files = {"a.py": "", "src/a.py": "", "src/deep/b.py": "", "lib/x/c.py": "", "lib/y/d.py": "", "docs/e.md": ""}
    root = make(tmp_path / "p", files)
    assert listed(root, source_dirs=("src", "lib/x/")) == ["lib/x/c.py", "src/a.py", "src/deep/b.py"]
    assert listed(root, source_dirs=(".",)) == sorted(files)
    assert skipped(root, source_dirs=("gone",)) == {"gone": "unreadable"}
    with pytest.raises(OutsideRoot):
        listed(root, source_dirs=("../elsewhere",))


# --- what is skipped by itself -----------------------------------------------------------------------------


@pytest.mark.requirement("N001-FILES-02")
def test_secrets_are_reported_and_not_listed_unless_asked_for(tmp_path, make, listed, skipped):
    names = [".env", ".env.local", "key.pem", "id_rsa", "SERVER.KEY", "aws/credentials-prod.json"]
    root = make(tmp_path / "p", dict.fromkeys([*names, "secrets/a.txt", ".env.example", "src/secrets/code.py"], ""))
    assert listed(root) == [".env.example", "src/secrets/code.py"]
    assert skipped(root) == dict.fromkeys([*names, "secrets"], "secret")
    assert set(listed(root, include_secrets=True)) >= {*names, "secrets/a.txt"}


def test_a_directory_secrets_anywhere_gives_its_programs_and_nothing_else(tmp_path, make, listed, skipped):
    code = ["src/app/secrets/manager.py", "src/app/secrets/backends/vault.go", "web/Secrets/List.tsx"]
    kept = ["deploy/secrets/prod.yaml", "deploy/secrets/db/password", "src/app/secrets/backends/token.txt"]
    root = make(tmp_path / "p", dict.fromkeys([*code, *kept, "secrets/tool.py", "secretsx/a.yaml"], ""))
    assert listed(root) == sorted([*code, "secretsx/a.yaml"])
    assert skipped(root) == dict.fromkeys([*kept, "secrets"], "secret")
    assert set(listed(root, include_secrets=True)) >= {*kept, "secrets/tool.py"}


def test_a_project_named_secrets_is_a_project(tmp_path, make, listed):
    assert listed(make(tmp_path / "secrets", {"README.md": "", "src/a.yaml": ""})) == ["README.md", "src/a.yaml"]


def test_directories_that_are_never_part_of_a_project_are_left_out_whatever_a_file_says(
    tmp_path, make, listed, skipped
):
    root = make(tmp_path / "p", {"a.py": "", "var/cache/x.py": "", "var/b.py": "", ".shirubeignore": "!var/cache/"})
    never = (root / "var" / "cache", tmp_path / "elsewhere", root, tmp_path)
    assert listed(root, never=never) == [".shirubeignore", "a.py", "var/b.py"]
    assert skipped(root, never=never) == {"var/cache": "built_in"}


def test_build_output_is_skipped_unless_git_tracks_it(tmp_path, make, git, listed, skipped):
    root = make(tmp_path / "p", {"package.json": "", "dist/a.js": "", "build/tool.js": "", "lib/dist/b.js": ""})
    git(root, "init", "-q")
    git(root, "add", "build", "package.json")
    assert listed(root) == ["build/tool.js", "lib/dist/b.js", "package.json"]
    assert skipped(root) == {".git": "built_in", "dist": "built_in"}
