"""A stranger's repository is copied as a clone has it, within limits, and nothing of it runs."""

import json
import os
import stat
import subprocess
from base64 import b64encode
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from shirube.engine.repo import mirror as mirror_module
from shirube.engine.repo.identity import Identity
from shirube.engine.repo.mirror import GitReach, Mirror, MirrorLimits
from shirube.engine.repo.process import Limits
from shirube.errors import NotWritable, RemoteAway, ShirubeError, TeamFault

LIMITS = MirrorLimits(mirror_bytes=20 << 20, tree_bytes=1 << 20, files=200, seconds=60.0)
URL = "https://git.test/team/shop.git"
BOMB = 40 << 20


@pytest.fixture
def upstream(tmp_path, make, git, env):
    """A repository that is reached at ``URL``, which the user's own configuration leads to this directory."""
    root = make(tmp_path / "upstream" / "team" / "shop.git", {"a.py": "one = 1\n", "src/b.py": "two = 2\n"})
    git(root, "init", "-q", "-b", "main")
    commit(git, root)
    settings = Path(env["HOME"]) / ".gitconfig"
    settings.write_text(f'[url "file://{tmp_path}/upstream/"]\n\tinsteadOf = https://git.test/\n')
    return root


@pytest.fixture
def mirror(tmp_path, env):
    return mirror_of(tmp_path, env)


def mirror_of(tmp_path: Path, env: dict[str, str], **limits: float) -> Mirror:
    return Mirror(tmp_path / "mirrors" / "shop", URL, LIMITS._replace(**limits), GitReach(env, ("file",)))


def commit(git, root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "change")


def taken(mirror: Mirror, branch: str = "main") -> dict[str, str]:
    """Return the files of a branch as they lie in the mirror."""
    mirror.check_out(branch, mirror.fetch(branch))
    files = (
        path for path in mirror.place.rglob("*") if ".git" not in path.parts and (path.is_symlink() or path.is_file())
    )
    return {
        path.relative_to(mirror.place).as_posix(): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in files
    }


def refused(mirror: Mirror, branch: str = "main") -> str:
    with pytest.raises(TeamFault) as caught:
        taken(mirror, branch)
    return caught.value.message.code


def put_blob(git, root: Path, data: bytes) -> str:
    file = root.parent / "data"
    file.write_bytes(data)
    return git(root, "hash-object", "-w", "--literally", "-t", "blob", str(file)).strip()


def put_tree(root: Path, rows: list[tuple[str, bytes, str]]) -> str:
    """Write a tree that no git would make, as the bytes of the object."""
    data = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(blob) for mode, name, blob in rows)
    command = ["git", "hash-object", "-w", "--literally", "-t", "tree", "--stdin"]
    return subprocess.run(command, cwd=root, input=data, capture_output=True, check=True).stdout.decode().strip()


def point(git, root: Path, tree: str) -> None:
    """Let main be a commit of a tree."""
    made = git(root, "commit-tree", "-m", "odd", tree).strip()
    git(root, "update-ref", "refs/heads/main", made)


def test_it_looks_like_a_clone(upstream, mirror, git, env):
    assert taken(mirror) == {"a.py": "one = 1\n", "src/b.py": "two = 2\n"}
    identity = Identity(mirror.place, "machine", env)
    assert (identity.repository, identity.branch()) == ("git.test/team/shop", "main")
    assert git(mirror.place, "status", "--porcelain") == ""
    assert git(mirror.place, "log", "--format=%s") == git(upstream, "log", "--format=%s")


def test_branches_replace_each_other_whole(upstream, mirror, make, git):
    taken(mirror)
    git(upstream, "checkout", "-qb", "feature")
    git(upstream, "rm", "-q", "a.py")
    make(upstream, {"c.py": "three = 3\n"})
    commit(git, upstream)
    heads = mirror.heads()
    assert (heads.default, sorted(heads.commits)) == ("feature", ["feature", "main"])
    assert taken(mirror, "feature") == {"c.py": "three = 3\n", "src/b.py": "two = 2\n"}
    assert taken(mirror) == {"a.py": "one = 1\n", "src/b.py": "two = 2\n"}
    git(upstream, "branch", "-m", "feature", "main-2")
    git(upstream, "branch", "feature/sub", "main-2")  # where a branch named feature was
    assert sorted(taken(mirror, "feature/sub")) == ["c.py", "src/b.py"]
    mirror.forget("feature")
    assert refused(mirror, "feature") == "team.no_ref"


