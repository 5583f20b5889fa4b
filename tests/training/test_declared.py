"""A package's own words on its licence become one short text; what nobody says stays unknown."""

import json
import zipfile
from pathlib import Path

from tests.cases import for_each
from training import declared


@for_each(
    ("words", "name"),
    [
        ("The MIT License (MIT)", "MIT"),
        ("Apache Software License 2.0", "Apache-2.0"),
        ("BSD 3-Clause", "BSD-3-Clause"),
        ("GNU Lesser General Public License v3 (LGPLv3)", "LGPL-3.0"),
        ("GNU General Public License v2 or later (GPLv2+)", "GPL-2.0-or-later"),
        ("Other/Proprietary License", "LicenseRef-Not-Free"),
        ("Business Source License 1.1", "LicenseRef-Not-Free"),
        ("see the file", "unknown"),
        ("", "unknown"),
    ],
)
def test_words_become_a_short_name(words: str, name: str) -> None:
    assert declared.short(words) == name


def test_an_expression_says_more_than_a_field_and_a_field_more_than_a_classifier() -> None:
    labels = ["License :: OSI Approved :: BSD License"]
    assert declared.of_fields("MIT OR Apache-2.0", "BSD", labels)[0] == "MIT OR Apache-2.0"
    assert declared.of_fields("", "BSD-3-Clause", labels)[0] == "BSD-3-Clause"
    assert declared.of_fields("", "see LICENSE", labels)[0] == "BSD"
    assert declared.of_fields("", "see LICENSE", [])[0] == "unknown"


def test_a_proprietary_classifier_is_not_outvoted_by_a_field() -> None:
    labels = ["License :: Other/Proprietary License"]
    assert declared.of_fields("", "MIT-like", labels)[0].startswith("LicenseRef-Not-Free")


@for_each(
    ("package", "name"),
    [
        ({"license": "(MIT OR GPL-3.0-or-later)"}, "(MIT OR GPL-3.0-or-later)"),
        ({"licenses": [{"type": "MIT"}, {"type": "Apache-2.0"}]}, "MIT OR Apache-2.0"),
        ({"license": "SEE LICENSE IN LICENSE.txt"}, "unknown"),
        ({"license": "UNLICENSED"}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_package_json_is_taken_at_its_word_and_no_further(package: dict[str, object], name: str) -> None:
    assert declared.of_package(package)[0] == name


def test_debian_says_what_holds_for_all_files() -> None:
    text = "Files: debian/*\nLicense: ISC\n\nFiles: *\nCopyright: x\nLicense: GPL-2+ or Expat\n text\n"
    assert declared.of_copyright(text)[0] == "GPL-2.0-or-later OR MIT"


def test_debian_in_plain_words_is_read_by_keywords_and_is_free_anyway() -> None:
    told, how = declared.of_copyright("On Debian systems see /usr/share/common-licenses/GPL-2.")
    assert (told, how) == ("GPL", "debian copyright, by keywords")
    assert declared.of_copyright("Do as you like.") == ("DFSG-free", "debian main section")


def test_an_archive_is_asked_where_its_kind_tells_it(tmp_path: Path) -> None:
    wheel = tmp_path / "demo-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("demo/package.json", json.dumps({"license": "ISC"}))
        files.writestr("demo-1.0.dist-info/METADATA", "Name: demo\nLicense-Expression: MIT\n\nLicense: GPL\n")
    assert declared.of_archive(wheel) == ("pypi", "MIT", "license expression")
    empty = tmp_path / "none-1.0.zip"
    with zipfile.ZipFile(empty, "w") as files:
        files.writestr("none/LICENSE", "MIT")
    assert declared.of_archive(empty)[1] == "unknown"
