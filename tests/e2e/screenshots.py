"""Pictures of the site for the documents: ``make screenshots``, then look at each one."""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from shirube import Project, open_workspace
from shirube.features.map.records import Analysis, Outcome, Result, WrittenFile, add_record
from tests.conftest import isolate, make_state_dirs
from tests.doors.web.story import Story, tell
from tests.e2e.browser import browser, enter, running
from tests.features.mapped import git

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 200_000
STORY = Story(
    request="Refuse a request whose Host header is not a local name",
    quote="Host header is not a local name",
    term="Host header",
    symbol="stranger",
    path="src/shirube/doors/loopback.py",
    goals=(
        "how is a request from another origin refused?",
        "索引はどのように更新される？",
        "where are rankings explained?",
    ),
    beside=("src/shirube/doors/loopback.py", "src/shirube/doors/mcp/serve.py"),
    keywords=("origin", "stranger", "refusal"),
    convention="Every error has a code, a message naming the cause and a hint naming the next step.",
    outcomes=("success", "failure"),
    more=(("合言葉", "make_token_file"), ("connection limit", "LimitedProtocol")),
)
SHOTS = (
    ("search", "light", "en", "/search?q=where+is+the+token+file+made"),
    ("search-dark-ja", "dark", "ja", "/search?q=索引の更新&compare=1&boost2=docs"),
    ("context", "light", "en", "/context?goal=refuse+requests+from+other+origins"),
    ("graph", "light", "en", "/graph?path=src/shirube/engine/search/pipeline.py&depth=1"),
    ("plan", "light", "en", "/plans"),
    ("session", "light", "en", "/sessions"),
    ("map-ja", "light", "ja", "/map"),
    ("agreement", "dark", "en", "/map?agreement=Host+header+→+stranger"),
    ("insights", "dark", "en", "/insights"),
    ("index-dark", "dark", "en", "/index"),
)
FIRST = {"plan": ("a[href^='/plans?id=']", 0), "session": ("a[href^='/sessions?id=']", -1)}
"""Where a picture is of one of a list, which one."""


CHECKS = "src/shirube/doors/loopback.py"
DAYS = (
    (13, "success", "refuse foreign origins", CHECKS),
    (12, "failure", "limit requests", "src/shirube/doors/web/site.py"),
    (12, "success", "local names only", CHECKS),
    (10, "success", "token file", CHECKS),
    (9, "partial", "show times locally", "src/shirube/doors/web/rendering.py"),
    (9, "success", "name the port", "src/shirube/doors/loopback.py"),
    (7, "success", "refuse an empty Host", CHECKS),
    (6, "failure", "cut results", "src/shirube/doors/mcp/bound.py"),
    (5, "success", "foreign Host header", CHECKS),
    (5, "success", "mark words", "src/shirube/doors/web/rendering.py"),
    (3, "success", "refuse two Hosts", CHECKS),
    (2, "success", "escape names", "src/shirube/doors/web/html.py"),
)
"""What happened before: days ago, outcome, request, file."""
VERDICTS = ("allow", "allow", "advise", "allow", "block", "allow", "allow", "advise")


RENAME = """([from, to]) => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(from, to);
}"""
"""Shows the copy under a name that anybody might have."""


def remember(project: Project) -> None:
    """Let there be a past: outcomes of earlier days, what the gate decided, and a page two branches changed."""
    journal = project.workspace.journal
    for number, (ago, word, request, path) in enumerate(DAYS):
        told = Outcome(
            session_id=f"past{number}",
            outcome=Result(word),
            timestamp=project.workspace.moment(ago),
            phase_at_outcome="READY",
            intent="MODIFY",
            risk_level="LOW",
            analysis=Analysis(failure_point="missed_caller" if word == "failure" else ""),
            request=request,
            operations=("search", "find_references")[: 1 + number % 2],
            files=(WrittenFile(path),),
        )
        add_record(journal, told)
    asked = {"moment": "before", "kind": "shell", "client": "demo", "targets": ["make"]}
    for verdict in VERDICTS:
        journal.append("gate", {**asked, "verdict": verdict})
    journal.append("gate", {**asked, "verdict": "harmless", "moment": "after"})
    page = next((project.workspace.root / ".shirube" / "agreements").glob("connection*.md"))
    sides = ("<<<<<<< HEAD", "It counts connections", "=======", "It refuses one too many", ">>>>>>> feature/limits")
    page.write_text(page.read_text("utf-8").replace("LimitedProtocol does it", "\n".join(sides)), "utf-8")


def commit(root: Path, subject: str) -> None:
    """Commit everything."""
    git(root, "add", "-A")
    git(root, "-c", "user.name=Hana Sato", "commit", "-qm", subject)


def main() -> None:
    """Take every picture of a copy of this repository, so that nothing is written into it."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as base, pytest.MonkeyPatch.context() as patch:
        root = Path(base) / "shirube"
        ignored = shutil.ignore_patterns("__pycache__", "data", "*.npy")
        shutil.copytree(ROOT / "src", root / "src", ignore=ignored)
        shutil.copytree(ROOT / "docs", root / "docs", ignore=shutil.ignore_patterns("images"))
        shutil.copy(ROOT / "README.md", root)
        dirs = make_state_dirs(Path(base) / "own")
        isolate(dirs, patch)
        patch.setenv("SHIRUBE_EMBED_MODEL", "static")
        git(root, "init", "-q")
        commit(root, "begin")
        with open_workspace(root) as project:
            project.sync_index()
            tell(project, STORY)
            commit(root, "agree on words")
            remember(project)
        with running(root, dirs) as site, browser() as chrome:
            for name, theme, language, path in SHOTS:
                page = enter(chrome, site, theme, language)
                page.goto(site.address + path)
                if name in FIRST:
                    page.locator(FIRST[name][0]).nth(FIRST[name][1]).click()
                page.wait_for_load_state("networkidle")
                page.evaluate("document.querySelector('details.score')?.setAttribute('open', '')")
                page.evaluate(RENAME, [str(root), "/home/you/shirube"])
                page.screenshot(path=IMAGES / f"{name}.png")
                page.context.close()
    large = [path.name for path in IMAGES.glob("*.png") if path.stat().st_size > MOST_BYTES]
    sys.exit(f"too large for the repository: {large}" if large else 0)


if __name__ == "__main__":
    main()
