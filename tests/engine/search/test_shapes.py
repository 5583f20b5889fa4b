"""The table of points: what its rows mean, and that the shipped one is whole."""

import numpy as np
import pytest

from shirube.engine.search.confidence import HitSigns
from shirube.engine.search.roles import Role
from shirube.engine.search.shapes import Shapes, shapes
from shirube.engine.search.signals import FILE_SIGNALS, PLACE_SIGNALS, SITUATION
from tests.cases import for_each
from tests.engine.search.conftest import IDENTITY

BENT = Shapes(at=(0.0, 0.5, 1.0), files={}, places={}, roles={}, confidence={})


def test_points_lie_on_straight_lines_between_the_knots():
    measures = np.array([0.0, 0.25, 0.5, 0.75, 1.0, 3.0])
    assert BENT.points((0.0, 2.0, 3.0), measures).tolist() == [0.0, 1.0, 2.0, 2.5, 3.0, 3.0]


def test_a_measure_without_a_shape_is_worth_itself():
    assert IDENTITY.points(None, np.array([0.25, 3.0])).tolist() == [0.25, 3.0]


def test_every_signal_has_a_row_and_every_row_a_signal():
    table = shapes()
    assert set(table.files) == {signal.name for signal in FILE_SIGNALS}
    assert set(table.places) == {signal.name for signal in PLACE_SIGNALS}
    assert set(table.confidence) == set(HitSigns.__struct_fields__)
    assert set(table.roles) <= {*Role, "superseded", "internal"}


def test_the_signals_of_a_situation_are_not_fitted():
    assert not {signal.name for signal in SITUATION} & shapes().files.keys()


def test_no_two_signals_share_a_name():
    for signals in ((*FILE_SIGNALS, *SITUATION), PLACE_SIGNALS):
        names = [signal.name for signal in signals]
        assert len(set(names)) == len(names)


def test_the_knots_rise_from_0_to_1():
    at = shapes().at
    assert (at[0], at[-1]) == (0.0, 1.0)
    assert list(at) == sorted(set(at))


@for_each("table", ["files", "places", "confidence"])
def test_every_shape_begins_at_nothing_and_never_falls(table: str):
    for name, shape in getattr(shapes(), table).items():
        assert len(shape) == len(shapes().at), name
        assert shape[0] == 0.0, name
        assert list(shape) == sorted(shape), name


def test_the_other_numbers_are_in_their_range():
    table = shapes()
    assert all(0 < factor < 2 for factor in table.roles.values())
    assert Role.IMPLEMENTATION not in table.roles, "its factor is what the others are measured by"
    assert table.further > 0
    assert table.bias < 0, "without any sign a first place is unlikely"


@pytest.mark.parametrize("signal", [*FILE_SIGNALS, *PLACE_SIGNALS], ids=lambda signal: signal.name)
def test_each_row_of_the_table_gives_points_to_its_signal(signal):
    table = shapes().files if signal in FILE_SIGNALS else shapes().places
    assert shapes().points(table[signal.name], np.ones(1))[0] > 0
