"""Which language a file is written in, and what we know of each language."""

import re
from functools import cache

from msgspec import Struct

CLASS_KINDS = frozenset({"class", "interface", "struct", "enum", "trait", "impl", "protocol", "object", "record"})
"""Kinds whose functions are methods."""

CONTAINER_KINDS = CLASS_KINDS | {"module", "namespace", "section", "component", "directive", "at_rule", "element"}
"""Kinds that are cut into a header and a piece per member."""


class Language(Struct, frozen=True):
    """A row of the table: how to recognise a language and how to read it."""

    name: str
    extensions: str = ""
    """File name endings without the dot, separated by spaces."""
    filenames: str = ""
    """Whole file names in lower case, separated by spaces."""
    shebangs: str = ""
    """Interpreter names, separated by spaces."""
    grammar: str = ""
    """``module:function`` of the grammar wheel; empty when the language is cut by lines."""
    query: str = ""
    """Name of the query file; the language's own name when empty."""
    joiner: str = ""
    """A pattern that parts a written name into scopes and name: ``Foo::bar``."""
    constructors: str = ""
    """Method names that construct, separated by spaces."""
    depth: int = 0
    """How deep in the tree a definition may begin; 0 means anywhere. It saves half of the query's time."""
    shouts: bool = False
    """Whether a variable in capitals is a constant."""
    joins: bool = False
    """Whether neighbouring definitions of one name are clauses of one definition."""
    macros: bool = False
    """Whether a preprocessor may put anything anywhere."""


TABLE: tuple[Language, ...] = (
    Language(
        "python",
        "py pyi pyw",
        "sconstruct sconscript",
        "python python2 python3 pypy3",
        "python:language",
        depth=9,
        shouts=True,
    ),
    Language(
        "javascript", "js jsx mjs cjs", "jakefile", "node nodejs bun", "javascript:language", constructors="constructor"
    ),
    Language(
        "typescript", "ts mts cts", "", "deno ts-node tsx", "typescript:language_typescript", constructors="constructor"
    ),
    Language("tsx", "tsx", "", "", "typescript:language_tsx", "typescript", constructors="constructor"),
    Language("php", "php php5 php7 phtml inc", "artisan", "php", "php:language_php", constructors="__construct"),
    Language("html", "html htm xhtml", grammar="html:language"),
    Language("css", "css", grammar="css:language"),
    Language("scss", "scss", grammar="scss:language"),
    Language("go", "go", grammar="go:language"),
    Language("rust", "rs", "", "rust-script", "rust:language"),
    Language("java", "java", grammar="java:language"),
    Language("kotlin", "kt kts", "", "kotlin", "kotlin:language", shouts=True),
    Language("scala", "scala sc sbt", "", "scala", "scala:language"),
    Language("c", "c h", grammar="c:language", shouts=True, macros=True),
    Language(
        "cpp",
        "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh",
        grammar="cpp:language",
        joiner="::",
        shouts=True,
        macros=True,
    ),
    Language("csharp", "cs csx", "", "dotnet-script", "c_sharp:language"),
    Language("swift", "swift", "", "swift", "swift:language"),
    Language(
        "ruby",
        "rb rake gemspec ru rbw",
        "rakefile gemfile guardfile vagrantfile podfile fastfile brewfile",
        "ruby jruby",
        "ruby:language",
        joiner="::?",
    ),
    Language("lua", "lua rockspec", "", "lua luajit", "lua:language", joiner="[.:]"),
    Language("elixir", "ex exs", "mix.lock", "elixir", "elixir:language", joins=True),
    Language("haskell", "hs", "", "runhaskell runghc stack", "haskell:language", joins=True),
    Language("zig", "zig zon", grammar="zig:language"),
    Language(
        "bash",
        "sh bash zsh ksh bats",
        ".bashrc .bash_profile .profile .zshrc .zprofile pkgbuild",
        "sh bash zsh ksh dash ash bats",
        "bash:language",
    ),
    Language("sql", "sql ddl", grammar="sql:language"),
    Language("yaml", "yaml yml", ".clang-format .clang-tidy", grammar="yaml:language"),
    Language("toml", "toml", "cargo.lock poetry.lock uv.lock pdm.lock pipfile", grammar="toml:language"),
    Language(
        "json",
        "json jsonc json5 geojson webmanifest ipynb",
        ".babelrc .eslintrc .prettierrc composer.lock flake.lock",
        grammar="json:language",
    ),
    Language("markdown", "md markdown mdx mdown mkd"),
    Language("blade", "blade.php"),
    # --- known by name only, cut by lines
    Language("rst", "rst rest"),
    Language("asciidoc", "adoc asciidoc"),
    Language(
        "ini",
        "ini cfg conf properties editorconfig desktop service",
        ".editorconfig .gitconfig .npmrc .flake8 .pylintrc",
    ),
    Language("xml", "xml xsd xsl xslt plist csproj fsproj vbproj resx xaml pom wsdl"),
    Language("svg", "svg"),
    Language("po", "po pot"),
    Language("dockerfile", "dockerfile", "dockerfile containerfile"),
    Language("make", "mk mak", "makefile gnumakefile", "make"),
    Language("cmake", "cmake", "cmakelists.txt"),
    Language("vue", "vue"),
    Language("svelte", "svelte"),
    Language("astro", "astro"),
    Language("dart", "dart"),
    Language("perl", "pl pm t", "", "perl"),
    Language("r", "r rmd", "", "rscript"),
    Language("julia", "jl", "", "julia"),
    Language("clojure", "clj cljs cljc edn", "", "bb"),
    Language("erlang", "erl hrl", "", "escript"),
    Language("ocaml", "ml mli"),
    Language("fsharp", "fs fsi fsx"),
    Language("nim", "nim nims"),
    Language("groovy", "groovy gradle", "jenkinsfile", "groovy"),
    Language("powershell", "ps1 psm1 psd1", "", "pwsh"),
    Language("proto", "proto"),
    Language("graphql", "graphql gql"),
    Language("terraform", "tf tfvars hcl"),
    Language("nix", "nix"),
    Language("vim", "vim", ".vimrc"),
    Language("tex", "tex sty cls bib"),
    Language("csv", "csv tsv"),
    Language("objc", "m mm"),
    Language("visualbasic", "vb bas vbs"),
    Language("pascal", "pas dpr"),
    Language("fortran", "f f90 f95 f03 for"),
    Language("assembly", "asm s"),
    Language("lisp", "lisp el cl", ".emacs"),
    Language("scheme", "scm ss rkt"),
    Language("crystal", "cr", "", "crystal"),
    Language("d", "d"),
    Language("v", "v"),
    Language("solidity", "sol"),
    Language("awk", "awk", "", "awk gawk"),
    Language("fish", "fish", "", "fish"),
    Language("batch", "bat cmd"),
    Language("less", "less"),
    Language("sass", "sass"),
    Language("stylus", "styl"),
    Language("jinja", "jinja jinja2 j2"),
    Language("erb", "erb"),
    Language("twig", "twig"),
    Language("handlebars", "hbs handlebars mustache"),
    Language("pug", "pug jade"),
    Language("haml", "haml"),
    Language("bazel", "bzl bazel", "build workspace"),
    Language("meson", "", "meson.build"),
    Language("diff", "diff patch"),
    Language("gitignore", "gitignore", ".gitignore .dockerignore .gitattributes .npmignore codeowners"),
)

