"""Exact neighbours among int8 rows."""

import builtins

import numpy as np
import pytest

from shirube.engine.store.dense import DenseRows
from shirube.engine.store.lexical import key_of


@pytest.fixture
def rows():
    made = DenseRows(4)
    made.put(1, np.array([[127, 0, 0, 0], [0, 127, 0, 0]], dtype=np.int8).tobytes())
    made.put(7, np.array([[90, 90, 0, 0]], dtype=np.int8).tobytes())
    return made


VECTOR = np.array([127, 0, 0, 0], dtype=np.int8).tobytes()


def test_neighbours_come_nearest_first_with_their_cosines(rows):
    found = rows.nearest(VECTOR, 10)
    assert [key for key, _ in found] == [key_of(1, 0), key_of(7, 0), key_of(1, 1)]
    assert [round(cosine, 2) for _, cosine in found] == [1.0, 0.71, 0.0]


def test_fewer_are_given_when_fewer_are_wanted_or_there(rows):
    assert len(rows.nearest(VECTOR, 2)) == 2
    assert DenseRows(4).nearest(VECTOR, 5) == []
    rows.put(1, b"")
    assert [key for key, _ in rows.nearest(VECTOR, 5)] == [key_of(7, 0)]


def test_all_rows_are_given_that_are_as_near_as_the_last_one(rows):
    for number in range(300, 200, -1):
        rows.put(number, np.array([[127, 0, 0, 0]] * 3, dtype=np.int8).tobytes())
    found = [key for key, _ in rows.nearest(VECTOR, 4)]
    assert found == [key_of(1, 0), *(key_of(file, place) for file in range(201, 301) for place in range(3))]


def test_rows_of_an_older_file_may_come_later(rows):
    rows.nearest(VECTOR, 1)
    rows.put(3, np.array([[127, 0, 0, 0], [0, 0, 127, 0]], dtype=np.int8).tobytes())
    assert [key for key, _ in rows.nearest(VECTOR, 2)] == [key_of(1, 0), key_of(3, 0)]
    approximately = pytest.approx(0.7071, abs=1e-4)
    assert rows.wholes(VECTOR, {3: "three.py", 7: "seven.py"}) == {"three.py": approximately, "seven.py": approximately}


def test_without_simsimd_the_cosines_are_the_same(rows, monkeypatch):
    with_it = rows.nearest(VECTOR, 10)
    original = builtins.__import__

    def without(name, *rest):
        if name == "simsimd":
            raise ImportError(name)
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert rows.nearest(VECTOR, 10) == with_it


def test_a_file_as_a_whole_is_the_sum_of_its_rows(rows):
    found = rows.wholes(VECTOR, {1: "one.py", 7: "seven.py"})
    assert found == {"one.py": pytest.approx(0.7071, abs=1e-4), "seven.py": pytest.approx(0.7071, abs=1e-4)}
    rows.put(1, np.array([[127, 0, 0, 0]], dtype=np.int8).tobytes())
    assert rows.wholes(VECTOR, {1: "one.py"}) == {"one.py": pytest.approx(1.0)}
    assert rows.wholes(np.array([0, 127, 0, 0], dtype=np.int8).tobytes(), {1: "one.py"}) == {"one.py": 0.0}


def test_rows_of_noughts_have_no_direction(rows):
    rows.put(9, bytes(8))
    assert rows.wholes(VECTOR, {9: "nine.py"}) == {}
    assert rows.wholes(VECTOR, {}) == {}
