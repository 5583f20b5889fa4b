import subprocess
import sys

import shirube.engine.embed


def test_the_room_says_which_question_it_answers():
    assert (shirube.engine.embed.__doc__ or "").startswith("What does it mean?")


def test_looking_for_a_model_loads_none():
    """The port is all a caller needs to be annotated; ``open_embedder`` loads the model it returns."""
    models = "{'numpy', 'shirube.engine.embed.hashed', 'shirube.engine.embed.static', 'shirube.engine.embed.e5'}"
    code = f"import sys, shirube.engine.embed.open; sys.exit(bool({models} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