PLAIN = Language("text", "txt text log")
"""What every unknown file is: text."""

_CPP_HEAD = re.compile(
    rb"^\s*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected)\s*:"
    rb"|#\s*include\s*<(?:string|vector|memory|map|iostream|cstd\w+|utility|functional)>)",
    re.MULTILINE,
)
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?env\s+(?:-\S+\s+)*(?:\S*/)?([\w.+-]+)|#!\s*(?:\S*/)?([\w.+-]+)")
_VERSION = re.compile(r"[\d.]+$")


def language_of(path: str, head: bytes = b"") -> str:
    """Return the language of a file by its name, its ending or its first line.

    >>> language_of("src/app.py"), language_of("bin/tool", b"#!/usr/bin/env python3")
    ('python', 'python')
    """
    filename = path.rsplit("/", 1)[-1].lower()
    names, endings, shebangs = _tables()
    found = names.get(filename) or _by_ending(filename, endings)
    if found == "c" and filename.endswith(".h") and _CPP_HEAD.search(head):
        return "cpp"
    if found:
        return found
    shebang = _SHEBANG.match(head)
    if shebang:
        word = (shebang[1] or shebang[2]).decode("ascii", "replace").lower()
        return shebangs.get(word) or shebangs.get(_VERSION.sub("", word)) or "text"
    return "dockerfile" if filename.startswith("dockerfile") else "text"


def known_languages() -> tuple[str, ...]:
    """Return the name of every language in the table, ``text`` last."""
    return (*(row.name for row in TABLE), PLAIN.name)


def language_row(name: str) -> Language:
    """Return the row of a language; an unknown name is plain text."""
    return _rows().get(name, PLAIN)


def _by_ending(filename: str, endings: dict[str, str]) -> str:
    """Try the longest ending first, so that ``a.blade.php`` is not PHP."""
    _, _, ending = filename.partition(".")
    while ending:
        if ending in endings:
            return endings[ending]
        _, _, ending = ending.partition(".")
    return ""


@cache
def _rows() -> dict[str, Language]:
    return {row.name: row for row in (*TABLE, PLAIN)}


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return file names, endings and shebang words, each pointing to a language."""
    names: dict[str, str] = {}
    endings: dict[str, str] = {}
    shebangs: dict[str, str] = {}
    for row in (*TABLE, PLAIN):
        for table, words in ((names, row.filenames), (endings, row.extensions), (shebangs, row.shebangs)):
            for word in words.split():
                table.setdefault(word, row.name)
    return names, endings, shebangs
