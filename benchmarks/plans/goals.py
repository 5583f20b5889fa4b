"""Running plans over labelled questions: ours, and the same loop with the fixed suffixes of the program in seed 002."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.quality.data import Labelled
from benchmarks.quality.metric import same_file
from benchmarks.quality.ours import Ours

SUFFIXES = ("configuration setup documentation guide", "examples usage", "implementation", "tutorial")
"""What that program added to a query, turn by turn, each to the query before it."""
WORDS = 4
"""How many words are expected of the labelled file."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")


@dataclass(frozen=True, slots=True)
class Ran:
    """What one plan came to."""

    paths: tuple[str, ...]
    confidence: float
    iterations: int
    seconds: float
    stopped: str
    right: bool
    stranger: bool = False


def fixed_suffixes(view: Any) -> Any:
    """Refine as upstream did: append fixed English words, whatever was found."""
    from shirube.features.plan.record import Step
    from shirube.messages import verbatim

    turns = len(view.asked)
    if not 1 <= turns <= len(SUFFIXES):
        return None
    step = Step(" ".join([view.goal, *SUFFIXES[:turns]]), why=verbatim("fixed suffix"))
    return None if step.meaning in view.asked else step


def run_goal(
    ours: Ours, question: Labelled, words: tuple[str, ...] = (), refine: Callable[[Any], Any] | None = None
) -> Ran:
    """Make a plan for a question; ``words`` are what is expected."""
    from shirube.deadline import Deadline
    from shirube.features.plan.project_access import project_access
    from shirube.features.plan.record import Expectation
    from shirube.features.plan.refine import next_step
    from shirube.features.plan.run import make_plan, run_plan

    workspace = ours.workspaces[question.repository]
    access = project_access(workspace, question.text, Deadline(600))
    plan = make_plan(question.text, Expectation(keywords=words, given=bool(words)), access)
    done = run_plan(plan, access, workspace.config.plan, refine=refine or next_step)
    paths = tuple(dict.fromkeys(result.path for result in done.results))
    right = bool(paths) and any(same_file(paths[0], target) for target in question.targets)
    return Ran(paths, done.confidence, len(done.iterations), done.seconds, done.stopped, right)


def words_of(ours: Ours, question: Labelled) -> tuple[str, ...]:
    """Return the names that tell the labelled file from the others: often there, seldom elsewhere."""
    from shirube.engine.text.bm25 import idf
    from shirube.engine.text.glossary import stop_words
    from shirube.engine.text.tokens import index_terms
    from shirube.features.plan.project_access import frequencies

    workspace = ours.workspaces[question.repository]
    path = next((one for one in workspace.store.files() if same_file(one, question.targets[0])), None)
    if path is None:
        return ()
    counts = Counter(name for name in _NAME.findall(workspace.store.text(path)) if name.lower() not in stop_words())
    likely = [name for name, _ in counts.most_common(60) if index_terms(name)]
    total, there = frequencies(workspace, sorted({index_terms(name)[0] for name in likely}))
    worth = {
        name: counts[name] / (counts[name] + 2) * idf(total, min(total, there.get(index_terms(name)[0], 0)))
        for name in likely
    }
    return tuple(sorted(worth, key=lambda name: (-worth[name], name))[:WORDS])
