"""``python -m benchmarks.names TREE …``: ask for names that one line defines; right is a first place with that line.

What defines a name is told by plain patterns, not by our own parser. ``--cache`` keeps the indexes.
"""

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.quality.data import Repository
from benchmarks.quality.ours import Ours

JAVA = r"\s*(?:public|protected) (?:(?:static|final|abstract) )*(?:class|interface|enum|[\w<>\[\], ?]+) (\w+)\s*[({]"
PATTERNS = {
    "py": r"\s*(?:async )?(?:def|class) (\w+)",
    "ts tsx": r"export (?:default )?(?:abstract |async )*(?:function|class|const|interface|type|enum) (\w+)",
    "js jsx mjs": r"(?:export (?:default )?)?(?:async )?(?:function|class) (\w+)",
    "go": r"(?:func (?:\([^)]*\) )?|type )(\w+)",
    "rs": r"\s*pub(?:\([^)]*\))? (?:(?:async|const|unsafe) )*(?:fn|struct|enum|trait) (\w+)",
    "java": JAVA,
    "cs": JAVA.replace("protected", "internal|protected").replace("static", "static|override|virtual|sealed|readonly"),
    "kt": r"\s*(?:(?:public|internal|override|suspend|inline|data|sealed|abstract|open) )*"
    r"(?:fun(?: <[^>]*>)?|class|interface|object) (\w+)",
    "php": r"\s*(?:(?:abstract|final|public|protected|private|static) )*(?:function|class|interface|trait) (\w+)",
    "swift": r"\s*(?:(?:public|open|internal|final|static) )*(?:func|class|struct|enum|protocol) (\w+)",
    "rb": r"\s*(?:def (?:self\.)?|class |module )(\w+)",
    "ex": r"\s*(?:def|defmacro) (\w+)",
    "c": r"(?:[\w*]+ )+\*?(\w+)\([^;]*$",
    "cpp cc": r"(?:class|struct|enum class) (\w+)[^;]*$",
}
"""How a line that defines something looks, by the ending of its file."""
OTHER = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures|examples?|playground|docs?|docs_src|vendor|generated|"
    r"autogen|locale|dist|build|benches|benchmarks?)(/|$)|(_test|_spec|\.test|\.spec|\.d|\.min)\.\w+$|(^|/)test_|"
    r"Tests?\.\w+$",
    re.IGNORECASE,
)
"""Files that do not define what a project has."""
SHORTEST, LARGEST, SLACK = 6, 400_000, 6
"""Letters of a name; bytes of a file; lines that a comment or decorators may stand above."""
FORMS: dict[str, Callable[[str, str], str]] = {
    "alone": lambda name, path: name,
    "in backticks": lambda name, path: f"`{name}`",
    "as a call": lambda name, path: f"{name}()",
    "with its file": lambda name, path: f"{name} {path}",
    "where is": lambda name, path: f"where is {name} called",
    "what does": lambda name, path: f"what does `{name}` do",
    "in Japanese": lambda name, path: f"{name}の定義はどこ",
    "in other letters": lambda name, path: _other_letters(name),
}
"""How a name is asked for."""


def main() -> None:
    """Ask for every name in every form, and print a table by form and by language."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.names", description=__doc__)
    parser.add_argument("trees", type=Path, nargs="+")
    parser.add_argument("--cache", required=True)
    parser.add_argument("--names", type=int, default=40, help="of each tree")
    parser.add_argument("--misses", type=int, default=0, help="print so many of what went wrong")
    options = parser.parse_args()
    ours = Ours([Repository(tree.name, "", tree, ()) for tree in options.trees], options.cache)
    asked, right, wrong = Counter[str](), Counter[str](), Counter[str]()
    for tree in options.trees:
        for name, (path, line) in names_of(tree, options.names):
            for form, spelled in FORMS.items():
                page = ask(ours.workspaces[tree.name], spelled(name, path))
                hit = page.hits[0] if page.hits else None
                is_right = bool(hit and hit.path == path and hit.start_line - SLACK <= line <= hit.end_line)
                is_found = page.confidence >= ours.config().confidence.found
                for part in (form, path.rpartition(".")[2]) if form == "alone" else (form,):
                    asked[part] += 1
                    right[part] += is_right
                    wrong[part] += is_found and not is_right
                if not is_right and options.misses > 0:
                    options.misses -= 1
                    print(
                        tree.name, spelled(name, path), f"{path}:{line}", hit and (hit.path, hit.start_line, hit.symbol)
                    )
    ours.close()
    print("| asked | names | definition first | wrong, but `found` |\n|---|--:|--:|--:|")
    for part, count in asked.items():
        print(f"| {part} | {count} | {right[part] / count:.3f} | {wrong[part] / count:.3f} |")


def names_of(tree: Path, most: int) -> list[tuple[str, tuple[str, int]]]:
    """Return names at random, the same ones each time, that one line of a tree's sources defines, with the place."""
    places: dict[str, list[tuple[str, int]]] = {}
    for name, path, line in _defined(tree):
        places.setdefault(name, []).append((path, line))
    single = sorted((name, found[0]) for name, found in places.items() if len(found) == 1)
    return random.Random(20).sample(single, min(most, len(single)))


def _defined(tree: Path) -> Iterator[tuple[str, str, int]]:
    patterns = {f".{ending}": re.compile(one) for endings, one in PATTERNS.items() for ending in endings.split()}
    for file in sorted(tree.rglob("*")):
        path = file.relative_to(tree).as_posix()
        pattern = patterns.get(file.suffix)
        if pattern is None or OTHER.search(path) or not file.is_file() or file.stat().st_size > LARGEST:
            continue
        for number, line in enumerate(file.read_text("utf-8", "replace").split("\n"), 1):
            if (match := pattern.match(line)) and len(match[1]) >= SHORTEST and match[1] not in ("return", "function"):
                yield match[1], path, number


def _other_letters(name: str) -> str:
    """Return a name as another convention spells it: ``parse_rate`` → ``parseRate``, ``getUser`` → ``get_user``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)
    snake = "_".join(words).lower()
    return snake if snake != name.lower() else words[0].lower() + "".join(word.capitalize() for word in words[1:])


def ask(workspace: Any, text: str) -> Any:
    """Search as the program is set up, past the map."""
    from shirube.engine.search import Around, search
    from shirube.types import Query

    around = Around(background=workspace.embedder.background, is_change=workspace.asks_for_change(text))
    return search(Query(text, 2), workspace.store, workspace.embedder, workspace.config.search, around)


if __name__ == "__main__":
    main()
