"""Write the table as the package carries it: int8 rows, a scale each, the terms, and where it all came from."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

LEVELS = 127
LARGEST = 25_000_000
"""Bytes that the model may take in the package."""


def export(folder: Path, rows: np.ndarray, terms: list[str], record: dict[str, Any]) -> None:
    """Write ``rows.npy``, ``scales.npy``, ``terms.txt`` and ``model.json``; the record says how they were made."""
    folder.mkdir(parents=True, exist_ok=True)
    table = rows / np.quantile(np.linalg.norm(rows, axis=1), 0.99)
    scales = np.abs(table).max(axis=1)
    levels = np.rint(table / np.where(scales == 0, 1, scales)[:, None] * LEVELS).astype(np.int8)
    np.save(folder / "rows.npy", levels)
    np.save(folder / "scales.npy", (scales / LEVELS).astype(np.float32))
    (folder / "terms.txt").write_text("\n".join(terms) + "\n", encoding="utf-8")
    digest = hashlib.sha256(levels.tobytes()).hexdigest()
    described = {"rows": len(levels), "shared_rows": len(levels) - len(terms), "dimensions": levels.shape[1]}
    text = json.dumps({**described, "digest": digest, **record}, indent=1, ensure_ascii=False)
    (folder / "model.json").write_text(text + "\n", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.iterdir())
    if size > LARGEST:
        raise SystemExit(f"{folder} has {size} bytes, more than {LARGEST}")


def load(folder: Path) -> tuple[np.ndarray, list[str], int]:
    """Return the rows as numbers, the terms, and how many rows are shared."""
    levels, scales = np.load(folder / "rows.npy"), np.load(folder / "scales.npy")
    terms = (folder / "terms.txt").read_text("utf-8").splitlines()
    return levels.astype(np.float32) * scales[:, None], terms, len(levels) - len(terms)
