"""What is read of a commit, whatever is in it and however git is configured."""

import os
import stat
from pathlib import Path

import pytest

from shirube.engine.history.commits import LONGEST_BODY, LONGEST_SUBJECT, MOST_FILES, ROUTINE, GitHistory, weight_of
from shirube.engine.history.reading import trouble
from shirube.engine.store.port import PastChange
from shirube.engine.store.store import Store
from tests.engine.history.repository import Repository, touched
from tests.stores import memory_store

PYTHON = "def one():\n    a = 1\n    b = 2\n    return a\n\n\ndef two():\n    a = 1\n    b = 2\n    return a\n"


@pytest.fixture
def store() -> Store:
    return memory_store(256)


def last(repository: Repository, store: Store) -> PastChange:
    return repository.read(store)[0]


def test_message_author_time_files_and_symbols_are_read(repository: Repository, store):
    repository.commit("begin", {"src/a.py": PYTHON, "b.txt": "b\n"})
    message = (
        "Fix two\n\nIt returned a.\n\n  indented\n\nSigned-off-by: Ada <a@example.org>\nCo-authored-by: B <b@c.d>\n"
    )
    commit = repository.commit(message, {"src/a.py": PYTHON[:-2] + "b\n", "b.txt": None, "c.txt": "c\n"})
    found = last(repository, store)
    assert (found.commit, found.seconds, found.author) == (commit, repository.now, "Ada")
    assert (found.subject, found.body) == ("Fix two", "It returned a.\n\n  indented")
    assert touched(found) == {"src/a.py": ("two",), "b.txt": (), "c.txt": ()}
    assert found.weight == 1.0


def test_the_first_commit_is_read_like_the_others(repository: Repository, store):
    repository.commit("begin", {"a.py": PYTHON})
    assert touched(last(repository, store)) == {"a.py": ("one", "two")}


def test_an_empty_commit_and_an_empty_message(repository: Repository, store):
    repository.commit("", {"a.py": "x\n"})
    repository.commit("nothing changed")
    empty, silent = repository.read(store)
    assert (empty.subject, empty.files, empty.weight) == ("nothing changed", (), 0.0)
    assert (silent.subject, silent.body, silent.weight) == ("", "", 1.0)


def test_a_commit_of_very_many_files_tells_nothing_but_its_renames(repository: Repository, store):
    text = "".join(f"line {number}\n" for number in range(30))
    repository.commit("begin", {f"f{number:03}.py": f"{text}{number}\n" for number in range(MOST_FILES + 10)})
    repository.git("mv", "f000.py", "g.py")
    repository.commit("sweep", {f"f{number:03}.py": text for number in range(1, MOST_FILES + 5)})
    sweep, begin = repository.read(store)
    assert [(file.path, file.before) for file in sweep.files] == [("g.py", "f000.py")]
    assert (sweep.weight, begin.weight, begin.files) == (0.0, 0.0, ())
    repository.commit("enough", {f"f{number:03}.py": "x\n" for number in range(1, MOST_FILES + 1)})
    assert (last(repository, store).weight, len(last(repository, store).files)) == (1.0, MOST_FILES)


ENCODED = {
    "shift_jis": "解析処理のバグを修正\n\n日付の読み込みで落ちていた。",
    "euc_jp": "解析処理のバグを修正\n\n日付の読み込みで落ちていた。",
    "utf-8": "解析処理のバグを修正 🦀\n\n日付",
}


@pytest.mark.parametrize("encoding", ENCODED)
def test_messages_without_a_word_on_their_encoding(repository: Repository, store, encoding: str):
    repository.write({"a.py": "x\n"})
    repository.git("add", "-A")
    repository.commit_raw(ENCODED[encoding].encode(encoding))
    found = last(repository, store)
    assert f"{found.subject}\n\n{found.body}" == ENCODED[encoding]
    assert store.similar_changes({"解析": 1.0}, 5)


@pytest.mark.parametrize(
    ("name", "codec"), [("Shift_JIS", "shift_jis"), ("EUC-JP", "euc_jp"), ("ISO-8859-1", "latin-1")]
)
def test_messages_that_tell_their_encoding(repository: Repository, store, name: str, codec: str):
    text = "Déjà vu in naïve caché" if codec == "latin-1" else "解析処理のバグを修正"
    repository.git("config", "i18n.commitEncoding", name)
    repository.commit(text.encode(codec), {"a.py": "x\n"})
    repository.git("config", "i18n.logOutputEncoding", "UTF-16")
    assert last(repository, store).subject == text


