from shirube.features.guard.facts import Facts
from tests.features.guard.sample import FakeFacts


def test_a_table_can_stand_for_the_index():
    facts: Facts = FakeFacts()
    assert facts.defined("AuthService.login") == ("src/auth/service.py",)
    assert facts.files == 5
