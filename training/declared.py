"""What a package says of its own licence, as a short text like SPDX's: the rows for ``sources.tsv``.

    python -m training.declared ARCHIVE … >> training/sources.tsv

It is read where the package itself says it: a wheel's ``METADATA``, ``package.json``, Debian's ``copyright``. A licence
that is told in no such place, or in words that nobody knows, is ``unknown``: then a person reads the package's LICENSE
and writes the row.
"""

import argparse
import json
import re
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from training.collect import members, source

UNKNOWN, NOT_FREE = "unknown", "LicenseRef-Not-Free"

_WORDS = (
    (NOT_FREE, r"proprietary|commercial licen|busl|business source|sspl|server side public|elastic licen"),
    (NOT_FREE, r"non-?commercial|by-nc|all rights reserved$|eula"),
    ("CC-BY-SA", r"\bcc[- ]by[- ]sa|creative commons attribution[- ]share"),
    ("MIT-CMU", r"\bcmu\b|mit-cmu"),
    ("AGPL", r"\bagpl|affero"),
    ("LGPL", r"\blgpl|lesser general public|library general public|gnu lesser"),
    ("GPL", r"\bgpl|general public licen"),
    ("MPL-2.0", r"\bmpl|mozilla public"),
    ("Apache-2.0", r"apache"),
    ("EPL-2.0", r"\bepl\b|eclipse public"),
    ("BSL-1.0", r"boost software"),
    ("PSF-2.0", r"python software foundation|\bpsf|python licen|python-2\.0|cnri"),
    ("ZPL-2.1", r"\bzpl|zope public"),
    ("ISC", r"\bisc\b|iscl"),
    ("BSD", r"\bbsd|redistribution and use in source and binary"),
    ("Unlicense", r"unlicen[sc]e"),
    ("CC0-1.0", r"\bcc0"),
    ("CC-BY-4.0", r"\bcc[- ]by\b"),
    ("Artistic-2.0", r"artistic"),
    ("HPND", r"hpnd|historical permission"),
    ("Zlib", r"\bzlib"),
    ("WTFPL", r"wtfpl|do what the f"),
    ("MIT-0", r"\bmit-0\b|mit no attribution"),
    ("MIT", r"\bmit\b|expat|permission is hereby granted, free of charge"),
    ("PHP-3.01", r"php licen"),
    ("Ruby", r"ruby'?s? licen"),
    ("OFL-1.1", r"open font"),
    ("Public-Domain", r"public[- ]domain"),
    ("OSI-Approved", r"osi approved"),
)
_KNOWN = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in _WORDS)
_VERSIONED = re.compile(r"\b(?P<name>[AL]?GPL|GFDL)-(?P<version>\d(\.\d)?)(\.0)?(?P<later>\+|-or-later)?(?![\w+.])")
_VERSION = re.compile(r"(?:GPL|General Public License)\D{0,12}(?P<version>\d(\.\d)?)(?P<later>\+)?", re.IGNORECASE)
_EXPRESSION = re.compile(r"[\w.+()-]+( (AND|OR|WITH) [\w.+()-]+)*")


def main() -> None:
    """Print a row for every archive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archives", type=Path, nargs="+")
    for archive in parser.parse_args().archives:
        registry, licence, known = of_archive(archive)
        print(source(archive), registry, 0, 0, 0, licence, known, sep="\t")


def of_archive(archive: Path) -> tuple[str, str, str]:
    """Return registry, licence and how it is known of a wheel, an npm package or a Debian package."""
    for path, body in members(archive):
        text = body.decode("utf-8", "replace") if len(body) < 1_000_000 else ""
        if re.search(r"\.dist-info/METADATA$|^[^/]+/PKG-INFO$", path):
            return "pypi", *of_metadata(text)
        if path == "package/package.json":
            return "npm", *of_package(json.loads(text))
        if re.search(r"usr/share/doc/[^/]+/copyright$|^([^/]+/)?debian/copyright$", path.removeprefix("./")):
            return "debian", *of_copyright(text)
    return UNKNOWN, UNKNOWN, "the archive does not say"


def of_metadata(text: str) -> tuple[str, str]:
    """Return licence and how it is known of a wheel's metadata; an expression says most, a classifier least."""
    headers = HeaderParser().parsestr(text)
    labels = [label for label in headers.get_all("Classifier", []) if label.startswith("License ::")]
    return of_fields(headers["License-Expression"] or "", headers["License"] or "", labels)


