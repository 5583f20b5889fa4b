"""What stands above the code of a file is told from code."""

from tests.cases import for_each

from shirube.engine.parse.file import parse_file
from shirube.engine.parse.head import is_head


@for_each(
    "text",
    [
        '"""Doc."""\n\nimport os\nfrom a import (\n    b,\n    c,\n)\n',
        '"""Doc\nof two lines.\n"""\nfrom __future__ import annotations\n',
        "/*\n * Licence\n */\n#include <a.h>\n#ifdef X\n",
        "import {\n  a,\n  b,\n} from 'x'\nexport type { X } from 'y'\n",
        "//! What it is.\nuse std::{\n    fs, io,\n};\nmod foo;\n",
        'package main\n\nimport (\n\t"fmt"\n)\n',
        "<?php\nnamespace A\\B;\nuse C\\D;\n",
        "'use strict';\nconst a = require('x')\n",
        "try:\n    import a\nexcept ImportError:\n    import b\n",
        "# ライセンス\n# 著作権\n",
    ],
)
def test_imports_licences_and_docstrings_are_a_head(text: str):
    assert is_head(text)


@for_each(
    "text",
    [
        "import os\n\nx = 1\n",
        "const a = require('x')\nconst b = a + 1",
        "export function x() {",
        "from a import b\n\n\ndef f(): pass",
        "#define LIMIT 10\n",
        "if (a) {\n}",
        '"""Doc."""\nregister(app)\n',
        "import os\nos.environ['A'] = 'b'\n",
    ],
)
def test_a_text_with_code_is_no_head(text: str):
    assert not is_head(text)


def test_only_the_text_above_the_symbols_is_a_head_and_only_where_a_grammar_tells_symbols():
    parsed = parse_file(b"# Licence\nimport os\n\n\ndef run():\n    return os\n\n\nrun()\n", "python")
    assert [(piece.symbol, piece.kind) for piece in parsed.pieces] == [
        ("", "head"),
        ("run", "function"),
        ("", "module"),
    ]
    assert [piece.kind for piece in parse_file(b"# a comment\n# alone\n", "text").pieces] == ["module"]
