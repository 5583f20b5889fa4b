from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.config import load_config
from shirube.engine.embed.open import open_embedder
from shirube.features.commands.find import Finder, all_text
from shirube.features.commands.model import Command, CommandOptions

COMMANDS = (
    Command("git", "group-commit", "unstaged-changes", "Group changes and commit each group"),
    Command("git", "merge-up", "base-branch", "Merge a branch into its parent branch"),
    Command(
        "test", "run", "specific", "Run the tests of one target", options=CommandOptions(uv={"target": "a pytest node"})
    ),
    Command("docs", "write", "readme", "Write the README of a project"),
)
CONFIG = load_config(environ={"HOME": "/nowhere"}).search


def ids(matches):
    return [match.c2 for match in matches]


def by_hand(documents: list[list[str]], query: list[str]) -> list[float]:
    """Return seed 000's scores, written down from its formulas and nothing else."""
    count, average = len(documents), sum(map(len, documents)) / len(documents)
    scores = []
    for document in documents:
        total = 0.0
        for word in query:
            have = sum(word in other for other in documents)
            idf = log((count - have + 0.5) / (have + 0.5) + 1)
            often = document.count(word)
            total += idf * often * (1.2 + 1) / (often + 1.2 * (1 - 0.75 + 0.75 * len(document) / average))
        scores.append(total)
    return scores


@pytest.mark.requirement("000-BM-01", "000-BM-02", "000-BM-03", "000-TARGET-01", "000-RESULT-01", "000-RESULT-02")
def test_scores_are_those_of_the_formulas():
    texts = (
        "git group commit group-commit unstaged changes unstaged-changes group changes and commit each group",
        "git merge up merge-up base branch base-branch merge a branch into its parent branch",
        "test run specific run the tests of one target",
        "docs write readme write the readme of a project",
    )
    documents = [text.split() for text in texts]
    for words in ("group commit", "merge branch branch", "the readme", "git run of", "Group-Commit"):
        query = {"Group-Commit": ["group", "commit", "group-commit"]}.get(words, words.split())
        hand = {number: score for number, score in enumerate(by_hand(documents, query)) if score > 0}
        found = Finder(COMMANDS).strict([words], 10)
        assert {[one.c2 for one in COMMANDS].index(match.c2): match.score for match in found} == pytest.approx(
            hand, abs=1e-9
        )
        assert [match.score for match in found] == sorted((match.score for match in found), reverse=True)


@pytest.mark.requirement("000-BM-01", "000-BM-03")
def test_a_score_worked_out_on_paper():
    finder = Finder([Command("a", "b", "c", "x"), Command("a", "b", "d", "y y")])
    # "y": N = 2, df = 1 → idf = ln(1.5/1.5 + 1) = ln 2; tf = 2, |D| = 5, avgdl = 4.5
    # 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 5/4.5)) = 4.4 / 3.3 = 1.333…
    (match,) = finder.strict(["y"], 3)
    assert match.score == pytest.approx(0.6931471805599453 * 4 / 3, abs=1e-12)


@pytest.mark.requirement("000-SEARCH-01", "000-SEARCH-02", "N000-SEARCH-02")
def test_what_matches_nothing_is_not_found():
    assert Finder(COMMANDS).strict(["zyzzyva"], 3) == ()
    assert ids(Finder(COMMANDS).strict(["readme zyzzyva"], 3)) == ["write"]
    assert Finder([]).strict(["readme"], 3) == ()
    assert Finder([]).wider(["readme"], 3, CONFIG, open_embedder("static")) == ()


@pytest.mark.requirement("000-DEDUPE-01", "N000-SEARCH-04")
def test_of_two_with_the_same_words_the_first_counts_before_anything_is_counted():
    twin = Command("docs", "write", "readme", "Something else entirely")
    assert Finder([*COMMANDS, twin, twin]).strict(["readme else"], 5) == Finder(COMMANDS).strict(["readme else"], 5)


@pytest.mark.requirement("N000-SEARCH-05")
def test_equals_stay_in_the_order_of_the_registry():
    twins = [Command("a", "b", name, "same words") for name in ("z", "m", "a", "q")]
    assert [match.c3 for match in Finder(twins).strict(["same words"], 9)] == ["z", "m", "a", "q"]


