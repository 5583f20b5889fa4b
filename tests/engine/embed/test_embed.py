import shirube.engine.embed
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.port import Embedder


def test_the_room_offers_its_port():
    assert shirube.engine.embed.Embedder is Embedder


def test_the_room_says_which_question_it_answers():
    assert (shirube.engine.embed.__doc__ or "").startswith("What does it mean?")


def test_importing_the_room_loads_no_model():
    """The port is all a caller needs to be annotated; models are loaded by ``open``."""
    assert not hasattr(shirube.engine.embed, HashedEmbedder.__name__)