def test_what_a_killed_worker_left_is_gone(upstream, mirror, make):
    taken(mirror)
    make(mirror.place, {"left.py": "x\n", "a.py": "half", ".git/index.lock": "", ".git/objects/pack/tmp_pack_x": "x"})
    assert taken(mirror) == {"a.py": "one = 1\n", "src/b.py": "two = 2\n"}
    (mirror.place / ".git" / "HEAD").unlink()
    assert sorted(taken(mirror)) == ["a.py", "src/b.py"]


def test_what_somebody_planted_in_a_copy_is_not_obeyed(upstream, mirror, make, git, tmp_path):
    taken(mirror)
    elsewhere = make(tmp_path / "elsewhere", {"kept.py": "x\n"})
    trap = make(tmp_path, {"trap.sh": f"#!/bin/sh\ntouch '{tmp_path}/sprung'\ncat\n"}) / "trap.sh"
    trap.chmod(0o755)
    with (mirror.place / ".git" / "config").open("a") as settings:
        settings.write(f'[core]\n\tworktree = {elsewhere}\n[filter "evil"]\n\tsmudge = {trap}\n\trequired = true\n')
    make(mirror.place, {".git/info/attributes": "* filter=evil\n", ".git/hooks/post-checkout": trap.read_text()})
    make(upstream, {"c.py": "three = 3\n"})
    commit(git, upstream)
    assert sorted(taken(mirror)) == ["a.py", "c.py", "src/b.py"]
    assert [path.name for path in elsewhere.iterdir()] == ["kept.py"]
    assert not (tmp_path / "sprung").exists()
    assert not (mirror.place / ".git" / "hooks").exists()
    assert git(mirror.place, "config", "remote.origin.url").strip() == URL


def test_a_copy_whose_repository_is_elsewhere_is_made_anew(upstream, mirror, git, tmp_path):
    taken(mirror)
    git(tmp_path, "init", "-q", "other")
    (mirror.place / ".git").rename(tmp_path / "old")
    (mirror.place / ".git").symlink_to(tmp_path / "other" / ".git")
    assert sorted(taken(mirror)) == ["a.py", "src/b.py"]
    assert not (mirror.place / ".git").is_symlink()
    assert git(tmp_path / "other", "config", "core.bare").strip() == "false"  # it is still there


def test_a_rewritten_branch_is_taken(upstream, mirror, make, git):
    taken(mirror)
    make(upstream, {"a.py": "other\n"})
    git(upstream, "add", "-A")
    git(upstream, "commit", "-q", "--amend", "-m", "again")
    assert taken(mirror)["a.py"] == "other\n"


