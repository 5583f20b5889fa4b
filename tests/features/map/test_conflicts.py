"""What is agreed in two ways, side by side, and the decision."""

from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.errors import UnknownName
from tests.conftest import needs_git
from tests.features.mapped import git

PAGE = "---\nnl_term: till\nsymbol: {symbol}\nlearned_at: {day}\n---\n# till\n\n## Evidence\n\n{why}\n"
FILE = ".shirube/agreements/till.md"


@pytest.fixture
def project(sample_repo: Path):
    with open_workspace(sample_repo) as made:
        made.sync_index()
        yield made


def put(project: Project, text: str, name: str = FILE) -> None:
    path = project.workspace.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def marked(project: Project) -> None:
    put(
        project,
        "---\nnl_term: till\nsymbol: checkout\n---\n# till\n\n## Evidence\n\n"
        "<<<<<<< HEAD\nit takes money\n=======\nit gives change\n>>>>>>> other\n",
    )


def test_a_page_with_marks_is_shown_side_by_side(project: Project):
    assert project.list_conflicts().conflicts == ()
    marked(project)
    (found,) = project.list_conflicts().conflicts
    assert (found.conflict, found.kind, found.differs) == ("till.md", "page", ("body",))
    assert [(side.keep, side.label, side.evidence) for side in found.sides] == [
        ("ours", "HEAD", "it takes money"),
        ("theirs", "other", "it gives change"),
    ]


@pytest.mark.parametrize(
    ("keep", "there", "gone"),
    [("ours", "takes", "gives"), ("theirs", "gives", "takes"), ("both", "takes", "<<<<")],
)
def test_one_version_is_kept_or_both_are_joined(project: Project, keep: str, there: str, gone: str):
    marked(project)
    result = project.resolve_conflict("till.md", keep)
    text = (project.workspace.root / FILE).read_text("utf-8")
    assert there in text
    assert gone not in text
    assert ("gives" in text and "takes" in text) == (keep == "both")
    assert (result.kept, result.left, project.list_conflicts().conflicts) == (keep, 0, ())
    assert project.list_agreements().total == 1


def test_a_decision_that_is_repeated_changes_nothing(project: Project):
    marked(project)
    project.resolve_conflict("till.md", "ours")
    before = (project.workspace.root / FILE).read_text("utf-8")
    again = project.resolve_conflict("till.md", "theirs")
    assert (again.kept, again.note) == ("", "nothing is undecided there any more")
    assert (project.workspace.root / FILE).read_text("utf-8") == before


def test_one_term_with_two_symbols_is_decided_for_one(project: Project):
    put(project, PAGE.format(symbol="checkout", day="2999-01-01", why="one"))
    put(project, PAGE.format(symbol="with_retries", day="2999-02-01", why="two"), ".shirube/agreements/two.md")
    (found,) = project.list_conflicts().conflicts
    assert (found.kind, found.conflict) == ("term", "till")
    assert {side.keep for side in found.sides} == {"checkout", "with_retries"}
    with pytest.raises(UnknownName):
        project.resolve_conflict("till", "ours")
    assert project.resolve_conflict("till", "checkout").expired == ("till → with_retries",)
    assert project.list_conflicts().conflicts == ()
    assert {one.symbol: one.standing for one in project.list_agreements().agreements} == {
        "checkout": "agreed",
        "with_retries": "expired",
    }


@pytest.mark.parametrize(("conflict", "keep"), [("nobody.md", "ours"), ("till.md", "mine"), ("../till.md", "ours")])
def test_what_is_no_conflict_or_no_side_is_refused(project: Project, conflict: str, keep: str):
    marked(project)
    before = (project.workspace.root / FILE).read_text("utf-8")
    with pytest.raises(UnknownName):
        project.resolve_conflict(conflict, keep)
    assert (project.workspace.root / FILE).read_text("utf-8") == before


def test_versions_that_cannot_be_read_are_told(project: Project):
    put(project, "---\n<<<<<<< HEAD\nnl_term: till\n=======\nsymbol: x\n>>>>>>> other\n---\n")
    found = project.list_conflicts()
    assert found.conflicts == ()
    assert found.problems == ("till.md: line 1: there is no symbol",)


@needs_git
def test_git_says_who_and_when(project: Project):
    root = project.workspace.root
    git(root, "init", "-q", "-b", "main")
    put(project, PAGE.format(symbol="checkout", day="2026-01-01", why="start"))
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "checkout", "-qb", "other")
    put(project, PAGE.format(symbol="checkout", day="2026-01-01", why="theirs"))
    git(root, "-c", "user.name=Hanako", "commit", "-qam", "two", "--author", "花子 <h@h>")
    git(root, "checkout", "-q", "main")
    put(project, PAGE.format(symbol="checkout", day="2026-01-01", why="ours"))
    git(root, "commit", "-qam", "three")
    with pytest.raises(Exception, match="returned non-zero"):
        git(root, "merge", "other")
    (found,) = project.list_conflicts().conflicts
    assert [(side.who, side.evidence) for side in found.sides] == [("t", "ours"), ("花子", "theirs")]
    assert all(side.when.endswith("Z") for side in found.sides)
