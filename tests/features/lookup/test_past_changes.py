"""How was something like this done here before?"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.engine.text.redact import MARK
from shirube.errors import BadArgument, OutsideRoot, SmallBudget
from shirube.messages import say
from shirube.operation import Call
from shirube.operations import run
from shirube.types import Answer
from tests.cases import for_each
from tests.conftest import isolate, make_state_dirs, needs_git
from tests.features.past import FAKE, PAYMENT, RETRY, begin, changed, commit, git, write_past
from tests.refusals import refusal

pytestmark = needs_git


class Past:
    """The shop with its past, open; nobody may change it."""

    def __init__(self, project: Project, hashes: dict[str, str]) -> None:
        self.project, self.hashes = project, hashes

    def ask(self, goal: str = "", **arguments):
        return self.project.past_changes(goal, **arguments)

    def found(self, goal: str, **arguments) -> list[str]:
        words = {commit: word for word, commit in self.hashes.items()}
        return [words[one.hash] for one in self.ask(goal, **arguments).changes]


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Past]:
    base = tmp_path_factory.mktemp("past")
    with pytest.MonkeyPatch.context() as patch:
        isolate(make_state_dirs(base / "own"), patch)
        hashes = write_past(base / "shop")
        with open_workspace(base / "shop") as project:
            project.sync_index()
            yield Past(project, hashes)


def test_a_goal_leads_to_the_commits_that_say_it(past: Past):
    result = past.ask("retry a failed payment")
    first = result.changes[0]
    assert (result.answer, first.subject) == (Answer.FOUND, "Retry failed payments five times")
    assert (first.commit, first.hash) == (past.hashes["retry"][:7], past.hashes["retry"])
    assert first.date == "2024-01-10"
    assert first.body == "The bank is slow on Mondays.\nSeen in the log of the till."
    assert [(file.path, file.exists, file.symbols) for file in first.files] == [
        (PAYMENT, True, ("checkout",)),
        (RETRY, True, ()),
    ]
    assert result.next == f"past_changes commit={first.commit} shows how it was done"


def test_similarity_is_the_share_of_the_goals_words_and_why_names_them(past: Past):
    first = past.ask("retry a failed delivery at the bank").changes[0]
    assert (first.why, first.similarity) == (("retry", "failed", "bank"), 0.75)


def test_a_japanese_goal_is_said_in_either_language(past: Past):
    (first, *_) = past.ask("返金処理を直す").changes
    assert (first.hash, first.why, first.similarity) == (past.hashes["refund"], ("返金",), 1.0)
    (english, *_) = past.ask("支払いの再試行").changes
    assert (english.hash, english.why) == (past.hashes["retry"], ("支払い (payment)", "再試行 (retry)"))


def test_what_says_more_of_the_goal_comes_first(past: Past):
    shares = [one.similarity for one in past.ask("retry failed payments of the shop in yen").changes]
    assert len(shares) > 1
    assert shares == sorted(shares, reverse=True)


def test_words_that_only_few_messages_share_are_a_partial_answer(past: Past):
    result = past.ask("prices of delivery by ship, train and plane")
    assert (result.answer, result.next.code) == (Answer.PARTIAL, "past.weak")


def test_a_path_narrows_the_commits(past: Past):
    assert past.found("payments and prices")[:3] == ["retry", "renamed", "price"]
    assert past.found("payments and prices", path="src/shop") == ["retry"]
    assert past.found("payments and prices path:src/**/*.py") == ["retry"]
    nothing = past.ask("payments", path="web")
    assert (nothing.answer, nothing.changes, nothing.next.code) == (Answer.NONE, (), "past.none_there")
    with pytest.raises(OutsideRoot):
        past.ask("payments", path="../elsewhere")


def test_the_limit_holds(past: Past):
    assert len(past.ask("the prices of the shop and the cart", limit=1).changes) == 1


def test_a_renamed_file_has_the_path_of_today_and_a_removed_one_is_said_to_be_gone(past: Past):
    price = past.ask("prices in whole yen").changes[0].files
    assert [(file.path, file.then, file.exists) for file in price] == [("web/money.ts", "web/price.ts", True)]
    cart = past.ask("remove the cart").changes[0].files
    assert [(file.path, file.exists) for file in cart] == [("web/cart.ts", False)]


def test_nothing_alike_is_none_and_says_how_many_commits_were_looked_at(past: Past):
    result = past.ask("zyxwvut")
    assert (result.answer, result.changes) == (Answer.NONE, ())
    assert result.next.code == "past.none"
    assert result.next.values["count"] == len(past.hashes)


def test_the_diff_comes_on_request(past: Past):
    assert [one.diff for one in past.ask("retry failed payments").changes if one.diff] == []
    first = past.ask("retry failed payments", diff=True).changes[0]
    assert "-ATTEMPTS = 3\n+ATTEMPTS = 5" in first.diff
    assert first.diff.startswith(f"diff --git a/{PAYMENT} b/{PAYMENT}")
    assert first.diff_notes == ()


def test_a_commit_is_shown_by_its_hash_with_its_diff(past: Past):
    for given in (past.hashes["price"], past.hashes["price"][:7], past.hashes["price"][:12].upper()):
        result = past.ask(commit=given)
        (one,) = result.changes
        assert (result.answer, one.hash) == (Answer.FOUND, past.hashes["price"])
        assert "--- a/web/price.ts" in one.diff
        assert result.next == "read web/money.ts as it is now"


def test_what_looks_like_a_secret_is_not_shown(past: Past):
    (one,) = past.ask(commit=past.hashes["secret"]).changes
    assert one.subject == f"Let the till log in with {MARK}"
    assert one.body == f"The password is in the chat: password={MARK}"
    assert f'+TOKEN = "{MARK}"' in one.diff
    assert FAKE not in str(one)


def test_files_that_may_hold_secrets_are_named_but_not_shown(past: Past):
    (one,) = past.ask(commit=past.hashes["secret"]).changes
    assert "TILL=1" not in one.diff
    assert [note.code for note in one.diff_notes] == ["past.diff_secret"]
    assert one.diff_notes[0].endswith(": .env")
    assert "Binary files /dev/null and b/logo.png differ" in one.diff


@for_each(
    ("arguments", "code"),
    [
        ({}, "past.nothing_asked"),
        ({"goal": "   "}, "past.nothing_asked"),
        ({"goal": "?!"}, "asking.no_word"),
        ({"commit": "HEAD"}, "past.no_hash"),
        ({"commit": "main~1"}, "past.no_hash"),
        ({"commit": "--all"}, "past.no_hash"),
        ({"commit": "abc"}, "past.no_hash"),
        ({"commit": "0123456789abcdef"}, "past.unknown_commit"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_next_step(past: Past, arguments, code):
    with refusal(BadArgument, code) as refused:
        past.ask(**arguments)
    assert refused.value.hint


def test_a_session_records_the_files_that_were_named(past: Past):
    shown = past.ask("remove the cart, retry failed payments").shown()
    assert shown.places == ()
    assert set(shown.listed) >= {PAYMENT, RETRY}
    assert "web/cart.ts" not in shown.listed


def test_the_author_is_shown_only_if_configured(past: Past):
    assert past.ask("remove the cart").changes[0].author == ""
    root = past.project.workspace.root
    with open_workspace(root, history__authors=True) as project:
        assert project.past_changes("remove the cart").changes[0].author == "Aya"


def test_a_commit_outside_the_history_is_not_shown(sample_repo: Path):
    begin(sample_repo)
    commit(sample_repo, "2024-01-01", "Open the shop", {})
    git(sample_repo, "switch", "-q", "-c", "aside")
    aside = commit(sample_repo, "2024-01-02", "Keep this to ourselves", {"aside.py": "x = 1\n"})
    git(sample_repo, "switch", "-q", "main")
    with open_workspace(sample_repo) as project:
        assert project.past_changes("keep this to ourselves").changes == ()
        with refusal(BadArgument, "past.unknown_commit"):
            project.past_changes(commit=aside)


def test_without_git_or_commits_there_is_nothing_and_it_says_so(sample_repo: Path):
    with open_workspace(sample_repo) as project:
        result = project.past_changes("retry")
        assert (result.answer, result.next.code) == (Answer.NONE, "past.no_git")
        begin(sample_repo)
        result = project.past_changes("retry")
        assert (result.answer, result.next.code) == (Answer.NONE, "past.no_commits")


def test_history_that_is_switched_off_is_unknown(tmp_path: Path, state_dirs):
    write_past(tmp_path / "shop")
    with open_workspace(tmp_path / "shop", history__read=False) as project:
        result = project.past_changes("retry failed payments")
    assert (result.answer, result.changes, result.next.code) == (Answer.UNKNOWN, (), "past.off")


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ({"history__read": False}, "history is not read: set history.read = true"),
        ({"history__commits": 0}, "history is not read: set history.commits = 20000"),
    ],
)
def test_where_no_history_is_read_a_goal_and_a_commit_get_the_same_reason(tmp_path: Path, state_dirs, setting, told):
    hashes = write_past(tmp_path / "shop")
    with open_workspace(tmp_path / "shop", **setting) as project:
        for result in (project.past_changes("retry"), project.past_changes(commit=hashes["retry"])):
            assert (result.answer, result.changes, str(result.next)) == (Answer.UNKNOWN, (), told)


def test_where_git_fails_a_commit_is_unknown_and_the_reason_is_told(tmp_path: Path, state_dirs):
    hashes = write_past(tmp_path / "shop")
    (tmp_path / "shop" / ".git" / "HEAD").write_text("nonsense\n")
    with open_workspace(tmp_path / "shop") as project:
        result = project.past_changes(commit=hashes["retry"])
    assert (result.answer, result.changes, result.next.code) == (Answer.UNKNOWN, (), "past.unreadable")
    assert [note.code for note in result.degraded] == ["history.left_out"]


def test_while_history_is_read_nobody_says_that_a_commit_is_not_there(tmp_path: Path, state_dirs, monkeypatch):
    write_past(tmp_path / "shop")
    with open_workspace(tmp_path / "shop") as project:
        history = project.workspace.keeper.history
        history.complete(False, lambda *step: None, Call().deadline)
        monkeypatch.setattr(history, "notes", lambda: (say("history.behind", done=75, total=5000),))
        result = run(project.workspace, "past_changes", {"commit": "abcdef12"}, Call())
    assert (result.answer, result.changes, result.next.code) == (Answer.UNKNOWN, (), "past.reading")


def test_while_history_is_read_the_answer_is_not_called_whole(tmp_path: Path, state_dirs, monkeypatch):
    write_past(tmp_path / "shop")
    with open_workspace(tmp_path / "shop") as project:
        history = project.workspace.keeper.history
        monkeypatch.setattr(history, "look", lambda: None)
        monkeypatch.setattr(history, "notes", lambda: (say("history.begun"),))
        result = run(project.workspace, "past_changes", {"goal": "retry failed payments"}, Call())
        assert (result.answer, result.next.code) == (Answer.UNKNOWN, "past.reading")
        assert [note.code for note in result.degraded] == ["history.begun"]
        history.complete(False, lambda *step: None, Call().deadline)
        result = run(project.workspace, "past_changes", {"goal": "retry failed payments"}, Call())
        assert (result.answer, len(result.changes) > 0) == (Answer.PARTIAL, True)


def test_mass_changes_are_not_shown_unless_they_are_named(sample_repo: Path):
    begin(sample_repo)
    many = {f"src/part{number}.py": f"x = {number}\n" for number in range(40)}
    mass = commit(sample_repo, "2024-01-01", "Move the parts of the engine", many)
    with open_workspace(sample_repo) as project:
        assert project.past_changes("move the parts").changes == ()
        result = project.past_changes(commit=mass)
        (one,) = result.changes
        assert (one.subject, one.diff) == ("Move the parts of the engine", "")
        assert result.next.code == "past.now", "its files are not known, so nobody can say that none is left"
        assert [note.code for note in one.diff_notes] == ["past.diff_many"]
        commit(sample_repo, "2024-01-02", "Move one part", {"src/part1.py": None})
        assert [one.subject for one in project.past_changes("move the parts").changes] == ["Move one part"]


def test_a_long_diff_is_cut_between_hunks_and_a_long_line_inside(sample_repo: Path):
    begin(sample_repo)
    lines = [f"value_{number} = {number}\n" for number in range(4000)]
    commit(sample_repo, "2024-01-01", "Open the shop", {"many.py": "".join(lines), "wide.js": "var a=1;" * 9000})
    apart = [line if number % 20 else f"other_{number} = {number}\n" for number, line in enumerate(lines)]
    cut = commit(sample_repo, "2024-01-02", "Rename some values", {"many.py": "".join(apart)})
    whole = commit(sample_repo, "2024-01-03", "Replace all", {"many.py": "".join(apart).upper(), "wide.js": "b" * 9000})
    with open_workspace(sample_repo) as project:
        (one,) = project.past_changes(commit=cut).changes
        assert [note.code for note in one.diff_notes] == ["past.diff_cut"]
        hunks = one.diff.count("\n@@ ")
        assert 1 < hunks < 200
        assert one.diff_notes[0].values == {"shown": hunks, "total": 200}
        assert one.diff.splitlines()[-1].startswith(" value_")
        (one,) = project.past_changes(commit=whole).changes
        assert one.diff.startswith("diff --git a/many.py")
        assert one.diff_notes[-1].values["shown"] == 0
        assert max(map(len, one.diff.splitlines())) <= 300


def test_a_project_below_its_repository_shows_its_own_files_only(tmp_path: Path, state_dirs):
    top = tmp_path / "all"
    top.mkdir()
    begin(top)
    commit(top, "2024-01-01", "Open", {"shop/a.py": "a = 1\n", "other/b.py": "b = 1\n"})
    both = commit(top, "2024-01-02", "Count from two", {"shop/a.py": "a = 2\n", "other/b.py": "b = 2\n"})
    with open_workspace(top / "shop") as project:
        (one,) = project.past_changes(commit=both).changes
    assert [file.path for file in one.files] == ["a.py"]
    assert "+a = 2" in one.diff
    assert "other/b.py" not in str(one)


def test_a_hostile_repository_runs_no_program_for_a_diff(sample_repo: Path):
    begin(sample_repo)
    trap = sample_repo.parent / "trapped"
    for setting in ("diff.external", "diff.x.command", "diff.x.textconv", "core.pager", "pager.show"):
        git(sample_repo, "config", setting, f"touch {trap}; cat")
    git(sample_repo, "config", "diff.noprefix", "true")
    commit(sample_repo, "2024-01-01", "Open the shop", {".gitattributes": "* diff=x\n"})
    made = commit(sample_repo, "2024-01-02", "Try more", changed(sample_repo, RETRY, "= 3", "= 4"))
    trap.unlink(missing_ok=True)
    with open_workspace(sample_repo) as project:
        (one,) = project.past_changes(commit=made).changes
    assert "+ATTEMPTS = 4" in one.diff
    assert one.diff.startswith(f"diff --git a/{RETRY} b/{RETRY}")
    assert not trap.exists()


def test_a_bundle_holds_past_changes_on_request_within_its_budget(past: Past):
    plain = past.project.context_bundle("retry failed payments", budget=800)
    assert plain.past_changes == ()
    result = past.project.context_bundle("retry failed payments", budget=800, past=2)
    assert result.past_changes[0].hash == past.hashes["retry"]
    assert all(one.body == "" and one.diff == "" for one in result.past_changes)
    assert result.tokens_estimate <= 800
    assert RETRY in result.shown().listed
    assert past.project.context_bundle("retry failed payments", budget=80, past=2).past_changes == ()


def test_snippets_come_before_past_changes_in_a_small_budget(past: Past):
    with pytest.raises(SmallBudget) as caught:
        past.project.context_bundle("retry failed payments", budget=5, past=3)
    least = caught.value.smallest
    result = past.project.context_bundle("retry failed payments", budget=least, past=3)
    assert result.context
    assert result.past_changes == ()


def test_impact_counts_what_changed_together(sample_repo: Path):
    begin(sample_repo)
    commit(sample_repo, "2024-01-01", "Open the shop", {})
    for number, before, word in ((5, "too large", "very large"), (6, "very large", "huge")):
        told = {"README.md": f"# {number}\n"}
        charged = changed(sample_repo, PAYMENT, f'("amount {before}")', f'("amount {word}")')
        commit(sample_repo, f"2024-01-0{number}", f"Call it {word}", told | charged)
        commit(sample_repo, f"2024-01-1{number}", f"Try {number} times", {"README.md": f"# {word}\n"})
    with open_workspace(sample_repo) as project:
        project.sync_index()
        by_file = {one.file: one for one in project.analyze_impact(files=[PAYMENT]).cochanged}
        readme = by_file["README.md"]
        assert (readme.times, readme.last, readme.touching) == (3, "2024-01-06", ())
        result = project.analyze_impact(symbols=["PaymentGateway.charge_card"])
        first = result.cochanged[0]
        assert (first.times, first.last, first.touching) == (3, "2024-01-06", ("charge_card",))
        reasons = {one.file: one.reasons for one in result.should_verify}
        assert "changed together with charge_card 3 times, last 2024-01-06" in str(reasons["README.md"])
        (together, *_) = project.deps_closure(PAYMENT, history=True).changes_with
        assert (together.path, together.times, together.last) == ("README.md", 3, "2024-01-06")


def test_the_index_is_not_needed_and_not_made(sample_repo: Path):
    begin(sample_repo)
    commit(sample_repo, "2024-01-01", "Open the shop", {})
    with open_workspace(sample_repo) as project:
        assert [one.subject for one in project.past_changes("open the shop").changes] == ["Open the shop"]
        assert project.past_changes("zyxwvut").answer == Answer.NONE
        assert project.workspace.store.size() == 0
