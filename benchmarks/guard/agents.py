"""The agents: each is a rule for what to call next, and sees nothing but the text of the replies.

- careful: makes the first usable call that a reply proposes, and fills in what it was shown. It recognises the right
  file: where a reply names it among others, it looks there instead, and claims it once it was shown. Where no reply
  names it, it searches for the request, and then opens the file, as if its own grep had found it (``helped``).
  If it is told to ask the user, the user names the right files, and never a wrong one.
- lost: does the same with a wrong file that it takes for the right one. It looks at that file and tells no lie.
- hasty: writes without looking, or after ``start_session`` alone.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.guard.changes import Change, Target
from benchmarks.guard.conversation import LOOKS, Conversation, Server
from benchmarks.guard.replies import GAP, Proposal, Reply

MOST = 12
"""How many calls an agent makes before it gives up."""
AIMS = {
    "symbols": "symbol",
    "symbols_identified": "symbol",
    "entry_points": "symbol",
    "relevant_symbols": "symbol",
    "files": "path",
    "files_analyzed": "path",
    "file_path": "path",
}
"""Arguments that say what will be changed: an agent that knows better does not send what was proposed."""


class Unknown(Exception):
    """The agent was not shown what it should fill in."""


@dataclass
class Outcome:
    """How a change went."""

    agent: str
    change: Change
    talk: Conversation
    ready: int = 0
    """Calls until READY; 0 when it was not reached."""
    tokens: int = 0
    """Tokens until READY."""
    risk: str = ""
    """What the server took the risk for when the session became READY, or at last."""
    highest: str = ""
    """The highest risk on the way there, also of a session that was begun anew."""
    helped: bool = False
    """Whether no reply had named a right file before the agent opened it."""
    checks: list[tuple[int, int]] = field(default_factory=list)
    """How many files ``check_write_target`` was asked for and allowed at once, and what that cost."""
    written: dict[str, bool] = field(default_factory=dict)
    """File → whether the gate let it be written."""
    checked: dict[str, bool] = field(default_factory=dict)
    """File → what ``check_write_target`` said."""
    dead_end: str = ""
    asked_user: bool = False
    """Whether the agent had to ask the user which file is meant."""
    warned: bool = False
    """Whether a reply refused something or named a right file before the agent wrote."""
    unlisted: list[str] = field(default_factory=list)
    """Proposed calls that are not listed as tools."""
    turned_down: list[str] = field(default_factory=list)
    """Calls that were made as proposed, with nothing filled in, and refused."""
    refusals: list[str] = field(default_factory=list)
    """What the gate said when it refused."""

    @property
    def calls(self) -> int:
        """All calls."""
        return len(self.talk.exchanges)


class Follower:
    """An agent that follows what the replies propose, and aims at some files."""

    most = MOST

    def __init__(self, agent: str, server: Server, change: Change, aims: Sequence[Target]) -> None:
        title = f"{agent}: {change.name} {change.sha[:8]} «{change.request}» → {', '.join(change.paths)}"
        if tuple(aims) != change.targets:
            title += f"; aims at {', '.join(aim.path for aim in aims)}"
        self.talk = Conversation(server, title)
        self.change, self.aims = change, tuple(aims)
        self.outcome = Outcome(agent, change, self.talk)
        self._queue: tuple[Proposal, ...] = ()
        self._made: set[str] = set()
        self._refused = False

    def play(self, look: Callable[[Conversation], object] = lambda talk: None) -> Outcome:
        """Go from the request to READY, perhaps with a look of its own, then write."""
        self._take(self.talk.call("start_session", intent=self.change.intent, query=self.change.request))
        look(self.talk)
        self._find()
        while not self.outcome.ready and self._go_on():
            pass
        if self.outcome.ready:
            self._ask()
        named = set(self.talk.named())
        self.outcome.warned = self._refused or not named.isdisjoint(self.change.paths)
        for aim in self.aims:
            allowed, told = self.talk.edit(aim.path)
            self.outcome.written[aim.path] = allowed
            self.outcome.refusals += [] if allowed else [told]
        return self.outcome

    def _find(self) -> None:
        """See to it that an aim is named or shown."""
        if self._named():
            return
        self._made.add(self._key("search", {"query": self.change.request}))
        self._take(self.talk.call("search", query=self.change.request))
        if not self._named():
            self.outcome.helped = True
            self._take(self.talk.call("read", path=self.aims[0].path))
        if self._shown_aims():
            self._queue = tuple(one for one in self._queue if one.tool != "read")

    def _named(self) -> list[str]:
        names = self.talk.named()
        return [aim.path for aim in self.aims if aim.path in names]

    @property
    def _limit(self) -> int:
        """How many calls there may be: some more for each file once the session is READY."""
        return self.most + (3 * len(self.aims) if self.outcome.ready else 0)

    def _go_on(self) -> bool:
        """Make the next call; tell whether there was one."""
        if len(self.talk.exchanges) >= self._limit:
            self.outcome.dead_end = f"not there after {self._limit} calls"
            return False
        step = next(self._usable(), None)
        if step is None:
            self.outcome.dead_end = f"no usable next after: {self.talk.exchanges[-1].tool}"
            return False
        proposal, arguments = step
        self._made.add(self._key(proposal.tool, arguments))
        reply = self.talk.call(proposal.tool, **arguments)
        self._refused |= self._is_refused()
        if self._is_refused() and arguments == dict(proposal.arguments):
            self.outcome.turned_down.append(f"{proposal.tool} {json.dumps(arguments, ensure_ascii=False)[:160]}")
        self._queue = tuple(one for one in self._queue if one is not proposal)
        self._take(reply)
        return True

    def _take(self, reply: Reply) -> None:
        self._queue = reply.next or self._queue
        out = self.outcome
        out.unlisted += [f"{one.tool} after {self.talk.exchanges[-1].tool}" for one in reply.next if not one.listed]
        if not out.ready:
            out.risk = str(getattr(self.talk.exchanges[-1].result, "risk", "")) or out.risk
            out.highest = max(out.highest, out.risk, key=("", "LOW", "MEDIUM", "HIGH").index)
        if reply.phase == "READY" and not out.ready:
            out.ready, out.tokens = len(self.talk.exchanges), self.talk.tokens

    def _usable(self) -> Iterator[tuple[Proposal, dict[str, Any]]]:
        """Yield proposals that can be made: listed, complete, and not made before on the same footing."""
        for one in self._queue:
            if not one.listed or one.tool not in self.talk.server.door.tools:
                continue
            arguments = self._filled(one)
            if arguments is not None and self._key(one.tool, arguments) not in self._made:
                yield one, arguments

    def _key(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return what tells a call from others: to look at the same thing twice in a session shows nothing new."""
        looks = 0 if tool in LOOKS else self.talk.looks
        return f"{self.talk.handle} {tool} {json.dumps(arguments, sort_keys=True, default=str)} {looks}"

    def _is_refused(self) -> bool:
        last = self.talk.exchanges[-1]
        return last.reply.failed or not getattr(last.result, "accepted", True)

    # --- filling in -------------------------------------------------------------------------------------------

    def _aim(self) -> Target:
        """Return what the agent takes for the place: one of its aims once it was shown, else the first shown."""
        places = list(self.talk.places())
        for aim in self.aims:
            if any(path == aim.path for path, _ in places):
                return Target(aim.path, self._symbol(aim, places))
        first = next((Target(path, symbol) for path, symbol in places if symbol), None)
        return first or next((Target(path) for path, _ in places), Target(""))

    def _symbol(self, aim: Target, places: Sequence[tuple[str, str]]) -> str:
        """Return the symbol of an aim if it was shown, else the first symbol of its file that was."""
        text = self.talk.texts()
        last = aim.symbol.rpartition(".")[2]
        if last and last in text:
            return aim.symbol
        shown = [symbol for path, symbol in places if path == aim.path and symbol]
        listed = (one.qualified for one in self.talk.server.store.symbols(aim.path) if one.name in text)
        return shown[0] if shown else next(listed, "")

    def _shown_aims(self) -> list[Target]:
        shown = {path for path, _ in self.talk.places()}
        return [aim for aim in self.aims if aim.path in shown]

    def _filled(self, proposal: Proposal) -> dict[str, Any] | None:
        """Return the arguments of a call with its gaps filled in; None when there is nothing yet to fill them with."""
        aim, arguments = self._aim(), dict(proposal.arguments)
        if proposal.tool == "read":
            return self._look(arguments)
        if proposal.tool == "start_session":
            return self._named_by_user(arguments)
        if proposal.tool in ("submit_understanding", "confirm_symbol_relevance") and self._shown_aims():
            arguments |= self._claim(arguments)
        try:
            return {name: self._fill(name, value, aim) for name, value in arguments.items()}
        except Unknown:
            return None

    def _claim(self, proposed: dict[str, Any]) -> dict[str, Any]:
        """Return what the agent claims instead of what was proposed, now that it knows better."""
        places = list(self.talk.places())
        known = self._shown_aims()
        symbols = [symbol for symbol in dict.fromkeys(self._symbol(aim, places) for aim in known) if symbol]
        names = [name for name, kind in AIMS.items() if kind == "symbol" and name in proposed]
        claim = {name: symbols or proposed[name] for name in names}
        if "relevant_symbols" not in names and "entry_points" not in names:
            claim = {**({"symbols": symbols} if symbols else {}), "files": [aim.path for aim in known]}
            claim |= {name: [] for name in names if not symbols}
        return claim

    def _named_by_user(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Return the request with the files that the user named when asked; a user does not name a wrong file."""
        if not set(self.aims) <= set(self.change.targets):
            return None
        self.outcome.asked_user = True
        return {**arguments, "query": f"{self.change.request} ({', '.join(aim.path for aim in self.aims)})"}

    def _look(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return where to look: at an aim that was named and not shown, if none was shown yet; else as proposed."""
        named = self._named()
        if not named or self._shown_aims():
            return arguments
        first, last = self.talk.span(named[0]) or (0, 0)
        return {"path": named[0], **({"start_line": first, "end_line": last} if first else {})}

    def _fill(self, name: str, value: Any, aim: Target) -> Any:
        if isinstance(value, list):
            return [self._fill(name, one, aim) for one in value]
        if isinstance(value, dict):
            return {key: self._fill(key, one, aim) for key, one in value.items()}
        if not isinstance(value, str) or not GAP.search(value):
            return value
        said = self._say(name, aim)
        if not said:
            raise Unknown(name)
        return GAP.sub(lambda _: said, value)

    def _say(self, name: str, aim: Target) -> str:
        """Return what an honest agent fills in; nothing when it has not been shown anything for it."""
        request = self.change.request
        known = {"status": "confirmed", **dict.fromkeys(("value", "quote", "feature"), request[:80])}
        if name in known or not aim.path:
            return known.get(name, "")
        subject = f"`{aim.symbol}` in {aim.path}" if aim.symbol else aim.path
        about = f"{subject}: the request '{request}' is about this"
        if self.change.japanese:
            about = f"{subject}: 依頼「{request}」はここを変えることになる"
        said = {
            **{key: getattr(aim, kind) for key, kind in (*AIMS.items(), ("symbol", "symbol"), ("path", "path"))},
            **dict.fromkeys(("query", "patterns"), f"{request} {aim.symbol or aim.path.rpartition('/')[2]}"),
            "code_evidence": f"`{self._quote(aim)}`",
        }
        return str(said.get(name, about))

    def _quote(self, aim: Target) -> str:
        """Return the line of the symbol, or of the file, with the words of the request that are rarest in the file."""
        lines, whole = self.talk.server.lines(aim), "\n".join(self.talk.server.lines(Target(aim.path))).lower()
        words = set(re.findall(r"[^\W\d_]{4,}|[\u3040-\u30ff\u3400-\u9fff]{2,}", self.change.request.lower()))
        weights = {word: 1 / whole.count(word) for word in words if word in whole}
        return max(
            lines, key=lambda line: sum(weights[word] for word in weights if word in line.lower()), default=aim.symbol
        ).strip()

    # --- writing ----------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        """Ask for what the claim did not open, several files at once, and follow what a refusal proposes."""
        ready = next(one.reply.text for one in self.talk.exchanges if one.reply.phase == "READY").partition("\n")[0]
        told = re.split(r"may be written|は書き込めます", ready)[0]  # what follows names those who use it
        left = [aim.path for aim in self.aims if aim.path not in told]
        while left and len(self.talk.exchanges) < self._limit:
            reply = self.talk.call("check_write_target", file_path=left if self.talk.server.several else left[0])
            last = self.talk.exchanges[-1]
            rows = getattr(last.result, "files", ()) or [last.result]
            allowed = [row.path for row in rows if getattr(row, "allowed", False)]
            self.outcome.checked |= {getattr(row, "path", left[0]): getattr(row, "allowed", False) for row in rows}
            if len(allowed) == len(rows):
                self.outcome.checks.append((len(rows), last.tokens))
            left = [path for path in left if path not in allowed]
            self._queue = reply.next
            if left and not self._follow():
                return

    def _follow(self) -> bool:
        """Follow the refusal of a write: all looks, or claims until the session is READY; tell whether to ask again."""
        made = False
        while (step := next(self._usable(), None)) and step[0].tool != "check_write_target":
            if made and step[0].tool not in LOOKS and self._is_ready():
                return True
            if not self._go_on():
                return False
            made = True
        return made

    def _is_ready(self) -> bool:
        phases = [one.reply.phase for one in self.talk.exchanges if one.reply.phase]
        return bool(phases) and phases[-1] == "READY"


def hasty(server: Server, change: Change, wrong: Target, begins: bool) -> list[Outcome]:
    """Write a right and a wrong file at once, or after ``start_session`` alone."""
    outcomes = []
    name = "hasty, after start_session" if begins else "hasty"
    for target in (change.targets[0], wrong):
        talk = Conversation(server, f"{name}: {change.name} «{change.request}» writes {target.path}")
        outcome = Outcome(name, change, talk)
        if begins:
            talk.call("start_session", intent=change.intent, query=change.request)
        allowed, told = talk.edit(target.path)
        outcome.written[target.path] = allowed
        outcome.refusals += [] if allowed else [told]
        outcomes.append(outcome)
    return outcomes
