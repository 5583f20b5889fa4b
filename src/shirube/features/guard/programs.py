"""Which programs only read, and with which arguments: an allow-list, as data where possible.

An argument that is None is known only at run time; a program with options that write must not get one.
"""

import re
from collections.abc import Callable, Sequence

Arguments = Sequence[str | None]
Known = list[str]


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set; a compact way to write long lists of names."""
    return frozenset(text.split())


HARMLESS = words_of(
    "ls cat head tail wc pwd echo true false stat basename dirname realpath readlink cut tr nl tac comm "
    "cmp diff grep egrep fgrep which whoami id uname du df ps uptime free md5sum sha1sum sha256sum "
    "sha512sum cksum seq sleep column fold expand paste join jq strings od hexdump printenv cd nproc "
    "locale"
)
"""Programs that write nothing, whatever their arguments."""
_PLACES = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_VERSIONED = words_of("python python3 pip node npm go cargo rustc ruby java make gcc uv git rg")
_VERSIONS = frozenset({*(f"{name} --version" for name in _VERSIONED), "python3 -V", "node -v", "npm -v", "go version"})

_FIND_ACTS = r"-(?:delete|exec|execdir|ok|okdir|fls|fprint0?|fprintf)"
_SED_LINES = r"(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?|/[^/\\[\n]*/)?[pdq=]"
_SED_REPLACES = r"s/(?:[^/\\[\n]|\\[^\n])*/(?:[^/\\\n]|\\[^\n])*/[gpIi0-9]*"
_SED = rf"\s*(?:{_SED_LINES}|{_SED_REPLACES})(?:\s*[;\n]\s*(?:{_SED_LINES}|{_SED_REPLACES}))*\s*"
_SED_FLAGS = words_of("-n -E -r -s -z -u -nE -En -nr -rn -ne -e -Ee --quiet --silent --regexp-extended")
_WRITING = {
    "fd": (("--exec",), "xX"),
    "file": (("--co",), "C"),
    "rg": (("--pre", "--hostname-bin"), ""),
    "sort": (("--o", "--co"), "o"),
    "tree": (("--output",), "oR"),
}
"""Programs that only read except with these options: prefixes of long options, and letters of short ones."""
_AWK_ACTS = r"[>|@`]|system|getline|close|fflush"


def only_reads(program: str, arguments: Arguments) -> bool:
    """Tell whether a program only reads when called with these arguments."""
    folder, _, name = program.rpartition("/")
    if folder and f"{folder}/" not in _PLACES:
        return False
    if name in HARMLESS:
        return True
    if name in _WRAPPERS:
        return _WRAPPERS[name](arguments)
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return False
    if name in _WRITING:
        long, short = _WRITING[name]
        return not any(word.startswith(long) or _has(word, short) for word in known)
    return " ".join((name, *known)) in _VERSIONS or (name in _RULES and _RULES[name](known))


def _xargs(arguments: Arguments) -> bool:
    """The arguments that xargs passes on are unknown, so it may only start a program that is always harmless."""
    rest = list(arguments)
    while rest and rest[0] is not None and rest[0].startswith("-"):
        flag = rest.pop(0) or ""
        if flag in ("-n", "-P", "-L", "-I", "-d", "-s"):
            rest = rest[1:]
        elif not re.fullmatch(r"-(?:0|r|t|x|0r|r0|n\d+|P\d+|L\d+|I\S+|d\S+)|--null|--no-run-if-empty", flag):
            return False
    return bool(rest) and rest[0] in HARMLESS


def _timeout(arguments: Arguments) -> bool:
    if len(arguments) < 2 or not re.fullmatch(r"\d+(?:\.\d+)?[smhd]?", arguments[0] or ""):
        return False
    return only_reads(arguments[1] or "", arguments[2:])


def _printf(arguments: Arguments) -> bool:
    """Options are refused: ``-v`` names a variable, and its subscript can run a command."""
    return bool(arguments) and arguments[0] is not None and not arguments[0].startswith("-")


def _uniq(known: Known) -> bool:
    """More than one file is refused, because uniq writes to the second."""
    files, words = 0, iter(known)
    for word in words:
        if word in ("-f", "-s", "-w"):
            next(words, None)
        elif not word.startswith("-") or word == "-":
            files += 1
    return files <= 1


def _date(known: Known) -> bool:
    return not any(word.startswith("--s") or (_has(word, "s") and not word.startswith("-I")) for word in known)


def _sed(known: Known) -> bool:
    """Allow only scripts that print, delete and replace lines; sed can also write files and run programs."""
    scripts, words = [], list(known)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag not in _SED_FLAGS:
            return False
        if flag.endswith("e") and not flag.startswith("--"):
            scripts.append(words.pop(0) if words else "")
    if not scripts:
        scripts.append(words.pop(0) if words else "")
    return not any(word.startswith("-") for word in words) and all(re.fullmatch(_SED, script) for script in scripts)


def _awk(known: Known) -> bool:
    words = list(known)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-F", "-v"):
            words = words[1:]
        elif not flag.startswith("-F"):
            return False
    return bool(words) and not re.search(_AWK_ACTS, words[0]) and not any(word.startswith("-") for word in words)


_GIT_ANY = words_of(
    "status log diff show blame ls-files ls-tree rev-parse describe shortlog merge-base rev-list name-rev "
    "for-each-ref diff-tree diff-index diff-files whatchanged count-objects check-ignore grep"
)
_GIT_SHAPES = {
    "branch": r"(?:-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current|--(?:contains|merged|no-merged)(?:=\S+)?)",
    "remote": r"(?:-v|get-url|origin|upstream)",
    "tag": r"(?:-l|--list|-n\d*|--sort=\S+)",
    "stash": r"(?:list|show|-p|--stat|stash@\{\d+\})",
    "config": r"(?:--get|--get-all|--list|-l|get|list|--global|--local|--show-origin|[a-zA-Z][\w-]*\.[\w.-]+)",
    "reflog": r"(?:show|-n|-?\d+|HEAD|--oneline)",
    "worktree": r"(?:list|--porcelain)",
    "cat-file": r"(?:-[tspe]|[\w./:@^~-]+)",
}
_GIT_READS_FIRST = {"stash": ("list", "show"), "worktree": ("list",), "config": ("--", "-l", "get", "list")}
_GIT_ACTS = ("--ou", "--ext", "--op", "--textconv", "--filters")


def _git(known: Known) -> bool:
    words = list(known)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag == "-C" and words:
            words.pop(0)
        elif flag not in ("--no-pager", "--no-optional-locks", "--literal-pathspecs"):
            return False
    if not words:
        return False
    name, rest = words[0], words[1:]
    if any(word.startswith(_GIT_ACTS) for word in rest) or (name == "grep" and any(_has(word, "O") for word in rest)):
        return False
    if name in _GIT_ANY:
        return True
    return name in _GIT_SHAPES and _fits(name, rest)


def _fits(name: str, rest: Known) -> bool:
    first = _GIT_READS_FIRST.get(name)
    if first and not (rest and rest[0].startswith(first)):
        return False
    if name == "config" and sum(not word.startswith("-") and "." in word for word in rest) > 1:
        return False
    if name == "cat-file" and not (rest and re.fullmatch(r"-[tspe]", rest[0])):
        return False
    return all(re.fullmatch(_GIT_SHAPES[name], word) for word in rest)


_OWN = words_of(
    "search grep past context defs refs outline at deps impact status doctor session plans call index --version"
)


def _shirube(known: Known) -> bool:
    """Allow shirube's own queries and session steps; the program itself checks what they may do."""
    words = known[2:] if known[:1] == ["--root"] else known
    return bool(words) and words[0] in _OWN and "--repair" not in words


def _has(word: str, letters: str) -> bool:
    """Tell whether a cluster of short options, such as ``-uo``, contains one of some letters."""
    return word.startswith("-") and not word.startswith("--") and any(letter in word for letter in letters)


_WRAPPERS: dict[str, Callable[[Arguments], bool]] = {
    "xargs": _xargs,
    "timeout": _timeout,
    "env": lambda arguments: not arguments,
    "printf": _printf,
}
_RULES: dict[str, Callable[[Known], bool]] = {
    "find": lambda known: not any(re.fullmatch(_FIND_ACTS, word) for word in known),
    "uniq": _uniq,
    "date": _date,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "git": _git,
    "shirube": _shirube,
}
