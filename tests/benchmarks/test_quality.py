"""The measuring of quality: right on answers worked out by hand, and whole on a tiny set."""

import json
from math import log2
from pathlib import Path

import pytest
from benchmarks.quality.ablations import OFF
from benchmarks.quality.carry import carried
from benchmarks.quality.data import Labelled, japanese, load
from benchmarks.quality.metric import difference, ndcg, overall, same_file
from benchmarks.quality.ours import Ours, questions
from benchmarks.quality.peers import scores_of
from benchmarks.quality.reliability import Case, bins, cases, fit, summary
from benchmarks.quality.report import markdown
from benchmarks.quality.seed import rank_as_written
from benchmarks.quality.speed import percentiles

QUESTIONS = [
    {"query": "where is the session stored", "relevant": ["src/session.py"], "category": "semantic"},
    {"query": "TokenStore", "relevant": [{"path": "src/token_store.py"}], "secondary": [], "category": "symbol"},
]
FILES = {
    "session.py": "class Session:\n    def store(self): pass\n",
    "token_store.py": "class TokenStore:\n    pass\n",
    "other.py": "def unrelated(): return 1\n",
}


def asked(*targets: str) -> Labelled:
    return Labelled("r", 0, "?", "semantic", targets)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        root = tmp_path / "repos" / name / "src"
        root.mkdir(parents=True)
        for file, text in FILES.items():
            (root / file).write_text(text)
        (tmp_path / "annotations").mkdir(exist_ok=True)
        (tmp_path / "annotations" / f"{name}.json").write_text(json.dumps(QUESTIONS))
    specs = [{"name": name, "language": name, "benchmark_root": "src"} for name in ("one", "two", "missing")]
    (tmp_path / "repos.json").write_text(json.dumps(specs))
    return tmp_path


