"""Giving memory back."""

import sys

from shirube.engine.index.reading import give_back


def test_it_says_whether_the_system_can_be_asked():
    assert isinstance(give_back(), bool)


def test_on_another_system_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(sys, "platform", "somewhere else")
    assert give_back() is False
