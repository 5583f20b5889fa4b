"""Extracts places, tests and messages from tool output: test reports, stack traces, compiler and checker output.

It does not need to know the tool. Tools write a place in a handful of ways (``File "x", line 3``, ``x:3:5``,
``x(3,5)``, ``x:[3,5]``, ``Foo.bar(Foo.java:3)``), and the words around it show how close it is to the fault. Places
outside the project (libraries, the tool itself) are only counted.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from shirube.codec import replace

MOST_LINES = 20_000
LONGEST_LINE = 2_000
"""A longer line (JSON, minified code) is read in parts."""
MOST_PLACES = 200
MOST_MESSAGES = 6
LONGEST_MESSAGE = 300
SURE, FRAME, ASIDE = 1.0, 0.7, 0.4
"""Weights: an error's own line; a stack frame on the way to it; a warning, a note, an including file."""


class Sort(StrEnum):
    """The kind of problem that a text reports."""

    TYPES = "types"
    TEST = "test"
    FAULT = "fault"
    NOTHING = "nothing"


class OutputPlace(Struct, frozen=True):
    """A place in the project that a text names; line 0 when it names only the file."""

    path: str
    line: int
    weight: float
    message: str = ""


class Report(Struct, frozen=True):
    """What was extracted from a text."""

    mentions: tuple[OutputPlace, ...] = ()
    tests: tuple[str, ...] = ()
    """Failing tests, parts joined by dots: ``TestTotal.test_discount``, ``cart.tests.adds_up``; or a title."""
    messages: tuple[str, ...] = ()
    sort: Sort = Sort.NOTHING
    elsewhere: int = 0
    """How many places are outside this project."""


Locate = Callable[[str], tuple[str, ...]]
"""Maps a path as a tool printed it to the project files it may mean; empty when there are none."""
Nearest = Callable[[str, int, str], int]
"""Returns the line of a file that has the code shown for it, the nearest to the number given."""

