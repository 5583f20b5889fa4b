"""One request as a page sees it: what was sent, in which language, and the way to the operations."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup
from msgspec import Struct, field

from shirube.deadline import Deadline
from shirube.doors.web.rendering import render
from shirube.doors.web.words import Words
from shirube.errors import BadArgument
from shirube.operation import Call, Operation, Result
from shirube.operations import run

if TYPE_CHECKING:
    from shirube.workspace import Workspace

THEMES = ("auto", "light", "dark")
EDITORS = {
    "vscode": "vscode://file{path}:{line}",
    "vscodium": "vscodium://file{path}:{line}",
    "cursor": "cursor://file{path}:{line}",
    "windsurf": "windsurf://file{path}:{line}",
    "zed": "zed://file{path}:{line}",
    "idea": "idea://open?file={path}&line={line}",
}
"""Addresses that open a file; a configuration chooses one by name and cannot bring its own."""


class Visit(Struct, frozen=True):
    """Everything a page is made from."""

    workspace: "Workspace"
    words: Words
    sent: Mapping[str, tuple[str, ...]] = {}
    """The query of a GET, the form of a POST."""
    form_key: str = ""
    """What forms send along, so that no page but ours can send them."""
    theme: str = "auto"
    changing: bool = False
    """Whether this is a POST, which may change something."""
    deadline: Deadline = field(default_factory=Deadline)
    here: str = "/"
    """Path and query of the page, to come back to."""

    @property
    def project(self) -> str:
        """What the project is called."""
        return self.workspace.root.name or str(self.workspace.root)

    def text(self, name: str, default: str = "") -> str:
        """Return what was sent under a name, without the space around it."""
        values = self.sent.get(name)
        return values[0].strip() if values else default

    def texts(self, *names: str) -> dict[str, str]:
        """Return what was sent under some names."""
        return {name: self.text(name) for name in names}

    def raw(self, name: str) -> str:
        """Return what was typed with its space, which counts in a diff; line ends, which browsers change, put right."""
        return self.sent.get(name, ("",))[0].replace("\r\n", "\n")

    def lines(self, name: str) -> list[str]:
        """Return the lines that were sent under a name."""
        return [line.strip() for value in self.sent.get(name, ()) for line in value.splitlines() if line.strip()]

    def number(self, name: str, default: int) -> int:
        """Return a number that was sent, or the default when it is none."""
        text = self.text(name)
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default

    def ask(self, operation: Operation[..., Result], /, **arguments: Any) -> Result:
        """Run an operation with what was sent, which it checks; looking cannot change anything."""
        if not self.changing and not operation.read_only:
            raise BadArgument("web.changes", name=operation.name)
        call = Call(deadline=self.deadline, patient=False, passing=bool(self.text("typing")))
        result: Result = run(self.workspace, operation, arguments, call)
        return result

    def render(self, template: str, /, **values: Any) -> Markup:
        """Return a template in the reader's language: ``t`` and ``say`` in it speak that."""
        words = self.words
        return render(template, visit=self, t=words, term=words.term, terms=words.terms, say=words.say, **values)

    def editor_address(self, path: str, line: int) -> str:
        """Return the address that opens a file in the editor that was chosen, or nothing."""
        whole = (self.workspace.root / path).as_posix()
        return EDITORS.get(self.workspace.config.web.editor, "").format(path=quote(whole), line=line or 1)


Show = Callable[[Visit], Markup]
Act = Callable[[Visit], str]


class WebPage(Struct, frozen=True):
    """One page: its address is its name."""

    name: str
    show: Show
    parts: Mapping[str, Show] = {}
    """Parts of the page that the script fetches anew, by name."""
    acts: Mapping[str, Act] = {}
    """What its forms do, by name; each returns where to go then, or the page itself."""

    @property
    def address(self) -> str:
        """Where it is."""
        return f"/{self.name}"