def test_of_an_unknown_encoding_the_plain_words_are_read(repository: Repository, store):
    repository.write({"a.py": "x\n"})
    repository.git("add", "-A")
    repository.commit_raw("Déjà vu in the parser".encode("latin-1"))
    assert last(repository, store).subject.endswith("vu in the parser")
    repository.git("config", "i18n.commitEncoding", "no-such-encoding")
    repository.commit("plain words", {"a.py": "y\n"})
    assert last(repository, store).subject == "plain words"


def test_control_characters_do_not_reach_a_reader(repository: Repository, store):
    hostile = (
        b"\x1b[31mred\x07 \x7fsubject\x1b]0;title\x07\r\n\r\nbody\x00hidden\n:100644 100644 a b M\tfake.py\ncommit x"
    )
    repository.commit_raw(hostile, b"E\x1b[0mve <e@x>")
    found = last(repository, store)
    assert not any(ord(char) < 32 and char != "\n" for char in found.subject + found.body + found.author)
    assert found.subject.startswith("[31mred   subject")
    assert found.body.startswith("body")
    assert (found.files, found.seconds) == ((), repository.now)


def test_lines_of_a_message_that_look_like_gits_own(repository: Repository, store):
    number = "0123456789" * 4
    message = f"subject\n\ncommit {number}\n:100644 100644 0 0 M\ta.py\ndiff --git a/a b/a\n@@ -1 +1 @@ def fake():\n"
    repository.commit(message, {"a.py": PYTHON})
    repository.commit("next", {"a.py": PYTHON + f"commit {number}\ndiff --git a/a b/a\n"})
    found, before = repository.read(store)
    assert touched(found) == {"a.py": ()}
    assert before.body.startswith(f"commit {number}\n:100644")


def test_endless_messages_are_cut(repository: Repository, store):
    repository.commit("s" * 100_000 + "\n\n" + "b" * 100_000, {"a.py": "x\n"})
    found = last(repository, store)
    assert (len(found.subject), len(found.body)) == (LONGEST_SUBJECT, LONGEST_BODY)


ODD = [
    "日本語.py",
    "with space.py",
    'quo"te.py',
    "tab\there.py",
    "new\nline.py",
    "src/[id]/page.tsx",
    "-dash.py",
    ":colon.py",
]


def test_any_name_is_read_as_it_is(repository: Repository, store):
    repository.commit("odd", dict.fromkeys(ODD, PYTHON))
    assert touched(last(repository, store)) == dict.fromkeys(ODD, ("one", "two"))
    repository.git("mv", "new\nline.py", 'other "one"\n.py')
    repository.commit("renamed")
    assert 'other "one"\n.py' in touched(repository.read(store)[1])


def test_names_that_are_not_utf8_do_no_harm(repository: Repository, store):
    for name in (b"caf\xe9.py", b"caf\xe8.py"):
        (Path(os.fsdecode(os.fsencode(repository.root) + b"/" + name))).write_text("x\n")
    repository.commit("latin", {"a.py": "y\n"})
    assert [file.path for file in last(repository, store).files] == ["a.py", "caf\ufffd.py"]


def test_a_file_that_became_a_link_or_another_kind(repository: Repository, store):
    repository.commit("begin", {"a": "x\n", "b": "y\n"})
    (repository.root / "a").unlink()
    (repository.root / "a").symlink_to("b")
    (repository.root / "b").chmod(0o755)
    repository.commit("kinds")
    assert set(touched(last(repository, store))) == {"a", "b"}


@pytest.mark.parametrize(
    ("subject", "weight"),
    [
        ("Fix the parser", 1.0),
        ("Bump lodash from 1 to 2", ROUTINE),
        ("Release 2.0", ROUTINE),
        ("v1.2.3", ROUTINE),
        ("fix typo", ROUTINE),
        ('Revert "Fix the parser"', ROUTINE),
        ("リリース 1.0", ROUTINE),
        ("", 1.0),
    ],
)
def test_routine_commits_tell_little(subject: str, weight: float):
    assert weight_of(subject, 1) == weight
    assert weight_of(subject, 0) == weight_of(subject, MOST_FILES + 1) == 0.0


