"""One request as a page sees it: what was sent, in which language, and the way to the operations."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from shirube.deadline import Deadline
from shirube.doors.web.html import Html
from shirube.doors.web.words import Words
from shirube.errors import BadArgument
from shirube.operation import Call, Operation, Result
from shirube.run import run

if TYPE_CHECKING:
    from shirube.workspace import Workspace

THEMES = ("auto", "light", "dark")


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

    def text(self, name: str, default: str = "") -> str:
        """Return what was sent under a name, without the space around it."""
        values = self.sent.get(name)
        return values[0].strip() if values else default

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

    def say(self, text: str) -> str:
        """Return what an operation says in the reader's language."""
        return self.words.say(text)

    def ask(self, operation: Operation[..., Result], /, **arguments: Any) -> Result:
        """Run an operation with what was sent, which it checks; looking cannot change anything."""
        if not self.changing and not operation.read_only:
            raise BadArgument("web.changes", name=operation.name)
        call = Call(deadline=self.deadline, patient=False, passing=bool(self.text("typing")))
        result: Result = run(self.workspace, operation, arguments, call)
        return result


Show = Callable[[Visit], Html]
Act = Callable[[Visit], str]


class Page(Struct, frozen=True):
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
