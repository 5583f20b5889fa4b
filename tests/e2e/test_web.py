"""The site in a real browser: nothing executes, nothing breaks, everybody can use it."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import isolate, make_state_dirs
from tests.e2e.browser import AXE, Served, browser, chromium, enter, running, served
from tests.e2e.hostile import STORY, write_hostile

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("playwright") is None, reason="playwright is not installed"),
    pytest.mark.skipif(not chromium(), reason="no Chromium here"),
    pytest.mark.filterwarnings("default"),
]

WIDE, NARROW = 1280, 390
PLACES = {
    "search": "/search?q=charge+the+card",
    "compare": "/search?q=charge+card&compare=1&boost2=docs",
    "attack": "/search?q=%3Cscript%3Ewindow.pwned%3D1%3C/script%3E%E2%80%AE",
    "context": "/context?goal=charge+the+card+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
    "graph": "/graph?path=src/shop/payment.py&packages=1",
    "plans": "/plans",
    "sessions": "/sessions",
    "map": "/map",
    "agreement": "/map?agreement=charge+the+card+%E2%86%92+PaymentGateway.charge_card",
    "insights": "/insights",
    "index": "/index",
}
THEMES = ("light", "dark")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    base = tmp_path_factory.mktemp("hostile")
    dirs = make_state_dirs(base / "own")
    with pytest.MonkeyPatch.context() as patch:
        isolate(dirs, patch)
        with served(write_hostile(base / "shop <b>"), dirs, STORY) as running:
            yield running


@pytest.fixture
def growing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A site whose index is being built while one looks: a tree that takes some seconds."""
    dirs = make_state_dirs(tmp_path / "own")
    isolate(dirs, monkeypatch)
    root = tmp_path / "large"
    for number in range(1200):
        path = root / f"part{number % 40}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        bodies = (f"def step_{number}_{line}(value):\n    return value + {line}\n" for line in range(40))
        path.write_text("\n\n".join(bodies), "utf-8")
    with running(root, dirs) as site:
        yield site


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as running:
        yield running


