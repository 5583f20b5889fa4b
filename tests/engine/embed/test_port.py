import inspect

import pytest

from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.port import Embedder

MEMBERS = [name for name in vars(Embedder) if not name.startswith("_")]


def test_the_port_says_what_it_is_and_answers_three_questions():
    assert sorted(MEMBERS) == ["background", "contents", "dimensions", "name", "place", "query", "trained"]


@pytest.mark.parametrize("member", MEMBERS)
def test_the_hashed_embedder_has_every_member_of_the_port(member: str):
    assert hasattr(HashedEmbedder(), member)


@pytest.mark.parametrize("method", ["contents", "place", "query"])
def test_the_hashed_embedder_takes_what_the_port_says(method: str):
    wanted = inspect.signature(getattr(Embedder, method)).parameters
    assert list(inspect.signature(getattr(HashedEmbedder, method)).parameters) == list(wanted)
