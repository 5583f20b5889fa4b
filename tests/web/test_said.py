"""What operations say, in Japanese: every sentence of theirs that a page can show is in the table."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import shirube
from shirube.web.said import GAP, said, sentences
from shirube.web.words import Words

SOURCE = Path(shirube.__file__).parent
JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
ROOMS = {
    "operations": "agreements asking bundle check code conflicts coverage cursor deps effect files impact index "
    "insights keeping maps past recording scope search sessions sharing shelf",
    "index": "keeper pool reading sync watch embedding",
    "search": "pipeline",
    "session": "advice writes",
    "knowledge": "check conflict files frontmatter lookup merge page",
    "graph": "impact",
    "context": "bundle gather patch clues",
    "plan": "evaluate refine run presets",
    "outcomes": "insights effect",
    "store": "connection embedded fields journal lock migrations projection",
    "repo": "read git skips walk",
    "embed": "open",
    "": "workspace errors deadline",
}
SPEAKING = [f"{room}/{name}" for room, names in ROOMS.items() for name in names.split()]
"""Modules whose sentences come to a page: as notes, reasons, advice or errors."""
WORDS = re.compile(r"[A-Za-z']{2,}")
CODE = re.compile(r"(?:[A-Z]{6}|WHERE|FROM|BEGIN|AND|DROP|ORDER) |[\\^$]|\w\[|^##|\? \w|<\w")
"""What is no sentence: SQL, expressions, types, headings of pages, summaries of operations."""
UNSHOWN = {"decode to UTF-8", "no such column", "no such table:", "columns but", "closed database", "entry point"}
"""What SQLite says, which is looked for and not shown."""


def spoken(path: Path) -> Iterator[str]:
    """Yield the sentences of a module, gaps as ``{}``."""
    tree = ast.parse(path.read_text("utf-8"))
    aside = set(map(id, _aside(tree)))
    for node in ast.walk(tree):
        text = _text(node) if id(node) not in aside else ""
        if " " in text.strip() and len(WORDS.findall(text.replace("{}", " "))) > 1 and not CODE.search(text):
            yield text


def _aside(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what no reader of a page sees: docstrings, annotations, descriptions of arguments, parts of texts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (part for part in node.values if isinstance(part, ast.Constant))
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            yield from ast.walk(node.annotation)
        elif isinstance(node, ast.FunctionDef) and node.returns is not None:
            yield from ast.walk(node.returns)
        elif (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "arg") or (
            isinstance(node, ast.keyword) and node.arg == "summary"
        ):
            yield from ast.walk(node)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


@pytest.mark.parametrize("module", SPEAKING)
def test_every_sentence_that_a_page_can_show_is_known_in_japanese(module: str):
    known = {GAP.sub("{}", english) for english, _ in sentences().values()}
    left = [text for text in spoken(SOURCE / f"{module.strip('/')}.py") if text.strip(" ,;") not in known | UNSHOWN]
    assert left == [], "add these to web/said.toml"


def test_every_sentence_has_japanese_with_the_same_gaps():
    assert len(sentences()) > 300
    for code, (english, japanese) in sentences().items():
        assert JAPANESE.search(japanese) or japanese == english, code
        assert sorted(GAP.findall(english)) == sorted(GAP.findall(japanese)), code


def test_no_sentence_is_there_twice():
    english = [GAP.sub("{}", one) for one, _ in sentences().values()]
    assert sorted({one for one in english if english.count(one) > 1}) == []


@pytest.mark.parametrize(
    ("english", "japanese"),
    [
        ("version control", "バージョン管理"),
        ("moved from src/a.py", "src/a.py から移動"),
        ("88% of it is as agreed", "88% が合意の通り"),
        (
            "index: indexing, 3 of 100 files; the answer may miss what changed",
            "索引: 索引を作成中、100 ファイル中 3。最近の変更が回答に入っていない可能性があります",
        ),
        (
            "nothing indexed has these words (2 files were not read: see index_status); "
            "try others, or leave out path, languages, kinds and tags",
            "索引にこれらの語はありません（2 ファイルは未読。「索引」のページ参照）。"
            "別の語を試すか、場所・言語・種類・タグの絞り込みを外してください",
        ),
        ("unknown boost profile 'x' (did you mean 'y'?)", "優先設定「x」はありません（「y」のことですか？）"),
        ("now called b; 80% is as agreed", "現在の名前: b。80% が合意の通り"),
        (
            "Keyword match is fair: 2 of 3 expected words are in the results. Not found: a, b. "
            "Most results have little to do with the goal; a narrower question would help.",
            "語の一致はまずまず: 期待した 3 語中 2 語が結果にあります。見つからない語: a, b。"
            "多くの結果は目的とあまり関係がありません。問いを絞ると良くなります。",
        ),
    ],
)
def test_sentences_within_sentences_are_told(english: str, japanese: str):
    assert said(english) == japanese
    assert Words("ja").say(english) == japanese
    assert Words("en").say(english) == english


@pytest.mark.parametrize("text", ["", "  ", "src/shop/payment.py", "<script>", "completely unheard of", "a" * 10_000])
def test_what_is_not_known_stays_as_it_is(text: str):
    assert said(text) == text


def test_a_hostile_name_costs_no_time():
    """Every gap is found once: quotes and colons without end are not tried in every way."""
    assert said("'" * 3000 + ": '" * 300).count("'") >= 3000


def test_every_preset_is_described_in_japanese():
    from shirube.plan.presets import built_in

    assert [one.name for one in built_in().values() if not JAPANESE.search(said(one.description))] == []


def test_what_is_wrong_with_a_page_of_the_map_is_told_behind_its_name():
    told = "map/a_b.md: a merge left two versions in it (list_conflicts shows both)"
    assert said(told) == "map/a_b.md: マージで二つの版が残っています（list_conflicts で両方を見られます）"
