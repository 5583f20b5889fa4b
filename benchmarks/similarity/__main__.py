"""Fit the curves of ``search/similarity.py`` and draw how well they hold.

    python -m benchmarks.similarity --bench PATH --cache DIR --date 2026-11-15 --out benchmarks/similarity

The trees and labels are not ours and are given by path (see ``benchmarks/quality``). Every curve is judged where it was
not fitted: once for each project, without the project.
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.quality.data import load
from benchmarks.quality.ours import Ours
from benchmarks.similarity.curve import fit, held_out, reliability, weights
from benchmarks.similarity.pairs import Pair, name_pairs, passage_pairs

SEED = 20261115
SAID = """\
Names: 162 Japanese terms, and the first sentences of documented symbols, each beside its own name and beside names of
the same project drawn at random. Passages: the development questions in both languages, beside the best passage of the
right file, beside any passage, and beside the best passage of a project where nothing answers. True pairs weigh as much
as the others, and Japanese as much as English. Each project is judged by a curve that was fitted on the others. Made by
`python -m benchmarks.similarity`."""
THRESHOLDS = (0.3, 0.6, 0.7, 0.8)


def main() -> None:
    """Measure, print and write."""
    import numpy as np

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, required=True)
    parser.add_argument("--cache", default="")
    parser.add_argument("--date", default="")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    repositories = load(options.bench)
    ours = Ours(repositories, options.cache or tempfile.mkdtemp())
    model = next(iter(ours.workspaces.values())).embedder.name
    random = np.random.default_rng(SEED)
    kinds = {"names": name_pairs(ours, random), "passages": passage_pairs(ours, repositories, random)}
    ours.close()
    found = {name: judge(pairs) for name, pairs in kinds.items()}
    text = report(found, model, options.date)
    print(text)
    if options.out:
        (options.out / "results.md").write_text(text, "utf-8")
        (options.out / "results.json").write_text(json.dumps({"model": model, **found}, indent=1) + "\n", "utf-8")
        draw(found, options.out / "results.png")


def judge(pairs: list[Pair]) -> dict[str, Any]:
    """Return the curve of all pairs, and what it says of each project when fitted on the others."""
    import numpy as np

    slope, bias = fit(pairs)
    said = np.array(held_out(pairs))
    true, weight = np.array([pair.true for pair in pairs]), weights(pairs)
    rows = reliability(pairs, said)
    passed = {str(at): [_share(weight, said >= at, true), _share(weight, said >= at, ~true)] for at in THRESHOLDS}
    return {
        "pairs": int(true.sum()),
        "slope": round(slope, 2),
        "bias": round(bias, 2),
        "gap": round(sum(abs(row["said"] - row["true"]) * row["share"] for row in rows), 3),
        "bins": rows,
        "passed": passed,
    }


def _share(weight: Any, passed: Any, of: Any) -> float:
    return round(float(weight[passed & of].sum() / weight[of].sum()), 3)


def report(found: dict[str, Any], model: str, date: str) -> str:
    """Return the page."""
    lines = [f"# Similarity: what the number means\n\nModel {model}, measured {date}.", SAID]
    for name, one in found.items():
        lines.append(
            f"## {name}: slope {one['slope']}, bias {one['bias']}, mean gap {one['gap']} ({one['pairs']} true pairs)"
        )
        lines.append("| at least | true pairs that pass | other pairs that pass |\n|---|---|---|")
        lines[-1] += "".join(f"\n| {at} | {true:.3f} | {false:.3f} |" for at, (true, false) in one["passed"].items())
        lines.append("| said | really true | share of pairs |\n|---|---|---|")
        lines[-1] += "".join(f"\n| {r['said']:.2f} | {r['true']:.2f} | {r['share']:.2f} |" for r in one["bins"])
    lines.append("![reliability](results.png)")
    return "\n\n".join(lines) + "\n"


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw what was said against what was true."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 5))
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1, linestyle="--")
    for name, one in found.items():
        said, true = [row["said"] for row in one["bins"]], [row["true"] for row in one["bins"]]
        axes.plot(said, true, marker="o", label=name)
    for at in THRESHOLDS:
        axes.axvline(at, color="lightgrey", linewidth=1)
    axes.set(xlabel="similarity", ylabel="share that belongs together", xlim=(0, 1), ylim=(0, 1))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
