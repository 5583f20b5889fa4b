"""What surrounds every page: the head, the way between pages, and the switches of theme and language."""

from shirube import __version__
from shirube.doors.web.html import Html, el, plain
from shirube.doors.web.visit import THEMES, Page, Visit
from shirube.doors.web.words import LANGUAGES


def framed(visit: Visit, pages: tuple[Page, ...], current: str, content: Html) -> Html:
    """Return a whole document."""
    words = visit.words
    title = f"{words(f'nav.{current}')} · {_project(visit)}" if current else _project(visit)
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark" if visit.theme == "auto" else visit.theme),
        el("title", plain(f"{title} · shirube")),
        el("link", rel="icon", href="/static/mark.svg", type="image/svg+xml"),
        el("link", rel="stylesheet", href=f"/static/style.css?{__version__}"),
        el("script", src=f"/static/page.js?{__version__}", defer=True),
    )
    body = el(
        "body",
        el("a", words("frame.skip"), class_="skip", href="#content"),
        _top(visit, pages, current),
        el("main", content, id="content", tabindex="-1"),
        data_copied=words("frame.copied"),
    )
    theme = None if visit.theme == "auto" else visit.theme
    return Html("<!doctype html>\n" + el("html", head, body, lang=words.language, data_theme=theme))


def _project(visit: Visit) -> str:
    return visit.workspace.root.name or str(visit.workspace.root)


def _top(visit: Visit, pages: tuple[Page, ...], current: str) -> Html:
    links = [
        el("li", el("a", visit.words(f"nav.{page.name}"), href=page.address, aria_current=_mark(page.name, current)))
        for page in pages
    ]
    return el(
        "header",
        el(
            "a",
            el("img", src="/static/mark.svg", alt="", width=28, height=28),
            el("span", el("b", "shirube"), el("small", _project(visit), class_="project"), class_="names"),
            class_="brand",
            href="/",
        ),
        el("nav", el("ul", links), aria_label=visit.words("frame.pages")),
        el(
            "div",
            _switch(visit, "theme", visit.theme, {theme: visit.words(f"theme.{theme}") for theme in THEMES}),
            _switch(visit, "language", visit.words.language, dict(LANGUAGES)),
            class_="switches",
        ),
        class_="top",
    )


def _mark(name: str, current: str) -> str | None:
    return "page" if name == current else None


def _switch(visit: Visit, name: str, chosen: str, choices: dict[str, str]) -> Html:
    """Return a row of buttons, one of which is pressed; they work without a script."""
    buttons = [
        el(
            "button",
            label,
            name=name,
            value=value,
            aria_pressed="true" if value == chosen else "false",
            lang=value if name == "language" else None,
        )
        for value, label in choices.items()
    ]
    hidden = (hidden_key(visit), el("input", type="hidden", name="back", value=visit.here))
    group = el("div", buttons, class_="segmented", role="group", aria_label=visit.words(f"frame.{name}"))
    return el("form", hidden, group, method="post", action="/look")


def hidden_key(visit: Visit) -> Html:
    """Return the field that every form sends along."""
    return el("input", type="hidden", name="form_key", value=visit.form_key)
