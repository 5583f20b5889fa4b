"""Ways to spend tokens on a question: our bundles, whole files in the order of the search, semble's snippets."""

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.quality.data import Labelled, Repository
from benchmarks.quality.ours import Ours
from benchmarks.quality.peers import semble_index

Read = tuple[str, int]
"""A file of which something is read, and the tokens that costs."""
Reader = Callable[[Labelled, int], list[Read]]
MOST_RESULTS = 200


def bundles(ours: Ours, **settings: Any) -> Reader:
    """Return the snippets of ``context_bundle``, with the goal alone."""
    from shirube.codec import replace
    from shirube.operations import run

    def read(question: Labelled, budget: int) -> list[Read]:
        workspace = ours.workspaces[question.repository]
        workspace.config = replace(workspace.config, context=replace(workspace.config.context, **settings))
        result = run(workspace, "context_bundle", {"goal": question.text, "budget": budget})
        return [(item.path, item.tokens) for item in result.context]

    return read


def whole_files(ours: Ours) -> Reader:
    """Return whole files in the order of our own search, until the tokens are spent; the last one is read in part."""
    from shirube.engine.text.budget import estimate_tokens

    orders: dict[tuple[str, int], list[str]] = {}

    def read(question: Labelled, budget: int) -> list[Read]:
        key = (question.repository, question.number)
        if key not in orders:
            orders[key] = [file.path for file in ours.found(question, mode="auto").ranked]
        store = ours.workspaces[question.repository].store
        return _until(budget, ((path, estimate_tokens(f"{path}\n{store.text(path)}")) for path in orders[key]))

    return read


def semble_snippets(repositories: list[Repository]) -> Reader:
    """Return the chunks of semble 0.7 in its order (words and ranking, without its model), the last one in part."""
    from shirube.engine.text.budget import estimate_tokens

    indexes = {one.name: _semble(one) for one in repositories}
    orders: dict[tuple[str, int], list[Read]] = {}

    def read(question: Labelled, budget: int) -> list[Read]:
        key = (question.repository, question.number)
        if key not in orders:
            index, root = indexes[question.repository]
            found = index.search(question.text, top_k=MOST_RESULTS, alpha=0.0, rerank=True)
            chunks = [(one.chunk.file_path.removeprefix(f"{root}/"), one.chunk.content) for one in found]
            orders[key] = [(path, estimate_tokens(f"{path}\n{text}")) for path, text in chunks]
        return _until(budget, iter(orders[key]))

    return read


def _semble(repository: Repository) -> tuple[Any, str]:
    root = repository.root.resolve()
    return semble_index(root), str(root)


def _until(budget: int, reads: Iterator[Read]) -> list[Read]:
    """Read until the tokens are spent; what begins inside the budget counts as read, which favours the rivals."""
    taken, spent = [], 0
    for path, tokens in reads:
        if spent >= budget:
            break
        taken.append((path, min(tokens, budget - spent)))
        spent += tokens
    return taken
