from shirube.engine.search.pipeline import tags_of
from tests.cases import for_each


@for_each(
    "front",
    [
        "tags: [Auth, web]",
        "tags: Auth, web",
        "tags: ['Auth', \"web\"]",
        "tags:\n  - Auth\n  - web",
        "tags:\n- Auth\n- web\nauthor: x",
        "title: x\nTags: [auth, web]\nlang: ja",
    ],
)
def test_tags_are_read_however_they_are_listed(front: str):
    assert tags_of(f"---\n{front}\n---\n# Title\n") == {"auth", "web"}


def test_one_tag_needs_no_list():
    assert tags_of("---\ntag: 認証\n---\n") == {"認証"}


def test_windows_lines_and_a_byte_order_mark_are_no_obstacle():
    assert tags_of("\ufeff---\r\ntags:\r\n  - Auth\r\n  - web\r\n---\r\ntext") == {"auth", "web"}


def test_front_matter_may_end_with_dots_or_with_the_file():
    assert tags_of("---\ntags: a\n...\ntext") == tags_of("---\ntags: a\n---") == {"a"}


@for_each(
    "text",
    [
        "",
        "tags: [auth]\n",
        "# Title\n---\ntags: [auth]\n---\n",
        "---\ntags: [auth]\n",
        "---\ntitle: x\n---\ntags: [auth]\n",
        "---\nmeta:\n  tags: [auth]\n---\n",
        "---\ntags:\n---\n",
        "---\ntags: []\n---\n",
    ],
)
def test_what_is_no_front_matter_or_names_none_has_no_tags(text: str):
    assert tags_of(text) == frozenset()


def test_a_long_text_without_an_end_is_read_in_no_time():
    assert tags_of("---\n" + "tags: a\n" * 200_000) == frozenset()
