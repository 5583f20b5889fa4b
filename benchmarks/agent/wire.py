"""``python -m benchmarks.agent.wire REPOSITORIES``: real agents through ten tasks, counted where the model reads.

Claude Code and Codex run with models that follow written policies; what is counted is what these models are sent.

- Tasks: the first question of each of the first ten repositories of ``benchmarks/quality/places.json``. A task ends
  when its line has been shown to the model.
- Ours: ``search`` for the question. If the line is not in the reply, ``read`` the first place of the reply that holds
  it. If there is none, go on as in "grep".
- Grep: ``rg`` in the files of the repository's language for the rarest words of the question that have no more than 40
  lines together (at least one word), then 80 lines around the first match that is no more than 40 lines away from the
  line. If there is none, the same with the next words; after two rounds, 200 lines around the line.

Both policies know which of the places they see is the right one; grep also knows the language and how rare its words
are.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.e2e.agents import Agent, listed, shell, tokens, tool
from tests.e2e.talks import Json, Talk, Use, shown_to

from benchmarks.quality.peers import STOP

QUESTIONS = Path(__file__).parents[1] / "quality" / "places.json"
TASKS = 10
MOST_LINES, WINDOW, ROUNDS, PAGE = 40, 80, 2, 200
PLACE = re.compile(r"^(\S+):(?=\d+-\d+\b)")
SPAN = re.compile(r"(?:^|, )(\d+)(?:-(\d+)\b|(?= [^\W\d]|,|$))")
WORD = re.compile(r"[A-Za-z_]\w{2,}(?:[.:-]+\w+)*")
TYPES = {"python": "py", "javascript": "js", "typescript": "ts"}
"""What ``rg`` calls a language, where it is something else."""


@cache
def end_of(root: Path, path: str, line: int) -> int:
    """Return where the symbol ends that ``read`` shows for a line."""
    from benchmarks.agent.ours import last_read
    from shirube import open_workspace

    with open_workspace(root) as project:
        project.sync_index()
        return last_read(project.workspace.store, path, line)


@dataclass(frozen=True)
class Task:
    """A question about a repository, and the line that answers it."""

    root: Path
    query: str
    path: str
    line: int
    language: str

    @property
    def text(self) -> str:
        """The answering line, as it is shown."""
        return (self.root / self.path).read_text("utf-8", "replace").split("\n")[self.line - 1].strip()


@dataclass
class Policy(Talk):
    """A model that follows a policy; the first call only waits until the server is there."""

    agent: str = ""
    task: Task = field(default_factory=lambda: Task(Path(), "", "", 0, ""))
    ours: bool = True

    def __post_init__(self) -> None:
        """Begin with the first step."""
        self.steps = self._steps()
        self.calls: list[Use] = []

    def next(self, request: Json, shown: list[str]) -> Use | None:
        """Return the next call, or None when the line has been shown."""
        self.asked.append(request)
        if len(shown) < len(self.calls):
            return self.calls[len(shown)]  # the agent asks again
        if not shown:
            use: Use | None = shell(self.agent, "sleep 2")
        elif len(shown) > 1 and self.task.text in shown[-1]:
            use = None
        else:
            use = next(self.steps, None)
        self.calls += [use] if use else []
        return use

    def _steps(self) -> Iterator[Use]:
        if self.ours:
            yield tool(self.agent, "search", query=self.task.query)
            if place := self._listed(shown_to(self.asked[-1])[-1]):
                yield tool(self.agent, "read", path=self.task.path, start_line=place[0], end_line=place[1])
        yield from self._grep()

    def _listed(self, reply: str) -> tuple[int, int] | None:
        """Return the first place of a reply that holds the line."""
        for line in reply.split("\n"):
            if (place := PLACE.match(line)) and place[1] == self.task.path:
                for first, last in SPAN.findall(line[place.end() :]):
                    end = int(last) if last else end_of(self.task.root, self.task.path, int(first))
                    if int(first) <= self.task.line <= end:
                        return int(first), end
        return None

    def _grep(self) -> Iterator[Use]:
        counts = {word: len(self._matches(word)) for word in telling_words(self.task.query)}
        left = sorted((word for word in counts if counts[word]), key=lambda word: (counts[word], word))
        for _ in range(ROUNDS):
            words = left[:1]
            for word in left[1:]:
                if sum(counts[one] for one in words) + counts[word] <= MOST_LINES:
                    words.append(word)
            left = [word for word in left if word not in words]
            if not words:
                break
            patterns = " ".join(f"-e {word}" for word in words)
            yield shell(self.agent, f"{' '.join(self._rg)} {patterns} . | head -{MOST_LINES}")
            matches = [at for word in words for at in self._matches(word) if at[0] == self.task.path]
            near = [number for _, number in matches if abs(number - self.task.line) <= WINDOW // 2]
            if near:
                yield self._read(max(1, min(near) - WINDOW // 2), WINDOW)
        yield self._read(max(1, self.task.line - PAGE // 2), PAGE)

    @property
    def _rg(self) -> list[str]:
        return ["rg", "-n", "-i", "-F", "--sort", "path", "--max-columns", "300", "-t", self.task.language]

    def _matches(self, word: str) -> list[tuple[str, int]]:
        done = subprocess.run([*self._rg, "-e", word, "."], cwd=self.task.root, capture_output=True, check=False)
        rows = [line.split(":", 2) for line in done.stdout.decode("utf-8", "replace").split("\n") if line]
        return [(path.removeprefix("./"), int(number)) for path, number, _ in rows]

    def _read(self, first: int, count: int) -> Use:
        if self.agent == "claude":
            return Use("Read", {"file_path": str(self.task.root / self.task.path), "offset": first, "limit": count})
        return shell(self.agent, f"sed -n '{first},{first + count - 1}p' {self.task.path}")


def telling_words(query: str) -> list[str]:
    """Return the words that a question can be grepped for, without their endings."""
    words = [word.lower() for word in WORD.findall(query) if word.lower() not in STOP]
    return list(dict.fromkeys(re.sub(r"(?<=\w{4})(?:ing|ed|es|s)$", "", word) for word in words))


def tasks(repositories: Path) -> list[Task]:
    """Return the tasks."""
    made = []
    for name, rows in list(json.loads(QUESTIONS.read_text("utf-8")).items())[:TASKS]:
        one, language = rows["questions"][0], rows["language"]
        kind = TYPES.get(language, language)
        made.append(Task(repositories / name, one["query"], one["path"], one["line"], kind))
    return made


def main() -> None:
    """Play all tasks, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, help="a directory with a work tree for each repository")
    parser.add_argument("--log", type=Path, help="where to keep what the models were shown")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as base:
        rows: list[list[str]] = []
        sums: dict[tuple[str, bool], list[float]] = {}
        for name in ("claude", "codex"):
            for task in tasks(options.repositories.resolve()):
                row = [name, task.root.name]
                for ours in (True, False):
                    talk = _play(Agent(name, task.root, Path(base), model="static"), task, ours)
                    sent = [len(text) / 4 for text in talk.results[1:]]
                    asked = sum(tokens(use.arguments) for use in talk.calls[1:])
                    row += [f"{len(sent)}", f"{sum(sent):.0f}", f"{asked:.0f}"]
                    total = sums.setdefault((name, ours), [0.0, 0.0, 0.0])
                    sums[name, ours] = [a + b for a, b in zip(total, (len(sent), sum(sent), asked), strict=True)]
                    _keep(options.log, name, task, ours, talk)
                rows.append(row)
                print(*row, flush=True)
            row = [name, "mean"]
            for ours in (True, False):
                calls, sent_tokens, asked = (one / TASKS for one in sums[name, ours])
                row += [f"{calls:.1f}", f"{sent_tokens:.0f}", f"{asked:.0f}"]
            rows.append(row)
            ours_listed = listed(name, talk)
            print(f"{name}: {len(ours_listed)} tools listed, {sum(map(tokens, ours_listed)):.0f} tokens")
    print("\n| agent | repository | ours: calls | results | arguments | grep: calls | results | arguments |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join("| " + " | ".join(row) + " |" for row in rows))


def _play(agent: Agent, task: Task, ours: bool) -> Policy:
    agent.run("shirube", "index")
    talk = Policy([], agent=agent.name, task=task, ours=ours)
    agent.work(talk)
    assert task.text in talk.results[-1], (task, talk.results[-1][-500:])
    return talk


def _keep(log: Path | None, name: str, task: Task, ours: bool, talk: Policy) -> None:
    if log:
        log.mkdir(parents=True, exist_ok=True)
        shown = zip(talk.calls, talk.results, strict=True)
        parts = [f"### {use.name} {json.dumps(use.arguments, ensure_ascii=False)}\n{text}\n" for use, text in shown]
        place = f"answer: {task.path}:{task.line} {task.text}\n"
        (log / f"{name}-{task.root.name}-{'ours' if ours else 'grep'}.txt").write_text(place + "\n".join(parts))


if __name__ == "__main__":
    main()
