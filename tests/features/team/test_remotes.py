"""Addresses and names of branches that may be given, and those that may not."""

import pytest

from shirube.errors import BadArgument, TeamFault
from shirube.features.team.remotes import MOST_BRANCHES, chosen, is_branch, matches, read_patterns, read_remote
from tests.cases import for_each


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/pallets/flask",
        "https://GitHub.com/pallets/flask.git/",
        "ssh://git@github.com/pallets/flask.git",
        "ssh://git@github.com:22/pallets/flask",
        "git@github.com:pallets/flask.git",
        "git://github.com/pallets/flask",
        "https://github.com/pallets/flask/.git",
        "https://github.com./pallets/flask",
        "git@github.com.:pallets/flask",
        "https://github.com/p%61llets/fl%61sk",
    ],
)
def test_all_addresses_of_a_remote_have_one_name(url: str):
    assert read_remote(url).name == "github.com/pallets/flask"


def test_what_is_encoded_for_a_reason_stays_so():
    assert read_remote("ssh://git@git.test/a%20b/%40c").name == "git.test/a%20b/%40c"


def test_a_host_may_be_an_address():
    assert read_remote("ssh://git@[::1]:2222/shop").name == "::1:2222/shop"


@for_each(
    ("url", "code"),
    [
        ("", "bad_url"),
        ("git.test/shop", "bad_url"),
        ("https://git.test/", "bad_url"),
        ("https://git.test/../../etc", "bad_url"),
        ("https://git.test/a/.", "bad_url"),
        ("https://git.test/a/%2e%2E/b", "bad_url"),
        ("../shop", "local_url"),
        ("/srv/me@home/shop", "local_url"),
        ("~/shop", "local_url"),
        ("/srv/git/shop.git", "local_url"),
        ("file:///srv/git/shop.git", "local_url"),
        ("C:/shop", "local_url"),
        ("--upload-pack=touch x", "bad_url"),
        ("-oProxyCommand=x:y", "bad_url"),
        ("ext::sh -c touch% x", "bad_url"),
        ("git@-oProxyCommand=x:y", "bad_url"),
        ("https://example.org/a\nb", "bad_url"),
        ("https://example.org/a\x1b[2J", "bad_url"),
        ("https://example.org/" + "a" * 3000, "bad_url"),
        ("https://ghp_secret@example.org/shop", "url_secret"),
        ("https://me:secret@example.org/shop", "url_secret"),
        ("https://me:secret/x@example.org/shop", "url_secret"),
        ("https://me:se cret@example.org/shop", "url_secret"),
        ("https://me%3Asecret%40example.org/shop", "url_secret"),
        ("https://example.org/a:secret@b", "url_secret"),
        ("ssh://me:secret@example.org/shop", "url_secret"),
        ("ssh://me%3Asecret@example.org/shop", "url_secret"),
        ("me:secret@example.org:shop", "url_secret"),
        ("a:secret@example.org:shop", "url_secret"),
        ("git+https://secret@example.org/shop", "url_secret"),
        ("git://secret@example.org/shop", "url_secret"),
        ("ftp://secret@example.org/shop", "url_secret"),
        ("https://me:\nsecret@example.org/shop", "url_secret"),
        ("https://example.org/shop?private_token=secret", "url_query"),
        ("https://example.org/shop#secret", "url_query"),
        ("git@example.org:shop#secret", "url_query"),
    ],
)
def test_an_address_that_may_not_be_is_refused(url: str, code: str):
    with pytest.raises(BadArgument) as caught:
        read_remote(url)
    assert caught.value.message.code == f"team.{code}"
    assert "secret" not in str(caught.value)
    assert "cret@" not in str(caught.value)


@for_each(
    ("name", "fits"),
    [
        ("main", True),
        ("release/1.x", True),
        ("日本語", True),
        ("", False),
        ("-x", False),
        ("--upload-pack=x", False),
        ("a..b", False),
        ("a b", False),
        ("a~1", False),
        ("a.lock", False),
        ("a.lock/b", False),
        ("/a", False),
        ("a/", False),
        ("a//b", False),
        ("a/.b", False),
        ("a@{1}", False),
        ("@", False),
        ("a\x07", False),
        ("a\u202eb", False),
        ("x" * 300, False),
    ],
)
def test_names_of_branches_are_those_that_git_takes(name: str, fits: bool):
    assert is_branch(name) is fits


def test_patterns_are_taken_apart_and_checked():
    assert read_patterns(["main,release/*", "main", " dev "]) == ("main", "release/*", "dev")
    for bad in ("-x", "a b", "[ab]", "a..b"):
        with pytest.raises(BadArgument):
            read_patterns([bad])
    with pytest.raises(BadArgument):
        read_patterns([f"b{number}" for number in range(60)])
    assert matches("release/1/2", ("main", "release/*"))
    assert not matches("Release/1", ("release/*",))


def test_branches_are_those_that_match_or_the_remotes_own():
    commits = {"main": "1", "dev": "2", "release/1": "3", "--evil": "4"}
    assert chosen((), "dev", commits) == {"dev": "2"}
    assert list(chosen(("*",), "dev", commits).items()) == [("dev", "2"), ("main", "1"), ("release/1", "3")]
    for patterns, default, code in (
        (("nothing",), "dev", "no_branch"),
        ((), "", "no_head"),
        ((), "--evil", "no_branch"),
    ):
        with pytest.raises(TeamFault) as caught:
            chosen(patterns, default, commits)
        assert caught.value.message.code == f"team.{code}"
    with pytest.raises(TeamFault) as caught:
        chosen((), "", {})
    assert caught.value.message.code == "team.empty"
    with pytest.raises(TeamFault) as caught:
        chosen(("*",), "", {f"b{number}": "1" for number in range(MOST_BRANCHES + 1)})
    assert caught.value.message.code == "team.many_branches"
