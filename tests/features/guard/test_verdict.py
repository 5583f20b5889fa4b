from shirube.features.guard.verdict import Lack, NextCall, Verdict


def test_a_verdict_is_a_value_with_nothing_missing_unless_said():
    assert Verdict(True, "ok") == Verdict(True, "ok", (), (), (), ())
    assert NextCall("search").arguments == {}
    assert Lack("files_analyzed", 1, 2).detail == ""
