"""The measuring of quality: right on answers worked out by hand, and whole on a tiny set."""

import json
import subprocess
from math import log2
from pathlib import Path

import pytest
from benchmarks.quality.ablations import OFF, Off, ablations, history, signals
from benchmarks.quality.answers import Answer, among, scores, share
from benchmarks.quality.data import Labelled, japanese, load
from benchmarks.quality.lay_history import lay
from benchmarks.quality.leave_out import groups, left_out
from benchmarks.quality.measurements import OURS, of_questions, of_trees
from benchmarks.quality.messages import make, report
from benchmarks.quality.metric import difference, ndcg, overall, same_file
from benchmarks.quality.ours import Ours, questions
from benchmarks.quality.peers import peer_answers
from benchmarks.quality.reliability import auroc, bins, found_share, reliability, summary
from benchmarks.quality.report import markdown
from benchmarks.quality.seed import rank_as_written
from benchmarks.quality.sets import GROUPS, Sets, elsewhere, read_sets
from benchmarks.quality.speed import percentiles

QUESTIONS = [
    {"query": "where is the session stored", "relevant": ["src/session.py"], "category": "semantic"},
    {"query": "TokenStore", "relevant": [{"path": "src/token_store.py"}], "secondary": [], "category": "symbol"},
]
FILES = {
    "session.py": "class Session:\n    def store(self): pass\n",
    "token_store.py": "class TokenStore:\n    pass\n",
    "other.py": 'def unrelated():\n    raise ValueError("the lid of the box is shut")\n',
}
MESSAGES = [
    {"query": "ValueError: the lid of the box is shut", "path": "src/other.py", "line": 2, "holes": False},
    {"query": "the lid of the bag is shut", "path": "src/other.py", "line": 2, "holes": True},
]


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
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    for name in ("SHIRUBE_CACHE_DIR", "SHIRUBE_STATE_DIR"):  # what is set in it is put back
        monkeypatch.setenv(name, str(tmp_path))
    return str(tmp_path / "cache")


@pytest.fixture
def ours(bench: Path, caches: str):
    made = Ours(load(bench), caches)
    yield made
    made.close()


@pytest.fixture
def sets(bench: Path, caches: str, tmp_path: Path):
    """The tiny set as every kind of question; the commits are the questions with an unknown commit."""
    commits = tmp_path / "commits"
    (commits / "annotations").mkdir(parents=True)
    for name in ("one", "two"):
        rows = [{**row, "sha": "0" * 40} for row in QUESTIONS]
        (commits / "annotations" / f"{name}.json").write_text(json.dumps(rows))
    (commits / "repos").symlink_to(bench / "repos")
    (commits / "repos.json").write_text(json.dumps([{"name": name, "language": name} for name in ("one", "two")]))
    errors = tmp_path / "errors.json"
    errors.write_text(json.dumps({"one": MESSAGES, "two": MESSAGES, "missing": MESSAGES}))
    made = read_sets(bench, commits, errors, (), caches)
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


def test_we_answer_the_tiny_set_under_any_configuration(ours: Ours):
    every = questions(ours.repositories)
    assert overall(ours.scores(every)) == 1.0
    assert ours.config(signals__phrase=0.0).signals.phrase == 0.0
    assert ours.config(boosts__default__test=9.0).boosts["default"].test == 9.0


@pytest.mark.parametrize("name", ["BM25 over 40-line windows", "seed 001 as written"])
def test_the_peers_that_need_nothing_answer_too(ours: Ours, name: str):
    assert overall(scores(peer_answers(name, ours, questions(ours.repositories)))) > 0.5


def test_the_formula_of_the_seed_gives_its_worked_order():
    texts = {
        "lambda/page-agent/src/handler.ts": "page-agent handler",
        "lambda/canvas-agent/handler.ts": "agent handler",
    }
    assert rank_as_written("page-agent Lambda handler", texts, {})[0] == "lambda/page-agent/src/handler.ts"


def test_a_place_is_right_when_it_holds_the_line():
    question = Labelled("r", 0, "?", "how", ("a.py",), (("a.py", 7), ("b.py", 3)))
    spans = (("a.py", 1, 6), ("b.py", 1, 2), ("a.py", 7, 9), ("b.py", 3, 3))
    answer = Answer(question, spans)
    assert (answer.place, answer.first_file, answer.first_place) == (3, True, False)
    assert Answer(question, spans[:2]).place == 0
    assert Answer(asked("a.py"), spans).first_place  # no line is known: the file counts
    assert [share([answer], among(most)) for most in (1, 3)] == [0.0, 1.0]


def test_said_and_true_are_compared_in_bins_of_equally_many_answers():
    known = [(number / 20, number >= 10) for number in range(20)]
    table = bins(known)
    assert [row["answers"] for row in table] == [2] * 10
    assert (table[0], table[-1]) == (
        {"said": 0.025, "true": 0.0, "answers": 2},
        {"said": 0.925, "true": 1.0, "answers": 2},
    )
    assert bins(known[:3])[0]["answers"] == 1
    told = summary(known, 0.5)
    assert told["ece"] == pytest.approx(0.25)  # 0.025 to 0.425 where wrong, 0.475 to 0.075 where right
    assert (told["right when found"], told["found when right"], told["found"]) == (1.0, 1.0, 0.5)
    assert found_share(known, 0.9) == {"answers": 20, "found": 0.1}


def test_auroc_counts_how_often_a_right_answer_is_surer():
    assert auroc([(0.9, True), (0.5, True), (0.5, False), (0.1, False)]) == pytest.approx(3.5 / 4)
    assert auroc([(0.5, True), (0.5, False)]) == 0.5
    assert auroc([(0.5, True)]) == 0.5


