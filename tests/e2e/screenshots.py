"""Pictures of the site for the documents: ``make screenshots``, then look at each one."""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from tests.conftest import isolate, make_state_dirs
from tests.e2e.browser import browser, enter, served
from tests.web.story import Story

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 200_000
STORY = Story(
    request="Refuse a request whose Host header is not a local name",
    quote="Host header is not a local name",
    term="Host header",
    symbol="stranger",
    path="src/shirube/loopback/checks.py",
    goals=(
        "how is a request from another origin refused?",
        "索引はどのように更新される？",
        "where are rankings explained?",
    ),
    beside=("src/shirube/loopback/ports.py", "src/shirube/mcp/http.py"),
    keywords=("origin", "stranger", "refusal"),
    convention="Every error has a code, a message naming the cause and a hint naming the next step.",
    outcomes=("success", "success", "failure", "partial", "success", "failure", "success", "success"),
    more=(("合言葉", "make_token_file"), ("connection limit", "LimitedProtocol")),
)
SHOTS = (
    ("search", "light", "en", "/search?q=how+is+a+foreign+origin+refused"),
    ("search-dark-ja", "dark", "ja", "/search?q=索引の更新&compare=1&boost2=docs"),
    ("context", "light", "en", "/context?goal=refuse+requests+from+other+origins"),
    ("graph", "light", "en", "/graph?path=src/shirube/search/pipeline.py&depth=1"),
    ("plan", "light", "en", "/plans"),
    ("session", "light", "en", "/sessions"),
    ("map-ja", "light", "ja", "/map"),
    ("insights", "dark", "en", "/insights"),
    ("index-dark", "dark", "en", "/index"),
)
FIRST = {"plan": ("a[href^='/plans?id=']", 0), "session": ("a[href^='/sessions?id=']", -1)}
"""Where a picture is of one of a list, which one."""


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
        with served(root, dirs, STORY) as site, browser() as running:
            for name, theme, language, path in SHOTS:
                page = enter(running, site, theme, language)
                page.goto(site.address + path)
                if name in FIRST:
                    page.locator(FIRST[name][0]).nth(FIRST[name][1]).click()
                page.wait_for_load_state("networkidle")
                page.evaluate("document.querySelector('details.score')?.setAttribute('open', '')")
                page.screenshot(path=IMAGES / f"{name}.png")
                page.context.close()
    large = [path.name for path in IMAGES.glob("*.png") if path.stat().st_size > MOST_BYTES]
    sys.exit(f"too large for the repository: {large}" if large else 0)


if __name__ == "__main__":
    main()
