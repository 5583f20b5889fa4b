"""What the programs of seeds 003 and 004 left: pages in two forms, logs of one record to a line, and settings."""

import json
import re
from collections.abc import Iterable
from typing import Any

from shirube.codec import pack, read_json
from shirube.errors import BadArgument, ShirubeError
from shirube.messages import NOTHING, Message, say
from shirube.settings import Config, build, sections

_STAMPED = re.compile(r"(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_(.+)\.md")
"""The second form: the moment, then the term."""
SETTINGS = {
    "config.json": {
        "source_dirs": "index.source_dirs",
        "exclude_patterns": "index.excludes",
        "sync_ttl_hours": "index.sync_ttl_hours",
        "sync_on_start": "index.sync_on_start",
    },
    "devrag-forest.json": {"document_patterns": "index.source_dirs", "search_top_k": "search.limit"},
    "devrag-map.json": {},
}
"""Files of settings, and what each sets that we have, too, by our names."""
_MODEL = ("embedding_model", "model")
_WITHOUT = (
    *("chunk_strategy", "chunk_max_tokens", "chunk_size", "max_chunks", "search_weights", "db_path"),
    *("document_patterns", "search_top_k"),
)
"""What they set and we do not: code is cut by its syntax, the ranking is fitted, and the index has one place."""


def page_with_term(name: str, text: str) -> str:
    """Return a page with its term and its date, which the second form has in its file's name alone."""
    stamped = _STAMPED.fullmatch(name)
    if stamped is None or not text.startswith("---\n"):
        return text
    *moment, term = stamped.groups()
    told = {"nl_term": term.replace("_", " "), "learned_at": "{}-{}-{}T{}:{}:{}".format(*moment)}
    lines = [f"{key}: {value}\n" for key, value in told.items() if not re.search(rf"^{key}\s*:", text, re.M)]
    return text.replace("---\n", "".join(["---\n", *lines]), 1)


def left_settings(path: str, text: str, config: Config) -> tuple[Message, ...]:
    """Return what a file of settings says, and how to say it here: an import changes no settings."""
    found = read_json(text)
    if not isinstance(found, dict):
        raise BadArgument("left_out.not_object", file=path)
    ours = SETTINGS[path.rpartition("/")[2]]
    rows = {key: _how_to_set(path, key, found[key], ours[key], config) for key in ours if key in found}
    rest = [key for key in found if key not in (*ours, *_MODEL, "version")]
    groups = {
        "same": [key for key, row in rows.items() if not row],
        "without": [key for key in rest if key in _WITHOUT],
        "unknown": [key for key in rest if key not in _WITHOUT],
    }
    return (
        *filter(None, rows.values()),
        *([say("left_out.model", model=config.embed.model)] if any(key in found for key in _MODEL) else ()),
        *(say(f"left_out.{group}", file=path, keys=keys) for group, keys in groups.items() if keys),
    )


def _how_to_set(path: str, key: str, value: Any, ours: str, config: Config) -> Message:
    """Return how to set what another file sets; nothing when it is in force already."""
    section, _, name = ours.partition(".")
    before = pack(getattr(config, section))
    try:
        after = pack(build(sections()[section], {**before, name: value}, section))
    except ShirubeError as error:
        return say("pages.fault", where=f"{path}: {key}", why=error.message, hint=error.hint)
    if after[name] == before[name]:
        return NOTHING
    line, now = (json.dumps(one, ensure_ascii=False) for one in (after[name], before[name]))
    now = say("left_out.all") if name == "source_dirs" and not before[name] else now
    return say("left_out.set", file=path, key=key, section=section, line=f"{name} = {line}", now=now)


def read_log(lines: Iterable[str]) -> tuple[tuple[dict[str, Any], ...], int]:
    """Return the records of a log, and how many lines are none."""
    records: list[dict[str, Any]] = []
    broken = 0
    for line in filter(str.strip, lines):
        record = read_json(line)
        if isinstance(record, dict):
            records.append(record)
        else:
            broken += 1
    return tuple(records), broken
