import shirube.embed
from shirube.embed.hashed import HashedEmbedder


def test_importing_the_room_loads_no_model():
    """The port is all a caller needs to be annotated; models are loaded by ``open``."""
    assert not hasattr(shirube.embed, HashedEmbedder.__name__)
