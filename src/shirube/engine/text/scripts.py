"""Which characters belong to which writing: the classes every expression of this room is built from.

The constants are bodies of character classes: write them between square brackets.
"""

import unicodedata

KANJI = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
CJK = KANJI + KANA + HANGUL
"""What is written without spaces between words (Hangul glues its particles), so it is cut into bigrams."""

_CASED = tuple(map(chr, range(0xC0, 0x530)))  # accented Latin, Greek, Cyrillic: the scripts that have case
UPPER = "A-Z" + "".join(filter(str.isupper, _CASED))
LOWER = "a-z" + "".join(filter(str.islower, _CASED))

WORD = rf"[^\W{CJK}]"
"""One character of a word that is not CJK: a letter, a digit or an underscore (a whole class, not a body)."""

_HYPHEN = "\u2010"  # NFKC folds its no-break sister into it


def normalise(text: str) -> str:
    """Give every spelling of a character one form: ``"ｶﾞｲﾄﾞ ＡＢＣ"`` → ``"ガイド ABC"``.

    NFKC, and typographic hyphens become the one on the keyboard.
    """
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).replace(_HYPHEN, "-")
