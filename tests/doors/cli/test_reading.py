"""The commands for reading, as a person sees them."""

import io
import json
from pathlib import Path

import pytest

from shirube.doors.cli.main import main


def run(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> tuple[int, str, str]:
    code = main(["--root", str(root), *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_deps_draws_a_tree_for_each_direction(capsys, sample_repo: Path):
    code, out, _ = run(capsys, sample_repo, "deps", "src/shop/payment.py", "--no-packages")
    assert code == 0
    assert out.split("\n")[:5] == [
        "src/shop/payment.py",
        "uses:",
        "└─ src/shop/retry.py  line 3",
        "used by:",
        "└─ tests/test_payment.py  line 1",
    ]


def test_deps_marks_packages_and_goes_to_the_depth_asked_for(capsys, sample_repo: Path):
    _, out, _ = run(capsys, sample_repo, "deps", "tests/test_payment.py", "--direction", "out", "--depth", "3")
    assert "   └─ src/shop/retry.py  line 3" in out
    assert "      ├─ collections.abc package" in out or "      ├─ collections package" in out


@pytest.mark.parametrize(("flag", "first"), [("--dot", "digraph dependencies {"), ("--mermaid", "flowchart LR")])
def test_deps_prints_drawings_for_other_programs(capsys, sample_repo: Path, flag: str, first: str):
    _, out, _ = run(capsys, sample_repo, "deps", "web/cart.ts", flag)
    assert out.startswith(first)


def test_deps_tells_what_is_not_known_and_exits_with_1(capsys, sample_repo: Path):
    code, out, _ = run(capsys, sample_repo, "deps", "README.md")
    assert code == 1
    assert "unknown" in out


def test_deps_of_a_file_that_is_not_there_is_an_error_with_the_nearest(capsys, sample_repo: Path):
    code, _, err = run(capsys, sample_repo, "deps", "cart.ts")
    assert code == 2
    assert "did you mean 'web/cart.ts'?" in err


def test_context_shows_numbered_lines_reasons_and_the_cost(capsys, sample_repo: Path):
    code, out, _ = run(capsys, sample_repo, "context", "charge", "the", "card", "--budget", "300")
    assert code == 0
    assert out.startswith("src/shop/payment.py:")
    assert "    15      def charge_card(self, amount: int) -> str:" in out
    assert "text:words" in out
    assert "of 300 tokens, profile default" in out


def test_context_reads_a_run_from_stdin(capsys, sample_repo: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("src/shop/retry.py:15: error: bad type  [arg-type]\n"))
    _, out, _ = run(capsys, sample_repo, "context", "fix", "--hint", "-", "--json")
    found = json.loads(out)
    assert found["profile"] == "typeerror"
    assert found["context"][0]["path"] == "src/shop/retry.py"


def test_context_takes_a_diff_from_a_file(capsys, sample_repo: Path, tmp_path: Path):
    diff = tmp_path / "x.diff"
    diff.write_text("--- a/web/price.ts\n+++ b/web/price.ts\n@@ -3 +3 @@\n-}\n+};\n")
    _, out, _ = run(capsys, sample_repo, "context", "review", "--diff", str(diff))
    assert out.startswith("web/price.ts:1-3")
    assert "artifact:diff" in out


def test_context_takes_files_at_hand_and_tests(capsys, sample_repo: Path):
    arguments = ["--editing", "web/cart.ts", "--failing-test", "test_checkout_returns_a_receipt", "--compact"]
    _, out, _ = run(capsys, sample_repo, "context", "total", *arguments)
    assert "artifact:editing_path" in out
    assert "artifact:failing_test:test_checkout_returns_a_receipt" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--diff", "gone.diff"], "cannot be read"),
        (["--diff", "-", "--hint", "-"], "once only"),
        (["--budget", "2"], "smallest useful budget"),
    ],
)
def test_context_tells_mistakes_with_the_next_step(capsys, sample_repo: Path, arguments: list[str], said: str):
    code, _, err = run(capsys, sample_repo, "context", "charge card", *arguments)
    assert code == 2
    assert said in err


def test_context_without_an_answer_says_so(capsys, sample_repo: Path):
    code, out, _ = run(capsys, sample_repo, "context", "zyzzyva")
    assert code == 1
    assert out.startswith("none: ")


def test_text_cannot_steer_the_terminal(capsys, sample_repo: Path):
    (sample_repo / "odd.py").write_text('def odd_thing():\n    return "\x1b[31mred"\n')
    _, out, _ = run(capsys, sample_repo, "context", "odd_thing")
    assert "\x1b" not in out
