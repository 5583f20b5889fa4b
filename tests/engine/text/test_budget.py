import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.text.budget import estimate_tokens

COUNTED = {  # text → tokens counted by o200k_base
    "def get_user(user_id: int) -> User:\n"
    '    """Return one user."""\n'
    "    return self.session.query(User).filter_by(id=user_id).one()\n": 32,
    "export async function getUserById(id: string): Promise<User | null> {\n"
    "  const rows = await db.select().from(users).where(eq(users.id, id));\n"
    "  return rows[0] ?? null;\n}\n": 45,
    "The index is a projection of the catalogue, so it can be deleted and rebuilt at any time without losing "
    "a single answer.": 25,
    "索引は目録から作られるので、いつ削除しても、答えを一つも失わずに作り直すことができます。": 35,
    "## 検索とランキング\n\n- **一次候補**は文字列一致・シンボル名・依存・パス近接など決定的特徴で高速抽出する。\n": 43,
    "func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n"
    "\tif err := s.auth(r); err != nil {\n\t\thttp.Error(w, err.Error(), 401)\n\t\treturn\n\t}\n}\n": 47,
    "| name | default | meaning |\n| --- | --- | --- |\n| `timeout_seconds` | 30 | how long to wait |\n": 28,
}


@pytest.mark.requirement("N001-TEXT-02")
@for_each(("text", "counted"), COUNTED.items())
def test_code_prose_and_japanese_are_estimated_within_a_third(text, counted):
    assert abs(estimate_tokens(text) / counted - 1) < 1 / 3


def test_the_sum_over_many_kinds_of_text_is_within_a_tenth():
    estimated = sum(map(estimate_tokens, COUNTED))
    assert abs(estimated / sum(COUNTED.values()) - 1) < 0.1


@for_each(("text", "expected"), [("", 0), ("a", 1), ("hello", 1), (" ", 1), ("日本語", 3)])
def test_short_texts_have_small_estimates(text, expected):
    assert estimate_tokens(text) == expected


@given(st.text() | st.text(st.characters(categories=["Cs", "Lo", "So"])))
def test_any_text_has_an_estimate_and_only_the_empty_one_is_free(text):
    assert (estimate_tokens(text) == 0) == (text == "")


@given(st.text(min_size=1), st.integers(2, 20))
def test_repeating_a_text_repeats_its_estimate_but_for_the_seams(text, times):
    once = estimate_tokens(text + "\n")
    assert abs(estimate_tokens((text + "\n") * times) - once * times) <= 2 * times
