"""The gradient that is written out agrees with the loss, and training brings pairs together."""

import numpy as np
from training.bags import pack
from training.train import Part, Settings, Task, _contrast, train

WIDTH = 8


def settings(**changes: object) -> Settings:
    return Settings(**{"rows": 20, "width": WIDTH, "widths": (WIDTH, 4), "batch": 8, "steps": 60, **changes})


def test_the_slope_is_the_change_of_the_loss() -> None:
    random = np.random.default_rng(3)
    left, right = random.standard_normal((2, 5, WIDTH))
    nothing = np.zeros((5, 5), bool)

    def loss(at: np.ndarray) -> float:
        forth = _contrast(settings(widths=(WIDTH,)), at, right, nothing)[0]
        back = _contrast(settings(widths=(WIDTH,)), right, at, nothing)[0]
        return float(forth + back) / 2

    slope = _contrast(settings(widths=(WIDTH,)), left, right, nothing)[1]
    step = np.zeros_like(left)
    step[2, 3] = 1e-4
    numeric = (loss(left + step) - loss(left - step)) / 2e-4
    assert abs(numeric - slope[2, 3]) < 1e-3 * max(1.0, abs(numeric))


def test_words_of_one_pair_come_near_each_other() -> None:
    left = pack([[(i, 1.0)] for i in range(10)])
    right = pack([[(10 + i, 1.0)] for i in range(10)])
    numbers = np.arange(10)
    task = Task("pairs", (Part(left, 1.0),), (Part(right, 1.0),), numbers, numbers, 1.0)
    rows = train(settings(steps=300, rate=3e-2), [task])
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    assert (np.argmax(unit[:10] @ unit[10:].T, axis=1) == numbers).all()