def of_fields(expression: str, field: str, labels: list[str]) -> tuple[str, str]:
    """Return licence and how it is known of the three places where a wheel may tell it."""
    if expression:
        return expression, "license expression"
    told = sorted({short(label.split(" :: ")[-1]) for label in labels} - {UNKNOWN})
    named = short(field)
    if NOT_FREE in (*told, named):
        return NOT_FREE, "classifier or license field"
    if len(told) > 1 and "OSI-Approved" in told:
        told.remove("OSI-Approved")
    if told and not (told == ["OSI-Approved"] and named != UNKNOWN):
        more = len(told) == 1 and named.startswith(told[0])
        return (named, "license field") if more else (" OR ".join(told), "classifier")
    return (named, "license field") if named != UNKNOWN else (UNKNOWN, "no expression, field or classifier says it")


def of_package(package: dict[str, Any]) -> tuple[str, str]:
    """Return licence and how it is known of a ``package.json``."""
    told = package.get("license") or package.get("licenses") or ""
    several = told if isinstance(told, list) else [told]
    names = [one.get("type", "") if isinstance(one, dict) else str(one) for one in several]
    name = " OR ".join(filter(None, names))
    if name and _EXPRESSION.fullmatch(name.replace("(", "").replace(")", "")) and name != "UNLICENSED":
        return name, "package.json"
    return UNKNOWN, f"package.json says {name}" if name else "package.json says nothing"


def of_copyright(text: str) -> tuple[str, str]:
    """Return licence and how it is known of Debian's ``copyright``: that of all files, else every name in it."""
    found = re.search(r"^Files:\s*\*\s*$.*?^License:[ \t]*(\S[^\n]*)", text, re.MULTILINE | re.DOTALL)
    names = [found[1]] if found else re.findall(r"^License:[ \t]*(\S[^\n]*)", text, re.MULTILINE)
    if names:
        told = sorted(set(map(_debian_name, names)))
        parts = [f"({name})" if len(told) > 1 and " OR " in name else name for name in told]
        return " AND ".join(parts), "debian copyright, machine-readable"
    told = " AND ".join(name for name, words in _KNOWN if words.search(text) and name != NOT_FREE)
    return told or "DFSG-free", "debian copyright, by keywords" if told else "debian main section"


def _debian_name(name: str) -> str:
    """Spell Debian's name of a licence as SPDX does: ``GPL-2+ or Expat`` → ``GPL-2.0-or-later OR MIT``."""
    bare = re.sub(r"\([^)]*\)|[(),]", " ", name).replace("and/or", "or").replace("Expat", "MIT")
    plain = " ".join(bare.split())
    plain = re.sub(r" (and|or|with)(?= )", lambda match: match[0].upper(), plain)
    return _VERSIONED.sub(lambda match: match["name"] + _numbered(match["version"], bool(match["later"])), plain)


def _numbered(version: str, later: bool) -> str:
    return f"-{version if '.' in version else version + '.0'}{'-or-later' if later else ''}"


def short(text: str) -> str:
    """Return the short name for the words of a licence: ``"The MIT License (MIT)"`` → ``"MIT"``."""
    line = " ".join(text.split())[:400]
    name = next((name for name, words in _KNOWN if words.search(line)), UNKNOWN)
    if name in ("AGPL", "LGPL", "GPL") and (found := _VERSION.search(line)):
        return name + _numbered(found["version"], bool(found["later"]) or "or later" in line.lower())
    if name == "BSD" and (clauses := re.search(r"([234])[- ]clause", line, re.IGNORECASE)):
        return f"BSD-{clauses[1]}-Clause"
    return name


if __name__ == "__main__":
    main()