def look(page: Any, site: Served, path: str) -> list[str]:
    """Go there, and return what a page must not do: dialogs, errors, refused scripts."""
    odd: list[str] = []
    page.on("dialog", lambda dialog: (odd.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: odd.append(f"error {error}"))
    page.on("console", lambda line: odd.append(line.text) if line.type in ("error", "warning") else None)
    answer = page.goto(site.address + path)
    page.wait_for_load_state("networkidle")
    if answer.status != 200:
        odd.append(f"status {answer.status}")
    if page.evaluate("window.pwned"):
        odd.append("executed")
    return odd


def details(page: Any, site: Served) -> list[str]:
    """Return the addresses of one session, one plan and one outcome."""
    found = []
    for place, link in (("/sessions", "a[href^='/sessions?id=']"), ("/plans", "a[href^='/plans?id=']")):
        page.goto(site.address + place)
        found += [page.locator(link).nth(number).get_attribute("href") for number in (0, -1)]
    first, second = found[2], found[3]
    found.append(f"{first}&with={second.partition('=')[2]}")
    return [*found, found[0].replace("/sessions", "/insights"), found[1].replace("/sessions", "/insights")]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", THEMES)
def test_nothing_executes_and_the_layout_holds(chrome: Any, site: Served, theme: str, language: str):
    for width in (WIDE, NARROW):
        page = enter(chrome, site, theme, language, width)
        for path in (*PLACES.values(), *details(page, site)):
            assert look(page, site, path) == [], path
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, (path, width, over)
            assert page.evaluate("document.documentElement.lang") == language
            dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(21, 24, 27)"
            assert dark == (theme == "dark")
            assert page.locator("main script, main style, main iframe, main img").count() == 0
        page.context.close()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed: make e2e fetches it")
@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious(chrome: Any, site: Served, theme: str, language: str):
    page = enter(chrome, site, theme, language)
    source = AXE.read_text("utf-8")
    for path in (*PLACES.values(), *details(page, site)):
        page.goto(site.address + path)
        page.wait_for_load_state("networkidle")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        page.evaluate(source)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        bad = {
            one["id"]: [node["html"][:200] for node in one["nodes"][:3]]
            for one in found
            if one["impact"] in ("serious", "critical")
        }
        assert bad == {}, path
    page.context.close()


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def tab_to(page: Any, selector: str, most: int = 80) -> None:
    """Press Tab until something is focused, as somebody without a mouse does; every stop can be seen."""
    for _ in range(most):
        press(page, "Tab")
        outline = page.evaluate(
            "(() => { const at = document.activeElement, of = getComputedStyle(at);"
            " return at === document.body || of.outlineStyle !== 'none' || at.matches('a.node'); })()"
        )
        assert outline, page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        if page.evaluate("(sought) => document.activeElement.matches(sought)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached")


def test_the_keyboard_is_enough(chrome: Any, site: Served):
    page = enter(chrome, site)
    page.wait_for_load_state("networkidle")
    page.keyboard.type("refund")  # the question has the focus at once
    page.wait_for_url(f"{site.address}/search?q=refund&mode=auto")
    page.wait_for_selector("#results[aria-busy=false] .hit mark")
    press(page, "ArrowDown", "j", "k")
    assert page.evaluate("document.activeElement.matches('.hit')")
    tab_to(page, "summary")
    press(page, "Enter")
    assert page.locator("details.score[open] .reasons").count() == 1
    press(page, "/")
    assert page.evaluate("document.activeElement.name") == "q"
    page.reload()
    page.evaluate("document.activeElement.blur()")
    tab_to(page, "a[href='/map']")
    press(page, "Enter")
    page.wait_for_url(f"{site.address}/map")
    tab_to(page, "button[value='dark']")
    press(page, "Enter")
    page.wait_for_selector("html[data-theme=dark]")
    tab_to(page, "button[value='ja']")
    press(page, "Enter")
    page.wait_for_selector("html[lang=ja][data-theme=dark]")
    tab_to(page, "form[action='/map/confirm'] button")
    press(page, "Enter")
    page.wait_for_selector("p.note.good[role=status]")
    page.context.close()


def test_a_conflict_is_decided_by_keyboard(chrome: Any, site: Served):
    page = enter(chrome, site)
    page.goto(f"{site.address}/map")
    versions = page.locator(".versus .side")
    assert versions.count() == 2
    assert page.locator(".versus mark.only").count() >= 2
    left, right = versions.nth(0).bounding_box(), versions.nth(1).bounding_box()
    assert left["y"] == right["y"]
    tab_to(page, "form[action='/map/resolve'] button")
    press(page, "Enter")
    page.wait_for_selector("p.note.good[role=status]")
    assert page.locator(".versus").count() == 0
    page.context.close()


def test_progress_is_seen_to_move_while_a_tree_is_indexed(chrome: Any, growing: Served):
    """The bar grows in the page without a reload, and the page says when it is done."""
    page = enter(chrome, growing, language="ja")
    page.goto(f"{growing.address}/index")
    begun = page.wait_for_selector('.progress .fill:not([width="0.0"])')
    seen = begun.get_attribute("width")
    assert 0 < float(seen) < 100
    assert page.locator(".progress[role=status]").count() == 1
    page.evaluate("window.stayed = true")
    page.wait_for_selector(f'.progress .fill:not([width="{seen}"])', timeout=60_000)
    assert float(page.locator(".progress .fill").get_attribute("width")) > float(seen)
    assert "索引を作成中" in page.locator(".progress").inner_text()
    page.wait_for_selector("[data-state=still]", timeout=300_000)
    page.wait_for_selector(".badge.good >> text=ファイルと一致", timeout=60_000)
    assert page.evaluate("window.stayed")
    assert page.locator(".progress").count() == 0
    page.context.close()


def test_results_come_while_one_types_and_old_answers_do_not_overtake(chrome: Any, site: Served):
    page = enter(chrome, site)
    page.wait_for_load_state("networkidle")
    page.locator("input[type=search]").press_sequentially("charge_card", delay=40)
    page.wait_for_url(f"{site.address}/search?q=charge_card&mode=auto")
    page.wait_for_selector("#results[aria-busy=false] .hit mark >> text=/^charge$/i")
    page.locator("input[name=compare]").check()
    page.locator("select[name=boost2]").select_option("docs")
    page.wait_for_selector(".columns .column:nth-child(2)")
    page.context.close()


def test_what_is_not_there_is_unknown_while_one_types_and_proved_when_one_pauses(chrome: Any, site: Served):
    page = enter(chrome, site)
    answers: list[str] = []
    page.on("response", lambda answer: answers.append(answer.url) if "/part/results" in answer.url else None)
    page.locator("input[type=search]").press_sequentially("zebracrossing", delay=10)
    page.wait_for_selector("#results[aria-busy=false] .badge >> text=not there")
    typed = [("typing=1" in url) for url in answers]
    assert typed[0]
    assert not typed[-1]
    assert "typing" not in page.url
    page.context.close()


def test_a_path_is_copied_as_it_is(chrome: Any, site: Served):
    page = enter(chrome, site)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.address)
    page.goto(f"{site.address}/search?q=checkout&path=src/shop/**")
    button = page.locator("button[data-copy]").first
    button.click()
    page.wait_for_selector("button[data-told]")
    assert page.evaluate("navigator.clipboard.readText()") == button.get_attribute("data-copy")
    page.context.close()


