"""How good the answers to each kind of question are, beside others."""

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from benchmarks.quality.ablations import STRATEGIES
from benchmarks.quality.answers import Answer, Measure, among, by_files, scores, share
from benchmarks.quality.data import Repository
from benchmarks.quality.metric import Scores, difference, overall
from benchmarks.quality.ours import questions
from benchmarks.quality.peers import LITERAL, PEERS, SEMBLE, peer_answers
from benchmarks.quality.sets import GROUPS, Sets

OURS, WORDS = "shirube", "shirube, by words alone"
Systems = Mapping[str, Sequence[Answer]]
"""System → its answers to the same questions; ours comes first."""


def of_questions(sets: Sets, answers: dict[str, list[Answer]], with_peers: bool) -> dict[str, Any]:
    """Measure the questions, in English beside the peers and in Japanese beside English."""
    repositories, asked = sets.of_questions.repositories, sets.kinds["question"]
    systems = {OURS: answers["questions"], WORDS: sets.ask(sets.group("questions"), mode="lexical")}
    for name in PEERS if with_peers else ():
        if name != LITERAL:
            print(" ", name, flush=True)
            systems[name] = peer_answers(name, sets.of_questions, asked)
    known = {name: scores(some) for name, some in systems.items()}
    return {
        "repositories": len(repositories),
        "questions": len(asked),
        "systems": {name: _rows(some, repositories) for name, some in known.items()},
        "ours minus this": {name: difference(known[OURS], some) for name, some in known.items() if name != OURS},
        "japanese": _japanese(sets, known, scores(answers["questions, Japanese"])),
        "variants": _variants(sets),
    }


def _japanese(sets: Sets, english: Mapping[str, Scores], japanese: Scores) -> dict[str, Any]:
    if not japanese:
        return {}
    words = scores(sets.ask(sets.group("questions, Japanese"), mode="lexical"))
    twins = {key: english[OURS][key] for key in japanese}
    return {
        "questions": len(japanese),
        OURS: overall(japanese),
        WORDS: overall(words),
        "more than by words": difference(japanese, words),
        "the same in English": overall(twins),
        "gap": difference(japanese, twins),
    }


def _variants(sets: Sets) -> dict[str, float]:
    """Return what other settings come to on the questions in English."""
    config = sets.of_questions.config
    how: dict[str, dict[str, Any]] = {
        "text alone (`boost_profile none`)": {"boost": "none"},
        "sense alone, every signal": {"mode": "dense"},
        "sense alone, nothing else": {"mode": "dense", "boost": "none"},
        'fused by rank alone (`search.fusion = "rrf"`)': {"config": config(fusion="rrf"), "mode": "hybrid"},
        **{f"tokenisation {name}": {"config": config(tokenization=name)} for name in STRATEGIES},
    }
    return {name: overall(scores(sets.ask(sets.group("questions"), **one))) for name, one in how.items()}


def _rows(known: Scores, repositories: list[Repository]) -> dict[str, Any]:
    """Return the overall score, and that of each category and language."""
    category = {(one.repository, one.number): one.category for one in questions(repositories)}
    by_language: dict[str, list[float]] = {}
    for repository in repositories:
        own = [known[repository.name, one.number] for one in repository.questions]
        by_language.setdefault(repository.language, []).append(mean(own) if own else 0.0)
    return {
        "ndcg": overall(known),
        "categories": {
            name: overall({key: score for key, score in known.items() if category[key] == name})
            for name in sorted(set(category.values()))
        },
        "languages": {name: mean(values) for name, values in sorted(by_language.items())},
    }


def of_trees(sets: Sets, answers: dict[str, list[Answer]], with_peers: bool) -> dict[str, Any]:
    """Measure commits, error messages and places, which are asked of the same trees."""
    groups = {name: sets.group(name) for name in ("commits", "messages", "places")}
    found: dict[str, dict[str, Sequence[Answer]]] = {name: {OURS: answers[name]} for name in groups}
    for name, asked in groups.items():
        found[name][WORDS] = sets.ask(asked, mode="lexical")
    if with_peers:
        print(" ", SEMBLE, flush=True)
        every = [one for asked in groups.values() for _, one in asked]
        theirs = {one.question: one for one in peer_answers(SEMBLE, sets.of_commits, every)}
        for name, asked in groups.items():
            found[name][SEMBLE] = [theirs[one] for _, one in asked]
        messages = [one for _, one in groups["messages"]]
        found["messages"][LITERAL] = peer_answers(LITERAL, sets.of_commits, messages)
    return {
        "commits": _commits(sets, found["commits"]),
        "messages": _messages(sets, found["messages"]),
        "places": _places(sets, found["places"]),
    }


def _commits(sets: Sets, systems: Systems) -> dict[str, Any]:
    languages = {"all": GROUPS["commits"], "English": ("commit",), "Japanese": ("commit ja",)}
    parts = {name: _numbers(sets, kinds) for name, kinds in languages.items()}
    return _table(systems, parts, {"NDCG@10": by_files}, over_repositories=True)


def _messages(sets: Sets, systems: Systems) -> dict[str, Any]:
    kinds = {"all": GROUPS["messages"], "literal": ("message",), "filled in": ("message filled",)}
    parts = {name: _numbers(sets, some) for name, some in kinds.items()}
    return _table(systems, parts, {f"place@{most}": among(most) for most in (1, 3, 10)})


def _places(sets: Sets, systems: Systems) -> dict[str, Any]:
    parts = {"all": _numbers(sets, GROUPS["places"])}
    parts |= {"English": _numbers(sets, ("place",)), "Japanese": _numbers(sets, ("place ja",))}
    asked = [one for _, one in sets.group("places")]
    for category in sorted({one.category for one in asked}):
        parts[category] = {one.number for one in asked if one.category == category}
    return _table(systems, parts, {f"place@{most}": among(most) for most in (1, 3)})


def _numbers(sets: Sets, kinds: Sequence[str]) -> set[int]:
    return {one.number for kind in kinds for one in sets.kinds[kind]}


def _table(
    systems: Systems, parts: Mapping[str, set[int]], measures: Mapping[str, Measure], over_repositories: bool = False
) -> dict[str, Any]:
    """Return each measure of each system for each part, and how far ours is above the others by the first measure.

    The mean is one over questions, or that over repositories of their means; differences are always the latter.
    """
    rows: dict[str, Any] = {}
    for part, numbers in parts.items():
        own = {name: [one for one in some if one.question.number in numbers] for name, some in systems.items()}
        if not own[OURS]:
            continue
        first = next(iter(measures.values()))
        rows[part] = {
            "questions": len(own[OURS]),
            "repositories": len({one.question.repository for one in own[OURS]}),
            "systems": {
                system: {
                    name: overall(scores(some, measure)) if over_repositories else share(some, measure)
                    for name, measure in measures.items()
                }
                for system, some in own.items()
            },
            "ours minus this": {
                system: difference(scores(own[OURS], first), scores(some, first))
                for system, some in own.items()
                if system != OURS
            },
        }
    return rows
