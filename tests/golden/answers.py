"""Answers of the operations, and what a session reads off each."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from shirube import Project
from tests.golden import adapter, calls, scenario
from tests.golden.marks import Marks, as_json
from tests.golden.projects import surroundings, write_attack, write_shop
from tests.golden.scenario import Step, Write

LOOKING = Step(
    "start_session", "to look", {"intent": "INVESTIGATE", "query": "how does the shop retry?"}, {"look": "session_id"}
)


def looks(cases: dict[str, calls.Cases], *, joined: bool) -> Iterator[Step]:
    """Return questions that change nothing; with ``joined``, the first of each once more in a session."""
    if joined:
        yield LOOKING
    for operation, asked in cases.items():
        for case, arguments in asked.items():
            yield Step(operation, case, arguments)
        if joined:
            first = next(iter(asked.values()))
            yield Step(operation, "in a session", {**first, "session_id": "@look"})
    if joined:
        yield Step("get_session_status", "after looking", {"session_id": "@look", "detailed": True})


def mistakes() -> Iterator[Step]:
    """Return one misspelt argument for every operation: refused before anything happens."""
    for name in adapter.operation_names():
        yield Step(name, "an unknown argument", {"qeury": "retry"})


class Teller:
    """Goes through steps in one project and keeps what was answered, by operation."""

    def __init__(self, where: str, project: Project, marks: Marks) -> None:
        self._where, self._project, self._marks = where, project, marks
        self._kept: dict[str, Any] = {}
        self.answers: dict[str, dict[str, Any]] = {}
        self.recordings: dict[str, dict[str, Any]] = {}

    def go(self, steps: Iterable[Step | Write]) -> None:
        for step in steps:
            if isinstance(step, Write):
                self._write(step)
            else:
                self._ask(step)

    def _write(self, step: Write) -> None:
        file = self._project.workspace.root / step.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(file.read_text("utf-8").replace(step.replaces, step.text) if step.replaces else step.text)

    def _ask(self, step: Step) -> None:
        case = f"{self._where}: {step.case}"
        assert case not in self.answers.get(step.operation, {}), (step.operation, case)
        told, read = adapter.answer(self._project, step.operation, self._filled(step.arguments))
        with suppress(KeyError):
            self._kept |= {name: told["result"][key] for name, key in step.keep.items()}
        kept = {"arguments": self._marks.value(step.arguments), **self._marks.value(told)}
        self.answers.setdefault(step.operation, {})[case] = kept
        if read is not None:
            self.recordings.setdefault(step.operation, {})[case] = self._marks.value(read)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._filled(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._filled(part) for part in value]
        return self._kept[value[1:]] if isinstance(value, str) and value.startswith("@") else value


STORY = (
    *scenario.BEFORE,
    *looks(calls.ASK, joined=True),
    *scenario.PAGES,
    *mistakes(),
    *scenario.SESSION,
    *scenario.MAP,
    *scenario.PLANS,
    *scenario.AFTER,
)
ATTACK = (*looks(calls.HOSTILE, joined=True), *scenario.ATTACKS)


def produce(base: Path) -> dict[str, str]:
    """Return every golden file of the operations by its name."""
    answers: dict[str, dict[str, Any]] = {}
    recordings: dict[str, dict[str, Any]] = {}
    for where, write, steps in (("shop", write_shop, STORY), ("hostile", write_attack, ATTACK)):
        with surroundings(base / where) as _, adapter.project_at(write(base / where / "shop")) as project:
            teller = Teller(where, project, Marks(base / where))
            teller.go(steps)
        for whole, part in ((answers, teller.answers), (recordings, teller.recordings)):
            for operation, cases in part.items():
                whole.setdefault(operation, {}).update(cases)
    files = {f"operations/{name}.json": as_json(cases) for name, cases in answers.items()}
    return files | {f"recordings/{name}.json": as_json(cases) for name, cases in recordings.items()}
