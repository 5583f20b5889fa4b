from shirube.engine.parse.grammars import is_minified


def test_only_long_texts_with_endless_lines_are_machine_made():
    assert is_minified(b"a" * 30_000)
    assert not is_minified(b"a" * 10_000)
    assert not is_minified(b"a = 1\n" * 10_000)