def test_a_stranger_is_asked_where_nothing_answers_it():
    known = [("question", Labelled(name, number, "?", "how", ("a.py",))) for name in "abc" for number in range(2)]
    strange = elsewhere(known, 2)
    assert [one.repository for _, one in strange] == ["b", "c", "a"]
    assert not any(one.targets or one.lines for _, one in strange)
    assert elsewhere(known[:2], 1) == []


def test_every_kind_of_question_is_read(sets: Sets):
    assert {kind: len(some) for kind, some in sets.kinds.items() if some} == {
        "question": 4,
        "commit": 4,
        "message": 2,
        "message filled": 2,
    }
    assert sets.kinds["message"][0].lines == (("src/other.py", 2),)
    assert [one.repository for _, one in sets.group("messages", only=["two"])] == ["two", "two"]


def test_each_signal_can_be_switched_off_by_itself(sets: Sets):
    rows = ablations(sets, {name: sets.ask(sets.group(name)) for name in GROUPS})
    assert rows.keys() == {*signals(), *OFF}
    assert "questions" not in rows["place: verbatim"]
    question = sets.kinds["message"][0]
    page = sets.of_commits.found(question, table=signals()["file: verbatim"].table())
    assert not any(reason.name.startswith("verbatim") for reason in page.hits[0].why)
    page = sets.of_commits.found(question)
    assert any(reason.name.startswith("verbatim") for reason in page.hits[0].why)


def test_a_signal_off_in_the_table_is_one_without_a_weight(sets: Sets):
    asked, config = sets.group("messages"), sets.of_commits.config(signals__coverage=0.0)
    by_weight = sets.ask(asked, config)
    assert sets.ask(asked, table=Off(files=("coverage", "together")).table()) == by_weight


def test_repositories_are_left_out_alone_or_in_groups():
    assert groups(["a", "b"], 0) == [["a"], ["b"]]
    assert sorted(name for some in groups(["a", "b", "c"], 2) for name in some) == ["a", "b", "c"]


def test_the_report_holds_every_part(sets: Sets):
    answers = {name: sets.ask(sets.group(name)) for name in GROUPS}
    gap = (0.1, 0.0, 0.2)
    results = {
        "date": "today",
        "machine": "here",
        "command": "python -m benchmarks.quality",
        "questions": of_questions(sets, answers, with_peers=False),
        "trees": of_trees(sets, answers, with_peers=False),
        "reliability": reliability(sets, answers),
        "history": history(sets, answers),
        "without": {"file: verbatim": {"questions": gap, "messages": gap}, "place: name": {"messages": gap}},
        "left out": left_out(sets),
        "question cpu ms": [percentiles(sets.of_questions.seconds)],
    }
    assert results["trees"]["messages"]["literal"]["systems"][OURS]["place@1"] == 1.0
    assert set(results["left out"]["groups"]) == {"questions", "commits", "messages"}
    text = markdown(results)
    parts = ("Goals", "Questions", "Commits", "Error messages", "Places", "What the confidence means")
    assert all(
        f"## {part}\n" in text
        for part in (*parts, "What past commits bring", "What each part is worth", "Does the fit carry over?")
    )
    assert "| messages, literal: place@1 | 1.000 | ≥ 0.93 | yes |" in text
    assert "| commit: gained by history | 0.000 | ≥ 0.045 | **no** |" in text  # these trees have none
    assert "| commit | 1.0000 | 1.0000 | +0.0000 [+0.0000, +0.0000] |" in text
    assert "| place: name |  | +0.1000 [+0.0000, +0.2000] |" in text


def test_a_tree_gets_the_history_up_to_its_commit_and_no_file_of_it_changes(tmp_path: Path):
    mirror, tree = tmp_path / "owner+name" / "repo", tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("a = 1\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q", "--bare", str(mirror)], check=True)
    commits = []
    for number in range(3):
        tree_id = subprocess.run(["git", "mktree"], cwd=mirror, input=b"", capture_output=True, check=True).stdout
        parent = ["-p", commits[-1]] if commits else []
        made = ["git", *who, "commit-tree", tree_id.decode().strip(), "-m", f"{number}", *parent]
        commits.append(subprocess.run(made, cwd=mirror, capture_output=True, check=True).stdout.decode().strip())
    assert lay(tree, mirror, commits[1]) == "2"
    assert lay(tree, mirror, commits[1]) == "2"
    assert (tree / "a.py").read_text() == "a = 1\n"
    assert lay(tree, tmp_path / "nobody+none" / "repo", commits[1]) == "no mirror at nobody+none"


def test_messages_are_made_of_strings_beside_words_of_errors_in_several_wrappings(tmp_path: Path):
    source = (
        'def go(name):\n    raise KeyError(f"no such user {name} " "in this shop")\n\n\nx = 1\ny = "nothing at all"\n'
    )
    (tmp_path / "shop" / "tests").mkdir(parents=True)
    (tmp_path / "shop" / "go.py").write_text(source)
    (tmp_path / "shop" / "tests" / "test_go.py").write_text(source)
    (row,) = make(tmp_path, (), 5)["shop"]
    assert (row["path"], row["line"], row["lines"], row["holes"]) == ("go.py", 2, [["go.py", 2]], True)
    assert row["said"].startswith("no such user ")
    assert row["said"].endswith(" in this shop")
    assert row["said"] in row["query"]
    answered = {"wrapping": "bare", "repo": "shop", "holes": True, "answer": "found", "seconds": 0.001}
    told = report([{**answered, "place": 1}, {**answered, "place": 2}])
    assert "filled in                            2  0.500  1.000  1.000      1" in told
