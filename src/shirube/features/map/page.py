"""Reads and writes an agreement as a Markdown page with front matter, which people read, edit and merge."""

import re
from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from shirube.codec import replace
from shirube.errors import BadArgument, UnknownName
from shirube.features.map.agreement import AGREEMENT, CONVENTION, Agreement, plain_symbol
from shirube.features.map.frontmatter import Value, line_of, read, write
from shirube.features.map.states import Standing
from shirube.messages import say

WRITTEN = (
    *("doc_type", "nl_term", "symbol", "symbol_normalized", "path", "line", "similarity", "standing", "successes"),
    *("failures", "session_id", "intent", "learned_at", "imported_at", "last_used", "commit", "digest", "sketch"),
)
"""The fields of a page's front matter, in order."""
KNOWN = (*WRITTEN, "symbols")
COUNTS = ("line", "successes", "failures")
"""Fields that are not written when they are 0."""
SPLIT = "**シンボル（分解）**: "
EVIDENCE = "## 根拠 (Code Evidence)"
FILES = "## 関連ファイル (Files)"
SESSION = "## セッション情報 (Session)"
FRAME = "- 成功時の QueryFrame:"
_SECTION = re.compile(r"^##\s+(.*)$", re.M)
_FILE = re.compile(r"`([^`\n]+?)(?::(\d{1,9})(?:-\d+)?)?`")
_LISTED = re.compile(rf"(\s*[-*] +){_FILE.pattern}(.*)")
_PATH = re.compile(r"/|\.\w+$")
"""What distinguishes a file from other code in such a list."""
_PROOF, _RELATED, _ABOUT_SESSION = (
    re.compile(names, re.I) for names in ("根拠|evidence", r"関連ファイル|^(related )?files\b", "セッション|session")
)
"""What the headings of sections say, in pages of ours and of others."""
_TITLE = re.compile(r"\A# .*\n*")
_STRUCTURE = r"\\* {0,3}(?:#{1,6}(?:\s|$)|<{7}|\|{7}|={7}|>{7})"
"""The start of a line that a page would take for a heading, or for git's mark of a conflict; maybe escaped already."""


def from_page(text: str, file: str = "", origin: str = "") -> tuple[Agreement, ...]:
    """Read a page; older tools listed several symbols on one page, which gives several agreements.

    Raises ``BadArgument`` with the line and the cause when the page cannot be read.
    """
    fields, extra, body = read(text, KNOWN)
    kind = _text(fields, "doc_type") or AGREEMENT
    if kind not in (AGREEMENT, CONVENTION):
        raise UnknownName("doc_type", kind, (AGREEMENT, CONVENTION))
    if not _text(fields, "nl_term"):
        raise _bad_field(text, "nl_term", "pages.no_term")
    named = [fields.get("symbol", ""), fields.get("symbols", "")]
    listed = [item for value in named for item in ((value,) if isinstance(value, str) else value)]
    symbols = dict.fromkeys(filter(None, map(plain_symbol, listed)))
    if kind == AGREEMENT and not symbols:
        raise _bad_field(text, "symbol", "pages.no_symbol")
    standing = _text(fields, "standing") or Standing.AGREED
    if standing not in list(Standing):
        raise UnknownName("standing", standing, Standing)
    agreement = Agreement(
        nl_term=_text(fields, "nl_term"),
        doc_type=kind,
        path=_text(fields, "path") or _first_file(body)[0],
        line=_count(text, fields, "line") or _first_file(body)[1],
        **{name: _text(fields, name) for name in ("digest", "sketch", "commit", "session_id", "intent")},
        **{name: _text(fields, name) for name in ("learned_at", "imported_at", "last_used")},
        similarity=_similarity(text, fields),
        successes=_count(text, fields, "successes"),
        failures=_count(text, fields, "failures"),
        standing=Standing(standing),
        body=body,
        extra=extra,
        file=file,
        origin=origin,
    )
    return tuple(replace(agreement, symbol=symbol) for symbol in symbols) if kind == AGREEMENT else (agreement,)


def to_page(agreement: Agreement) -> str:
    """Return the page of an agreement; ``from_page`` restores the same agreement."""
    fields = {name: getattr(agreement, name) for name in WRITTEN}
    fields |= {name: getattr(agreement, name) or None for name in COUNTS}
    return write(fields, agreement.extra, agreement.body or new_body(agreement, ""))