# --- other people's settings ------------------------------------------------------------------------------

SETTINGS = {
    "color.ui": "always",
    "color.diff": "always",
    "core.pager": "touch RAN",
    "pager.log": "touch RAN",
    "core.quotePath": "true",
    "core.abbrev": "4",
    "core.fsmonitor": "touch RAN",
    "core.sshCommand": "touch RAN",
    "core.attributesFile": "/dev/null",
    "diff.noprefix": "true",
    "diff.mnemonicPrefix": "true",
    "diff.renames": "false",
    "diff.renameLimit": "1",
    "diff.relative": "true",
    "diff.algorithm": "patience",
    "diff.context": "7",
    "diff.interHunkContext": "50",
    "diff.orderFile": "order",
    "diff.external": "touch RAN",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "none",
    "diff.colorMoved": "zebra",
    "diff.suppressBlankEmpty": "true",
    "diff.indentHeuristic": "false",
    "log.showSignature": "true",
    "log.showRoot": "false",
    "log.date": "relative",
    "log.decorate": "full",
    "log.follow": "true",
    "log.abbrevCommit": "true",
    "log.mailmap": "true",
    "log.diffMerges": "separate",
    "format.pretty": "oneline",
    "format.notes": "true",
    "notes.displayRef": "refs/notes/*",
    "alias.log": "!touch RAN",
    "alias.rev-list": "!touch RAN",
    "gpg.program": "touch RAN",
    "i18n.logOutputEncoding": "ISO-8859-1",
    "diff.evil.command": "touch RAN",
    "diff.evil.textconv": "touch RAN",
    "diff.evil.cachetextconv": "true",
    "filter.evil.clean": "touch RAN",
    "filter.evil.smudge": "touch RAN",
}


@pytest.fixture
def busy(repository: Repository) -> Repository:
    """A repository with a little of everything."""
    repository.commit("begin", {"app/a.py": PYTHON, "app/b.py": PYTHON, "z.txt": "z\n", "ünï.py": PYTHON})
    repository.git("mv", "app/b.py", "app/c.py")
    repository.commit("修正 é", {"app/a.py": PYTHON.replace("b = 2", "b = 3"), "app/c.py": PYTHON + "# more\n"})
    repository.commit("last", {"ünï.py": PYTHON[:-2] + "b\n"})
    repository.git("notes", "add", "-m", "a note")
    return repository


def test_no_setting_changes_what_is_read_or_starts_a_program(busy: Repository, store):
    before = busy.read(store)
    part = busy.read(memory_store(256), busy.root / "app")
    (busy.root / "order").write_text("z*\na*\n")
    (busy.root / ".mailmap").write_text("Somebody Else <ada@example.org>\n")
    for name, value in SETTINGS.items():
        busy.git("config", name, value)
    assert busy.read(memory_store(256)) == before
    assert busy.read(memory_store(256), busy.root / "app") == part
    assert not list(busy.root.rglob("RAN"))


def test_the_settings_of_the_user_and_the_system_do_not_count_either(busy: Repository, store):
    before = busy.read(store)
    lines = [f"[{name.rpartition('.')[0]}]\n{name.rpartition('.')[2]} = {value}\n" for name, value in SETTINGS.items()]
    plain = [line for line in lines if "evil" not in line and not line.startswith("[alias")]
    (Path(busy.env["HOME"]) / ".gitconfig").write_text("".join(plain))
    (busy.root / "order").write_text("z*\na*\n")
    assert busy.read(memory_store(256)) == before
    assert not list(busy.root.rglob("RAN"))


