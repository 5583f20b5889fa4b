import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from shirube.engine.embed.quantize import LEVELS, nearness, pack, to_int8, unit, unpack
from tests.cases import for_each

ROWS = arrays(
    np.float32,
    st.tuples(st.integers(0, 5), st.integers(1, 16)),
    elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False),
)


@given(ROWS)
def test_packed_rows_come_back_up_to_half_a_step(rows):
    back = unpack(pack(rows), rows.shape[1])
    assert back.shape == rows.shape
    assert back.dtype == np.float32
    step = np.abs(rows).max(axis=1, initial=0.0, keepdims=True) / LEVELS
    assert (np.abs(back - rows) <= step * 0.501 + 1e-30).all()


@given(ROWS)
def test_packing_what_was_unpacked_changes_nothing_more(rows):
    once = unpack(pack(rows), rows.shape[1])
    np.testing.assert_allclose(unpack(pack(once), rows.shape[1]), once, rtol=1e-5, atol=0)


def test_a_packed_row_takes_a_byte_a_dimension_and_four_for_the_scale():
    assert len(pack(np.ones((3, 8), dtype=np.float32))) == 3 * (8 + 4)


def test_no_rows_pack_to_no_bytes():
    assert pack(np.zeros((0, 8), dtype=np.float32)) == b""
    assert unpack(b"", 8).shape == (0, 8)


def test_a_row_of_zeros_stays_zero():
    zeros = np.zeros((2, 4), dtype=np.float32)
    assert (unit(zeros) == 0).all()
    assert (unpack(pack(zeros), 4) == 0).all()


@given(ROWS)
def test_unit_rows_have_length_one_or_zero(rows):
    lengths = np.linalg.norm(unit(rows).astype(np.float64), axis=1)
    full = np.abs(rows).max(axis=1, initial=0.0) > 1e-3
    np.testing.assert_allclose(lengths[full], 1.0, atol=1e-5)


def test_int8_steps_are_hundred_and_twenty_sevenths():
    rows = np.array([[1.0, -1.0, 0.0, 0.5]], dtype=np.float32)
    assert to_int8(rows).tolist() == [[127, -127, 0, 64]]
    assert to_int8(rows).dtype == np.int8


@for_each("value", [0.3, -0.7])
def test_the_cosine_of_int8_rows_is_near_the_true_one(value: float):
    one = unit(np.array([[1.0, value, 0.2, 0.1]], dtype=np.float32))
    two = unit(np.array([[0.2, 1.0, value, 0.4]], dtype=np.float32))
    coarse = float(to_int8(one).astype(np.int32)[0] @ to_int8(two).astype(np.int32)[0]) / LEVELS**2
    assert coarse == pytest.approx(float(one[0] @ two[0]), abs=0.02)


def test_nearness_is_what_a_cosine_has_above_that_of_unrelated_texts():
    assert [nearness(cosine, 0.0) for cosine in (-0.5, 0.0, 0.5, 1.0)] == [0.0, 0.0, 0.5, 1.0]
    assert [round(nearness(cosine, 0.7), 3) for cosine in (0.5, 0.7, 0.85, 1.0)] == [0.0, 0.0, 0.5, 1.0]
