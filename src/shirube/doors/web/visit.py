"""One request as a page sees it: its parameters, its language, and a way to call operations."""

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
"""URLs that open a file in an editor; the configuration chooses one by name and cannot define others."""


class Visit(Struct, frozen=True):
    """Everything that a page needs to render itself."""

    workspace: "Workspace"
    words: Words
    sent: Mapping[str, tuple[str, ...]] = {}
    """The query of a GET request, or the form of a POST."""
    form_key: str = ""
    """A secret in every form, so that only our own pages can send forms."""
    theme: str = "auto"
    changing: bool = False
    """Whether this is a POST, which may change something."""
    deadline: Deadline = field(default_factory=Deadline)
    here: str = "/"
    """Path and query of the current page, to return to."""

    @property
    def project(self) -> str:
        """The name of the project."""
        return self.workspace.root.name or str(self.workspace.root)

    def text(self, name: str, default: str = "") -> str:
        """Return the parameter of a name, without surrounding white space."""
        values = self.sent.get(name)
        return values[0].strip() if values else default

    def texts(self, *names: str) -> dict[str, str]:
        """Return the parameters of some names."""
        return {name: self.text(name) for name in names}

    def raw(self, name: str) -> str:
        """Return a parameter with its white space, which matters in a diff; only browsers' CRLF becomes LF."""
        return self.sent.get(name, ("",))[0].replace("\r\n", "\n")

    def lines(self, name: str) -> list[str]:
        """Return the non-empty lines of a parameter."""
        return [line.strip() for value in self.sent.get(name, ()) for line in value.splitlines() if line.strip()]

    def number(self, name: str, default: int) -> int:
        """Return a parameter as a number, or the default when it is not one."""
        text = self.text(name)
        return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else default

    def ask(self, operation: Operation[..., Result], /, **arguments: Any) -> Result:
        """Run an operation, which checks its arguments; refuse one that changes something unless this is a POST."""
        if not self.changing and not operation.read_only:
            raise BadArgument("web.changes", name=operation.name)
        call = Call(deadline=self.deadline, patient=False, passing=bool(self.text("typing")))
        result: Result = run(self.workspace, operation, arguments, call)
        return result

    def render(self, template: str, /, **values: Any) -> Markup:
        """Return a rendered template; ``t``, ``term`` and ``say`` in it use the reader's language."""
        words = self.words
        return render(template, visit=self, t=words, term=words.term, terms=words.terms, say=words.say, **values)

    def editor_address(self, path: str, line: int) -> str:
        """Return the URL that opens a file in the configured editor; empty for none."""
        whole = (self.workspace.root / path).as_posix()
        return EDITORS.get(self.workspace.config.web.editor, "").format(path=quote(whole), line=line or 1)


Show = Callable[[Visit], Markup]
Act = Callable[[Visit], str]


class WebPage(Struct, frozen=True):
    """One page; its name is also its address."""

    name: str
    show: Show
    parts: Mapping[str, Show] = {}
    """Parts of the page that the script reloads, by name."""
    acts: Mapping[str, Act] = {}
    """The actions of its forms, by name; each returns the address to go to, or the content to show."""

    @property
    def address(self) -> str:
        """The path of the page."""
        return f"/{self.name}"
