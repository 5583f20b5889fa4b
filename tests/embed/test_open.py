import pytest

from shirube.config import CHOICES
from shirube.embed.open import open_embedder
from shirube.errors import UnknownName


@pytest.mark.parametrize("name", CHOICES["embed.model"])
def test_every_model_the_configuration_allows_can_be_opened(name: str):
    embedder = open_embedder(name)
    assert embedder.query("hello").shape == (1, embedder.dimensions)


def test_opening_twice_gives_models_of_the_same_name():
    assert open_embedder("hashed").name == open_embedder("hashed").name


def test_an_unknown_model_is_refused_and_the_nearest_named():
    with pytest.raises(UnknownName, match="hashd") as caught:
        open_embedder("hashd")
    assert caught.value.nearest == "hashed"
