"""A small project as a session sees it, and calls as the server would have recorded them."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from shirube.features.guard.evidence import name_parts
from shirube.features.guard.state import AgreementHit, Recorded, Session
from shirube.features.guard.steps import begin
from shirube.features.plan.frame import Certainty, Intent, QueryFrame, Slot
from shirube.messages import NOTHING, Message, say
from shirube.types import Edge

REQUEST = "ログイン機能でパスワードが空のときエラーが出ない。バリデーションを追加して"
DEFINED = {
    "AuthService": "src/auth/service.py",
    "AuthService.login": "src/auth/service.py",
    "UserRepository": "src/auth/users.py",
    "LoginController": "src/web/login.py",
    "render_form": "src/web/forms.py",
    "hash_password": "src/auth/hashing.py",
}
TEXTS = {"src/auth/service.py": "raise ValueError('no password')"}
OPERATIONS = frozenset(
    {"search", "search_text", "find_definitions", "find_references", "search_forest", "snippets_get", "search_map"}
)


@dataclass(frozen=True)
class FakeFacts:
    """An index of nothing but tables."""

    names: dict[str, str] = field(default_factory=lambda: dict(DEFINED))
    links: tuple[tuple[str, str], ...] = (
        ("src/web/login.py", "src/auth/service.py"),
        ("src/auth/service.py", "src/auth/users.py"),
        ("src/web/app.py", "src/web/login.py"),
    )
    operations: frozenset[str] = OPERATIONS

    @property
    def files(self) -> int:
        return len(set(self.names.values()))

    @property
    def symbols(self) -> int:
        return len(self.names)

    def defined(self, name: str) -> tuple[str, ...]:
        parts = name_parts(name)
        hits = [path for known, path in self.names.items() if parts and name_parts(known)[-len(parts) :] == parts]
        return tuple(dict.fromkeys(hits))

    def resolve(self, text: str) -> tuple[str, str]:
        words = [word for word in re.split(r"[\s:#の、,`]+", text.removeprefix("./")) if word]
        paths = {word: path for path in self.names.values() for word in words if f"/{path}".endswith(f"/{word}")}
        names = [word for word in words if word not in paths and self.defined(word)]
        return next(iter(paths.values()), ""), names[0] if names else ""

    def unclear(self, text: str) -> Message:
        known = any(self.resolve(text))
        return NOTHING if known else say("session.undefined", what=say("session.symbol"), name=text)

    def near(self, paths: Collection[str]) -> frozenset[str]:
        ends = {end for edge in self.around(paths) for end in (edge.source, edge.target)}
        return frozenset(ends.difference(paths))

    def users(self, paths: Collection[str], symbols: Collection[str]) -> frozenset[str]:
        return frozenset(source for source, target in self.links if target in paths and source not in paths)

    def known(self, paths: Collection[str]) -> frozenset[str]:
        return frozenset(paths) & set(self.names.values())

    def written(self, word: str, paths: Iterable[str]) -> bool:
        return any(word in TEXTS.get(path, "") for path in paths)

    def around(self, paths: Collection[str]) -> tuple[Edge, ...]:
        return tuple(Edge(*ends, "path") for ends in self.links if not set(ends).isdisjoint(paths))


def called(operation: str, asked: str, *names: str, **more: object) -> Recorded:
    """Return a call that showed some symbols and the files they are in."""
    files = tuple(dict.fromkeys(DEFINED[name] for name in names))
    held = {"group": "symbols", "hits": len(names), "seen": files, "symbols": names, "answer": "found"}
    return Recorded(operation, asked=asked, **{**held, **more})  # type: ignore[arg-type]


LOOKED = (
    called("find_definitions", "login", "AuthService", "AuthService.login", number=1),
    called("find_references", "AuthService.login", "LoginController", number=2),
    called(
        "search",
        "ログイン パスワード エラー",
        "UserRepository",
        "render_form",
        "hash_password",
        group="search",
        number=3,
    ),
)
"""What a careful reader would have called."""


def fact(text: str) -> Slot:
    return Slot(text, text, Certainty.FACT)


def session(intent: Intent = Intent.MODIFY, *calls: Recorded, **slots: Slot) -> Session:
    """Return a session in exploration, its frame set."""
    from shirube.codec import replace
    from shirube.features.guard.phases import risk_of

    made = replace(begin("s_1", intent, REQUEST, "2026-01-01T00:00:00Z"), calls=calls)
    if slots:
        made = replace(made, frame=QueryFrame(REQUEST, slots))
    return replace(made, risk=risk_of(made))


FRAME = {"target_feature": fact("ログイン機能"), "observed_issue": fact("エラーが出ない")}


def ready_to_submit(intent: Intent = Intent.MODIFY) -> Session:
    """Return a session that has looked at enough."""
    return session(intent, *LOOKED, **FRAME)


def map_hit(similarity: float, fresh: bool = True, term: str = "ログイン機能", alone: bool = True) -> AgreementHit:
    return AgreementHit(term, "AuthService", ("src/auth/service.py",), similarity, fresh, alone)
