import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shirube.codec import replace
from shirube.errors import BadArgument
from shirube.features.map.agreement import Agreement
from shirube.features.map.files import AGREEMENTS, PAIRS, MapFolder
from shirube.features.map.merge import merge
from shirube.features.map.page import evidence_of, files_of, from_page, new_body, to_page, with_evidence
from shirube.features.map.pairs import read_pairs, write_pairs
from shirube.features.map.states import Standing
from tests.conftest import needs_git

MADE = Agreement("login", "AuthService", successes=2, path="a.py", line=3, digest="d", commit="c", learned_at="2026-01")
BASE = replace(MADE, body=new_body(MADE, "shown by login()"))
SYMBOLS = st.text("abcAB_", min_size=1, max_size=4)
PAIR = st.tuples(st.text("abログイン -_", min_size=1, max_size=5).filter(lambda term: term.strip() == term), SYMBOLS)


def one(text: str) -> Agreement:
    (found,) = from_page(text)
    return found


# --- pages -------------------------------------------------------------------------------------------------


def test_counts_of_both_branches_add_up():
    ours, theirs = replace(BASE, successes=3), replace(BASE, successes=4, failures=1, standing=Standing.DEMOTED)
    merged = merge(to_page(BASE), to_page(ours), to_page(theirs))
    found = one(merged.text)
    assert (found.successes, found.failures, found.standing) == (5, 1, Standing.DEMOTED)
    assert merged.conflicts == ()


def test_evidence_of_both_branches_is_kept_and_told():
    ours, theirs = with_evidence(BASE, "ours too"), with_evidence(BASE, "theirs too")
    merged = merge(to_page(BASE), to_page(ours), to_page(theirs))
    assert "ours too" in merged.text
    assert "theirs too" in merged.text
    assert len(merged.conflicts) == 1


@pytest.mark.requirement("004-OPEN-02")
def test_every_section_is_merged_in_its_place():
    def page(evidence: str, files: list[str]) -> Agreement:
        return replace(MADE, body=new_body(MADE, evidence, files, {"target_feature": "login"}))

    base, ours, theirs = (
        page("one\n\ntwo", ["b.py"]),
        page("one\n\n2", ["c.py"]),
        page("one\n\nzwei\n\nmore", ["b.py", "d.py"]),
    )
    merged = merge(to_page(base), to_page(ours), to_page(theirs))
    found = one(merged.text)
    assert evidence_of(found) == "one\n\n2\n\nzwei\n\nmore"
    assert files_of(found) == ("a.py", "c.py", "d.py")
    assert found.body.count("## ") == 3
    texts = [write_pairs([item], "m") for item in (base, ours, theirs)]
    (pair,) = read_pairs(merge(*texts).text)[1]
    assert pair["code_evidence"] == evidence_of(found)
    assert with_evidence(found, pair["code_evidence"]) == found


def test_a_page_that_both_branches_added_becomes_one():
    theirs = replace(BASE, body=new_body(MADE, "another reason"), learned_at="2025-12", last_used="2026-02")
    found = one(merge("", to_page(BASE), to_page(theirs)).text)
    assert "another reason" in found.body
    assert (found.learned_at, found.last_used, found.successes) == ("2025-12", "2026-02", 4)


def test_a_binding_stays_whole():
    ours, theirs = replace(BASE, successes=9), replace(BASE, path="b.py", line=7, digest="e", commit="f")
    found = one(merge(to_page(BASE), to_page(ours), to_page(theirs)).text)
    assert (found.path, found.line, found.digest, found.commit) == ("b.py", 7, "e", "f")


def test_the_more_careful_standing_wins_where_both_changed_it():
    ours, theirs = replace(BASE, standing=Standing.EXPIRED), replace(BASE, standing=Standing.DEMOTED)
    assert one(merge(to_page(BASE), to_page(ours), to_page(theirs)).text).standing == Standing.EXPIRED


def test_pages_about_different_things_are_not_merged():
    with pytest.raises(BadArgument, match="AuthService"):
        merge("", to_page(BASE), to_page(replace(BASE, symbol="Other")))


def test_one_side_that_is_missing_leaves_the_other():
    assert merge("", to_page(BASE), "").text == to_page(BASE)


# --- pairs -------------------------------------------------------------------------------------------------


def keys(text: str) -> set[tuple[str, str]]:
    return {(pair["nl_term"], pair["symbol"]) for pair in read_pairs(text)[1]}