def new_body(
    agreement: Agreement, evidence: str, files: Sequence[str] = (), frame: Mapping[str, str] | None = None
) -> str:
    """Return the text below the front matter of a new agreement (seed 004 §3.1, §9.2)."""
    title, proof = f"# {_one_line(agreement.label)}", _escaped(evidence)
    if agreement.is_convention:
        return f"{title}\n\n{proof}".strip()
    parts = [title, f"{SPLIT}{agreement.symbol_normalized}"]
    parts += [f"{EVIDENCE}\n\n{proof}"] if proof else []
    own = [f"{agreement.path}:{agreement.line}" if agreement.line else agreement.path] if agreement.path else []
    listed = list(dict.fromkeys([*own, *(file for file in files if file != agreement.path)]))
    parts += [f"{FILES}\n\n" + "\n".join(f"- `{file}`" for file in listed)] if listed else []
    session = [f"- Intent: {agreement.intent}"] if agreement.intent else []
    slots = [f"  - {slot}: {_one_line(value)}" for slot, value in (frame or {}).items() if value]
    session += [FRAME, *slots] if slots else []
    parts += [f"{SESSION}\n\n" + "\n".join(session)] if session else []
    return "\n\n".join(parts)


def evidence_of(agreement: Agreement) -> str:
    """Return the evidence for an agreement: the section of that name, or the whole text of a convention."""
    if agreement.is_convention:
        return _unescaped(re.sub(_TITLE, "", agreement.body))
    return _unescaped(_section(agreement.body, _PROOF))


def with_evidence(agreement: Agreement, evidence: str) -> Agreement:
    """Add evidence after the existing evidence, unless the page has it already."""
    known = evidence_of(agreement)
    if all(part in known for part in _trimmed(evidence).split("\n\n")):
        return agreement
    if known and known in evidence:
        return as_evidence(agreement, evidence)
    body = agreement.body
    before = re.sub(_TITLE, "", body) if agreement.is_convention else _section(body, _PROOF)
    return _with_proof(agreement, "\n\n".join(filter(None, (before.strip("\n"), _escaped(evidence)))))


def as_evidence(agreement: Agreement, evidence: str) -> Agreement:
    """Put evidence into the place of the existing evidence."""
    return _with_proof(agreement, _escaped(evidence))


def _with_proof(agreement: Agreement, proof: str) -> Agreement:
    body = agreement.body or new_body(agreement, "")
    if agreement.is_convention:
        title = re.match(_TITLE, body)
        return replace(agreement, body=f"{title[0].strip() if title else ''}\n\n{proof}".strip("\n"))
    following = _span(body, _RELATED) or _span(body, _ABOUT_SESSION) or (len(body),)
    start, end, after = _span(body, _PROOF) or following[:1] * 3
    section = f"{body[start:end] or EVIDENCE}\n\n{proof}" if proof else ""
    whole = (body[:start].rstrip(), section, body[after:].strip("\n"))
    return replace(agreement, body="\n\n".join(filter(None, whole)))


def retitled(agreement: Agreement, before: Agreement) -> Agreement:
    """Let the title say what an agreement says now; what people wrote below stays."""
    lines = {f"# {before.label}": f"# {_one_line(agreement.label)}"}
    lines[f"{SPLIT}{before.symbol_normalized}"] = f"{SPLIT}{agreement.symbol_normalized}"
    return replace(agreement, body="\n".join(lines.get(line, line) for line in agreement.body.split("\n")))


def _escaped(text: str) -> str:
    """Return a text as it stands in a page: whatever it holds is no heading there, and no mark of a conflict."""
    return re.sub(rf"^(?={_STRUCTURE})", r"\\", _trimmed(text), flags=re.M)


def _unescaped(text: str) -> str:
    return re.sub(rf"^\\(?={_STRUCTURE})", "", _trimmed(text), flags=re.M)


def _trimmed(text: str) -> str:
    """Return a text without blank lines around it; its first line keeps its indentation."""
    return re.sub(r"\A(?:[^\S\n]*\n)+", "", text.replace("\r\n", "\n")).rstrip()


