"""The glossary has one word for each thing, and one thing for each word; no sentence stutters."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs/glossary.md").read_text("utf-8")
ROWS = [line.strip("|").split("|") for line in TEXT.split("## Words")[1].splitlines() if line.startswith("| **")]
STUTTER = re.compile(r"\b(a|an|the|of|to|is|in|and|or|that it) \1\b", re.IGNORECASE)


def test_no_word_is_explained_twice():
    words = Counter(word for row in ROWS for word in re.findall(r"\*\*([^*]+)\*\*", row[0]))
    assert len(words) > 50
    assert [word for word, times in words.items() if times > 1] == []


def test_no_japanese_word_stands_for_two_things():
    words: Counter[str] = Counter()
    for row in ROWS:
        words.update({word.strip() for word in re.split(r"[、]|と", re.sub(r"（[^）]*）", "", row[1]))})
    assert [word for word, times in words.items() if times > 1] == []


def test_no_sentence_has_a_word_twice():
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    found = [f"{path.name}: {hit[0]}" for path in sources for hit in STUTTER.finditer(path.read_text("utf-8"))]
    assert found == []
