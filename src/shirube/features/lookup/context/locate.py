"""Which file of the project a tool means: absolute paths of another machine, paths from a subdirectory, bare names."""

import re

from shirube.engine.store.port import Ask, Store
from shirube.engine.text.tokens import index_terms

MOST_ALIKE = 3
"""A bare name that fits more files than this says nothing."""
LOOKED_AT = 60
_LIBRARIES = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|\.cargo|\.rustup|rustc|go/pkg/mod|lib/python\d|lib/go-|usr/include)(?:/|$|[\d.])"
    r"|^<|^node:"
)


class Locator:
    """Finds files by how they are called elsewhere, and remembers what it found."""

    def __init__(self, store: Store, root: str) -> None:
        self._store = store
        self._root = root.rstrip("/")
        self._known: dict[str, tuple[str, ...]] = {}

    def __call__(self, path: str) -> tuple[str, ...]:
        """Return the files a path may mean, or nothing."""
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path: str) -> tuple[str, ...]:
        plain = re.sub(r"^(?:[A-Za-z]:)?/+", "/", path.replace("\\", "/"))
        if plain.startswith(f"{self._root}/"):
            plain = plain[len(self._root) + 1 :]
        parts = [part for part in plain.split("/") if part not in ("", ".", "..")]
        if not parts:
            return ()
        if exact := self._indexed(["/".join(parts)]):
            return exact
        if _LIBRARIES.search(plain):
            return ()
        return self._by_end(parts) or self._below(parts)

    def _by_end(self, parts: list[str]) -> tuple[str, ...]:
        """Leave out what stands in front: ``/builds/42/shop/src/a.py`` → ``src/a.py``.

        A bare name at the root is meant only when it stands in a directory called like ours.
        """
        ends = ["/".join(parts[at:]) for at in range(1, len(parts) - 1)]
        if len(parts) > 1 and parts[-2] == self._root.rpartition("/")[2]:
            ends.append(parts[-1])
        found = self._indexed(ends)
        return (max(found, key=len),) if found else ()

    def _below(self, parts: list[str]) -> tuple[str, ...]:
        """Look for files whose path ends like this: ``cart_test.go`` → ``pkg/cart/cart_test.go``."""
        terms = dict.fromkeys(index_terms(parts[-1]), 1.0)
        found = self._store.candidates(Ask({"path": terms}, limit=LOOKED_AT))
        tail = "/" + "/".join(parts)
        fits = sorted({item.path for item in found.items if f"/{item.path}".endswith(tail)})
        return tuple(fits) if len(fits) <= MOST_ALIKE else ()

    def _indexed(self, paths: list[str]) -> tuple[str, ...]:
        return tuple(path for path, record in self._store.files(paths).items() if record.language) if paths else ()
