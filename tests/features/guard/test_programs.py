"""Which programs only read."""

from shirube.features.guard.programs import only_reads
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
        "git stash list",
        "git cat-file -p HEAD",
        "git grep -n foo",
        "python3 --version",
        "go version",
        "sort -u f",
        "uniq -c f",
        "date +%s",
        "date -Is",
        "tree -L 2",
        "file a",
        "timeout 5 git log",
        "xargs -n 1 cat",
        "printf %s a",
        "env",
        "shirube search foo",
        "shirube --root . call get_session_status",
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
        "shirube gate",
        "shirube doctor --repair",
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
