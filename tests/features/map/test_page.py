import pytest
from hypothesis import given
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.errors import BadArgument, UnknownName
from shirube.features.map.agreement import CONVENTION, Agreement
from shirube.features.map.merge import versions_of
from shirube.features.map.page import (
    as_evidence,
    evidence_of,
    files_of,
    from_page,
    new_body,
    retitled,
    to_page,
    with_evidence,
    with_files,
)
from shirube.features.map.states import Standing, State
from tests.cases import for_each

SEED = """\
---
doc_type: agreement
nl_term: ログイン機能
symbol: AuthService
similarity: 0.85
session_id: session_20250112_143000
learned_at: 2025-01-12T14:35:00
---

# ログイン機能 → AuthService

## 根拠 (Code Evidence)

- `AuthService.login()` がユーザー認証を処理
- `AuthService` は `UserRepository` と連携してDB照合を行う

## 関連ファイル

- `src/auth/service.py:42`
- `src/controllers/login_controller.py:15`

## セッション情報

- Intent: MODIFY
"""
TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(str.strip)


@pytest.mark.requirement("004-PAGE-01")
def test_the_page_of_seed_004_is_read_whole():
    (found,) = from_page(SEED, "login_auth.md")
    assert (found.nl_term, found.symbol, found.similarity) == ("ログイン機能", "AuthService", 0.85)
    assert (found.session_id, found.learned_at) == ("session_20250112_143000", "2025-01-12T14:35:00")
    assert (found.path, found.line, found.file) == ("src/auth/service.py", 42, "login_auth.md")
    assert "UserRepository" in evidence_of(found)
    assert files_of(found) == ("src/auth/service.py", "src/controllers/login_controller.py")


@pytest.mark.requirement("004-PAGE-02", "004-CAMEL-01")
def test_a_new_page_has_what_seed_004_asks_for():
    made = Agreement("ログイン機能", "AuthService", path="src/auth.py", line=4, intent="MODIFY")
    frame = {"target_feature": "ログイン機能", "observed_issue": ""}
    text = to_page(replace(made, body=new_body(made, "handles login", ["src/form.py"], frame)))
    for line in (
        *("doc_type: agreement", "nl_term: ログイン機能", "symbol: AuthService", "symbol_normalized: auth service"),
        *(
            "# ログイン機能 → AuthService",
            "**シンボル（分解）**: auth service",
            "## 根拠 (Code Evidence)",
            "handles login",
        ),
        *(
            "- `src/auth.py:4`",
            "- `src/form.py`",
            "- Intent: MODIFY",
            "- 成功時の QueryFrame:",
            "  - target_feature: ログイン機能",
        ),
    ):
        assert line in text.split("\n")
    assert "observed_issue" not in text


