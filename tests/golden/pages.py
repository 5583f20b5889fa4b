"""The pages of the site in both languages: before anything happened, after a story, and of a hostile project."""

import re
from pathlib import Path
from urllib.parse import quote

from starlette.testclient import TestClient

from tests.doors.web.story import SHOP, tell
from tests.e2e.hostile import STORY as ATTACK
from tests.golden import adapter
from tests.golden.marks import Marks
from tests.golden.projects import surroundings, write_attack, write_shop

LANGUAGES = ("en", "ja")
EMPTY = ("search", "context", "graph", "plans", "sessions", "map", "insights", "index")
FULL = {
    "search": "/search?q=charge+the+card",
    "search-none": "/search?q=zyxwvut&mode=lexical",
    "search-compare": "/search?q=charge+card&compare=1&boost2=docs",
    "search-wrong": "/search?q=retry&lang=pyhton",
    "search-part": "/search/part/results?q=返金",
    "context": "/context?goal=charge+the+card&budget=500",
    "graph": "/graph?path=src/shop/payment.py&packages=1",
    "graph-wrong": "/graph?path=nowhere.py",
    "plans": "/plans",
    "sessions": "/sessions",
    "sessions-part": "/sessions/part/list",
    "sessions-wrong": "/sessions?id=s_0000",
    "map": "/map",
    "agreement": "/map?agreement=charge+the+card+%E2%86%92+PaymentGateway.charge_card",
    "insights": "/insights",
    "insights-learning": "/insights/part/learning",
    "index": "/index",
    "nowhere": "/nowhere",
}
HOSTILE = {
    "search": "/search?q=charge+the+card",
    "search-attack": "/search?q=%3Cscript%3Ewindow.pwned%3D1%3C/script%3E%E2%80%AE",
    "context": "/context?goal=charge+the+card+%3Cimg+src%3Dx+onerror%3Dalert(1)%3E&budget=500",
    "graph": "/graph?path=src/shop/payment.py&packages=1",
    "plans": "/plans",
    "sessions": "/sessions",
    "map": "/map",
}


def produce(base: Path) -> dict[str, str]:
    """Return every golden page by its name."""
    files: dict[str, str] = {}
    with surroundings(base / "shop"), adapter.project_at(write_shop(base / "shop" / "shop")) as project:
        browser, marks = adapter.browser(project, base), Marks(base / "shop")
        files |= _seen("empty", {name: f"/{name}" for name in EMPTY}, browser, marks)
        tell(project, SHOP)
        files |= _seen("shop", FULL | _details(browser), browser, marks)
    with surroundings(base / "hostile"), adapter.project_at(write_attack(base / "hostile" / "shop <b>")) as project:
        browser, marks = adapter.browser(project, base), Marks(base / "hostile")
        tell(project, ATTACK)
        files |= _seen("hostile", HOSTILE | {"session": _details(browser)["sessions-first"]}, browser, marks, ("en",))
    return files


def _details(browser: TestClient) -> dict[str, str]:
    """Return the addresses of sessions and plans, the oldest and the latest, and of two plans side by side."""
    found = {}
    for page in ("sessions", "plans"):
        links = re.findall(rf'href="(/{page}\?id=[^"&]+)"', browser.get(f"/{page}").text)
        found |= {f"{page}-first": links[0], f"{page}-last": links[-1]}
    found["plans-beside"] = f"{found['plans-first']}&with={found['plans-last'].partition('=')[2]}"
    found["insights-first"] = found["sessions-first"].replace("/sessions", "/insights")
    found["insights-last"] = found["sessions-last"].replace("/sessions", "/insights")
    return found


def _seen(
    state: str, places: dict[str, str], browser: TestClient, marks: Marks, languages: tuple[str, ...] = LANGUAGES
) -> dict[str, str]:
    """Return pages as they are; but for the empty ones, without the frame, which is the same around all."""
    files = {}
    for name, address in places.items():
        for language in languages:
            answer = browser.get(quote(address, safe="/?&=%+"), headers={"accept-language": language})
            _, main, content = answer.text.partition("<main")
            page = main + content if main and state != "empty" else answer.text
            files[f"pages/{state}/{name}.{language}.html"] = _marked(f"<!-- {answer.status_code} -->{page}", marks)
    return files


def _marked(page: str, marks: Marks) -> str:
    """Return a page with marks, one element a line; what is between them stays byte for byte."""
    return re.sub(r"(</[a-z0-9]+>|-->)(?=<[a-z])", r"\1\n", marks.page(page)) + "\n"