_INSIDE = r"[^\s:\"'()<>|*?,;`‘’“”=]"
# The look behind keeps it linear: a path is tried from its first character only.
_PATH = (
    rf"(?:(?<![A-Za-z])[A-Za-z]:[\\/](?!/)|(?<!{_INSIDE})){_INSIDE}*"
    r"[^\s:\"'()<>|*?,;`‘’“”=.\\/]\.[A-Za-z]\w{0,9}"
)
_PLACE = re.compile(
    rf'File "(?P<python>[^"\n]+)", line (?P<python_line>\d+)'
    r"|\bat (?:[\w.-]+/)?(?P<java>(?:[\w$]+\.)+)[\w$<>]+"
    r"\((?P<java_file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<java_line>\d+)\)"
    rf"|(?P<paren>{_PATH})\((?P<paren_line>\d+)(?:,\d+)*\)"
    rf"|(?P<plain>{_PATH})(?:::[\w.:-]{{1,300}})?:(?:line |\[)?(?P<plain_line>\d+)\b"
)
_HAS_PLACE = re.compile(r"\.\w{1,10}(?::(?:line |\[)?\d|\(\d|::)|\", line \d")
"""What every place has; most lines of a log do not, and this is quicker to see."""
_FILE_ONLY = re.compile(
    rf"^\s*(?:(?:FAIL(?:ED)?|ERROR|RUNS|❯)\s+(?P<path>{_PATH})(?=$|\s|::)|(?P<linked>{_PATH}):\(\.)"
)
_MESSAGE_BEHIND = re.compile(r"^\s*\S+?:\d+(?::\d+)?: (?!in \S+$)(?=\S)")
_FRAME_BEHIND = re.compile(r":\d+: in \S+$")
_TESTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?:FAILED|ERROR)\s+(?P<path>[^\s:]+\.py)::(?P<name>[^\s\[]+)",
        r"^(?P<path>[^\s:]+\.\w+)::(?P<name>[\w:.]+)(?:\[.*\])?$",
        r"^_{3,} (?:ERROR at \w+ of )?(?P<name>[\w.]+)(?:\[.*\])? _{3,}$",
        r"^\s*--- FAIL: (?P<name>\w+)",
        r"^---- (?P<name>[\w:]+) stdout ----$",
        r"^test (?P<name>[\w:]+) \.\.\. FAILED$",
        r"^\s*● (?P<name>\S.* › .*\S)\s*$",
        r"^\s*FAIL\s+(?P<path>\S+\.\w+) > (?P<name>.*\S)\s*$",
        r"^(?:FAIL|ERROR): (?P<name>\w+) \((?P<outer>[\w.]+)\)$",
        r"^(?:\[ERROR\]\s+)?(?P<name>\w*Tests?(?:[.#]| > )\w+)(?:\(\))?(?::\d+| FAILED)",
        r"^rspec (?P<path>\./\S+?_spec\.rb)(?P<name>):\d+",
    )
)
_TROUBLE = re.compile(
    r"(?P<error>\berror\b(?:\[\w+\])?|\bpanicked at\b|\bfatal\b|\[ERROR\]|エラー)"
    r"|(?P<aside>\b(?:warning|note|info|help)\b|警告|In file included from|^\s+from )",
    re.IGNORECASE,
)
_RAISED = re.compile(
    r"^\s*(?:E\s+|Exception in thread \"[^\"]*\" |Caused by: |\[cause\]: |Uncaught |panic: )?"
    r"(?P<text>(?:[\w$]+[.:])*(?:[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Failure)|Error|Exception)\b(?::.*)?"
    r"|(?<=E)\s+assert\b.*|(?<=panic: ).+)$"
)
_CONTINUES = re.compile(r"^(?:[A-Z\"'`\u3040-\u9fff]|[a-z]+ [a-z]+ [a-z]+ )(?:[^=|{};]*)$")
"""A line that goes on with a message: prose, no code."""
_RUBY = re.compile(r"^\S+:\d+:in [`'][^']*': (?P<text>.+) \([\w:]+\)$")
_ENDS_TRACE = re.compile(r"^(?P<text>[A-Za-z_][\w.]*(?:: .*)?)$")
"""The line below a Python traceback; the name of an exception may be any."""
_PANICKED = re.compile(r"\bpanicked at \S+:\d+:\d+:$")
_CAUSE = re.compile(r"^\s*(?:Caused by: |\[cause\]: )(?P<text>\S.*)?")
_ERROR_TEXT = re.compile(
    r"(?:\berror(?:\[\w+\])?\s*(?:(?:TS|CS)\d+\s*)?:\s*(?P<text>\S.*)|(?P<undefined>undefined(?: reference to|:) .*))$"
)
_LEVELS = ("ERROR", "FATAL", "CRITICAL", "SEVERE", "EMERGENCY", "ALERT")
_LOGGED = re.compile(rf"\b(?:{'|'.join(_LEVELS)})\b[\]\s:|-]+(?P<text>\S.*)$")
_COLOUR = re.compile(r"\x1b\[[\d;?]*[A-Za-z]")
_PARTS = re.compile(rf".{{1,{LONGEST_LINE}}}(?:\s|$)|.{{{LONGEST_LINE}}}")
_SUMMARY = re.compile(r"could not compile|test failed|aborting due|ld returned|\d+ errors?\b|linker command failed")
_SORTS = (
    (
        Sort.TYPES,
        re.compile(
            r"error TS\d+:|^(?>.*?error: ).*\[[a-z]+(?:-[a-z]+)*\]$|\(report[A-Z]\w+\)|error\[E0(?:308|277|282|283)\]"
            r"|mismatched types|incompatible types?:?|is not assignable to|has incompatible type"
            r"|\btype error\b|型エラー|型の?不一致",
            re.MULTILINE | re.IGNORECASE,
        ),
    ),
    (
        Sort.FAULT,
        re.compile(r"Traceback \(most recent|^[ \t]+at \S|\bpanic(?:ked)?\b|\bException\b|\berror:", re.MULTILINE),
    ),
)


def without_colours(text: str) -> str:
    """Return a text without the codes by which terminals colour it."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def in_lines(text: str) -> str:
    """Return a text without colours, and its long lines in parts: cut at JSON's ``\\n``, or anywhere."""
    parts: list[str] = []
    for line in without_colours(text).split("\n"):
        if len(line) <= LONGEST_LINE:
            parts.append(line)
            continue
        for one in line.replace("\\r", "").replace('\\"', '"').replace("\\t", " ").split("\\n"):
            parts += _PARTS.findall(one)
    return "\n".join(parts)


