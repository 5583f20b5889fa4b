"""Train the table: texts that belong together come near each other, the others of the batch go away.

A text is the sum of its rows, at length one. The loss is symmetric cross-entropy over the batch (InfoNCE), at the full
width and at its first halves, so that a cut-off table still works. A row is a direction times a weight that is learned
with it. The gradient is written out: it is short, and the small run needs nothing but numpy.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import cos, pi, sqrt
from typing import Any

import numpy as np

from training.arrays import backend, gather_sum
from training.bags import Bags

NEVER = -1e4
"""The score of what is no negative."""


@dataclass(frozen=True, slots=True)
class Part:
    """Texts that go into one side of a pair; a term stays with probability ``keep`` and counts ``scale`` times."""

    bags: Bags
    keep: float = 0.85
    scale: float = 1.0
    few: float = 0.0
    """How many of the texts are cut down to keywords, a third of their terms."""


@dataclass(frozen=True, slots=True)
class Task:
    """Pairs of one kind: text ``i`` of the left belongs to text ``i`` of the right."""

    name: str
    left: tuple[Part, ...]
    right: tuple[Part, ...]
    same_left: Any
    same_right: Any
    """Equal numbers mark equal texts, which are never each other's negatives."""
    share: float
    block: int = 1
    """Neighbours drawn together; neighbours are of one source, so they are the harder negatives."""
    fillers: tuple[int, ...] = ()
    """Rows of the words that questions are made of; a few are mixed into the left side, and so learn to say nothing."""

    def __len__(self) -> int:
        return len(self.same_left)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a run is made of; the seed fixes everything drawn."""

    rows: int
    width: int = 256
    widths: tuple[int, ...] = (256, 128, 64)
    narrow_worth: float = 0.3
    batch: int = 2048
    steps: int = 1500
    rate: float = 1e-2
    temperature: float = 0.05
    seed: int = 0


@dataclass(slots=True)
class Table:
    """The learned rows and the state of the optimiser."""

    direction: Any
    weight: Any
    moments: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    def rows(self) -> Any:
        """Return the rows as they are used: direction times weight."""
        return self.direction * backend().exp(self.weight)[:, None]


def start(settings: Settings, tasks: Sequence[Task]) -> Table:
    """Return random directions, and weights by how rare a term is."""
    xp = backend()
    random = np.random.default_rng(settings.seed)
    direction = random.standard_normal((settings.rows, settings.width), dtype=np.float32) / sqrt(settings.width)
    counts = xp.zeros(settings.rows, dtype=xp.float64)
    for task in tasks:
        for part in (*task.left, *task.right):
            counts += xp.bincount(part.bags.index, minlength=settings.rows)
    share = counts / counts.sum()
    return Table(xp.asarray(direction), xp.log(1e-3 / (1e-3 + share)).astype(xp.float32))


def train(settings: Settings, tasks: Sequence[Task], report: Any = None) -> Any:
    """Return the trained rows."""
    table = start(settings, tasks)
    draw = _Draw(settings, tasks)
    for step in range(settings.steps):
        task = draw.task()
        loss = _step(settings, table, draw.batch(task), _rate(settings, step))
        if report and (step % 100 == 0 or step == settings.steps - 1):
            report(step, task.name, loss)
    return table.rows()


def _rate(settings: Settings, step: int) -> float:
    """Rise for fifty steps, then fall along a cosine."""
    fall = 0.5 + 0.5 * cos(pi * step / settings.steps)
    return settings.rate * min(1.0, (step + 1) / 50) * max(fall, 0.01)


@dataclass(frozen=True, slots=True)
class _Batch:
    left: Bags
    right: Bags
    other: Any
    """Which pairs of the batch are no negatives."""


class _Draw:
    """Draws tasks, texts and the terms that stay."""

    def __init__(self, settings: Settings, tasks: Sequence[Task]) -> None:
        self.settings = settings
        self.tasks = tasks
        self.host = np.random.default_rng(settings.seed + 1)
        self.device = backend().random.default_rng(settings.seed + 2)
        shares = np.array([task.share for task in tasks])
        self.shares = shares / shares.sum()
        self.queues: dict[str, np.ndarray] = {}

    def task(self) -> Task:
        return self.tasks[self.host.choice(len(self.tasks), p=self.shares)]

    def batch(self, task: Task) -> _Batch:
        xp = backend()
        texts = xp.asarray(self._texts(task))
        left = [self._thin(part, texts) for part in task.left]
        if task.fillers:
            left.append(self._filler(task.fillers, len(texts)))
        right = [self._thin(part, texts) for part in task.right]
        same_left, same_right = task.same_left[texts], task.same_right[texts]
        other = (same_left[:, None] == same_left) | (same_right[:, None] == same_right)
        return _Batch(_add(left), _add(right), other & ~xp.eye(len(texts), dtype=bool))

    def _texts(self, task: Task) -> np.ndarray:
        """Return the next texts, in blocks of neighbours."""
        blocks = max(1, min(self.settings.batch, len(task)) // task.block)
        queue = self.queues.get(task.name, np.empty(0, np.int64))
        if len(queue) < blocks:
            queue = self.host.permutation(max(1, len(task) // task.block))
        self.queues[task.name] = queue[blocks:]
        shift = self.host.integers(task.block)
        return ((queue[:blocks, None] * task.block + np.arange(task.block)).ravel() + shift) % len(task)

    def _thin(self, part: Part, texts: Any) -> Bags:
        xp = backend()
        bags = part.bags.take(texts)
        keep = part.keep
        if part.few:
            short = self.device.random(len(texts)) < part.few
            keep = xp.where(short, 0.35, part.keep)[bags.owners()]
        stays = self.device.random(len(bags.index)) < keep
        return Bags(bags.index, bags.weight * stays * np.float32(part.scale), bags.starts)

    def _filler(self, fillers: tuple[int, ...], texts: int) -> Bags:
        """Return up to four words of a question for half of the texts."""
        xp = backend()
        each = 4
        index = xp.asarray(fillers, dtype=xp.int32)
        chosen = index[self.device.integers(0, len(index), texts * each)]
        asks = xp.repeat(self.device.random(texts) < 0.5, each)
        weight = (asks & (self.device.random(texts * each) < 0.7)).astype(xp.float32)
        return Bags(chosen, weight, xp.arange(texts + 1, dtype=xp.int64) * each)


def _add(parts: Sequence[Bags]) -> Bags:
    """Put the parts of each text into one bag."""
    if len(parts) == 1:
        return parts[0]
    xp = backend()
    owners = xp.concatenate([part.owners() for part in parts])
    order = xp.argsort(owners, kind="stable")
    index = xp.concatenate([part.index for part in parts])[order].astype(xp.int32)
    weight = xp.concatenate([part.weight for part in parts])[order].astype(xp.float32)
    return Bags(index, weight, sum(part.starts for part in parts))


def _step(settings: Settings, table: Table, batch: _Batch, rate: float) -> Any:
    xp = backend()
    rows = table.rows()
    left, right = batch.left.sums(rows), batch.right.sums(rows)
    loss, to_left, to_right = _contrast(settings, left, right, batch.other)
    index = xp.concatenate([batch.left.index, batch.right.index])
    weight = xp.concatenate([batch.left.weight, batch.right.weight])
    owners = xp.concatenate([batch.left.owners(), batch.right.owners() + len(left)])
    order = xp.argsort(index, kind="stable")
    touched, first = xp.unique(index[order], return_index=True)
    starts = xp.concatenate([first.astype(xp.int64), xp.asarray([len(index)], dtype=xp.int64)])
    slope = xp.concatenate([to_left, to_right])
    slope = gather_sum(slope, owners[order].astype(xp.int32), weight[order].astype(xp.float32), starts)
    scale = xp.exp(table.weight[touched])
    _adam(table, "direction", touched, slope * scale[:, None], rate)
    _adam(table, "weight", touched, (slope * rows[touched]).sum(axis=1), rate)
    return loss


def _contrast(settings: Settings, left: Any, right: Any, other: Any) -> tuple[Any, Any, Any]:
    """Return the loss and its slopes at both sides."""
    xp = backend()
    to_left, to_right, total = xp.zeros_like(left), xp.zeros_like(right), 0.0
    diagonal = xp.arange(len(left))
    for width in settings.widths:
        worth = 1.0 if width == settings.widths[0] else settings.narrow_worth
        a, a_length = _unit(left[:, :width])
        b, b_length = _unit(right[:, :width])
        score = xp.where(other, np.float32(NEVER), (a @ b.T) / np.float32(settings.temperature))
        row, column = _softmax(score, 1), _softmax(score, 0)
        total = total - worth * (xp.log(row[diagonal, diagonal] + 1e-9).mean())
        slope = row + column
        slope[diagonal, diagonal] -= 2
        slope *= np.float32(worth / (2 * len(left) * settings.temperature))
        to_left[:, :width] += _through_unit(slope @ b, a, a_length)
        to_right[:, :width] += _through_unit(slope.T @ a, b, b_length)
    return total, to_left, to_right


def _unit(rows: Any) -> tuple[Any, Any]:
    length = backend().maximum(backend().linalg.norm(rows, axis=1, keepdims=True), 1e-6)
    return rows / length, length


def _through_unit(slope: Any, unit: Any, length: Any) -> Any:
    """Take a slope back through the normalisation."""
    return (slope - (slope * unit).sum(axis=1, keepdims=True) * unit) / length


def _softmax(score: Any, axis: int) -> Any:
    xp = backend()
    power = xp.exp(score - score.max(axis=axis, keepdims=True))
    return power / power.sum(axis=axis, keepdims=True)


def _adam(table: Table, name: str, touched: Any, slope: Any, rate: float) -> None:
    """Move the touched rows; the others rest."""
    xp = backend()
    values = getattr(table, name)
    if name not in table.moments:
        table.moments[name] = (xp.zeros_like(values), xp.zeros_like(values), xp.zeros(len(values), dtype=xp.float32))
    first, second, steps = table.moments[name]
    steps[touched] += 1
    first[touched] = 0.9 * first[touched] + 0.1 * slope
    second[touched] = 0.98 * second[touched] + 0.02 * slope * slope
    seen = steps[touched].reshape(-1, *[1] * (values.ndim - 1))
    step = first[touched] / (1 - 0.9**seen) / (xp.sqrt(second[touched] / (1 - 0.98**seen)) + 1e-8)
    values[touched] -= np.float32(rate) * step