@given(
    term=TEXT,
    evidence=TEXT,
    similarity=st.none() | st.floats(0, 1),
    counts=st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
def test_writing_and_reading_give_the_same_agreement(term, evidence, similarity, counts):
    made = Agreement(
        term.strip(), "A.b", similarity=similarity, successes=counts[0], failures=counts[1], path="x.py", line=3
    )
    made = replace(made, body=new_body(made, evidence), standing=Standing.DEMOTED, extra=("owner: ann",))
    (read,) = from_page(to_page(made))
    again = replace(read, similarity=made.similarity) if made.similarity is None else read
    assert replace(again, body="") == replace(made, body="")
    assert to_page(read) == to_page(made)


def test_what_people_add_is_kept():
    (found,) = from_page(SEED.replace("---\n\n#", "reviewer: Ann\n---\n\n#") + "\n## Note\n\nkeep me\n")
    text = to_page(replace(found, successes=3))
    assert "reviewer: Ann" in text
    assert "keep me" in text
    assert "UserRepository" in text


def test_one_page_with_several_symbols_makes_several_agreements():
    text = "---\nnl_term: login\nsymbols: [AuthService, LoginForm.submit()]\n---\nbody"
    assert [one.symbol for one in from_page(text)] == ["AuthService", "LoginForm.submit"]


@pytest.mark.requirement("004-CONV-01")
def test_a_convention_has_no_symbol():
    (rule,) = from_page("---\ndoc_type: convention\nnl_term: naming\n---\n# naming\n\nModules are one word.\n")
    assert rule.is_convention
    assert evidence_of(rule) == "Modules are one word."
    assert from_page(to_page(rule)) == (rule,)


@for_each(
    ("lines", "kind", "message"),
    [
        ("doc_type: agreement\nsymbol: X", BadArgument, "line 1: there is no nl_term"),
        ("nl_term: x", BadArgument, "symbol"),
        ("nl_term: x\nsymbol: Y\nsimilarity: high", BadArgument, "line 4: similarity"),
        ("nl_term: [unclosed\nsymbol: Y", BadArgument, "line 2: a list"),
        ("nl_term: x\nsymbol: Y\nsimilarity: 7", BadArgument, "similarity"),
        ("nl_term: x\nsymbol: Y\nfailures: many", BadArgument, "failures"),
        ("nl_term: x\nsymbol: Y\nstanding: agred", UnknownName, "agred"),
        ("nl_term: x\nsymbol: Y\ndoc_type: convntion", UnknownName, "convntion"),
    ],
)
@pytest.mark.requirement("N004-BROKEN-01")
def test_a_page_that_is_not_whole_is_refused_with_the_cause(lines: str, kind: type, message: str):
    with pytest.raises(kind, match=message) as caught:
        from_page(f"---\n{lines}\n---\nbody")
    assert caught.value.hint


def test_evidence_is_added_once_and_in_its_place():
    (found,) = from_page(SEED)
    more = with_evidence(found, "see also tests/test_auth.py")
    assert evidence_of(more).endswith("see also tests/test_auth.py")
    assert more.body.index("see also") < more.body.index("## 関連ファイル")
    assert with_evidence(more, "see also tests/test_auth.py") == more
    assert with_evidence(found, " ") == found
    bare = Agreement("x", "Y", body="# x → Y")
    assert evidence_of(with_evidence(bare, "shown")) == "shown"
    rule = Agreement("naming", doc_type=CONVENTION, body="# naming\n\nA")
    assert evidence_of(with_evidence(rule, "B")).endswith("B")


def test_states_are_words():
    assert [state.value for state in State] == ["fresh", "changed", "moved", "gone", "unbound"]


# --- the list of files ---------------------------------------------------------------------------------------

NOW = {"src/a.py": "src/a.py:7", "src/b.py": "src/b.py"}
LIST = "# x\n\n## 関連ファイル\n\n"


@for_each(
    ("listed", "now"),
    [
        ("- `src/a.py:42`\n- `src/b.py:15-20`\n- `src/gone.py`", "- `src/a.py:7`\n- `src/b.py`"),
        ("- `src/a.py:1`\n- `src/a.py:2`\n- `src/a.py:7`", "- `src/a.py:7`"),
        ("* `src/b.py` the form\n  - `src/gone.py` old", "- `src/a.py:7`\n* `src/b.py` the form"),
        ("as told:\n\n- `src/b.py`\n- `login()` too", "as told:\n\n- `src/a.py:7`\n- `src/b.py`\n- `login()` too"),
        (f"- `src/b.py:{'9' * 5000}`", "- `src/a.py:7`"),
    ],
)
def test_a_list_of_files_has_only_those_that_exist_and_keeps_words(listed: str, now: str) -> None:
    made = Agreement("x", "X", path="src/a.py", body=f"{LIST}{listed}\n\n## Session\n\n- Intent: FIX")
    found = with_files(made, lambda path, _: NOW.get(path, ""))
    assert found.body == f"{LIST}{now}\n\n## Session\n\n- Intent: FIX"
    assert with_files(found, lambda path, _: NOW.get(path, "")) is found


def test_a_list_of_which_nothing_is_left_goes_with_its_heading() -> None:
    made = Agreement("x", "X", path="src/gone.py", body=f"{LIST}- `src/gone.py:3`\n\n## Session\n\nnone")
    assert with_files(made, lambda *_: "").body == "# x\n\n## Session\n\nnone"


def test_a_page_without_a_list_gets_one_when_it_is_bound() -> None:
    made = Agreement("x", "X", path="src/a.py", body="# x\n\n## セッション情報 (Session)\n\n- Intent: FIX")
    assert with_files(made, lambda path, _: NOW.get(path, "")) is made
    bound = with_files(replace(made, digest="d"), lambda path, _: NOW.get(path, ""))
    wanted = "# x\n\n## 関連ファイル (Files)\n\n- `src/a.py:7`\n\n## セッション情報 (Session)\n\n- Intent: FIX"
    assert bound.body == wanted


def test_other_headings_that_speak_of_files_are_left_alone() -> None:
    made = Agreement("x", "X", body="# x\n\n## Profiles\n\n- `src/gone.py`\n\n## Configuration files\n\n- `gone.yml`")
    assert with_files(made, lambda *_: "") is made


# --- what people write ---------------------------------------------------------------------------------------


TRAP = "see\n## 関連ファイル (Files)\n- `src/shop/payment.py`"


@for_each(
    "evidence",
    [
        TRAP,
        f"{TRAP}\n\n\n## Session\nlast",
        "##\n- `src/shop/payment.py`",
        "    # indented code\n# a comment\n\\# a backslash\n\\\\## two",
        "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs",
        "---\nnl_term: other\n---",
    ],
)
@pytest.mark.requirement("N003-YAML-01")
def test_evidence_comes_back_as_written_and_is_never_structure(evidence: str):
    for made in (Agreement("login", "A.b", path="a.py"), Agreement("naming", doc_type=CONVENTION, path="a.py")):
        for page in (
            replace(made, body=new_body(made, evidence)),
            with_evidence(replace(made, body=new_body(made, "")), evidence),
            as_evidence(replace(made, body=new_body(made, "before")), evidence),
        ):
            text = to_page(page)
            (read,) = from_page(text)
            assert evidence_of(read) == evidence
            assert files_of(read) == ("a.py",)
            assert versions_of(text) is None
            assert with_evidence(read, evidence) == read


@given(st.text(st.sampled_from("#\\ \n-`ab:<=>|./"), max_size=40))
def test_any_evidence_comes_back(evidence: str):
    made = Agreement("login", "A.b")
    (read,) = from_page(to_page(replace(made, body=new_body(made, evidence))))
    assert evidence_of(read).split() == evidence.split()
    assert files_of(read) == ()


def test_terms_and_slots_of_several_lines_stay_on_one():
    made = Agreement(f"login\n{TRAP}", "A.b", path="a.py")
    assert files_of(replace(made, body=new_body(made, "", (), {"target_feature": TRAP}))) == ("a.py",)


def test_headings_that_people_wrote_into_a_page_stay_headings():
    rule = Agreement("naming", doc_type=CONVENTION, body="# naming\n\n## Modules\n\none word")
    assert "\n## Modules\n" in with_evidence(rule, "## Classes").body
    assert evidence_of(with_evidence(rule, "## Classes")) == "## Modules\n\none word\n\n## Classes"


def test_another_symbol_changes_the_title_and_nothing_that_people_wrote():
    before = Agreement("login", "AuthService")
    before = replace(before, body=new_body(before, "AuthService is what we call it"))
    after = retitled(replace(before, symbol="LoginForm"), before)
    assert after.body.startswith("# login → LoginForm\n\n**シンボル（分解）**: login form\n")
    assert evidence_of(after) == "AuthService is what we call it"
