"""The results as a page to read and a picture to look at."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def markdown(results: Mapping[str, Any]) -> str:
    """Return the tables."""
    parts = [
        _head(results),
        _systems(results),
        _japanese(results),
        _with_model(results),
        _without(results),
        _reliability(results),
    ]
    parts += [_carry(results["carry"])] if "carry" in results else []
    parts += [_speed(results)]
    return "\n".join(part for part in parts if part)


def _head(results: Mapping[str, Any]) -> str:
    return (
        "# Quality of answers\n\n"
        f"NDCG@10 over files, mean over {results['repositories']} repositories ({results['questions']} questions, the "
        f"development half of a public set). {results['date']}, {results['machine']}. Intervals are paired bootstraps "
        "(95 %); what they do not exclude is noise. How to read and repeat it: `benchmarks/README.md`.\n"
    )


def _systems(results: Mapping[str, Any]) -> str:
    categories = list(results["shirube"]["categories"])
    lines = [
        f"| system | NDCG@10 | {' | '.join(categories)} | shirube minus this |",
        f"|---|--:|{'--:|' * len(categories)}--:|",
    ]
    for name, row in {"**shirube**": results["shirube"], **results["peers"]}.items():
        gap = _interval(row["ours minus this"]) if "ours minus this" in row else ""
        values = " | ".join(f"{row['categories'][one]:.3f}" for one in categories)
        lines.append(f"| {name} | {row['ndcg']:.4f} | {values} | {gap} |")
    alone = results["text alone (boost profile none)"]
    strategies = ", ".join(f"{name} {value:.4f}" for name, value in results["strategies"].items())
    lines += ["", f"The text alone (`boost_profile none`): {alone:.4f}. Tokenisation: {strategies}.", ""]
    lines += [
        "| language | shirube | " + " | ".join(results["peers"]) + " |",
        "|---|" + "--:|" * (len(results["peers"]) + 1),
    ]
    for language, value in results["shirube"]["languages"].items():
        others = " | ".join(f"{row['languages'][language]:.3f}" for row in results["peers"].values())
        lines.append(f"| {language} | {value:.3f} | {others} |")
    return "\n".join([*lines, ""])


def _japanese(results: Mapping[str, Any]) -> str:
    row = results["japanese"]
    return (
        "## Japanese\n\n"
        f"{row['questions']} of the questions asked again in Japanese: **{row['japanese']:.4f}**, the same in English "
        f"{row['the same in english']:.4f}; gap {_interval(row['gap'])}.\n"
    )


def _with_model(results: Mapping[str, Any]) -> str:
    row = results["with the model"]
    return (
        "## With the bundled model\n\n"
        "Everything else on this page goes by words alone. As the program is set up, words and sense together:\n\n"
        "| questions | NDCG@10 | more than by words |\n|---|--:|--:|\n"
        f"| English | **{row['english']:.4f}** | {_interval(row['english, more than by words'])} |\n"
        f"| Japanese | **{row['japanese']:.4f}** | {_interval(row['japanese, more than by words'])} |\n\n"
        f"Gap of the Japanese questions to the same in English: {_interval(row['gap'])}. By sense alone: "
        f"{row['by sense alone, nothing else']:.4f}, with every signal {row['by sense alone, every signal']:.4f}. "
        f'Fused by rank alone (`search.fusion = "rrf"`): {row["by rank alone"]:.4f}.\n'
    )


def _without(results: Mapping[str, Any]) -> str:
    lines = ["## What each part is worth", "", "The score without it, less the score with it.", ""]
    lines += ["| without | English | Japanese |", "|---|--:|--:|"]
    for name, row in sorted(results["without"].items(), key=lambda item: item[1]["english"][0]):
        lines.append(f"| {name} | {_interval(row['english'])} | {_interval(row['japanese'])} |")
    return "\n".join([*lines, ""])


def _reliability(results: Mapping[str, Any]) -> str:
    row = results["reliability"]
    lines = [
        "## What the confidence means",
        "",
        f"{row['answers']} answers, a part of them to questions that belong elsewhere. Mean gap between said and true: "
        f"{row['mean gap']:.3f}. `found` ({row['share found']:.0%} of the answers): the first file is right in "
        f"{row['right when found']:.0%}; `partial`: in {row['right when partial']:.0%}. Where nothing answers, "
        f"`found` is said in {row['found where nothing is']:.0%}. A fit on all of them: {row['fitted']}.",
        "",
        "| said | true | answers |",
        "|--:|--:|--:|",
    ]
    lines += [f"| {one['said']:.2f} | {one['true']:.2f} | {one['answers']} |" for one in row["bins"]]
    return "\n".join([*lines, ""])


def _carry(row: Mapping[str, Any]) -> str:
    means = row["mean over languages"]
    lines = [
        "## Do the weights carry over?",
        "",
        f"{row['settings drawn']} settings drawn around the defaults score from {row['worst on everything']:.4f} to "
        f"{row['best on everything']:.4f} (defaults {row['default']:.4f}). Choosing, for each language, the setting "
        f"that is best on all others and measuring it there: {means['tuned without it']:.4f} on average, against "
        f"{means['default']:.4f} with the defaults and {means['best possible']:.4f} had the language been known.",
        "",
        "| language | defaults | tuned without it | best of the drawn |",
        "|---|--:|--:|--:|",
    ]
    for name, one in row["languages"].items():
        lines.append(f"| {name} | {one['default']:.3f} | {one['tuned without it']:.3f} | {one['best possible']:.3f} |")
    return "\n".join([*lines, ""])


def _speed(results: Mapping[str, Any]) -> str:
    lines = [
        "## What a question costs (CPU milliseconds)",
        "",
        "| tree | shirube p50 / p95 | semble p50 / p95 | ratio |",
    ]
    lines += ["|---|--:|--:|--:|"]
    own = results["question cpu ms"]
    lines.append(f"| the repositories above | {own['p50']} / {own['p95']} | | |")
    for size in ("middle", "large"):
        if row := results.get(f"speed {size}"):
            peer = f"{row['semble']['p50']} / {row['semble']['p95']}" if "semble" in row else ""
            files = f"{row['files']:,} files"
            lines.append(
                f"| {files} | {row['shirube']['p50']} / {row['shirube']['p95']} | {peer} | {row.get('ratio p50', '')} |"
            )
    return "\n".join([*lines, ""])


def _interval(found: tuple[float, float, float]) -> str:
    value, low, high = found
    return f"{value:+.4f} [{low:+.4f}, {high:+.4f}]"


def draw(results: Mapping[str, Any], path: Path) -> None:
    """Draw the systems, what each part is worth, and the reliability."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (systems, parts, sure) = pyplot.subplots(1, 3, figsize=(20, 7), layout="constrained")
    rows = {"shirube": results["shirube"]["ndcg"], **{name: row["ndcg"] for name, row in results["peers"].items()}}
    rows["shirube, in Japanese"] = results["japanese"]["japanese"]
    names = sorted(rows, key=lambda name: rows[name])
    colours = ["#2a6f97" if name.startswith("shirube") else "#e0a58f" for name in names]
    bars = systems.barh(names, [rows[name] for name in names], color=colours)
    systems.bar_label(bars, fmt="%.3f", padding=3)
    systems.set(title="NDCG@10 over files", xlim=(0, 1))
    _draw_parts(parts, results["without"])
    _draw_reliability(sure, results["reliability"]["bins"])
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _draw_parts(panel: Any, without: Mapping[str, Any]) -> None:
    names = sorted(without, key=lambda name: -without[name]["english"][0])
    values = [without[name]["english"][0] for name in names]
    errors = [
        [value - without[name]["english"][1] for name, value in zip(names, values, strict=True)],
        [without[name]["english"][2] - value for name, value in zip(names, values, strict=True)],
    ]
    panel.barh(names, values, xerr=errors, color="#2a6f97", ecolor="#888888")
    panel.axvline(0, color="black", linewidth=0.8)
    panel.set(title="What is lost without it (English, 95 % interval)")


def _draw_reliability(panel: Any, bins: list[Mapping[str, float]]) -> None:
    panel.plot([0, 1], [0, 1], color="#bbbbbb", linestyle="--", label="said = true")
    panel.plot(
        [row["said"] for row in bins], [row["true"] for row in bins], color="#2a6f97", marker="o", label="shirube"
    )
    for row in bins:
        panel.annotate(int(row["answers"]), (row["said"], row["true"]), xytext=(4, -12), textcoords="offset points")
    panel.set(title="Confidence: said and true (answers)", xlim=(0, 1), ylim=(0, 1), xlabel="said", ylabel="true")
    panel.legend()
