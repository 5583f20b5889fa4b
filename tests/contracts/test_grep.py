"""One suite, with ripgrep as the sieve and without: the answers are the same."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.cases import for_each

from shirube.engine.repo.grep import GrepOptions, GrepResult, grep
from shirube.engine.repo.read import decode, is_binary
from shirube.engine.repo.regex import Spelling, compile_pattern

pytestmark = pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed")

TREE = {
    "plain.py": b"def get_user(name):\n    return users[name]\n\nclass User:\n\tpass\n",
    "crlf.txt": b"first line\r\nget_user\r\n\r\nlast; line\r\n",
    "old.txt": b"one\rtwo get_user\rthree",
    "no_end.txt": b"alpha\nget_user at the end",
    "日本語/決済.md": "# 決済の方針\n\nカートのget_userを三回まで再試行する。\n全角　空白と１２３\n".encode(),
    "cafe.txt": "café CAFÉ straße STRASSE ſ K İ i\n".encode(),
    "bom.txt": "\ufeffget_user first\n".encode(),
    "utf16.txt": "get_user 決済\r\nsecond\r\n".encode("utf-16"),
    "sjis.txt": "これは注文の一覧です get_user\n".encode("cp932"),
    "broken.txt": b"caf\xe9 get_user \xff\xfe tail\nok\n",
    "late_nul.txt": b"get_user\n" + b"x" * 40_000 + b"\n\0 get_user\n",
    "binary.bin": b"\0\1\2get_user\n",
    "long.txt": b"a" * 200_000 + b"get_user" + b"b" * 200_000 + b"\nshort get_user\n",
    "empty.txt": b"",
    "newlines.txt": b"\n\n\n",
    "-e": b"--pre=get_user\n",
    "new\nline.txt": b"get_user\n",
    ".hidden/x": b"get_user\n",
    "many.txt": b"get_user\nskip\n" * 40,
}
PATTERNS = [
    (("get_user",), {}),
    (("GET_USER",), {"ignore_case": True}),
    (("user",), {"word": True}),
    (("get_user",), {"word": True}),
    (("決済",), {}),
    (("カート",), {"word": True}),
    (("café",), {"ignore_case": True}),
    (("strasse",), {"ignore_case": True}),
    (("s k",), {"ignore_case": True}),
    (("get_user", "class", "再試行", "zyzzyva", "users["), {}),
    ((r"def \w+\(", r"^class \w+:$"), {"regex": True}),
    ((r"get_user$",), {"regex": True}),
    ((r"^get_user",), {"regex": True}),
    ((r"\bget_user\b",), {"regex": True}),
    ((r"[^;]line$",), {"regex": True}),
    ((r"\d+",), {"regex": True}),
    ((r"全角\s空白",), {"regex": True}),
    ((r"三回\w+する。$",), {"regex": True}),
    ((r"\p{Han}+の",), {"regex": True}),
    ((r"(?i)k İ",), {"regex": True}),
    ((r"caf. get",), {"regex": True}),
    ((r"^$",), {"regex": True}),
    ((r"x*",), {"regex": True}),
    ((r"a{3,5}get|b+$",), {"regex": True}),
    ((r"first line\r",), {"regex": True}),
    ((r"(?:get|put)_(?:user|item)s?",), {"regex": True, "word": True}),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    for name, data in TREE.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def both(root: Path, files: list[str], patterns: tuple[str, ...], spelling: Spelling) -> tuple[GrepResult, GrepResult]:
    compiled = [compile_pattern(pattern, spelling) for pattern in patterns]
    odd = {name for name in files if _is_odd((root / name).read_bytes())}
    env = {"PATH": os.environ["PATH"], "HOME": str(root)}
    alone = GrepOptions(context_lines=1, env=env, sieve_files=1 << 30)
    sieved = GrepOptions(context_lines=1, env=env, sieve_files=0, unsieved=odd)
    return grep(root, compiled, files, alone), grep(root, compiled, files, sieved)


def _is_odd(data: bytes) -> bool:
    """Say what the index notes: that a file is not UTF-8."""
    decoded = decode(data)
    return not is_binary(data) and (decoded.encoding != "utf-8" or bool(decoded.note))


@for_each(("patterns", "spelling"), PATTERNS)
def test_the_answer_is_the_same_with_and_without_the_sieve(tree: Path, patterns: tuple[str, ...], spelling):
    alone, sieved = both(tree, list(TREE), patterns, Spelling(**spelling))
    assert alone.files == sieved.files
    assert (alone.total, alone.total_files) == (sieved.total, sieved.total_files)
    assert alone.total or patterns == ("strasse",) or "(?i)" not in patterns[0]


def test_the_tree_shows_what_it_is_for(tree: Path):
    alone, sieved = both(tree, list(TREE), ("get_user",), Spelling())
    assert sieved.sieved
    assert not alone.sieved
    found = {file.path: [(line.number, line.column) for line in file.lines] for file in sieved.files}
    assert found["crlf.txt"] == [(2, 1)]
    assert found["old.txt"] == [(1, 9)]
    assert found["日本語/決済.md"] == [(3, 5)]
    assert found["bom.txt"] == [(1, 1)]
    assert found["utf16.txt"] == [(1, 1)]
    assert found["sjis.txt"] == [(1, 12)]
    assert found["broken.txt"] == [(1, 6)]
    assert found["late_nul.txt"] == [(1, 1), (3, 3)]
    assert found["long.txt"] == [(1, 200_001), (2, 7)]
    assert "binary.bin" not in found


TEXT = st.text(st.sampled_from("abKkſé決カ_ -1.\t\r\n　"), max_size=30)
PIECES = st.sampled_from(
    ["a", "b", "k", "K", "é", "決", "_", " ", ".", r"\w", r"\s", r"\d", "[^a]", "^", "$", "|", "b?", "k+"]
)


@given(
    texts=st.lists(TEXT, min_size=1, max_size=4), parts=st.lists(PIECES, min_size=1, max_size=6), ignore=st.booleans()
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_expression_falls_through_the_sieve(tmp_path: Path, texts: list[str], parts: list[str], ignore: bool):
    files = [f"f{number}" for number in range(len(texts))]
    for name, text in zip(files, texts, strict=True):
        (tmp_path / name).write_bytes(text.encode())
    alone, sieved = both(tmp_path, files, ("".join(parts),), Spelling(regex=True, ignore_case=ignore))
    assert alone.files == sieved.files


@given(text=st.text(max_size=40), pattern=st.text(min_size=1, max_size=4))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plain_text_is_found_where_it_is(tmp_path: Path, text: str, pattern: str):
    assume(not set("\n\r\0") & set(pattern))
    data = text.encode()
    assume(not is_binary(data))
    (tmp_path / "file").write_bytes(data)
    lines = decode(data).text.replace("\r\n", "\n").split("\n")
    wanted = [(number, line.index(pattern) + 1) for number, line in enumerate(lines, 1) if pattern in line]
    for result in both(tmp_path, ["file"], (pattern,), Spelling()):
        assert [(line.number, line.column) for file in result.files for line in file.lines] == wanted
