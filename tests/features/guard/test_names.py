from shirube.features.guard.evidence import is_blank, is_part_of, name_parts, names_in, paths_in, plain_name
from tests.cases import for_each


@for_each(
    ("text", "plain"),
    [
        ("Auth::login(user)", "Auth.login"),
        ("a->b", "a.b"),
        ("auth.Service#login()", "auth.Service.login"),
        (" x ", "x"),
    ],
)
def test_names_are_read_whatever_joins_them(text, plain):
    assert plain_name(text) == plain
    assert name_parts("") == ()


@for_each(
    ("one", "other", "same"),
    [
        ("login", "AuthService.login", True),
        ("AuthService", "AuthService.login", True),
        ("service.AuthService.login", "AuthService.login", True),
        ("logout", "AuthService.login", False),
        ("log", "login", False),
        ("", "login", False),
    ],
)
def test_a_name_is_part_of_another_by_whole_parts(one, other, same):
    assert is_part_of(one, other) is same
    assert is_part_of(other, one) is same


def test_names_of_code_are_found_in_prose_of_both_languages():
    assert names_in("AuthServiceがwith_retriesを呼ぶ。run() と `checkout` も") == (
        "AuthService",
        "with_retries",
        "run",
        "checkout",
    )
    assert names_in("JavaScript and GitHub are no names, nor is a Word") == ()
    assert names_in("see src/auth/my_file.py:3") == ()


def test_paths_are_found_in_prose_of_both_languages():
    assert paths_in("./src/a.pyにある。docs/x.md:3, and cart.ts; e.g. this/that") == (
        "src/a.py",
        "docs/x.md",
        "cart.ts",
    )


@for_each("text", ["", "  ", "<what it showed>"])
def test_a_place_to_be_filled_in_says_nothing(text):
    assert is_blank(text)
    assert not is_blank("x < y")