def read_report(text: str, locate: Locate, nearest: Nearest = lambda path, number, code: number) -> Report:
    """Parse tool output; the report is empty for a text that is not tool output."""
    reader = _Reader(locate, nearest)
    lines = _lines(text)
    for line in lines:
        reader.take(line)
    reader.settle()
    mentions, tests = tuple(reader.mentions.values()), tuple(reader.tests)
    sure = any(mention.weight == SURE for mention in mentions)
    found = (sort for sort, pattern in _SORTS if pattern.search(text))
    sort = Sort.TEST if tests else next(found, Sort.FAULT if sure else Sort.NOTHING)
    return Report(mentions, tests, reader.told(len(lines)), sort, reader.elsewhere)


class Output(Struct, frozen=True):
    """Tool output within a text, and what stands around it."""

    lines: tuple[str, ...] = ()
    """The lines that tell something: places, tests, messages."""
    before: tuple[str, ...] = ()
    """The lines above them."""
    last: str = ""
    """The last line of the text, when it is none of them."""
    tests: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()
    places: int = 0
    """How many places it names, of this project or not."""


def find_output(text: str) -> Output:
    """Find the lines of a text that are tool output, without looking for the files they name."""
    reader = _Reader(lambda path: ())
    lines = _lines(text.strip())
    telling = [at for at, line in enumerate(lines) if reader.take(line)]
    if not telling:
        return Output()
    return Output(
        tuple(lines[at] for at in telling),
        tuple(lines[: telling[0]]),
        lines[-1] if telling[-1] < len(lines) - 1 else "",
        tuple(reader.tests),
        reader.told(len(lines)),
        reader.elsewhere,
    )


def _lines(text: str) -> list[str]:
    lines = [line.rstrip("\r") for line in text.split("\n")]
    return lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES // 2], *lines[-MOST_LINES // 2 :]]


def _message(line: str) -> str:
    """Return the error message in a line; empty when there is none, or it only sums up other errors."""
    if (raised := _RAISED.match(line) or _RUBY.match(line) or _CAUSE.match(line)) is not None and raised["text"]:
        return raised["text"].strip()
    found = _ERROR_TEXT.search(line) if "error" in line or "undefined" in line else None
    text = (found["text"] or found["undefined"]).strip() if found else ""
    return "" if _SUMMARY.search(text) else text


