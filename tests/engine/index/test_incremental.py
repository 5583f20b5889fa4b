"""Whatever is done to a tree, an index that followed it equals one that is made from scratch."""

import random
from pathlib import Path

import pytest
from tests.engine.index.conftest import Tree
from tests.stores import chunk_id, embedded_store

from shirube.engine.embed.hashed import HashedEmbedder
from shirube.engine.store.port import Ask
from shirube.engine.store.store import Store
from shirube.engine.text.tokens import index_terms

WORDS = ["alpha", "beta", "gamma", "ログイン", "検索", "user", "token", "parse", "render"]
DIRECTORIES = ["", "pkg/", "pkg/sub/", "docs/", "日本 語/"]
STEPS = 25
QUERIES = ["alpha", "ログイン", "user token", "parse render gamma", "pkg", "検索 beta"]


def python_text(chance: random.Random) -> str:
    lines = [f"import {chance.choice(['os', 'pkg.a', 'pkg.sub.b', 'c'])}\n"]
    for number in range(chance.randrange(1, 5)):
        body = " ".join(chance.choices(WORDS, k=chance.randrange(1, 30)))
        lines.append(f"\n\ndef {chance.choice(['run', 'stop', 'load'])}_{number}():\n    '{body}'\n")
    return "".join(lines)


def markdown_text(chance: random.Random) -> str:
    return "".join(f"# {chance.choice(WORDS)}\n\n{' '.join(chance.choices(WORDS, k=8))}\n\n" for _ in range(3))


def any_path(chance: random.Random) -> str:
    return chance.choice(DIRECTORIES) + chance.choice("abcd") + chance.choice([".py", ".md", ".bin"])


def edit(tree: Tree, chance: random.Random) -> None:
    """Do one random thing to the tree: write, append, move, delete, go binary, change what is ignored."""
    files = [p for p in tree.root.rglob("*") if p.is_file()]
    step = chance.choice(["write", "write", "append", "move", "delete", "binary", "ignore"])
    if step == "write" or not files:
        path = any_path(chance)
        tree.put(path, markdown_text(chance) if path.endswith(".md") else python_text(chance))
    elif step == "append":
        target = chance.choice(files)
        target.write_bytes(target.read_bytes() + python_text(chance).encode())
    elif step == "move":
        target = tree.root / any_path(chance)
        target.parent.mkdir(parents=True, exist_ok=True)
        chance.choice(files).replace(target)
    elif step == "delete":
        chance.choice(files).unlink()
    elif step == "binary":
        chance.choice(files).write_bytes(b"\x00\x01" + chance.randbytes(20))
    else:
        tree.put(".gitignore", chance.choice(["", "*.md\n", "docs/\n", "pkg/sub/\n!pkg/sub/a.py\n"]))


def picture(store: Store) -> dict[str, object]:
    """Return everything a store holds, without what depends on when it was made."""
    files = store.files()
    return {
        "files": {path: (r.digest, r.language, r.lines, r.note) for path, r in files.items()},
        "texts": {path: store.text(path) for path in files},
        "pieces": {path: store.pieces(path) for path in files},
        "symbols": {path: store.symbols(path) for path in files},
        "imports": store.imports(),
        "vectors": {path: store.vectors(path) for path in files},
        "edges": store.edges(),
        "skips": store.skips(),
        "chunks": store.totals().chunks,
    }


def rankings(store: Store) -> dict[str, object]:
    """Return the whole answer to each query; scores to five places, as floats are summed in another order."""
    found = {}
    for query in QUERIES:
        vector = HashedEmbedder().query(query)
        terms = dict.fromkeys(index_terms(query), 1.0)
        ask = Ask(
            {"content": terms, "symbols": terms, "path": terms},
            phrases=(tuple(terms),),
            names=("run_0", query),
            vector=(vector * 127).round().astype("int8").tobytes(),
            limit=10_000,
        )
        answer = store.candidates(ask)
        names = {c.key: chunk_id(c) for c in answer.items}
        found[query] = (
            sorted((chunk_id(c), round(c.lexical, 4), round(c.cosine or 0.0, 5)) for c in answer.items),
            sorted((names[key], round(score, 4)) for key, score in answer.phrases[0].items()),
            [(names[one.key], one.symbol) for one in answer.definitions],
            (answer.files, answer.in_paths, answer.chunks, answer.in_content, answer.degraded),
        )
    return found


def run(seed: int, place: Path, steps: int, every: int = 8) -> None:
    chance = random.Random(seed)
    tree = Tree(place / "project", place / "state", embedded_store(place / "index", 256))
    for number in range(steps):
        for _ in range(chance.randrange(1, 4)):
            edit(tree, chance)
        tree.sync()
        if number % every == every - 1 or number == steps - 1:
            fresh = Tree(tree.root, place / f"state{number}", embedded_store(place / f"index{number}", 256))
            fresh.sync()
            assert picture(tree.store) == picture(fresh.store), f"seed {seed}, step {number}"
            tree.store.compact()
            assert rankings(tree.store) == rankings(fresh.store), f"seed {seed}, step {number}"
            assert tree.store.check() == ()
            for made in (fresh.cache, fresh.store):
                made.close()
    tree.cache.close()
    tree.store.close()


@pytest.mark.parametrize("number", range(4))
def test_following_a_tree_equals_indexing_it_anew(number: int, tmp_path: Path, seed: int):
    run(seed, tmp_path, STEPS)
