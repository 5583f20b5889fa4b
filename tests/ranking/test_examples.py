"""The worked examples of seed 001 on the sample project, and what profiles and boosts do to a ranking."""

import subprocess

import pytest

from shirube.features.lookup.results import SearchResult
from shirube.types import Answer
from tests.cases import for_each
from tests.conftest import needs_git
from tests.ranking.conftest import Asking, order, shown, write_project

PAGE, CANVAS = "lambda/page-agent/src/handler.ts", "lambda/canvas-agent/handler.ts"
PROFILES = ("default", "bugfix", "testfail", "typeerror", "feature", "refactor")
BOOSTS = ("default", "docs", "balanced", "code", "none")


def why(result: SearchResult, path: str) -> dict[str, float]:
    """Return the reasons of a file's best place."""
    return {reason.name: reason.points for reason in next(hit for hit in result.forest_hits if hit.path == path).why}


@pytest.mark.requirement("001-EXAMPLE-01", "001-PATH-01", "001-SCORE-01")
def test_page_agent_comes_before_canvas_agent_with_the_points_of_the_seed(ask: Asking):
    result = ask("page-agent Lambda handler")
    page, canvas = why(result, PAGE), why(result, CANVAS)
    assert page["phrase:page-agent"] == pytest.approx(2.0)
    assert page["path-phrase:page-agent"] == pytest.approx(2.25)
    assert not any("phrase" in name for name in canvas)
    assert order(result).index(PAGE) < order(result).index(CANVAS)


@pytest.mark.requirement("001-EXAMPLE-01")
@for_each("profile", PROFILES)
@for_each("boost", BOOSTS)
def test_page_agent_comes_before_canvas_agent_under_every_profile(ask: Asking, profile: str, boost: str):
    result = ask("page-agent Lambda handler", profile=profile, boost_profile=boost)
    found = [path for path in order(result) if path in (PAGE, CANVAS)]
    assert found[0] == PAGE, shown(result)


@pytest.mark.requirement("001-PHRASE-02", "001-PHRASE-04")
def test_a_snake_case_compound_is_one_thing(ask: Asking):
    result = ask("user_profile database query")
    assert why(result, "src/db/user_repository.py")["phrase:user_profile"] == pytest.approx(2.0)


@pytest.mark.requirement("001-PATH-02", "001-PHRASE-03")
def test_the_segments_of_a_path_each_count(ask: Asking):
    result = ask("lambda/page-agent/handler implementation")
    segments = {name: points for name, points in why(result, PAGE).items() if name.startswith("path-segment:")}
    assert segments == dict.fromkeys(
        ("path-segment:lambda", "path-segment:page-agent", "path-segment:handler"), pytest.approx(1.5)
    )


@pytest.mark.requirement("001-BLACK-01", "001-BLACK-05", "001-BOOST-03")
def test_documents_are_held_down_by_default_and_neither_hidden_nor_under_the_docs_profile(ask: Asking):
    plain, docs = ask("feature guide"), ask("feature guide", boost_profile="docs")
    assert "docs/setup.md" in order(plain)
    assert why(plain, "docs/setup.md")["boost:doc"] < 0
    assert order(docs)[0] == "docs/setup.md"
    assert why(docs, "docs/setup.md")["boost:doc"] > 0


@pytest.mark.requirement("001-BLACK-02", "001-BLACK-06", "001-BOOST-02")
def test_tests_are_held_down_and_never_hidden(ask: Asking):
    for boost in BOOSTS[:-1]:
        result = ask("expired session is gone", boost_profile=boost, limit=50)
        assert "tests/test_session.py" in order(result)
        assert why(result, "tests/test_session.py")["boost:test"] < 0


@pytest.mark.requirement("N001-RANK-02", "001-BLACK-03")
@for_each(
    ("question", "path", "reason"),
    [
        ("verify token", "vendor/jwt/jwt.js", "boost:vendored"),
        ("order message", "src/generated/orders_pb2.py", "boost:generated"),
        ("login password", "legacy/login.py", "boost:superseded"),
        ("login", "examples/quickstart.py", "boost:example"),
        ("session timeout minutes", "config/default.yaml", "boost:config"),
    ],
)
def test_what_is_held_down_is_found_all_the_same_and_says_why(ask: Asking, question: str, path: str, reason: str):
    result = ask(question, limit=50)
    assert path in order(result)
    assert why(result, path)[reason] < 0


def test_the_only_definition_of_a_name_is_seen_even_where_a_program_wrote_it(ask: Asking):
    assert order(ask("OrderMessage"))[0] == "src/generated/orders_pb2.py"


@pytest.mark.requirement("001-BOOST-06")
def test_without_boosts_the_text_alone_orders(ask: Asking):
    result = ask("authentication guide", boost_profile="none", limit=50)
    assert {reason.name for hit in result.forest_hits for reason in hit.why} <= {"text:words", "further place"}
    assert order(result)[0] == "docs/authentication.md"


@pytest.mark.requirement("001-PROFILE-03")
def test_a_failing_test_is_promoted_when_that_is_what_the_question_is_about(ask: Asking):
    usual, failing = ask("expired session is gone"), ask("expired session is gone", profile="testfail")
    assert order(usual)[0] == "src/auth/session.py"
    assert order(failing)[0] == "tests/test_session.py"
    assert why(usual, "tests/test_session.py")["boost:test"] < 0 < why(failing, "tests/test_session.py")["boost:test"]


