"""What is agreed in two ways."""

from shirube.codec import replace
from shirube.features.map.agreement import Agreement
from shirube.features.map.merge import Versions, differing, disputed, versions_of
from shirube.features.map.states import Standing
from tests.cases import for_each

MARKED = """---
nl_term: till
<<<<<<< HEAD
symbol: checkout
||||||| base
symbol: pay
=======
symbol: Desk.open
>>>>>>> feature/desk
---
# till
<<<<<<< HEAD
ours
=======
theirs
>>>>>>> feature/desk
end
"""


def test_the_marks_of_git_are_read_as_two_versions_and_what_both_come_from():
    found = versions_of(MARKED)
    assert found == Versions(
        ours="---\nnl_term: till\nsymbol: checkout\n---\n# till\nours\nend\n",
        theirs="---\nnl_term: till\nsymbol: Desk.open\n---\n# till\ntheirs\nend\n",
        base="---\nnl_term: till\nsymbol: pay\n---\n# till\nend\n",
        our_name="HEAD",
        their_name="feature/desk",
    )
    assert versions_of(MARKED.replace("\n", "\r\n")) == found


@for_each(
    "text",
    [
        "",
        "---\nnl_term: till\n---\nno marks",
        "<<<<<<< HEAD\nours\n=======\ntheirs\n",
        "ours\n=======\ntheirs\n>>>>>>> x",
        "# A heading\n=======\nunderlined",
    ],
)
def test_a_page_without_marks_or_with_half_of_them_is_no_conflict(text: str):
    assert versions_of(text) is None


def test_without_the_common_version_there_is_none():
    found = versions_of("a\n<<<<<<< x\nb\n=======\nc\n>>>>>>> y\n")
    assert found is not None
    assert (found.ours, found.theirs, found.base) == ("a\nb\n", "a\nc\n", "")


def test_versions_differ_in_what_people_decide():
    one = Agreement("till", "checkout", digest="a", successes=1, body="x")
    assert differing(one, replace(one, digest="b")) == ()
    assert differing(one, replace(one, symbol="pay", body="y", successes=2)) == ("symbol", "successes", "body")


def test_one_term_with_symbols_of_different_times_is_disputed():
    first = Agreement("Till", "checkout", learned_at="2026-01-01", session_id="a")
    second = Agreement("till ", "Desk.open", learned_at="2026-02-01", session_id="b")
    together = replace(second, nl_term="desk"), replace(first, nl_term="desk", learned_at="2026-02-01", session_id="b")
    assert disputed([first, second, *together]) == [(second, first)]
    assert disputed([first, replace(second, standing=Standing.EXPIRED)]) == []
    assert disputed([first, replace(second, origin="other")]) == []