def _one_line(text: str) -> str:
    return " ".join(text.split())


def with_files(agreement: Agreement, place_now: Callable[[str, int], str]) -> Agreement:
    """List only files that exist, its own among them; a page without a list gets one when it is bound to code.

    ``place_now`` returns a file with its current line, and nothing for one that is gone. Words beside a file stay.
    """
    body, span = agreement.body, _span(agreement.body, _RELATED)
    if agreement.is_convention or not body or not (span or agreement.digest):
        return agreement
    start, end, after = span or (_span(body, _ABOUT_SESSION) or (len(body),))[:1] * 3
    before = body[end:after].strip("\n")
    lines = list[str]()
    for line in before.split("\n"):
        listed, now = _LISTED.match(line), line
        if listed and _PATH.search(listed[2]):
            place = place_now(listed[2], int(listed[3] or 0))
            now = f"{listed[1]}`{place}`{listed[4]}" if place else ""
        lines += [now] if not listed or (now and now not in lines) else []
    own = f"- `{place_now(agreement.path, agreement.line)}`"
    if own != "- ``" and not any(line.startswith(own) for line in lines):
        lines.insert(next((at for at, line in enumerate(lines) if _LISTED.match(line)), 0), own)
    text = "\n".join(lines).strip("\n")
    if text == before:
        return agreement
    whole = (body[:start].rstrip(), f"{body[start:end] or FILES}\n\n{text}" if text else "", body[after:].strip("\n"))
    return replace(agreement, body="\n\n".join(filter(None, whole)))


def sections(body: str) -> dict[str, str]:
    """Return the text below each heading of a page; what stands before the first has an empty one."""
    marks = list(_SECTION.finditer(body))
    parts = {"": body[: marks[0].start() if marks else len(body)].strip("\n")}
    ends = [mark.start() for mark in marks[1:]]
    for mark, end in zip(marks, [*ends, len(body)], strict=False):
        text = body[mark.end() : end].strip("\n")
        parts[mark[0]] = "\n\n".join(filter(None, (parts.get(mark[0], ""), text)))
    return parts


def lists_files(heading: str) -> bool:
    """Tell whether a section lists files."""
    return bool(_RELATED.search(heading.lstrip("# ")))


def files_of(agreement: Agreement) -> tuple[str, ...]:
    """Return the files its evidence names, its own first."""
    listed = [found[0] for found in _FILE.findall(_section(agreement.body, _RELATED))]
    return tuple(dict.fromkeys([*([agreement.path] if agreement.path else []), *listed]))


def _span(body: str, names: re.Pattern[str]) -> tuple[int, int, int] | None:
    """Return where the heading of a section begins, where it ends, and where the section ends."""
    for found in _SECTION.finditer(body):
        if names.search(found[1]):
            after = _SECTION.search(body, found.end())
            return found.start(), found.end(), after.start() if after else len(body)
    return None


def _section(body: str, names: re.Pattern[str]) -> str:
    span = _span(body, names)
    return body[span[1] : span[2]].strip("\n") if span else ""


def _first_file(body: str) -> tuple[str, int]:
    found = _FILE.search(_section(body, _RELATED))
    return (found[1], int(found[2] or 0)) if found else ("", 0)


def _text(fields: Mapping[str, Value], name: str) -> str:
    value = fields.get(name, "")
    return value if isinstance(value, str) else ", ".join(value)


def _count(page: str, fields: Mapping[str, Value], name: str) -> int:
    text = _text(fields, name)
    if text and not text.isdecimal():
        raise _bad_field(page, name, "pages.no_count", name=name, text=text[:20])
    return int(text or 0)


def _similarity(page: str, fields: Mapping[str, Value]) -> float | None:
    text = _text(fields, "similarity")
    try:
        value = float(text) if text else None
    except ValueError:
        value = float("nan")
    if value is not None and not (isfinite(value) and 0 <= value <= 1):
        raise _bad_field(page, "similarity", "pages.no_share", text=text[:20])
    return value


def _bad_field(page: str, field: str, code: str, **values: str) -> BadArgument:
    error, number = BadArgument(code, **values), line_of(page.removeprefix("\ufeff"), field)
    return BadArgument(say("pages.line", number=number, why=error.message), error.hint)