@pytest.mark.requirement("004-OPEN-02")
@given(st.sets(PAIR), st.sets(PAIR), st.sets(PAIR))
def test_no_pair_of_either_branch_is_lost(base, ours, theirs):
    texts = [write_pairs([Agreement(*pair) for pair in pairs], "m") for pairs in (base, base | ours, base | theirs)]
    merged = merge(*texts)
    assert {(term.casefold(), symbol) for term, symbol in keys(merged.text)} == {
        (term.casefold(), symbol) for term, symbol in base | ours | theirs
    }
    assert merged.conflicts == ()


def test_a_pair_that_both_changed_is_told_and_keeps_the_evidence_of_both():
    def text(agreement: Agreement) -> str:
        return write_pairs([agreement], "m")

    merged = merge(text(BASE), text(with_evidence(BASE, "ours too")), text(with_evidence(BASE, "theirs too")))
    (pair,) = read_pairs(merged.text)[1]
    assert "ours too" in pair["code_evidence"]
    assert "theirs too" in pair["code_evidence"]
    assert len(merged.conflicts) == 1


def test_removing_counts_unless_the_other_branch_changed_the_pair():
    whole, empty = write_pairs([BASE], "m"), write_pairs([], "m")
    assert keys(merge(whole, empty, whole).text) == set()
    changed = write_pairs([replace(BASE, similarity=0.5)], "m")
    kept = merge(whole, empty, changed)
    assert keys(kept.text) == {("login", "AuthService")}
    assert len(kept.conflicts) == 1


def test_a_damaged_version_is_refused_rather_than_merged():
    with pytest.raises(BadArgument):
        merge("", '{"version": 2, "pairs": [{}]}', write_pairs([BASE], "m"))
    with pytest.raises(BadArgument):
        merge("", "<<<<<<< ours", write_pairs([BASE], "m"))


# --- real git ----------------------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def commit(root: Path, pairs: set[tuple[str, str]], message: str) -> None:
    folder = MapFolder(root)
    known = {agreement.key for agreement in folder.load().agreements}
    for pair in sorted(pairs):
        if Agreement(*pair).key not in known:
            folder.save(Agreement(*pair, body=f"# by {message}"))
            known.add(Agreement(*pair).key)
    folder.write_pairs(write_pairs(folder.load().agreements, "m"))
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)


@needs_git
@pytest.mark.requirement("004-OPEN-02")
@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(base=st.sets(PAIR, max_size=4), ours=st.sets(PAIR, max_size=5), theirs=st.sets(PAIR, max_size=5))
def test_two_branches_that_add_agreements_merge_without_loss(tmp_path_factory, base, ours, theirs):
    root = tmp_path_factory.mktemp("repo")
    git(root, "init", "-q", "-b", "main")
    driver = root / "driver.py"
    driver.write_text(
        "import sys\nfrom pathlib import Path\nfrom shirube.features.map.merge import merge\n"
        "base, ours, theirs = (Path(name) for name in sys.argv[1:])\n"
        "done = merge(*(one.read_text('utf-8') for one in (base, ours, theirs)))\n"
        "ours.write_text(done.text, 'utf-8')\nsys.exit(bool(done.conflicts) and 'json' in sys.argv[0])\n"
    )
    (root / ".gitattributes").write_text(f"{PAIRS} merge=map\n{AGREEMENTS}/*.md merge=map\n")
    import sys

    git(root, "config", "merge.map.driver", f"{sys.executable} driver.py %O %A %B")
    commit(root, base, "base")
    git(root, "checkout", "-q", "-b", "theirs")
    commit(root, theirs, "theirs")
    git(root, "checkout", "-q", "main")
    commit(root, ours, "ours")
    git(root, "merge", "-q", "theirs", "-m", "merge")
    merged = MapFolder(root).load()
    wanted = {Agreement(*pair).key for pair in base | ours | theirs}
    assert merged.problems == ()
    assert {agreement.key for agreement in merged.agreements} == wanted
    in_pairs = {Agreement(term, symbol).key for term, symbol in keys((root / PAIRS).read_text("utf-8"))}
    assert in_pairs == wanted
    for key in {Agreement(*pair).key for pair in theirs} - {Agreement(*pair).key for pair in base | ours}:
        assert any(agreement.key == key and "by theirs" in agreement.body for agreement in merged.agreements)


def test_evidence_survives_a_round_trip():
    assert evidence_of(one(to_page(BASE))) == "shown by login()"
    assert json.loads(write_pairs([BASE], "m"))["pairs"][0]["code_evidence"] == "shown by login()"