@pytest.fixture
def ours(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("SHIRUBE_CACHE_DIR", "SHIRUBE_STATE_DIR"):  # what is set in it is put back
        monkeypatch.setenv(name, str(tmp_path))
    made = Ours(load(bench), str(tmp_path / "cache"))
    yield made
    made.close()


def test_the_metric_is_what_it_says():
    assert ndcg(["a.py", "b.py"], asked("a.py")) == 1.0
    assert ndcg(["x.py", "a.py"], asked("a.py")) == pytest.approx(1 / log2(3))
    assert ndcg(["a.py", "x.py", "b.py"], asked("a.py", "b.py")) == pytest.approx((1 + 0.5) / (1 + 1 / log2(3)))
    assert ndcg(["x.py"] * 50 + ["a.py"], asked("a.py")) == pytest.approx(1 / log2(3))
    assert ndcg([f"{n}.py" for n in range(10)] + ["a.py"], asked("a.py")) == 0.0


def test_two_paths_name_one_file_when_either_begins_higher_up():
    assert same_file("src/a.py", "a.py")
    assert same_file("a.py", "src/a.py")
    assert not same_file("a.py", "ba.py")


def test_repositories_count_alike_whatever_their_number_of_questions():
    assert overall({("a", 0): 1.0, ("b", 0): 0.0, ("b", 1): 0.0}) == 0.5


def test_a_difference_without_doubt_excludes_nought_and_noise_does_not():
    better = {("r", n): 0.9 for n in range(20)} | {("s", n): 0.8 for n in range(20)}
    worse = {key: value - 0.2 for key, value in better.items()}
    mean, low, high = difference(better, worse)
    assert low <= mean <= high
    assert low > 0.19
    noise = {key: value + (0.1 if key[1] % 2 else -0.1) for key, value in better.items()}
    assert difference(noise, better)[1] < 0 < difference(noise, better)[2]


def test_a_tree_that_is_not_there_is_left_out(bench: Path):
    repositories = load(bench)
    assert [one.name for one in repositories] == ["one", "two"]
    assert questions(repositories)[1].targets == ("src/token_store.py",)


def test_the_japanese_questions_name_only_questions_there_are(bench: Path):
    assert questions(japanese(load(bench))) == []
    rows = json.loads((Path("benchmarks") / "quality" / "japanese.json").read_text("utf-8"))
    assert len(rows) >= 150
    assert len({(row["repo"], row["number"]) for row in rows}) == len(rows)


def test_we_answer_the_tiny_set_and_switching_something_off_is_possible(ours: Ours):
    every = questions(ours.repositories)
    assert overall(ours.scores(every)) == 1.0
    for off in OFF.values():
        ours.scores(every[:1], ours.config(**off))
    assert ours.config(signals__phrase=0.0).signals.phrase == 0.0
    assert ours.config(boosts__default__test=9.0).boosts["default"].test == 9.0


@pytest.mark.parametrize("name", ["BM25 over 40-line windows", "seed 001 as written"])
def test_the_peers_that_need_nothing_answer_too(ours: Ours, name: str):
    assert overall(scores_of(name, ours.repositories, ours)) > 0.5


def test_the_formula_of_the_seed_gives_its_worked_order():
    texts = {
        "lambda/page-agent/src/handler.ts": "page-agent handler",
        "lambda/canvas-agent/handler.ts": "agent handler",
    }
    assert rank_as_written("page-agent Lambda handler", texts, {})[0] == "lambda/page-agent/src/handler.ts"


def test_a_curve_is_fitted_to_what_came_true():
    known = [Case((n / 100, 0.0, 0.0), n > 50, 0.0, False) for n in range(100)]
    weights = fit(known)
    assert weights["coverage"] > 3
    assert weights["bias"] < 0


def test_what_was_said_is_held_against_what_is_true():
    known = [Case((0, 0, 0), n < 8, 0.8, False) for n in range(10)] + [Case((0, 0, 0), False, 0.1, True)]
    assert bins(known) == [
        {"said": 0.1, "true": 0.0, "answers": 1},
        {"said": 0.8, "true": 0.8, "answers": 10},
    ]
    told = summary(known, 0.5)
    assert (told["right when found"], told["found where nothing is"]) == (0.8, 0.0)


def test_weights_are_tried_without_each_language(ours: Ours):
    found = carried(ours, ours.repositories, draws=1)
    assert set(found["languages"]) == {"one", "two"}
    assert found["default"] == 1.0


def test_the_report_holds_every_part(ours: Ours):
    known = cases(ours, ours.repositories)
    row = {"ndcg": 0.9, "categories": {"semantic": 0.9}, "languages": {"one": 0.9}}
    text = markdown(
        {
            "repositories": 2,
            "questions": 4,
            "date": "today",
            "machine": "here",
            "shirube": row,
            "peers": {"grep": {**row, "ours minus this": (0.1, 0.0, 0.2)}},
            "strategies": {"legacy": 0.5},
            "text alone (boost profile none)": 0.4,
            "japanese": {"questions": 1, "japanese": 0.8, "the same in english": 0.9, "gap": (-0.1, -0.2, 0.0)},
            "with the model": {
                **dict.fromkeys(("english", "japanese", "by rank alone"), 0.9),
                **dict.fromkeys(("by sense alone, every signal", "by sense alone, nothing else"), 0.8),
                **dict.fromkeys(("english, more than by words", "japanese, more than by words"), (0.1, 0.0, 0.2)),
                "gap": (-0.1, -0.2, 0.0),
            },
            "without": {"phrases": {"english": (0.0, 0.0, 0.0), "japanese": (0.0, 0.0, 0.0)}},
            "reliability": {**summary(known, 0.5), "fitted": fit(known)},
            "carry": carried(ours, ours.repositories, draws=1),
            "question cpu ms": percentiles(ours.seconds),
        }
    )
    assert all(f"## {part}" in text for part in ("Japanese", "What each part is worth", "What the confidence means"))
