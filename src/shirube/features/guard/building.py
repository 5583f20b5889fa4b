"""Which commands build or test without changing tracked files; ``building.toml`` says which, by ecosystem.

Tests and builds run the project's own code, so this is no proof that nothing is written: what they change is judged
afterwards. It keeps out what the command line itself would run or write: ``--fix``, ``make SHELL=…``.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from shirube.features.guard.building_list import NOTHING, BuildRow, load
from shirube.features.guard.programs import PLACES, is_plain, words_of

Words = list[str | None]
_NUMBERED = ("-j", "-l", "--parallel", "--jobs")
"""Options whose number may be left out, so that what follows need not be a value."""
DEEPEST = 3
"""How many wrappers (``uv run``, ``npx``) may stand before a program."""
_LOCAL = re.compile(r"(?:\./)?(?:bin/|\.?v?env/bin/|[\w./-]*(?:node_modules/\.bin|vendor/bin)/)?")
"""Where a project keeps the programs it uses."""
_VERSION = re.compile(r"(python|pip|pypy|node|php|ruby|clang|gcc|g\+\+|clang\+\+)(?:[0-9][0-9.]*|-[0-9.]+)")
_TASK = re.compile(r"\+?:?[\w:./@+-]+", re.ASCII)
_STEM = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_VARIANT = re.compile(r"(?:[\w-]*:)*(?:assemble|compile|lint|test|build|bundle)[A-Za-z0-9]*")
"""What gradle builds, and of which kind: ``:app:assembleRelease``."""
_SCRIPT = re.compile(r"(?:\./)?(?!\.\.?/)[\w@][\w@./ -]*", re.ASCII)
_SWITCH = re.compile(r"[0-9.]+|yes|no|true|false|on|off", re.IGNORECASE)
_FLAGS = re.compile(
    r"(?:-(?:[DUA]\w+(?:=\w+)?|O[0-3sgz]?|g[0-3]?|W[a-z][\w=+-]*|[WvqnEws]|-keep-going|j[0-9]*|m(?:32|64|arch=\w+)"
    r"|std=[\w+]+|f(?:no-|sanitize|stack-protector|PIC|PIE|omit|common)[\w=-]*|pthread|static|pedantic|race|short"
    r"|mod=vendor|tags=\w+|count=[0-9]+"
    r"|C ?(?:target-cpu|debuginfo|opt-level|debug-assertions|overflow-checks)(?:=\w+)?) ?)+",
    re.ASCII,
)
"""Options for a compiler that start no other program and write nothing."""
_QUIET = re.compile(
    r"(?:.*_)?(?:CI|DEBUG|VERBOSE|COLOR|COVERAGE|SEED|THREADS|WORKERS|JOBS|TIMEOUT|PARALLEL|STRICT|NO_SYNC|BACKTRACE"
    r"|OFFLINE|FROZEN|RETRIES|LEVEL|VALIDATION|SUITE|BUILD_TYPE)"
)
"""Names of variables that say how much is shown, tried or checked."""
_PLACE = re.compile(
    r".*(?:DIR|DIRECTORY|FILE|FILES|HOME|ROOT|PATH|OUT|OUTPUT|BUILD|DIST|DEST|TARGET|TARGETS|LOG|REPORT|CACHE|SRC|CONFIG)"
)
"""Names of variables that may say where something is written or found."""
_MAY_WRITE = re.compile(
    r"(?<!time)(?<!with)(?<!lay)(?<!std)out|log|"
    r"report|xml|json|file|dest|dir|prof(?!ess)|data|cover|cache|conf|exec|overlay|plug"
    r"|import|require|eval|script|shell|wrapper|target|path|location|temp|trace|dump|save|load|prefix|root(?!less)|home|store"
    r"|artifact|install|command|preset|format|parser|resolver|runner|processor|addon|bootstrap|printer"
    r"|python|compiler|wrap|html|diag|explain|export|git$|browser|success|-lock$|cmd|baseline|toolchain|-gcc|\benv$|options?$|flags$|args$|\brc|rc$",
    re.IGNORECASE,
)
"""In the name of an option: it may write to, load or run what its value names."""
_SAYS_LESS = re.compile(
    r"-*(?:no|all|ignored?|excluded?|show|list|max|min|fail|skip|only|enable|disable|strict|without|frozen)(?:-|$|[A-Z])"
)
"""Names of options that switch something off or choose, whatever follows in the name."""
_SETTINGS = re.compile(
    r"(?!/)(?!.*\.\.)(?:[\w@.-]+/)*[\w@.-]*(?:conf|rc\b|\.(?:toml|ini|cfg|ya?ml|json|neon|xml|dist)$)[\w.-]*", re.ASCII
)
"""A file of settings inside the project."""
_REPORT = re.compile(
    r"(?:\./)?[\w-]*(?:junit|cover|result|report|lcov|clover|profile)[\w-]*\.(?:xml|json|html|info|lcov|txt|log|out)",
    re.ASCII,
)
"""How files with results are named."""
_COMPILER = re.compile(r"(?:gcc|clang|cc|g\+\+|clang\+\+|c\+\+)(?:-[0-9]+)?")
_NAMES_PROGRAM = re.compile(
    r"(?:.*_)?(?:CC|CXX|CPP|LD|AR|AS|RM|CP|MV|SHELL|MAKE|MAKEFLAGS|PYTHON[23]?|NODE|RUBY|GO|CARGO|BIN|CMD|COMMAND|EXE|EXEC"
    r"|RUNNER|PROG|PROGRAM|INSTALL|PREFIX|DESTDIR|TOOL|WRAPPER|EDITOR|PAGER|COMPILER|LAUNCHER|ENV|PATH|IFS"
    r"|RUSTC|RUSTDOC|JAVA|JAVAC|HOSTCC|FC|YACC|LEX|NPM|YARN)|(?:LD|DYLD|GIT)_.*|NODE_OPTIONS|PYTEST_ADDOPTS|.*TOOL_OPTIONS"
)
_LOOK = re.compile(r"(?:import (?!setup\b)[\w.]+|from [\w.]+ import \w+)(?:; ?print\([\w.]+(?:\(\))?\))?", re.ASCII)
"""What is tried most with ``python -c``: can it be imported, and which version is it?"""
_PROGRAMS = words_of(
    "rm mv cp tee touch ln dd install chmod truncate git curl wget eval exec xargs find sed perl python"
)
_RUNS_IN_WORDS = words_of("nproc pwd go getconf grep sort head tail ls find git uniq wc")
"""Programs whose output may become an argument: ``make -j$(nproc)``, ``go test $(go list ./...)``."""


def builds_or_tests(words: Words, settings: Mapping[str, str | None], inside: Iterable[str | None] = ()) -> bool:
    """Tell whether a program with these arguments builds or tests.

    ``settings`` are the variables set for it, ``inside`` the programs whose output becomes an argument.
    """
    allowed = load().settings
    if not all(_is_environment(name, value, allowed) for name, value in settings.items()):
        return False
    return all(name in _RUNS_IN_WORDS for name in inside) and _builds(words)


def _builds(given: Words, depth: int = 0) -> bool:
    first, *rest = given or [None]
    if first is None or depth > DEEPEST:
        return False
    table, name = load(), _program(first)
    if _shows_version(first, rest):
        return True
    if name == "coverage" and rest[:1] == ["run"]:
        name, rest = "python", rest[1:]
    if name == "python" and ("-m" in rest or rest[:1] == ["-c"]):
        return _python(rest, depth)
    if name == "python":
        while rest and re.fullmatch(r"-[uBIsEObq]+|-W\S*|-X\S+|--branch|-p|--parallel-mode", rest[0] or ""):
            rest = rest[1:]
    if any(_fits(row, name, rest) for row in table.rows.get(name, ())):
        return True
    if name == first and "/" in first:
        tries = "--check" in rest or "--dry-run" in rest
        named = _stems((rest or [""])[0] or "") & table.bad
        return _is_script(first, tries) and not named and not _is_refused(rest, NOTHING, name)
    return any(_builds(inner, depth + 1) for inner in _unwrapped(name, rest))


def _shows_version(first: str, rest: Words) -> bool:
    if rest == ["-V"]:
        return first in load().rows or first in load().wrappers
    return rest == ["--version"] and bool(re.fullmatch(r"[\w.+-]+", first))


def _python(rest: Words, depth: int) -> bool:
    """Tell whether ``python -m MODULE`` builds, or ``python -c CODE`` only tries an import."""
    if "-m" not in rest:
        return len(rest) == 2 and bool(_LOOK.fullmatch(rest[1] or ""))
    at = rest.index("-m")
    module = (rest[at + 1 : at + 2] or [None])[0]
    tool = module.replace("_", "-") if module else None
    return _are_switches(rest[:at]) and _builds([tool, *rest[at + 2 :]], depth + 1)


def _program(first: str) -> str:
    """Return the name of a program, without its usual place and version."""
    folder, _, name = first.rpartition("/")
    if folder and f"{folder}/" not in PLACES and not _LOCAL.fullmatch(f"{folder}/"):
        return first
    if folder and name not in load().rows and not _VERSION.fullmatch(name):
        return first
    version = _VERSION.fullmatch(name)
    return version[1] if version else name


def _are_switches(words: Words) -> bool:
    """Tell whether the words before ``python -m`` are switches that run nothing."""
    return bool(
        re.fullmatch(r"(?:-[uBIsEObqp]+ |-W ?\S+ |-X ?\S+ |--branch |--parallel-mode |--source=\S+ )*", _joined(words))
    )


def _joined(words: Words) -> str:
    return "".join(f"{word} " for word in words)


def _unwrapped(name: str, rest: Words) -> list[Words]:
    """Return what a wrapper would start: ``uv run --frozen pytest`` → ``pytest``."""
    found: list[Words] = []
    if name == "xargs":
        at = next(
            (at for at, word in enumerate(rest) if not re.fullmatch(r"-[0rtx]+|-[nPL][0-9]*|[0-9]+", word or "")), 0
        )
        return [["mypy"]] if rest[at:] and rest[at] in load().given else []
    if name == "timeout" and re.fullmatch(r"[0-9.]+[smh]?", (rest or [None])[0] or ""):
        found.append(rest[1:])
    for row in load().wrappers.get(name, ()):
        words, wanted, ok = list(rest), list(row.below), True
        while words and (wanted or (words[0] or "").startswith("-")):
            word = words.pop(0)
            if word is None or (not word.startswith("-") and word not in wanted.pop(0)):
                ok = False
                break
            ok = ok and not _is_refused([word, *words[:1]], row, name)
            if word in load().valued.get(name, ()):
                ok = ok and not (name == "php" and re.search("prepend|append|extension|include", _joined(words[:1])))
                words = words[1:]
        if ok and words and not wanted:
            found.append(words[1:] if "workspace" in rest else words)
    return found


def _sorted(name: str, rest: Words) -> tuple[Words, list[str]]:
    """Return the plain words among arguments, and the options; the value of an option is neither."""
    valued = load().valued.get(name, frozenset())
    plain: Words = []
    options: list[str] = []
    words = iter(rest)
    for word in words:
        if word is None or not word.startswith("-") or word == "-":
            plain.append(word)
        elif word != "--":
            options.append(word)
            if word in valued:
                value = next(words, None)
                if word in _NUMBERED and not re.fullmatch("[0-9.]*", value or ""):
                    plain.append(value)
    return plain, options


def _fits(row: BuildRow, name: str, rest: Words) -> bool:
    """Tell whether arguments fit a row."""
    plain, options = _sorted(name, rest)
    if name == "cargo" and plain and (plain[0] or "").startswith("+"):
        plain = plain[1:]
    for alternatives in row.below:
        if not any(option in alternatives for option in options):
            if not plain or plain[0] not in alternatives:
                return False
            plain = plain[1:]
    if row.needed and not any(option.partition("=")[0] in row.needed for option in options):
        return False
    if row.tail == "^" and any(_stems(word or "") & load().bad for word in rest):
        return False
    if any(_PLACE.fullmatch(word_name) and not _is_output(value) for word_name, value in map(_split, plain) if value):
        return False
    before = rest[: rest.index(plain[0])] if row.tail == "%" and plain else rest
    return _tail_fits(row, plain) and _only_these(row, name, before) and not _is_refused(rest, row, name)


def _split(word: str | None) -> tuple[str, str | None]:
    name, given, value = (word or "").partition("=")
    return name, value if given else None


def _tail_fits(row: BuildRow, plain: Words) -> bool:
    first = plain[0] if plain else None
    if row.tail == "@":
        return _is_task(first, row.names)
    if row.tail in ("@*", "@+"):
        tasks = [word for word in plain if not _is_setting(*_split(word))]
        return all(_is_task(word, row.names) for word in tasks) and (row.tail == "@*" or bool(tasks))
    if row.tail == "%":
        return _is_script(first)
    if row.tail in ("&", "&*"):
        local = all(word is not None and re.match(r"\.\.?(?:[/\[]|$)", word) for word in plain)
        return local and (row.tail == "&*" or bool(plain))
    if row.tail in ("/", "//"):
        at = len(row.tail) - 1
        return len(plain) > at and _is_output(plain[at])
    return row.tail != "." or not plain


def _only_these(row: BuildRow, name: str, words: Words) -> bool:
    """Tell whether all options are among those that a row names, if it names any."""
    valued = load().valued.get(name, frozenset())

    def fits(word: str) -> bool:
        whole = word.partition("=")[0]
        if any(word.startswith(one[:-1]) if one.endswith("*") else whole == one for one in row.only):
            return True
        return not word.startswith("--") and all(letter in row.only for letter, _ in _letters(word, "", valued))

    given = words[: words.index("--")] if "--" in words and name != "make" else words
    return not row.only or all(fits(word) for word in given if word is not None and word[:1] == "-" and word != "--")


def _letters(word: str, following: str | None, valued: frozenset[str]) -> list[tuple[str, str | None]]:
    """Return the short options of a cluster, each with what would be its value: ``-qd src``."""
    found: list[tuple[str, str | None]] = []
    for at, letter in enumerate(word[1:], 2):
        if found and (letter.isdigit() or found[-1][0] in valued):
            break
        found.append((f"-{letter}", word[at:].removeprefix("=") or following))
    return found


def _is_refused(words: Words, row: BuildRow, name: str) -> bool:
    """Tell whether an option writes sources, or runs or overwrites what the command line names."""
    table = load()
    if name in table.remote and any(re.search(r"://|^git\+", word or "") for word in words):
        return True
    for given, following in pairwise([*words, ""]):
        word = re.sub(r"^/(?=\w+(?::|$))", "-", given or "") if name == "dotnet" else given
        if word is None or not word.startswith("-") or word in ("-", "--"):
            continue
        if _is_forbidden(word, row, name) or _writes(word, following, row, name):
            return True
    return False


def _is_forbidden(word: str, row: BuildRow, name: str) -> bool:
    """Tell whether a word is a refused option: abbreviated, among other letters, or with another number of dashes."""
    option = word.partition("=")[0]
    bare = option.lstrip("-")
    for refused in (*row.refused, *load().refused):
        if word.startswith(refused) and len(refused) > 2:
            return True
        one_dash = refused[1] != "-" or name in load().words
        if len(refused) > 2 and one_dash and bare.startswith(refused.lstrip("-")):
            return True
        if option.startswith("--") and refused.startswith(option) and option not in row.needed:
            return True
        if len(refused) == 2 and bare == refused[1]:
            return True
    if word.startswith("--") or name in load().words:
        return False
    letters = _letters(word, "", load().valued.get(name, frozenset()))
    return any(letter in row.refused for letter, _ in letters)


def _writes(word: str, following: str | None, row: BuildRow, name: str) -> bool:
    """Tell whether an option may write to, load or run what its value names."""
    table = load()
    option, given, value = word.partition("=")
    target = value if given else following
    if option in table.known.get(name, ()):
        return False
    if name == "cmake" and word.startswith("-D"):
        return not _is_definition(word[2:] or following or "")
    if option in row.chosen:
        return target is None or not _TASK.fullmatch(target) or bool(_stems(target) & table.bad)
    if option in row.writes or option.lstrip("-") == "o":
        return not _is_output(target)
    if not word.startswith("--") and name not in table.words and "/" not in name:
        letters = _letters(word, following, table.valued.get(name, frozenset()))
        if any((one == "-o" or one in row.writes) and not _is_output(to) for one, to in letters):
            return True
    return not _is_harmless(option, target, bool(given))


def _is_harmless(option: str, value: str | None, joined: bool) -> bool:
    """Tell whether an option writes, loads or runs nothing; ``joined`` says that the value is surely its own."""
    if len(option.lstrip("-")) < 3 or not _MAY_WRITE.search(option) or _SAYS_LESS.match(option):
        return True
    if value is None:
        return not joined and option in load().switches
    if value and re.search(r"(?:options?|flags|args)$", option):
        return bool(_FLAGS.fullmatch(value))
    if not joined and (value[:1] in ("", "-") or option in load().switches):
        return True
    if value.lower() in load().values or re.fullmatch("[0-9]+(?:[.][0-9]+)*", value):
        return True
    inside = not value.startswith("/") or re.search("out|log|report|xml|json|dest|cov|cache|temp|prof|result", option)
    return bool(inside and _is_output(value)) or _loads_own(option.lower(), value)


def _loads_own(option: str, value: str) -> bool:
    """Tell whether an option loads settings or code of the project, or a package by its name."""
    kind = re.search("conf|plug|import|require|preset|format|parser|printer|python|env", option)
    if kind and not re.search("dir|dest|report|log|cache", option) and re.fullmatch(r"[\w-]+|python[0-9.]+", value):
        return True
    return ("conf" in option and bool(_SETTINGS.fullmatch(value))) or ("require" in option and _is_script(value))


def _is_definition(text: str) -> bool:
    """Tell whether a variable for cmake names no program and no place."""
    given, _, value = text.partition("=")
    name = given.partition(":")[0]
    if re.fullmatch(r"CMAKE_C(?:XX)?_COMPILER", name):
        return bool(_COMPILER.fullmatch(value))
    if _SWITCH.fullmatch(value) or name == "CMAKE_BUILD_TYPE":
        return bool(re.fullmatch(r"[\w.]+", value))
    if name.endswith("_FLAGS"):
        return bool(_FLAGS.fullmatch(value))
    return not name.startswith("CMAKE_") and _is_setting(name.upper(), value)


def _is_output(path: str | None) -> bool:
    """Tell whether a path lies where builds and tests put what they make."""
    if not path or "$" in path or ".." in path.split("/"):
        return False
    if path == "/dev/null" or path.startswith("/tmp/") or _REPORT.fullmatch(path):
        return True
    parts = path.removeprefix("./").split("/")
    return f"{'/'.join(parts)}/".startswith(load().into) or not load().anywhere.isdisjoint(parts)


def _is_task(name: str | None, more: frozenset[str]) -> bool:
    """Tell whether the name of a task says that it builds, tests or checks, and nothing else."""
    if name is None or not _TASK.fullmatch(name):
        return False
    table, stems = load(), _stems(name)
    bad = stems & table.bad - more
    if "check" in stems:
        bad -= table.excused
    if name.startswith("test"):
        bad -= {"install"}
    if _VARIANT.fullmatch(name):
        bad -= {"release"}
    good = stems & (table.good | more) or any(stem.endswith(table.suffixes) for stem in stems)
    return not bad and bool(good or name.lower() in table.good)


def _stems(name: str) -> set[str]:
    return {stem.lower() for stem in _STEM.findall(name)}


def _is_script(path: str | None, tries: bool = False) -> bool:
    """Tell whether a path is a script of the project, among the tests or named like a task, or only ``tries``."""
    if path is None or not _SCRIPT.fullmatch(path) or "/../" in path:
        return False
    first, _, rest = path.removeprefix("./").partition("/")
    stem = path.rpartition("/")[2].partition(".")[0]
    if rest and first in ("test", "tests", "spec"):
        return not _stems(stem) & load().bad
    return _is_task(stem, load().bad if tries else frozenset())


def _is_environment(name: str, value: str | None, allowed: frozenset[str]) -> bool:
    """Tell whether a variable may be set before a program that builds."""
    if value is None or value.startswith(load().refused):
        return False
    if name in allowed:
        return (
            is_plain(value) and "/" not in value.removeprefix("./") and not set("=:") & set(value) and ".." not in value
        )
    if name.endswith(("FLAGS", "CC", "CXX")):
        return _is_setting(name, value)
    return bool(_QUIET.fullmatch(name)) and not _stems(name) & load().bad and _is_setting(name, value)


def _is_setting(name: str, value: str | None) -> bool:
    """Tell whether a variable is set to something that nothing can run: a switch, options of a compiler, a word."""
    if value is None or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name) or value.startswith(load().refused):
        return False
    if _NAMES_PROGRAM.fullmatch(name):
        return name in ("CC", "CXX") and bool(_COMPILER.fullmatch(value))
    if name.endswith(("FLAGS", "OPTS", "OPTIONS", "ARGS")):
        return bool(_FLAGS.fullmatch(value))
    if _PLACE.fullmatch(name) or _stems(name) & load().bad:
        return False
    return bool(_SWITCH.fullmatch(value)) or (value.isidentifier() and value not in _PROGRAMS)