def test_nothing_that_a_repository_names_is_run(upstream, mirror, make, git, tmp_path, env):
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\ncat\n")
    trap.chmod(trap.stat().st_mode | stat.S_IXUSR)
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    make(upstream, {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs\n", "x.bin": pointer})
    make(upstream, {".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = file://{upstream}\n\tupdate = none\n'})
    git(upstream, "add", "-A")
    head = git(upstream, "rev-parse", "HEAD").strip()
    git(upstream, "update-index", "--add", "--cacheinfo", f"160000,{head},s")
    git(upstream, "-c", f"core.hooksPath={os.devnull}", "commit", "-qm", "hostile")
    with (Path(env["HOME"]) / ".gitconfig").open("a") as settings:  # what git lfs install writes, for instance
        settings.write(f'[filter "lfs"]\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n')
        settings.write(f"[init]\n\ttemplateDir = {tmp_path}/template\n[core]\n\thooksPath = {tmp_path}/hooks\n")
    for name in ("post-checkout", "reference-transaction", "post-index-change"):
        for folder in ("template/hooks", "hooks"):
            hook = make(tmp_path / folder, {name: trap.read_text()}) / name
            hook.chmod(0o755)
    files = taken(mirror)
    assert files["x.bin"] == pointer
    assert not list((mirror.place / "s").iterdir())
    assert not (tmp_path / "sprung").exists()


def test_links_stay_links_and_nothing_is_written_through_them(upstream, mirror, git, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    blob = put_blob(git, upstream, b"evil\n")
    link = put_blob(git, upstream, os.fsencode(outside))
    (upstream / "link").symlink_to("/etc/passwd")
    (upstream / "dir").symlink_to(outside)
    commit(git, upstream)
    files = taken(mirror)
    assert (files["link"], files["dir"]) == ("-> /etc/passwd", f"-> {outside}")
    inner = put_tree(upstream, [("100644", b"x", blob)])
    for rows in (
        [("120000", b"d", link), ("40000", b"d", inner)],  # a link and a directory of one name
        [("120000", b"D", link), ("40000", b"d", inner)],
    ):
        point(git, upstream, put_tree(upstream, rows))
        with suppress(TeamFault):  # git refuses one name for two, and checks out the other if it may
            taken(mirror)
        assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b".", b"a/b", b".g\xe2\x80\x8cit", b"git~1"])
def test_a_name_that_leads_elsewhere_is_refused(upstream, mirror, git, tmp_path, name):
    inner = put_tree(upstream, [("100644", b"config", put_blob(git, upstream, b"[core]\n\tfsmonitor = touch x\n"))])
    point(git, upstream, put_tree(upstream, [("40000", name, inner)]))
    assert refused(mirror) in ("team.broken", "team.odd_path")
    assert not (tmp_path / "mirrors" / "config").exists()


def test_a_bomb_of_one_file_is_not_written(upstream, mirror, git, tmp_path):
    point(git, upstream, put_tree(upstream, [("100644", b"zeros", put_blob(git, upstream, bytes(BOMB)))]))
    assert refused(mirror) == "team.tree_large"
    assert not (mirror.place / "zeros").exists()


def test_a_bomb_of_trees_ends_early(upstream, mirror, git):
    tree = put_tree(upstream, [("100644", b"f", put_blob(git, upstream, b"x"))])
    for _ in range(10):
        tree = put_tree(upstream, [("40000", b"%d" % number, tree) for number in range(10)])
    point(git, upstream, tree)
    assert refused(mirror) == "team.many_files"


def test_a_bomb_of_trees_without_a_file_ends_early(upstream, mirror, git):
    tree = put_tree(upstream, [])
    for _ in range(6):
        tree = put_tree(upstream, [("40000", b"%d" % number, tree) for number in range(10)])
    point(git, upstream, tree)
    assert refused(mirror) == "team.many_files"


def test_too_many_files_are_refused(upstream, mirror, make, git):
    make(upstream, {f"d/{number}.py": "" for number in range(LIMITS.files)})
    commit(git, upstream)
    assert refused(mirror) == "team.many_files"


def test_a_pack_over_the_limit_is_cut_and_deleted(upstream, tmp_path, env, git):
    (upstream / "noise").write_bytes(os.urandom(3 << 20))
    commit(git, upstream)
    small = mirror_of(tmp_path, env, mirror_bytes=1 << 20)
    assert refused(small) == "team.mirror_large"
    assert not small.place.exists()


def test_a_file_name_that_is_too_long_is_refused(upstream, mirror, git):
    point(git, upstream, put_tree(upstream, [("100644", b"n" * 300, put_blob(git, upstream, b"x"))]))
    assert refused(mirror) == "team.odd_path"


def test_a_path_that_is_too_long_is_refused(upstream, tmp_path, env, git):
    tree = put_tree(upstream, [("100644", b"f", put_blob(git, upstream, b"x"))])
    for _ in range(20):
        tree = put_tree(upstream, [("40000", b"d" * 200, tree)])
    point(git, upstream, tree)
    assert refused(mirror_of(tmp_path, env, files=20_000)) == "team.odd_path"


def test_what_is_not_there_is_told(upstream, mirror, tmp_path, env):
    assert refused(mirror, "nothing") == "team.no_ref"
    away = Mirror(tmp_path / "m", "https://git.test/none.git", LIMITS, GitReach(env, ("file",)))
    with pytest.raises(TeamFault) as caught:
        away.heads()
    assert caught.value.message.code == "team.no_remote"


def test_only_the_protocols_that_were_allowed_are_used(upstream, tmp_path, env):
    for url in (URL, "ext::sh -c touch% /tmp/x", "file:///etc"):
        strict = Mirror(tmp_path / "m", url, LIMITS, GitReach(env))
        with pytest.raises(TeamFault) as caught:
            strict.heads()
        assert caught.value.message.code == "team.no_transport"


def test_a_branch_named_like_an_option_stays_a_branch(upstream, mirror, git, tmp_path):
    git(upstream, "update-ref", "refs/heads/--upload-pack=touch${IFS}x", "HEAD")
    mirror.fetch("main")
    assert "--upload-pack=touch${IFS}x" in mirror.heads().commits
    assert sorted(taken(mirror, "--upload-pack=touch${IFS}x")) == ["a.py", "src/b.py"]


def test_a_slow_remote_is_given_up(upstream, tmp_path, env):
    (Path(env["HOME"]) / ".gitconfig").write_text("")
    program = tmp_path / "slow-ssh"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    reach = GitReach({**env, "GIT_SSH_COMMAND": str(program)}, ("ssh",))
    slow = Mirror(tmp_path / "m", "ssh://git.test/shop", LIMITS._replace(seconds=0.5), reach)
    assert refused(slow) == "team.slow"


def test_a_remote_that_says_nothing_when_asked_for_branches_is_away(tmp_path, env, monkeypatch):
    program = tmp_path / "slow-ssh"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(mirror_module, "_HEADS_LIMITS", Limits(0.5))
    reach = GitReach({**env, "GIT_SSH_COMMAND": str(program)}, ("ssh",))
    with pytest.raises(RemoteAway) as caught:
        Mirror(tmp_path / "m", "ssh://git.test/shop", LIMITS, reach).heads()
    assert caught.value.message.code == "team.remote_silent"


def test_a_remote_without_its_whole_history_is_told_so(upstream, mirror, make, git, tmp_path):
    for number in range(3):
        make(upstream, {"a.py": f"{number}\n"})
        commit(git, upstream)
    whole = upstream.rename(tmp_path / "whole")
    git(tmp_path, "clone", "-q", "--bare", "--depth", "2", f"file://{whole}", str(upstream))
    assert refused(mirror) == "team.shallow"


def test_a_branch_that_is_no_commit_is_told_so(upstream, mirror, git):
    (upstream / ".git" / "refs" / "heads" / "odd").write_text(f"{put_blob(git, upstream, b'x')}\n")
    assert refused(mirror, "odd") == "team.no_commit"


def said(tmp_path: Path, env: dict[str, str], lines: str) -> ShirubeError:
    """Return what is made of a git that fails with these words."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "words").write_text(lines)
    program = tmp_path / "bin" / "git"
    program.write_text(f"#!/bin/sh\n/bin/cat '{tmp_path}/words' >&2\nexit 128\n")
    program.chmod(0o755)
    with pytest.raises(ShirubeError) as caught:
        Mirror(tmp_path / "copies" / "m", URL, LIMITS, GitReach({**env, "PATH": str(tmp_path / "bin")})).heads()
    return caught.value


@pytest.mark.parametrize(
    "line",
    [
        "fatal: write error: No space left on device",
        "error: unable to write file .git/objects/pack/tmp_pack_x: Disk quota exceeded",
        "fatal: Unable to create '/srv/copies/m/.git/shallow.lock': Permission denied",
        "fatal: cannot mkdir m: Read-only file system",
    ],
)
def test_a_disk_that_cannot_be_written_passes_and_is_named(tmp_path, env, line):
    error = said(tmp_path, env, f"remote: Counting\n{line}\nerror: index-pack died\nfatal: early EOF\n")
    assert (type(error), error.message.code) == (NotWritable, "team.disk")
    assert str(tmp_path / "copies") in str(error)
    assert line in str(error)


@pytest.mark.parametrize(
    "line",
    ["error: unable to create file x: File name too long", "fatal: cannot create directory at 'd': File exists"],
)
def test_a_name_that_cannot_be_written_lasts(tmp_path, env, line):
    error = said(tmp_path, env, f"warning: odd\n{line}\nfatal: could not finish\n")
    assert (error.message.code, line in str(error)) == ("team.git_failed", True)  # the cause, not what follows from it


def test_what_git_says_is_shown_without_credentials(tmp_path, env):
    mirror = Mirror(tmp_path / "m", "https://me:hunter2@127.0.0.1:9/x", LIMITS, GitReach(env, ("https",)))
    with pytest.raises(TeamFault) as caught:
        mirror.heads()
    assert caught.value.message.code == "team.remote_away"
    assert "hunter2" not in str(caught.value)


class Doorkeeper(BaseHTTPRequestHandler):
    """git over HTTP for whoever knows the password."""

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def answer(self) -> None:
        token = b64encode(b"me:hunter2").decode()
        if self.headers.get("Authorization") != f"Basic {token}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="team"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_USER": "me",
        }
        done = subprocess.run(["git", "http-backend"], env=env, input=body, capture_output=True, check=True)
        head, _, data = done.stdout.partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        self.send_response(int(lines.pop("Status", "200").split()[0]))
        for name, value in lines.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def test_credentials_come_from_the_users_helper_and_stay_there(upstream, tmp_path, env):
    """A remote lets nobody in without a password, which only a helper of the user's git knows."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Doorkeeper) as server:
        server.root = upstream.parents[1]
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/team/shop.git/.git"
            mirror = Mirror(tmp_path / "mirrors" / "shop", url, LIMITS, GitReach(env, ("http",)))
            assert refused(mirror) == "team.no_rights"
            helper = '!f() { test "$1" = get && echo username=me && echo password=hunter2; }; f'
            settings = Path(env["HOME"]) / ".gitconfig"
            settings.write_text(f"[credential]\n\thelper = {json.dumps(helper)}\n")
            assert mirror.heads().default == "main"
            assert sorted(taken(mirror)) == ["a.py", "src/b.py"]
        finally:
            server.shutdown()
    told = [path for path in (tmp_path / "mirrors").rglob("*") if path.is_file() and b"hunter2" in path.read_bytes()]
    assert told == []
