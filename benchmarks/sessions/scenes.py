"""Requests about real symbols of a repository, and the calls a careful agent would make for them."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from shirube import Project
from shirube.codec import shown_json
from shirube.errors import ShirubeError
from shirube.operations import NAMES

KINDS = ("function", "method", "class")
LEAST_NAME = 6
LOOKING = ("find_definitions", "find_references")


@dataclass(frozen=True, slots=True)
class Scene:
    """A request about one symbol, taken apart, in English or Japanese."""

    symbol: str
    path: str
    request: str
    feature: str
    issue: str

    @property
    def frame(self) -> dict[str, Any]:
        """The slots as a truthful model would fill them."""
        return {
            "target_feature": {"value": self.feature, "quote": self.feature},
            "observed_issue": {"value": self.issue, "quote": self.issue},
        }


def scenes(project: Project, count: int, seed: int) -> Iterator[Scene]:
    """Yield requests about symbols chosen at random, English and Japanese in turn."""
    store, chance = project.workspace.store, random.Random(seed)
    paths = sorted(path for path, record in store.files().items() if record.language not in ("", "markdown", "text"))
    chance.shuffle(paths)
    made = 0
    for path in paths:
        names = [one.name for one in store.symbols(path) if one.kind in KINDS and len(one.name) >= LEAST_NAME]
        if not names or made == count:
            continue
        made += 1
        name = chance.choice(names)
        if made % 2:
            yield Scene(name, path, f"{name} fails for an empty input. Please fix it", name, "fails for an empty input")
        else:
            yield Scene(name, path, f"{name} が空の入力で失敗する。直してほしい", name, "空の入力で失敗する")


class Agent:
    """Somebody who calls operations in a session, and keeps an account of what came back."""

    def __init__(self, project: Project, scene: Scene, intent: str = "MODIFY") -> None:
        self.project, self.scene = project, scene
        self.handle: str = self.ask("start_session", intent=intent, query=scene.request)["session_id"]
        self.shown: dict[str, None] = {}
        self.asked: list[tuple[str, str, tuple[str, ...]]] = []
        """Calls that showed something: operation, target, files."""

    def ask(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call an operation; an error is an answer, too."""
        try:
            result: dict[str, Any] = shown_json(self.project.call(name, **arguments))
        except ShirubeError as error:
            result = {"accepted": False, "allowed": False, **error.as_dict()}
        return result

    def step(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call an operation in this session."""
        return self.ask(name, session_id=self.handle, **arguments)

    def look(self, narrow: bool = False) -> None:
        """Look for the symbol by every exact means there is; narrowly: in its own file alone."""
        place = {"path": self.scene.path} if narrow else {}
        name = self.scene.symbol
        self._take("search_text", name, self.step("search_text", patterns=[name], limit=20, **place)["matches"])
        for tool in LOOKING if not narrow else LOOKING[:1]:
            if tool in NAMES:
                result = self.step(tool, symbol=name, limit=20, **place)
                self._take(tool, name, [*result.get("definitions", ()), *result.get("references", ())])
        if not narrow:
            self.step("search", query=f"{name} {self.scene.issue}")

    def _take(self, tool: str, target: str, places: list[dict[str, Any]]) -> None:
        files = tuple(dict.fromkeys(place["file"] for place in places))
        self.shown.update(dict.fromkeys(files))
        if files:
            self.asked.append((tool, target, files))

    def evidence(self, **wrong: Any) -> dict[str, Any]:
        """Return evidence of a call that was made, or of one that was not."""
        tool, target, files = self.asked[0]
        return {"tool": tool, "target": target, "result": f"{target} is in {files[0]}", "files": [files[0]], **wrong}


Check = Callable[[Agent], bool]
