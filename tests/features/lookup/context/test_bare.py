"""Lines that say nothing by themselves, in many languages."""

from shirube.features.lookup.context.bare import is_bare
from tests.cases import for_each


@for_each(
    ("language", "text"),
    [
        ("python", "import os\nfrom a import (\n    b,\n    c,\n)\nfrom . import x\n"),
        ("python", '"""Says what \\"x\\" and "y" are.\n\nMore of it.\n"""\n\nimport re\n'),
        ("python", "# Licensed to all.\n# More of it.\n"),
        ("java", "/* A licence. */\npackage a.b;\n\nimport java.util.List;\nimport static a.b.C.*;\n"),
        ("typescript", "import {\n  a,\n  b,\n} from 'x'\nimport type { c } from 'y'\nexport * from './z'\n"),
        ("javascript", "'use strict'\n\nconst { a, b } = require('x')\nconst c = require('./c')\n"),
        ("javascript", "export {\n  a,\n  b,\n}\n"),
        ("rust", "//! About it.\n#![allow(x)]\nuse std::{\n    a::{b, c},\n    d,\n};\nmod foo;\npub mod bar;\n"),
        ("go", 'package main\n\nimport (\n\t"fmt"\n\tx "a/b"\n)\n'),
        ("c", '#include <a.h>\n#include "b.h"\n'),
        ("ruby", "require 'x'\nrequire_relative 'y'\n"),
        ("php", "<?php\n\nnamespace A\\B;\nuse C\\D;\n"),
    ],
)
def test_imports_licences_and_docstrings_are_bare(language: str, text: str):
    assert is_bare(text, language)


@for_each(
    ("language", "text"),
    [
        ("python", "import os\nLIMIT = 1\n"),
        ("python", 'TEXT = """Not a docstring."""\n'),
        ("python", "from_name = 3\n"),
        ("javascript", "import('./x').then(go)\n"),
        ("javascript", "module.exports = { a }\n"),
        ("typescript", "import x from 'y'\nexport const z = 3\n"),
        ("cpp", "namespace x {\n  int a;\n}\n"),
        ("c", "#define LIMIT 3\n"),
        ("rust", "mod tests {\n    fn a() {}\n}\n"),
        ("ruby", "module Shop\n  def pay; end\nend\n"),
        ("markdown", "# How to import\n"),
        ("text", "import what you like\n"),
    ],
)
def test_code_and_prose_are_not(language: str, text: str):
    assert not is_bare(text, language)
