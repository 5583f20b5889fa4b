"""``python -m tests.golden``: write the golden files anew, and say which changed."""

import sys
import tempfile
from pathlib import Path

from tests.golden import answers, files, pages, protocol, rankings, terminal, texts

FAMILIES = {
    "operations": answers,
    "recordings": answers,
    "terminal": terminal,
    "protocol": protocol,
    "texts": texts,
    "rankings": rankings,
    "pages": pages,
}


def main(wanted: list[str]) -> None:
    """Write some families, or all."""
    for module in dict.fromkeys(FAMILIES[name] for name in wanted or FAMILIES):
        with tempfile.TemporaryDirectory() as base:
            produced = module.produce(Path(base))
        for family in (name for name, one in FAMILIES.items() if one is module):
            own = {name: text for name, text in produced.items() if name.startswith(f"{family}/")}
            for name in files.write(family, own):
                print(f"changed: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
