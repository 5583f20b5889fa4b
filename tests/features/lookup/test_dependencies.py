"""deps_closure: seed 001's shape, what an empty graph means, drawings, history."""

import subprocess
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.codec import shown_json
from shirube.errors import UnknownFile
from shirube.types import Answer
from tests.cases import for_each
from tests.conftest import needs_git


@pytest.mark.requirement("001-CLOSURE-01", "N001-GRAPH-02")
def test_the_answer_has_the_shape_of_seed_001(shop: Project):
    found = shown_json(shop.deps_closure("tests/test_payment.py", max_depth=2))
    assert found["root"] == "tests/test_payment.py"
    assert found["direction"] == "outbound"
    assert [(node["kind"], node["target"], node["depth"]) for node in found["nodes"]][:3] == [
        ("path", "tests/test_payment.py", 0),
        ("path", "src/shop/payment.py", 1),
        ("path", "src/shop/retry.py", 2),
    ]
    first = found["edges"][0]
    assert {key: first[key] for key in ("from", "to", "kind", "rel", "depth", "line")} == {
        "from": "tests/test_payment.py",
        "to": "src/shop/payment.py",
        "kind": "path",
        "rel": "import",
        "depth": 1,
        "line": 1,
    }


@pytest.mark.requirement("001-CLOSURE-02")
def test_who_uses_a_file_is_told_to_a_depth(shop: Project):
    found = shop.deps_closure("src/shop/retry.py", direction="inbound")
    assert [(node.target, node.depth) for node in found.nodes] == [
        ("src/shop/retry.py", 0),
        ("src/shop/payment.py", 1),
        ("tests/test_payment.py", 2),
    ]
    assert found.answer == Answer.FOUND


@pytest.mark.requirement("001-CLOSURE-03")
def test_packages_are_there_unless_they_are_unwanted(shop: Project):
    assert "package" in {node.kind for node in shop.deps_closure("src/shop/retry.py").nodes}
    bare = shop.deps_closure("src/shop/retry.py", packages=False)
    assert bare.answer == Answer.NONE
    assert "search_text" in bare.next


def test_a_language_whose_imports_are_not_followed_is_unknown_and_not_none(shop: Project):
    assert shop.deps_closure("README.md").answer == Answer.UNKNOWN


def test_drawings_come_on_request(shop: Project):
    assert shop.deps_closure("web/cart.ts").drawing == ""
    assert '"web/cart.ts" -> "web/price.ts"' in shop.deps_closure("web/cart.ts", format="dot").drawing
    assert shop.deps_closure("web/cart.ts", format="mermaid").drawing.startswith("flowchart LR")


def test_a_cut_graph_says_so(shop: Project):
    found = shop.deps_closure("tests/test_payment.py", limit=2, direction="both")
    assert (len(found.nodes), found.truncated, found.answer) == (2, True, Answer.PARTIAL)
    assert "depth 1" in found.next


@for_each(
    ("path", "hint"),
    [
        ("payment.py", "did you mean 'src/shop/payment.py'?"),
        ("src/shop/paymnet.py", "did you mean 'src/shop/payment.py'?"),
        (".env", "secret"),
        ("src/shop", "directory"),
    ],
)
def test_a_file_that_is_not_indexed_is_told_with_the_way_out(shop: Project, path: str, hint: str):
    with pytest.raises(UnknownFile) as refused:
        shop.deps_closure(path)
    assert refused.value.code == "unknown_file"
    assert hint in refused.value.hint


@needs_git
@pytest.mark.requirement("N001-GRAPH-03")
def test_what_changes_together_comes_from_git_and_tells_whether_it_is_linked(sample_repo: Path):
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *arguments], cwd=sample_repo, check=True, capture_output=True)

    git("init", "-q")
    for number in range(3):
        for path in ("src/shop/retry.py", "README.md", "src/shop/payment.py"):
            with (sample_repo / path).open("a") as file:
                file.write(f"# {number}\n")
        git("add", "-A")
        git("commit", "-q", "-m", "x")
    with open_workspace(sample_repo) as project:
        found = project.deps_closure("src/shop/payment.py", history=True)
        assert project.deps_closure("src/shop/payment.py").changes_with == ()
    assert [(one.path, one.share, one.linked) for one in found.changes_with] == [
        ("README.md", 1.0, False),
        ("src/shop/retry.py", 1.0, True),
    ]
    assert all(one.recent > 0.9 for one in found.changes_with)