def test_no_program_of_the_repository_runs(busy: Repository, store, tmp_path: Path):
    """Drivers named in .gitattributes, hooks, aliases, a git in the project: each would leave a trace."""
    program = busy.root / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/RAN'\ncat \"$1\"\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for name in ("git", "sh", "cat", "less", "ssh"):
        (busy.root / name).write_bytes(program.read_bytes())
        (busy.root / name).chmod(0o755)
    hooks = busy.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "reference-transaction", "fsmonitor-watchman", "post-index-change"):
        (hooks / name).write_bytes(program.read_bytes())
        (hooks / name).chmod(0o755)
    busy.git("config", "core.hooksPath", "/dev/null")
    busy.commit("attributes", {".gitattributes": "* diff=evil filter=evil\n", "app/a.py": PYTHON})
    busy.git("config", "--unset", "core.hooksPath")
    for name, value in SETTINGS.items():
        busy.git("config", name, value.replace("touch RAN", str(program)))
    (busy.root / ".git" / "info").mkdir(exist_ok=True)
    (busy.root / ".git" / "info" / "attributes").write_text("*.py diff=evil\n")
    assert len(busy.read(store)) == 4, trouble(store)
    assert not (tmp_path / "RAN").exists()


def test_an_environment_of_git_does_not_count(busy: Repository, store, tmp_path: Path):
    other = Repository(tmp_path / "other", tmp_path / "home").init()
    other.commit("elsewhere")
    busy.env |= {"GIT_DIR": str(other.root / ".git"), "GIT_EXTERNAL_DIFF": "false", "GIT_CONFIG_COUNT": "x"}
    assert [change.subject for change in busy.read(store)] == ["last", "修正 é", "begin"]


def test_a_repository_with_longer_hashes(tmp_path: Path, store):
    repository = Repository(tmp_path / "long", tmp_path / "home")
    repository.root.mkdir()
    repository.git("init", "-q", "-b", "main", "--object-format=sha256")
    repository.commit("begin", {"a.py": PYTHON})
    commit = repository.commit("change", {"a.py": PYTHON[:-2] + "b\n"})
    found = last(repository, store)
    assert (len(commit), found.commit, touched(found)) == (64, commit, {"a.py": ("two",)})


# --- the stamp --------------------------------------------------------------------------------------------


def test_the_stamp_changes_with_the_checked_out_commit_and_not_with_the_tree(busy: Repository):
    git = busy.history()
    stamps = [git.stamp()]

    def moved() -> bool:
        stamps.append(git.stamp())
        return stamps[-1] != stamps[-2]

    busy.write({"new.py": "x\n"})
    busy.git("add", "-A")
    assert not moved()
    busy.git("branch", "other", "HEAD~1")
    assert not moved()
    busy.git("checkout", "-q", "-f", "other")
    assert moved()
    busy.git("checkout", "-q", "--detach", "main")
    assert moved()
    busy.git("checkout", "-q", "main")
    assert moved()
    busy.git("pack-refs", "--all")
    assert moved()
    busy.git("commit", "-q", "--allow-empty", "-m", "x")
    assert moved()
    busy.git("commit", "-q", "--allow-empty", "--amend", "-m", "y")
    assert moved()


def test_the_stamp_changes_with_the_limits(busy: Repository):
    stamps = {busy.history(commits=number, years=years).stamp() for number in (0, 5) for years in (0.0, 5.0)}
    assert len(stamps) == 4


def test_a_dot_git_without_a_repository_inside_a_repository(busy: Repository, store):
    """Git goes on to the one around it, and so do we."""
    (busy.root / "app" / ".git").mkdir()
    assert len(busy.read(store, busy.root / "app")) == 3
    stamp = busy.history(busy.root / "app").stamp()
    busy.more("z.txt")
    assert busy.history(busy.root / "app").stamp() != stamp


def test_output_that_is_too_long_costs_only_the_symbols_or_files_of_that_commit(busy: Repository, store, monkeypatch):
    limits = GitHistory._read_symbols.__globals__["_READ_LIMITS"]
    monkeypatch.setitem(GitHistory._read_symbols.__globals__, "_READ_LIMITS", limits._replace(max_bytes=20_000))
    busy.commit("long", {"long.py": "def long():\n" + "    x = 1\n" * 5000})
    busy.commit("short", {"app/a.py": PYTHON[:-2] + "c\n"})
    short, long, *_ = busy.read(store)
    assert (touched(short), touched(long)) == ({"app/a.py": ("one", "two")}, {"long.py": ()})
    busy.commit("import", {f"deep/folder/{number}.py": f"{number}\n" for number in range(300)})
    busy.commit("after", {"z.txt": "more\n"})
    after, whole, *_ = busy.read(store)
    assert (whole.subject, whole.files, whole.weight, touched(after)) == ("import", (), 0.0, {"z.txt": ()})
    assert trouble(store) == ""