EVIL = """<!doctype html><title>evil</title>
<form id="f" method="post" action="{site}/index/sync" target="sink"><input name="form_key" value="x"></form>
<iframe name="sink"></iframe><iframe src="{site}/search"></iframe>
<script src="{site}/static/page.js"></script>
<script>
window.results = [];
document.getElementById("f").submit();
const told = [(one) => results.push(one.type), () => results.push("refused")];
for (const path of ["/search", "/api/index_status"])
  fetch("{site}" + path, {{credentials: "include", mode: "no-cors"}}).then(...told);
fetch("{site}/api/sync_index", {{method: "POST", credentials: "include", body: "{{}}"}}).then(...told);
</script>"""


def test_another_local_page_gets_nothing_even_though_the_browser_sends_the_cookie(chrome: Any, site: Served):
    """Ports of one host are one site: SameSite does not keep this page out, our own checks do."""

    class Evil(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(EVIL.format(site=site.address).encode())

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = enter(chrome, site)
    answers: dict[str, int] = {}
    cookies: list[str] = []

    def seen(answer: Any) -> None:
        answers[f"{answer.request.method} {answer.url.removeprefix(site.address)}"] = answer.status
        cookies.append(answer.request.all_headers().get("cookie", ""))

    page.on("response", seen)
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    page.wait_for_function("window.results && results.length === 3")
    page.wait_for_load_state("networkidle")
    assert any("shirube-" in cookie for cookie in cookies)
    ours = {
        place: status for place, status in answers.items() if place.split()[1].startswith("/") and "http" not in place
    }
    assert set(ours.values()) <= {403}
    assert "basic" not in page.evaluate("results")
    page.context.close()
    server.shutdown()
    server.server_close()


def test_a_link_from_elsewhere_lets_somebody_in_and_the_key_leaves_the_address(chrome: Any, site: Served):
    context = chrome.new_context()
    page = context.new_page()
    page.set_content(f'<a href="{site.entrance}">open</a>')
    page.click("a")
    page.wait_for_url(f"{site.address}/search")
    assert "key=" not in page.evaluate("document.referrer")
    page.go_back()
    assert "key=" not in page.url
    context.close()
