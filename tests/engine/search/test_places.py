from math import log

import pytest

from shirube.engine.search.evidence import fits, names_fit
from shirube.engine.search.names import name_of
from shirube.engine.text.bm25 import saturation
from tests.cases import for_each

ASKED = {"session": 1.0}


@for_each(
    ("path", "name"),
    [
        ("src/user_repo.py", "user_repo"),
        ("src/user_repo.test.py", "user_repo"),
        ("auth/index.ts", "auth"),
        ("auth/mod.rs", "auth"),
        ("pkg/auth/__init__.py", "auth"),
        ("cmd/server/main.go", "server"),
        ("main.go", "main"),
        ("web/.env", ".env"),
        ("Makefile", "Makefile"),
    ],
)
def test_a_file_is_called_by_its_name_or_by_the_directory_it_stands_for(path: str, name: str):
    assert name_of(path) == name


def test_a_path_fits_by_bm25_computed_by_hand():
    """Both paths have three terms (src, …, py), so length says nothing: 1 of 10 paths has "session"."""
    found = fits(["src/session.py", "src/other.py"], ASKED, 10, {"session": 1})
    rarity = log((10 - 1 + 0.5) / (1 + 0.5) + 1)
    assert found == {"src/session.py": pytest.approx(rarity * saturation(1, 3, 3.0))}
    assert saturation(1, 3, 3.0) == pytest.approx(1.0)


def test_a_word_that_many_paths_have_says_less():
    rare, common = (fits(["a/session.py"], ASKED, 100, {"session": n})["a/session.py"] for n in (1, 90))
    assert rare > 10 * common > 0


def test_a_short_path_fits_better_than_a_long_one():
    found = fits(["a/session.py", "a/very/long/way/down/to/session.py"], ASKED, 10, {"session": 2})
    assert found["a/session.py"] > found["a/very/long/way/down/to/session.py"]


def test_a_term_counts_for_what_it_is_worth():
    whole, half = (fits(["a/db.py"], {"db": worth}, 10, {"db": 1})["a/db.py"] for worth in (1.0, 0.5))
    assert half == pytest.approx(whole / 2)


def test_a_name_fits_without_its_directories():
    found = names_fit(["session/read.py", "web/session.py", "session/index.ts"], ASKED, 10, {"session": 3})
    assert set(found) == {"web/session.py", "session/index.ts"}


def test_every_spelling_of_a_word_in_a_path_fits():
    paths = ["a/userSessions.ts", "a/user_session.py", "a/user-session.rb", "ＵｓｅｒSession.py"]
    assert set(fits(paths, ASKED, 10, {"session": 4})) == set(paths)


def test_what_fits_nothing_is_left_out():
    assert fits(["a.py"], {}, 10, {}) == fits([], ASKED, 10, {}) == fits(["a.py"], ASKED, 0, {}) == {}


def test_the_order_of_paths_changes_nothing():
    paths = ["a/session.py", "session/b.py", "c/d/session.py"]
    assert fits(paths, ASKED, 9, {"session": 3}) == fits(paths[::-1], ASKED, 9, {"session": 3})
