"""Which programs only read, and with which arguments: an allow-list, as data where possible.

An argument that is None is known only at run time; a program with options that write must not get one.
"""

import re
from collections.abc import Callable, Sequence

Arguments = Sequence[str | None]
Known = list[str]


class Globbed(str):
    """A word with an unquoted glob in it: the shell may put several words in its place, all with the same beginning."""

    __slots__ = ()


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set; a compact way to write long lists of names."""
    return frozenset(text.split())


HARMLESS = words_of(
    "ls cat head tail wc pwd echo true false stat basename dirname realpath readlink cut tr nl tac comm "
    "cmp diff grep egrep fgrep which whoami id uname du df ps uptime free md5sum sha1sum sha256sum "
    "sha512sum cksum seq sleep column fold expand paste join jq strings od hexdump printenv cd nproc "
    "locale :"
)
"""Programs that write nothing and start nothing, whatever their arguments: none of their manuals has such an option."""
PLACES = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_VERSIONED = words_of("python python3 pip node npm go cargo rustc ruby java make gcc uv git rg")
_VERSIONS = frozenset({*(f"{name} --version" for name in _VERSIONED), "python3 -V", "node -v", "npm -v", "go version"})

_FIND_ACTS = r"-(?:delete|exec|execdir|ok|okdir|fls|fprint0?|fprintf)"
_SED_PLACE = r"(?:[0-9]+|\$|/(?:[^/\\[\n]|\\[^\n])*/)"
_SED_LINES = rf"(?:{_SED_PLACE}(?:,(?:{_SED_PLACE}|\+[0-9]+))?)?!?[pdq=]"
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
_TAKES_GLOBS = frozenset({*_WRITING, "find", "sed", "awk", "gawk", "git"})
"""Programs for which it makes no difference how many words a glob becomes."""
_AWK_ACTS = r"[>|@`]|system|getline|close|fflush"
_TEST = r"!?(?:-[bcdefghkLnprsSuwxz] [^\n]*|[^\n]* (?:=|==|!=) [^\n]*)"
_PLAIN = r"[A-Za-z0-9_./:@,+%=-]*"
_NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?"


def only_reads(program: str, arguments: Arguments) -> bool:
    """Tell whether a program only reads when called with these arguments."""
    folder, _, name = program.rpartition("/")
    if folder and f"{folder}/" not in PLACES:
        return False
    if name in HARMLESS:
        return True
    if name in _WRAPPERS:
        return _WRAPPERS[name](arguments)
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments) or (name not in _TAKES_GLOBS and _globs(known)):
        return False
    if name in _WRITING:
        long, short = _WRITING[name]
        return not any(word.startswith(long) or has_letter(word, short) for word in known)
    return " ".join((name, *known)) in _VERSIONS or (name in _RULES and _RULES[name](known))


def _xargs(arguments: Arguments) -> bool:
    """The arguments that xargs passes on are unknown, so it may only start a program that is always harmless."""
    rest, marks = list(arguments), []
    while rest and rest[0] is not None and rest[0].startswith("-"):
        flag = rest.pop(0) or ""
        if flag in ("-n", "-P", "-L", "-I", "-d", "-s"):
            value = rest.pop(0) if rest else None
            if flag == "-I":
                marks.append(value)
        elif flag.startswith("-I"):
            marks.append(flag[2:])
        elif not re.fullmatch(r"-(?:0|r|t|x|0r|r0|n[0-9]+|P[0-9]+|L[0-9]+|d\S+)|--null|--no-run-if-empty", flag):
            return False
    # With ``-I cat`` xargs would put what it reads in place of the program's own name.
    replaced = any(not mark or mark in (rest[0] or "") or _globs([mark]) for mark in marks if rest)
    return bool(rest) and rest[0] in HARMLESS and not replaced


def _timeout(arguments: Arguments) -> bool:
    if len(arguments) < 2 or not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?[smhd]?", arguments[0] or ""):
        return False
    return only_reads(arguments[1] or "", arguments[2:])


def _printf(arguments: Arguments) -> bool:
    """Options are refused: ``-v`` names a variable, and its subscript can run a command.

    So can a number in zsh, which computes it; conversions of numbers take plain numbers only.
    """
    if not arguments or arguments[0] is None or arguments[0].startswith("-") or _globs(arguments[:1]):
        return False
    if all(kind in "%sbcq" for kind in re.findall(r"%[-+ #0-9.]*(.?)", arguments[0], re.DOTALL)):
        return True
    return all(re.fullmatch(_NUMBER, argument or "") for argument in arguments[1:])


def _looks_up(arguments: Arguments) -> bool:
    """``command -v NAME`` says where a program is; without ``-v`` it runs the program."""
    return bool(arguments) and (arguments[0] in ("-v", "-V") or only_reads(arguments[0] or "", arguments[1:]))


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
    """Only the forms that print: a plain number, ``-s`` and their like set the clock."""
    words = iter(known)
    for word in words:
        if word in ("-d", "-r", "--date", "--reference"):
            next(words, None)
        elif not re.fullmatch(r"\+.*|-u|-R|-I\w*|--utc|--(?:date|reference|iso-8601|rfc-3339|rfc-email)(?:=.*)?", word):
            return False
    return True


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
    if _globs(scripts) or any(word.startswith("-") for word in words):
        return False
    return all(re.fullmatch(_SED, script) for script in scripts)


def _awk(known: Known) -> bool:
    words = list(known)
    if words in (["--version"], ["-W", "version"]):
        return True
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-F", "-v"):
            words = words[1:]
        elif not flag.startswith("-F"):
            return False
    if not words or _globs(words[:1]) or any(word.startswith("-") for word in words):
        return False
    return not re.search(_AWK_ACTS, words[0])


def _test(known: Known) -> bool:
    """Comparisons of numbers and ``-v`` are refused: their subscripts can run a command."""
    return bool(re.fullmatch(_TEST, " ".join(known)))


def _bracket(known: Known) -> bool:
    return known[-1:] == ["]"] and _test(known[:-1])


_GIT_ANY = words_of(
    "status log diff show blame ls-files ls-tree rev-parse describe shortlog merge-base rev-list name-rev "
    "for-each-ref diff-tree diff-index diff-files whatchanged count-objects check-ignore check-attr grep show-ref "
    "cherry version"
)
_GIT_KEY = r"[a-zA-Z][\w-]*\.[\w./@:-]+"
_GIT_SCOPE = r"(?:(?:--global|--local|--system|--show-origin|--show-scope|--name-only|--includes|-z) )*"
_GIT_SHAPES = {
    "branch": r"(?:-a|-r|-v|-vv|-l|--list|--all|--remotes|--show-current|--(?:contains|merged|no-merged)(?:=\S+)?| )*",
    "remote": r"(?:-v)?|get-url [\w./-]+",
    "tag": r"(?:-n[0-9]*|--sort=\S+| )*|(?:-l|--list)(?: (?:-n[0-9]*|--sort=\S+|[\w.*?/][\w.*?/-]*))*",
    "stash": r"(?:list|show)(?: (?:-p|--stat|stash@\{[0-9]+\}))*",
    "config": rf"{_GIT_SCOPE}(?:(?:--get|--get-all|--get-regexp) \S+|--list|-l|{_GIT_KEY})|list|get {_GIT_KEY}",
    "reflog": r"(?:show|-n|-?[0-9]+|HEAD|--oneline| )*",
    "worktree": r"list(?: --porcelain)?",
    "cat-file": r"-[tspe] [\w./:@^~-]+",
    "symbolic-ref": r"(?:(?:--short|-q) )*HEAD",
}
"""The reading forms of commands that can also write, as one text with the arguments joined by blanks."""
_GIT_ACTS = ("--ext", "--op", "--textconv", "--filters", "--show-s", "--o")
_GIT_HARMLESS_O = words_of(
    "--oneline --others --or --only-matching --objects --ours --octopus --oids-only --object-only"
)
_GIT_SIGNED = r"%[-+ ]?G|%\([^)]*signature"
_GIT_SORTS = ("for-each-ref", "branch", "tag")
"""Commands that also sort by what a format may name."""
_GIT_SETTING = (
    r"(?i:color\.[\w.]+=\w+|core\.pager=(?:cat)?|core\.quotepath=\w+|core\.fsmonitor=(?:false)?|core\.hooksPath=/dev/null"
    r"|advice\.\w+=\w+|log\.showSignature=false)"
)


def _git(known: Known) -> bool:
    """Tell whether the arguments of git are a form that only reads."""
    words = list(known)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        value = words[0] if words and not _globs(words[:1]) else ""
        if (flag == "-C" and value[:1] not in ("", "~")) or (flag == "-c" and re.fullmatch(_GIT_SETTING, value)):
            words.pop(0)
        elif flag not in ("--no-pager", "--no-optional-locks", "--literal-pathspecs"):
            return False
    if not words:
        return False
    name, *rest = words
    if any(word.startswith(_GIT_ACTS) and word.partition("=")[0] not in _GIT_HARMLESS_O for word in rest):
        return False
    signed = r"signature" if name in _GIT_SORTS else _GIT_SIGNED
    if any(re.search(signed, word) for word in rest) or (
        name == "grep" and any(has_letter(word, "O") for word in rest)
    ):
        return False  # a signature starts gpg, and ``-O`` of grep a pager
    if name in _GIT_ANY:
        return True
    # A word with a blank in it could pass for two.
    spaced = any(re.search(r"\s", word) or not word for word in rest)
    return name in _GIT_SHAPES and not spaced and bool(re.fullmatch(_GIT_SHAPES[name], " ".join(rest), re.ASCII))


OWN_NAMES = ("shirube", "michishirube")
OWN = words_of(
    "search grep past context defs refs symbol outline at deps impact status doctor session plan plans call index "
    "outcome map commands team --version --help"
)
"""Our own commands that read, or that write only where shirube keeps sessions and its index."""
OWN_MEMBERS = {
    "map": words_of("list search check proposals"),
    "commands": words_of("search describe execute validate"),
    "outcome": words_of("success failure partial insights"),
    "team": words_of("list status"),
    "call": words_of(
        "search files_search search_text context_bundle snippets_get past_changes search_forest semantic_rerank "
        "search_map semantic_search query query_plan list_plans show_plan list_presets deps_closure find_definitions "
        "find_references symbol get_symbols analyze_structure get_function_at_line analyze_impact command_search "
        "command_describe command_execute command_validate command_reload validate_symbol_relevance "
        "confirm_symbol_relevance record_outcome start_session set_query_frame submit_understanding submit_semantic "
        "submit_verification check_write_target get_session_status list_sessions revert_to_exploration "
        "add_explored_files list_agreements check_agreements list_proposals list_conflicts get_agreement_history "
        "get_session_analysis get_improvement_insights get_outcome_stats get_learning_effect sync_index index_status"
    ),
}
"""Of these commands only some members, as the others write files of the project; a test asks the registry."""
_OWN_ACTS = ("--ex", "--im", "--re", "--fo")
"""``--export FILE``, ``--import FILE``, ``--repair`` and ``--forget``, however they are abbreviated."""


_REVISIONS = (
    r"git (?:merge-base|rev-list|rev-parse)"
    r"(?: (?:--(?:tags|all|reverse|first-parent|short|verify|fork-point|octopus)|-[n0-9]+"
    r"|--(?:max-count|max-parents|abbrev|short)=[0-9]+|[\w@][\w./@{}^~:-]*))*"
)


def names_revisions(words: Arguments) -> bool:
    """Tell whether a program prints nothing but digests of commits: ``git diff $(git merge-base main HEAD)``.

    Names of tags and branches are another matter: a repository may have one that looks like an option.
    """
    return all(word and " " not in word for word in words) and bool(
        re.fullmatch(_REVISIONS, " ".join(map(str, words)), re.ASCII)
    )


def _shirube(known: Known) -> bool:
    """Allow shirube's own queries and session steps; the program itself checks what they may do."""
    words = list(known)
    while words and words[0] in ("--root", "--lang"):
        words = words[2:]
    if not words or words[0] not in OWN:
        return False
    name, *rest = words
    if name == "call":
        rest = [word for word in rest if word != "--quiet"]
    if name in OWN_MEMBERS and not (rest and rest[0] in OWN_MEMBERS[name]):
        return False
    return name not in ("plans", "doctor", "outcome") or not any(word.startswith(_OWN_ACTS) for word in rest)


def is_plain(value: str | None) -> bool:
    """Tell whether a value is a plain word that no shell or tool evaluates."""
    return value is not None and bool(re.fullmatch(_PLAIN, value))


def _globs(words: Arguments) -> bool:
    return any(isinstance(word, Globbed) for word in words)


def has_letter(word: str, letters: str) -> bool:
    """Tell whether a cluster of short options, such as ``-uo``, contains one of some letters."""
    return word.startswith("-") and not word.startswith("--") and any(letter in word for letter in letters)


_WRAPPERS: dict[str, Callable[[Arguments], bool]] = {
    "xargs": _xargs,
    "timeout": _timeout,
    "env": lambda arguments: not arguments,
    "printf": _printf,
    "command": _looks_up,
    "type": lambda _: True,
    "exit": lambda arguments: all(re.fullmatch(_NUMBER, argument or "") for argument in arguments),
}
_RULES: dict[str, Callable[[Known], bool]] = {
    "find": lambda known: not any(re.fullmatch(_FIND_ACTS, word) for word in known),
    "uniq": _uniq,
    "date": _date,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "git": _git,
    **dict.fromkeys(OWN_NAMES, _shirube),
    "test": _test,
    "[": _bracket,
}