@pytest.mark.requirement("N001-RANK-02", "001-BLACK-06")
@for_each("path", ["tests/test_session.py", "legacy/login.py", "vendor/jwt/jwt.js", "api/v1/users.py"])
def test_an_explicit_path_lifts_every_penalty(ask: Asking, path: str):
    result = ask(f"{path} login session token users")
    assert order(result)[0] == path, shown(result)
    assert all(points > 0 for points in why(result, path).values())


@for_each("profile", PROFILES)
@for_each("boost", BOOSTS)
def test_every_profile_and_boost_answers_every_language(ask: Asking, profile: str, boost: str):
    for question, path in (("LruCache", "src/cache/lru.py"), ("キャッシュ", "src/cache/lru.py")):
        result = ask(question, profile=profile, boost_profile=boost)
        assert order(result)[0] == path, shown(result)


@pytest.mark.requirement("001-SCORE-06")
@for_each("profile", PROFILES)
def test_the_points_shown_add_up_to_the_score(ask: Asking, profile: str):
    for hit in ask("session login 認証 tests/test_session.py", profile=profile, limit=50).forest_hits:
        assert hit.score == pytest.approx(sum(reason.points for reason in hit.why), abs=1e-6)


@pytest.mark.requirement("001-SCORE-02", "001-SCORE-03", "001-SCORE-05")
def test_the_file_at_hand_brings_what_it_imports_and_what_is_built_like_it(ask: Asking):
    result = ask("repository of the database", editing=["src/db/user_repository.py"], limit=50)
    assert why(result, "src/db/user_repository.py")["editing"] > 0
    assert any(name.startswith("dep:") for name in why(result, "src/db/pool.py"))
    assert why(result, "src/db/order_repository.py")["structural"] > 0
    assert "structural" not in why(ask("repository of the database", limit=50), "src/db/order_repository.py")


@needs_git
@pytest.mark.requirement("N001-RANK-07", "001-POLICY-01")
def test_what_changed_lately_and_together_counts_where_git_knows_it(tmp_path, state_dirs, monkeypatch):
    from shirube import open_workspace

    root = write_project(tmp_path / "orchid")

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q")
    together = ("src/auth/tokens.py", "src/auth/middleware.py")
    for number in range(3):
        for path in together:
            (root / path).write_text((root / path).read_text("utf-8") + f"# {number}\n", "utf-8")
        git("add", *together)
        git("commit", "-q", "-m", "change")
    with open_workspace(root) as project:
        around = project.search("verify the token of a request", editing=["src/auth/tokens.py"])
        bugfix = project.search("verify the token of a request", profile="bugfix")
        default = project.search("verify the token of a request")
    assert why(around, "src/auth/middleware.py")["co-change"] > 0
    assert why(bugfix, "src/auth/middleware.py")["recent"] > 0
    assert "recent" not in why(default, "src/auth/middleware.py")


@pytest.mark.requirement("001-BOOST-08")
def test_files_search_answers_the_seeds_own_examples(ask: Asking):
    assert ask("run_migrations", operation="files_search").results[0].path == "src/db/migrations.py"
    docs = ask("setup instructions", operation="files_search", boost_profile="docs")
    assert docs.results[0].path == "docs/setup.md"
    plain = ask("authentication", operation="files_search", boost_profile="none")
    assert {reason.name for found in plain.results for reason in found.why} == {"text:words"}


@for_each(
    ("question", "wanted"),
    [
        ("login lang:python", {"python"}),
        ("login lang:tsx", {"tsx"}),
        ("token path:src/auth", {"python"}),
        ("handler path:lambda/**", {"typescript"}),
    ],
)
def test_filters_inside_the_question_narrow_the_answer(ask: Asking, question: str, wanted: set[str]):
    found = {hit.language for hit in ask(question).forest_hits}
    assert found == wanted


def test_a_kind_inside_the_question_narrows_the_answer(ask: Asking):
    assert {hit.kind for hit in ask("session kind:class").forest_hits} == {"class"}


def test_what_is_not_there_is_proven_absent_and_a_poor_answer_is_unsure(ask: Asking):
    assert ask("zyzzyva").answer == Answer.NONE
    unsure = ask("kubernetes zyzzyva quokka session wombat")
    assert (unsure.answer, unsure.confidence < 0.5) == (Answer.PARTIAL, True)


@pytest.mark.requirement("001-BLACK-03", "001-BLACK-04")
def test_installed_packages_are_not_indexed_and_what_programs_made_comes_last(tmp_path, state_dirs):
    from shirube import open_workspace

    places = ("src/quokka.py", "dist/quokka.py", "coverage/quokka.py", "node_modules/q/quokka.js", ".git/quokka.py")
    for place in places:
        (tmp_path / "p" / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / place).write_text("quokka = 1\n")
    with open_workspace(tmp_path / "p") as project:
        assert order(project.search("quokka")) == ["src/quokka.py", "coverage/quokka.py", "dist/quokka.py"]


@pytest.mark.requirement("001-PROFILE-07")
def test_the_weights_of_the_projects_own_profiles_reach_the_score(tmp_path, state_dirs):
    from shirube import open_workspace

    root = write_project(tmp_path / "orchid")
    (root / "config/scoring-profiles.yml").write_text("default:\n  pathMatch: 2.0 # ours\nmine:\n  pathMatch: 6.0\n")
    with open_workspace(root) as project:
        found = [project.search("session", profile=name) for name in ("", "mine")]
    usual, mine = (why(result, "src/auth/session.py")["path-keyword"] for result in found)
    assert mine == pytest.approx(3 * usual)
