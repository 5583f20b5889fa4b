"""What the tests of this room are made of: a small shop, parsed and held in memory."""

from collections.abc import Mapping

import pytest

from shirube.config import load_config
from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.embed.quantize import to_int8
from shirube.engine.parse.file import parse_file
from shirube.engine.parse.languages import language_of
from shirube.engine.store.lexical import pack_text
from shirube.engine.store.port import Entry, StoreChange
from shirube.engine.store.store import Store
from shirube.features.lookup.context.fit import SourceFiles
from shirube.features.lookup.context.gather import Picker, Tools
from shirube.settings import Config
from shirube.types import Edge, FileRecord
from tests.conftest import SAMPLE
from tests.stores import memory_store, publish, write_edges

EMBEDDER = HashedEmbedder()
CONFIG: Config = load_config(None, None, {"HOME": "/nowhere"})
EDGES = {
    "src/shop/payment.py": [Edge("src/shop/payment.py", "src/shop/retry.py", "path", "import", 3)],
    "tests/test_payment.py": [Edge("tests/test_payment.py", "src/shop/payment.py", "path", "import", 1)],
    "web/cart.ts": [Edge("web/cart.ts", "web/price.ts", "path", "import", 1)],
}


def store_of(files: Mapping[str, str], edges: Mapping[str, list[Edge]] | None = None) -> Store:
    """Return a store that holds these files, parsed as they would be."""
    store = memory_store(EMBEDDER.dimensions)
    entries = []
    for path, text in files.items():
        parsed = parse_file(text.encode(), language_of(path))
        data = text.encode()
        texts = [data[piece.start : piece.end].decode() for piece in parsed.pieces]
        vectors = to_int8(EMBEDDER.place(EMBEDDER.contents(texts), path)).tobytes() if texts else b""
        record = FileRecord(path, "0" * 64, len(data), parsed.language, text.count("\n"))
        entries.append(Entry(record, pack_text(text), parsed.pieces, parsed.symbols, parsed.imports, vectors))
    store.write(StoreChange(entries=tuple(entries)))
    write_edges(store, edges or {})
    publish(store)
    return store


@pytest.fixture(scope="session")
def store() -> Store:
    """Return the sample shop."""
    return store_of(SAMPLE, EDGES)


def tools_for(store: Store, question: str = "charge the card", profile: str = "default") -> Tools:
    """Return what the steps work with."""
    pages = SourceFiles(store)
    return Tools(store, pages, Picker(pages, EMBEDDER, question), CONFIG.context, CONFIG.search.profiles[profile])
