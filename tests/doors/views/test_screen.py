from shirube.doors.cli.screen import speech_for
from shirube.doors.views.screen import Paint, Screen
from shirube.operation import OPERATIONS
from tests.cases import for_each


@for_each(
    ("typed", "wanted"),
    [
        (("search", "it's here", "-k", "5"), "more: shirube search 'it'\"'\"'s here' -k 5 --skip 3"),
        (("search", "x", "--skip", "1"), "more: shirube search x --skip 3"),
        (("--lang", "en", "search", "--skip=1", "--", "-x"), "more: shirube --lang en search --skip 3 -- -x"),
        ((), "more: --skip 3"),
    ],
)
def test_what_follows_is_asked_for_by_a_command_to_paste(typed: tuple[str, ...], wanted: str):
    screen = Screen(Paint(False), speech_for(OPERATIONS["search"], "en"), typed=typed)
    assert screen.further("skip", 3) == wanted
