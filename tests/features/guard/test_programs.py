"""Which programs only read."""

from shirube.features.guard.programs import OWN, OWN_MEMBERS, only_reads
from tests.cases import for_each


@for_each(
    "line",
    [
        "/usr/bin/cat a",
        "sed -n 1,40p a.py",
        "sed -n 1,40p;50q x",
        "sed s/a/b/g f",
        "rg foo src",
        "find . -name *.py -type f",
        "fd -e py retry",
        "awk {print$1} f",
        "git status",
        "git -C sub --no-pager log -p",
        "git branch -a",
        "git config --get user.name",
        "git config --global user.name",
        "git config --list",
        "git config list",
        "git tag -l v1.*",
        "git symbolic-ref --short HEAD",
        "git -c core.pager=cat log --oneline",
        "git show-ref",
        "git stash list",
        "git cat-file -p HEAD",
        "git grep -n foo",
        "python3 --version",
        "go version",
        "sort -u f",
        "uniq -c f",
        "date +%s",
        "date -Is",
        "date -u +%F -d yesterday",
        "test -f a",
        "[ a = b ]",
        "command -v git",
        "type git",
        "printf %5.2f 3",
        "xargs -I{} cat {}",
        "tree -L 2",
        "file a",
        "timeout 5 git log",
        "xargs -n 1 cat",
        "printf %s a",
        "env",
        "shirube search foo",
        "michishirube search foo",
        "shirube --root . call get_session_status",
        "shirube call --quiet submit_understanding --json {}",
        "shirube session start MODIFY x",
        "shirube plans --about export",
        "shirube map list",
        "shirube outcome success",
    ],
)
def test_reading(line: str):
    program, *arguments = line.split()
    assert only_reads(program, arguments)


@for_each(
    "line",
    [
        "./cat a",
        "/tmp/cat a",
        "sed -i s/a/b/ f",
        "sed -n wf g",
        "sed s/a/b/w f",
        "sed s/a/b/e f",
        "sed /[/]w/p f",
        "sed -f script f",
        "sed p f -i",
        "find . -delete",
        "find . -exec rm {} +",
        "find . -fprintf f x",
        "fd -Hx rm",
        "fd --exec rm",
        "rg --pre sh x",
        "rg --hostname-bin sh x",
        "sort -o f g",
        "sort -uo f g",
        "sort --outp=f g",
        "sort --compress-program=sh g",
        "uniq a b",
        "uniq -f 1 a b",
        "tree -o f",
        "tree -R",
        "date -s now",
        "date --set=now",
        "date 1130120026",
        "date -u 1130120026",
        "date -us now",
        "test -v a[$(x)]",
        "[ a -eq b ]",
        "[ -f a",
        "command rm x",
        "exit $(x)",
        "printf %d a[1]",
        "xargs -I cat cat f",
        "xargs -Icat cat f",
        "xargs -I a cat f",
        "file -C -m x",
        "awk {print>f} g",
        "awk -f x y",
        "gawk -i inplace x y",
        "git commit -m x",
        "git checkout .",
        "git fetch",
        "git diff --output=f",
        "git diff --outp f",
        "git log --ext-diff",
        "git grep -nOvi foo",
        "git grep --open-files-in-pager=sh foo",
        "git branch new",
        "git branch -D old",
        "git tag v1",
        "git config user.name x.y",
        "git config --global core.pager a.b",
        "git config --unset user.name",
        "git config --local core.editor list",
        "git config --local core.fsmonitor get",
        "git config --global core.pager get",
        "git config get core.pager list",
        "git config --get-color a.b",
        "git config --file f --list",
        "git diff --o=f",
        "git log --show-signature",
        "git log --format=%G?",
        "git log --format=%+G?",
        "git log --format=%-GG",
        "git for-each-ref '--format=%(signature)'",
        "git for-each-ref '--format=%(*signature:key)'",
        "git for-each-ref --sort=signature",
        "git tag --sort=signature",
        "git -c core.fsmonitor=x log",
        "git symbolic-ref HEAD refs/heads/x",
        "git branch -a -d x",
        "git tag -l -d x",
        "git -c core.pager=x log",
        "git --git-dir=x log",
        "git stash",
        "git worktree add x",
        "git reflog expire",
        "git remote show origin",
        "git cat-file --textconv x",
        "git",
        "python3 -c x",
        "python3 -v",
        "make version",
        "npx version",
        "xargs rm",
        "xargs",
        "timeout 5 rm x",
        "timeout x ls",
        "env ls",
        "printf -v x y",
        "tee f",
        "bash -c ls",
        "shirube install",
        "michishirube install",
        "shirube gate",
        "shirube doctor --repair",
        "shirube doctor --rep",
        "shirube plans --export f",
        "shirube plans --exp=f",
        "shirube plans --import f",
        "shirube map export f",
        "shirube map add a b",
        "shirube commands build",
        "shirube call export_map --json {}",
        "shirube call --quiet export_plans",
        "shirube call --json {} command_build",
        "shirube outcome insights --forget",
        "shirube import code-intel x",
        "shirube serve",
        "shirube ui",
        "shirube --root . uninstall",
        "unknown",
    ],
)
def test_writing_or_unknown(line: str):
    program, *arguments = line.split()
    assert not only_reads(program, arguments)


@for_each("program", ["find", "git", "sort", "sed", "rg", "date", "uniq"])
def test_a_program_that_can_write_gets_nothing_unknown(program: str):
    assert not only_reads(program, [None])


def test_a_harmless_program_may_get_anything():
    assert only_reads("cat", [None, "-x"])
    assert only_reads("printf", ["%s", None])
    assert not only_reads("printf", [None])


def test_our_own_operations_pass_when_they_read_or_belong_to_a_session():
    """Besides those, only what writes outside the project: plans and the index."""
    from shirube.operations import OPERATIONS

    passing = {one.name for one in OPERATIONS if one.read_only or one.group == "session"}
    assert passing | {"query", "query_plan", "sync_index"} == OWN_MEMBERS["call"]


def test_our_own_commands_pass_when_their_operation_does():
    """Every command of the list but those that run no operation, or whose members are listed apart."""
    from importlib.resources import files
    from tomllib import loads

    commands = loads((files("shirube.doors.cli") / "commands.toml").read_text("utf-8"))
    for name in OWN - {"--version", "--help", "call", "doctor", "team"}:
        members = commands[name].get("members", {name: commands[name]})
        allowed = OWN_MEMBERS.get(name, members)
        operations = [members[member]["operation"] for member in allowed]
        assert set(operations) <= OWN_MEMBERS["call"], name