@dataclass(slots=True)
class _Reader:
    """Reads the lines once; it collects stack frames until it knows which is the innermost."""

    locate: Locate
    nearest: Nearest = lambda path, number, code: number
    mentions: dict[tuple[str, int], OutputPlace] = field(default_factory=dict)
    tests: dict[str, None] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    telling: dict[str, str] = field(default_factory=dict)
    """What the line before added a message to."""
    logged: dict[str, str] = field(default_factory=dict)
    """What a log calls errors, by its words without numbers: the same message comes again with another time or id."""
    elsewhere: int = 0
    said: str = ""
    """A message whose place has not been read yet."""
    frames: list[OutputPlace] = field(default_factory=list)
    tracing: bool = False
    """Whether the lines above are of a Python traceback."""
    framed: bool = False
    """Whether the line before was a frame of Python; this one then shows its code."""
    panicked: bool = False
    """Whether the line before said where a program panicked; this one then says why."""
    outer: tuple[str, int] | None = None
    """The fault whose cause follows."""
    fault: tuple[str, int] | None = None
    """The first place after the last message."""

    def told(self, lines: int) -> tuple[str, ...]:
        """Return the error messages, or what a log of several lines calls errors."""
        return (tuple(self.messages.values()) or (tuple(self.logged.values()) if lines > 1 else ()))[:MOST_MESSAGES]

    def take(self, line: str) -> bool:
        """Read one line; tell whether it says anything."""
        says = self._test(line) or self._shows(line)
        message = self._announced(line) or _message(line)
        if not says and not message and self.telling and _CONTINUES.match(line) and not _HAS_PLACE.search(line):
            last = next(reversed(self.telling))
            self.telling[last] = f"{self.telling[last]} {line.strip()}"[:LONGEST_MESSAGE]
            return True
        self.telling = {}
        if message:
            self.outer = self.fault if _CAUSE.match(line) else None
            self.messages.setdefault(message[:LONGEST_MESSAGE], message[:LONGEST_MESSAGE])
            self.telling = self.messages
        elif any(level in line for level in _LEVELS) and (logged := _LOGGED.search(line)) is not None:
            said = logged["text"].strip()[:LONGEST_MESSAGE]
            self.logged.setdefault(re.sub(r"\d+", "", said), said)
            self.telling = self.logged
            says = True
        places = list(_places(line))
        if message and not places:
            if self.frames and line.startswith("E "):  # pytest names the place below the message, if not as a frame
                self.outer = (self.frames[-1].path, self.frames[-1].line)
            self.settle()
            self.said = message
        for path, number, way in places:
            self._place(line, path, number, way)
            self.tracing |= way == "python"
            self.framed = way == "python"
        return says or bool(message or places)

    def _shows(self, line: str) -> bool:
        """Read the code below a frame of Python; tell whether the line is that."""
        shows, self.framed = self.framed and line.startswith("    "), False
        if shows and self.frames:
            last = self.frames[-1]
            self.frames[-1] = replace(last, line=self.nearest(last.path, last.line, line.strip()))
        return shows

    def _announced(self, line: str) -> str:
        """Return the message that the lines above announce: below a Python traceback, or where Rust panicked."""
        message = line.strip() if self.panicked else ""
        self.panicked = "panicked at" in line and bool(_PANICKED.search(line))
        if self.tracing and line and not line[0].isspace():
            self.tracing = False
            ended = _ENDS_TRACE.match(line)
            message = ended["text"] if ended else message
        return message

    def settle(self) -> None:
        """End a run of stack frames: the last of them is where the error occurred, and comes first."""
        if self.frames:
            last = self.frames.pop()
            self._keep(OutputPlace(last.path, last.line, SURE, last.message))
            for frame in reversed(self.frames):
                self._keep(frame)
            self.frames.clear()

    def _test(self, line: str) -> bool:
        """Read a line that names a failing test, or only a file; tell whether it is one."""
        found: re.Match[str] | None = None
        for pattern in _TESTS:
            if found := pattern.match(line):
                names = found.groupdict()
                outer = (names.get("outer") or "").removesuffix(f".{names['name']}")
                name = (f"{outer}.{names['name']}" if outer else names["name"]).replace("::", ".")
                if name:
                    self.tests.setdefault(name)
                break
        if (only := _FILE_ONLY.match(line)) is not None:
            for path in self.locate(only["path"] or only["linked"])[:1]:
                self._keep(OutputPlace(path, 0, FRAME))
        return found is not None or only is not None

    def _place(self, line: str, path: str, number: int, way: str) -> None:
        found = self.locate(path)
        if not found:
            self.elsewhere += 1
            return
        if "." in found[0] and path.rpartition(".")[2] != found[0].rpartition(".")[2]:
            number = 0  # the source of a script that was built has other lines
        message = line.strip()[:LONGEST_MESSAGE]
        if len(found) == 1 and (way == "python" or _FRAME_BEHIND.search(line)):
            self.frames.append(OutputPlace(found[0], number, FRAME, message))
            return
        is_fault = bool(self.said)
        weight = self._weight(line, path) / len(found)
        if is_fault and not self.said:
            if self.outer in self.mentions:  # now that its cause is found, the fault counts as a frame on the way
                self.mentions[self.outer] = replace(self.mentions[self.outer], weight=FRAME)
            self.outer, self.fault = None, (found[0], number)
        for file in found:
            self._keep(OutputPlace(file, number, weight, message))

    def _weight(self, line: str, path: str) -> float:
        """Return a place's weight: an error's own line, or the first place after a message, counts most."""
        trouble = _TROUBLE.search(line.replace(path, ""))
        if trouble is not None:
            return SURE if trouble["error"] else ASIDE
        if self.said or _MESSAGE_BEHIND.match(line):
            self.said = ""
            return SURE
        return FRAME

    def _keep(self, mention: OutputPlace) -> None:
        key = (mention.path, mention.line)
        known = self.mentions.get(key)
        wanted = len(self.mentions) < MOST_PLACES if known is None else known.weight < mention.weight
        if wanted:
            self.mentions[key] = mention


def _places(line: str) -> Iterator[tuple[str, int, str]]:
    """Yield the places a line names: path, line number, and the notation (a group name of ``_PLACE``)."""
    for match in _PLACE.finditer(line) if _HAS_PLACE.search(line) else ():
        form = (match.lastgroup or "").partition("_")[0]
        number = int(match[f"{form}_line"][:9])
        if form == "java":
            package = match["java"].rstrip(".").rpartition(".")[0].replace(".", "/")
            yield f"{package}/{match['java_file']}", number, form
        elif not match[form].startswith("//") or line[: match.start(form)].endswith("file:"):  # not host:port
            yield match[form], number, form
