"""Comments as prose."""

from tests.cases import for_each

from shirube.engine.parse.symbols import DOC_CHARACTERS, comment_text


@for_each(
    ("comment", "prose"),
    [
        ("# one\n# two", "one\ntwo"),
        ("// a\n// b", "a\nb"),
        ("/// Doc\n///\n/// More", "Doc\nMore"),
        ("//! inner", "inner"),
        ("/** Adds.\n * Fast.\n */", "Adds.\nFast."),
        ("/* 説明 */", "説明"),
        ("/*** stars ***/", "stars"),
        ('"""Doc.\n\n    More.\n    """', "Doc.\nMore."),
        ("r'''Raw'''", "Raw"),
        ("-- lua", "lua"),
        ("--[[ long ]]", "long"),
        ("{- | Haddock -}", "Haddock"),
        ("<!-- html -->", "html"),
        ("#", ""),
        ("", ""),
    ],
)
def test_markers_are_stripped(comment: str, prose: str) -> None:
    assert comment_text(comment) == prose


def test_a_long_comment_is_cut() -> None:
    assert len(comment_text("# " + "x" * 5000)) == DOC_CHARACTERS
