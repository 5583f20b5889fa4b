from shirube.engine.graph.found import How, Reference
from shirube.engine.graph.references import CONFIDENCE, ELSEWHERE, TURNS, turn_of


def use(where: str, how: How) -> Reference:
    return Reference("a.py", 1, 1, 2, "x", where, how, 0.5, "", "")


def test_what_is_sure_comes_first_then_other_code_then_prose():
    found = [use("code", How.SAME_FILE), use("code", How.IMPORT_RESOLVED), use("code", How.NAME_ONLY)]
    assert [turn_of(one) for one in found] == [0, 0, 1]
    assert [turn_of(use(where, How.NAME_ONLY)) for where in ("comment", "string", "text")] == [2, 2, 2]
    assert max(turn_of(one) for one in [*found, use("text", How.NAME_ONLY)]) < TURNS


def test_the_surer_a_way_the_higher_its_confidence():
    assert set(CONFIDENCE) == set(How)
    sure = min(CONFIDENCE[How.SAME_FILE], CONFIDENCE[How.IMPORT_RESOLVED])
    assert sure > CONFIDENCE[How.NAME_ONLY] > max(ELSEWHERE.values())
