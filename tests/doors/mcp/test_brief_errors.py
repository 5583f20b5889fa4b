"""What an error costs: at most 120 tokens, with its next step, whatever was asked."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from shirube.codec import inputs
from shirube.doors.mcp.reply import ERROR_TOKENS, told_briefly
from shirube.doors.mcp.server import Door, build_server
from shirube.engine.text.budget import tokens_of
from shirube.errors import PhaseBlocked, ShirubeError, UnknownFile, UnknownName
from shirube.messages import _GAP, LANGUAGES, Speech, groups, say, section, step, verbatim
from shirube.operations import in_toolsets
from tests.conftest import StateDirs

PATH = "/".join(f"directory_{number:03}" for number in range(13)) + "/a_file_with_a_long_name.py"
NAMES = [f"some_candidate_of_a_name_{number:02}" for number in range(40)]
JAPANESE = "とても長い日本語の値" * 20
SPEECHES = [Speech(language) for language in LANGUAGES]


def rows() -> Iterator[tuple[str, list[str]]]:
    """Yield every row of an error."""
    for group in groups():
        yield from ((f"{group}.{name}", texts) for name, texts in section(group).items() if len(texts) > 2)


def filled(texts: list[str], value: Any) -> dict[str, Any]:
    """Return values for all the gaps of a row, numbers where it counts."""
    found = [match for text in texts for match in _GAP.finditer(text) if not match[1]]
    counted = {match[2] for match in found if match[4] is not None}
    return {match[2]: 1_234_567 if match[2] in counted else value for match in found}


@pytest.mark.parametrize("value", [PATH, NAMES, [PATH] * 40, JAPANESE, verbatim(PATH), step("search", query=PATH)])
def test_every_error_is_short_in_both_languages(value: Any):
    assert len(PATH) >= 200
    codes = list(rows())
    assert len(codes) > 200
    for code, texts in codes:
        error = ShirubeError(code, **filled(texts, value))
        for speech in SPEECHES:
            told = told_briefly(error, speech)
            assert tokens_of(told) <= ERROR_TOKENS, (code, told)
            assert told.count("\n") >= 1, (code, told)


@pytest.mark.parametrize(
    "error",
    [
        UnknownName("operation", JAPANESE, NAMES),
        UnknownName("operation", NAMES[0][:-1], NAMES),
        UnknownFile(PATH, say("parts.did_you_mean", name=PATH)),
        PhaseBlocked(step("submit_semantic"), "EXPLORATION", NAMES, say("session.way_on", steps=NAMES, back=PATH)),
        ShirubeError(JAPANESE * 5, PATH * 5),
        ShirubeError("\U0001f389" * 500),
    ],
)
def test_errors_with_texts_of_their_own_are_short_too(error: ShirubeError):
    for speech in SPEECHES:
        told = told_briefly(error, speech)
        assert told
        assert tokens_of(told) <= ERROR_TOKENS


def test_what_is_short_anyway_is_told_in_full():
    error = UnknownName("argument", "limti", ["limit", "query"])
    assert told_briefly(error, Speech()) == "unknown argument 'limti'\ndid you mean 'limit'?"


def wrong_calls(request: Any) -> Iterator[dict[str, Any]]:
    """Yield arguments that an operation must refuse: none, unknown ones, and each of a wrong type or too large."""
    yield {"no_such_argument_" * 20: 1}
    yield {JAPANESE: 1}
    for one in inputs(request):
        for value in ({"a": {"b": PATH}}, [[PATH] * 40], "x" * 20_000, -1, "\0"):
            yield {one.name: value}


@pytest.mark.parametrize("toolsets", ["core,session", "all"])
def test_wrong_calls_of_every_tool_cost_little_and_tell_the_next_step(
    tmp_path: Path, state_dirs: StateDirs, toolsets: str
):
    (tmp_path / "a.py").write_text("def a():\n    return 1\n")

    async def main() -> int:
        refused, flags = 0, {"serve.toolsets": toolsets, "index.sync_on_start": False}
        with closing(Door(tmp_path, flags)) as door:
            async with Client(build_server(door)) as client:
                wrong = [(JAPANESE, {}), ("no_such_tool", {}), ("x" * 5000, {})]
                wrong += [(name, call) for name, one in door.tools.items() for call in wrong_calls(one.request)]
                for name, arguments in wrong:
                    result = await client.call_tool(name, arguments)
                    text = result.content[0].text
                    if result.is_error:
                        refused += 1
                        assert tokens_of(text) <= ERROR_TOKENS, (name, arguments, text)
                        assert "\n" in text, (name, arguments, text)
                        assert not text.startswith("{"), text
        return refused

    assert asyncio.run(main()) > 2 * len(in_toolsets(toolsets.split(",")))