@pytest.mark.requirement("000-RRF-01", "000-RRF-02", "000-RRF-03", "000-RRF-04", "N000-SEARCH-02", "N000-SEARCH-06")
def test_several_queries_are_fused_by_rank():
    found = Finder(COMMANDS).strict(["merge group", "branch changes", "  "], 9)
    ranks = {match.c2: match.ranks for match in found}
    # Both words are in one command each, so the order is that of their weight there.
    first, second = Finder(COMMANDS).strict(["merge group"], 9), Finder(COMMANDS).strict(["branch changes"], 9)
    assert ranks == {
        name: (ids(first).index(name) + 1, ids(second).index(name) + 1, -1) for name in ("group-commit", "merge-up")
    }
    for match in found:
        assert match.score == pytest.approx(sum(1 / (60 + rank) for rank in match.ranks if rank > 0), abs=1e-12)


@pytest.mark.requirement("000-RRF-04")
def test_a_command_that_only_one_query_finds_has_no_rank_in_the_other():
    found = Finder(COMMANDS).strict(["readme", "tests readme"], 9)
    ranks = {match.c2: match.ranks for match in found}
    assert ranks["run"] == (-1, 1) or ranks["run"] == (-1, 2)
    assert [rank for rank in ranks.values() if rank[0] == -1] == [ranks["run"]]


@given(st.lists(st.text(alphabet="ab -_", max_size=12), max_size=4), st.text(alphabet="ab -_", max_size=12))
def test_any_registry_and_query_score_as_the_formulas_say(descriptions, query):
    from shirube.features.commands.find import command_tokens

    commands = [Command("a", "b", f"c{number}", text) for number, text in enumerate(descriptions)]
    documents = [command_tokens(f"{one.id} {one.description}") for one in commands]
    hand = by_hand(documents, command_tokens(query)) if documents else []
    found = {f"{match.c1} {match.c2} {match.c3}": match.score for match in Finder(commands).strict([query], 99)}
    assert found == pytest.approx(
        {one.id: score for one, score in zip(commands, hand, strict=True) if score > 0}, abs=1e-9
    )


def test_the_wider_search_reads_everything_that_is_written_about_a_command():
    assert Finder(COMMANDS).strict(["pytest"], 3) == ()
    assert ids(Finder(COMMANDS).wider(["pytest"], 3, CONFIG, open_embedder("hashed"))) == ["run"]
    usage = Command("a", "b", "c", "d", "shirube-x --quokka", CommandOptions(("default", "long"), stdin=True))
    assert all_text(usage) == "a b c d shirube-x --quokka long stdin"


@pytest.mark.requirement("N000-SEARCH-03")
def test_the_wider_search_answers_japanese_about_english():
    asked = "ブランチをマージする"
    assert Finder(COMMANDS).strict([asked], 3) == ()
    for model in ("static", "hashed"):
        assert ids(Finder(COMMANDS).wider([asked], 3, CONFIG, open_embedder(model)))[0] == "merge-up"


def test_the_wider_search_also_fuses_queries_and_passes_over_blank_ones():
    found = Finder(COMMANDS).wider(["merging", "", "branches"], 1, CONFIG, open_embedder("hashed"))
    assert (ids(found), found[0].ranks) == (["merge-up"], (1, -1, 1))


def test_words_that_all_requests_are_made_of_bring_nothing_in():
    assert Finder(COMMANDS).strict(["feed the cat of a neighbour"], 3) != ()
    assert Finder(COMMANDS).wider(["feed the cat of a neighbour"], 3, CONFIG, open_embedder("hashed")) == ()


def test_an_answer_with_a_third_of_the_telling_words_is_believed():
    finder = Finder(COMMANDS)
    assert finder.covers("merge branch")
    assert finder.covers("please merge it into the parent")
    assert not finder.covers("merge quokkas under moonlight tonight")
    assert not finder.covers("zyzzyva")


def test_a_single_query_is_fused_where_that_is_asked_for():
    (alone, *_), (fused, *_) = (Finder(COMMANDS).strict(["commit"], 3, fused=way) for way in (False, True))
    assert alone.score > 0.1
    assert fused.score == pytest.approx(1 / 61)
