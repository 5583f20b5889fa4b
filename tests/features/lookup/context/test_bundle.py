"""The five steps together, over a store in memory."""

import pytest

from shirube.engine.search import search
from shirube.engine.search.question import read_question
from shirube.features.lookup.context import Artifacts, Locator, Room, Tools, assemble, read_clues
from shirube.types import Mode, Query
from tests.features.lookup.context.conftest import CONFIG, EMBEDDER

TRACE = """\
Traceback (most recent call last):
  File "/srv/ci/src/shop/payment.py", line 30, in checkout
    return with_retries(lambda: gateway.charge_card(amount))
  File "/usr/lib/python3.11/functools.py", line 9, in call
  File "/srv/ci/src/shop/retry.py", line 15, in with_retries
    return action()
OSError: time is up
"""


def bundle(store, goal: str, budget: int = 2000, **artifacts):
    clues = read_clues(goal, Artifacts(**artifacts), Locator(store, "/home/user/shop"))
    found = search(Query(clues.question, 50, 0, Mode.LEXICAL), store, EMBEDDER, CONFIG.search)
    profile = CONFIG.search.profiles[clues.profile or "default"]
    asking = read_question(clues.question, CONFIG.search)
    tools = Tools.of(store, EMBEDDER, asking, CONFIG.context, profile)
    return assemble(clues, found, tools, Room(budget, 50, CONFIG.context.largest))


@pytest.mark.requirement("001-BUNDLE-01", "001-BUNDLE-02", "001-BUNDLE-05")
def test_a_goal_brings_what_it_is_about_and_what_belongs_to_it(store):
    made = bundle(store, "charge the card")
    first = made.snippets[0]
    assert first.path == "src/shop/payment.py"
    assert "PaymentGateway" in first.symbol
    assert {snippet.path for snippet in made.snippets} >= {"src/shop/retry.py", "tests/test_payment.py"}
    assert made.tokens == sum(snippet.tokens for snippet in made.snippets) <= 2000


def test_a_trace_brings_its_innermost_place_first_and_counts_what_is_not_ours(store):
    made = bundle(store, "fix it", hints=(TRACE,))
    assert made.snippets[0].path == "src/shop/retry.py"
    assert "artifact:output:14" in made.snippets[0].why
    assert made.warnings == ("1 place of the output leads to no indexed file (libraries, generated code)",)


def test_japanese_goals_find_japanese_and_english(store):
    made = bundle(store, "返金処理を直す")
    assert any("PaymentGateway" in snippet.symbol for snippet in made.snippets)


def test_the_same_question_has_the_same_bundle(store):
    assert bundle(store, "retry payment", 300) == bundle(store, "retry payment", 300)


def test_a_small_budget_leaves_the_rest_to_be_asked_for(store):
    made = bundle(store, "charge the card", 150)
    assert made.tokens <= 150
    assert made.omitted_total >= len(made.omitted) > 0
