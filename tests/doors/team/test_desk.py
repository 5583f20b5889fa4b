"""What a token shows: everything that it grants, and nothing of anything else."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from shirube.deadline import Deadline
from shirube.doors.team.desk import OFFERED, REPOS, TeamQuestion, listed, offered, tool_name
from shirube.operations import OPERATIONS
from tests.cases import for_each
from tests.doors.team.world import NAMES, SECRETS, full

ARGUMENTS = {
    "search": {"query": "zq{0} count together"},
    "search_forest": {"query": "zq{0}_total"},
    "files_search": {"query": "zq{0}"},
    "search_text": {"patterns": ["zq{0}", "def zq"]},
    "context_bundle": {"goal": "zq{0}_twice as everybody does"},
    "snippets_get": {"path": "src/zq{0}.py", "start_line": 4},
    "past_changes": {"goal": "Begin the zq{0}"},
    "semantic_rerank": {"text": "zq{0}", "candidates": [{"path": "src/zq{0}.py", "score": 1}]},
    "deps_closure": {"path": "src/zq{0}.py"},
    "find_definitions": {"symbol": "zq{0}_total"},
    "find_references": {"symbol": "zq{0}_total"},
    "symbol": {"symbol": "zq{0}_total"},
    "get_symbols": {"path": ""},
    "analyze_structure": {"path": "src"},
    "get_function_at_line": {"file_path": "src/zq{0}.py", "line": 6},
    "analyze_impact": {"files": ["src/zq{0}.py"]},
    "query_plan": {"goal": "how is zq{0} counted"},
}


def test_every_operation_that_is_offered_is_tried_below():
    assert set(ARGUMENTS) == set(OFFERED)
    assert all(operation.read_only or operation.name == "query_plan" for operation in OFFERED.values())
    assert not {"session", "map", "insights", "commands", "index"} & {one.group for one in OFFERED.values()}


def test_the_list_is_short_and_takes_no_session():
    tools = listed(structured=False)
    assert [tool.name for tool in tools] == [
        *("search", "grep", "context", "read", "symbol", "outline", "impact", "past_changes")
    ]
    for tool in tools:
        assert REPOS in tool.input_schema["properties"]
        assert "session_id" not in tool.input_schema["properties"]


def _filled(value, name):
    if isinstance(value, str):
        return value.format(name)
    if isinstance(value, list):
        return [_filled(inner, name) for inner in value]
    return {key: _filled(inner, name) for key, inner in value.items()} if isinstance(value, dict) else value


def _answer(world, holder, operation, arguments, repositories=None):
    question = TeamQuestion(holder, operation, arguments, repositories or {})
    reply = world.desk.answer(question, Deadline(60))
    return reply.is_error, "".join(part.text for part in reply.content)


@for_each("operation", sorted(OFFERED))
def test_each_operation_answers_from_a_repository_that_is_granted(world, operation):
    holder = world.holder(full("shop"))
    failed, text = _answer(world, holder, operation, _filled(ARGUMENTS[operation], "shop"))
    assert not failed, text
    assert "shop" in text or operation == "deps_closure", text


@given(
    granted=st.sets(st.sampled_from(NAMES), max_size=3),
    about=st.sampled_from(NAMES),
    operation=st.sampled_from(sorted(OFFERED)),
    wanted=st.lists(
        st.sampled_from(
            [*NAMES, *map(full, NAMES), "*", "example.org/*", "*o*", "zq/*", "nothing", "example.org/zq/%"]
        ),
        max_size=3,
    ),
    as_text=st.booleans(),
)
@settings(max_examples=300)
def test_nothing_of_a_repository_that_is_not_granted_shows(world, granted, about, operation, wanted, as_text):
    """In no field, count, cursor, error or proposal, of whatever operation, however it is asked."""
    holder = world.holder(*map(full, granted))
    arguments = _filled(ARGUMENTS[operation], about)
    sent = {**arguments, REPOS: ", ".join(wanted) if as_text else wanted}
    failed, text = _answer(world, holder, operation, sent)
    for name in set(NAMES) - granted:
        assert SECRETS[name] not in text.lower()
        assert full(name) not in text
        assert f"def zq{name}" not in text
    if not granted:
        assert failed


@given(
    granted=st.sets(st.sampled_from(NAMES), min_size=1, max_size=3),
    operation=st.sampled_from(sorted(OFFERED)),
    spelled=st.sampled_from(["{}", "example.org/zq/{}", "*{}", "zq/{}"]),
)
@settings(max_examples=150)
def test_what_is_forbidden_is_told_like_what_is_not_there(world, granted, operation, spelled):
    """The same words, after the same round trips."""
    forbidden = sorted(set(NAMES) - granted)[0]
    holder, told = world.holder(*map(full, granted)), []
    for name in (forbidden, "none"):
        before = world.index.trips
        arguments = {**_filled(ARGUMENTS[operation], "zero"), REPOS: [spelled.format(name)]}
        answer = _answer(world, holder, operation, arguments)
        told.append((answer, world.index.trips - before))
    assert told[0] == told[1]
    assert told[0][0][0]


def test_a_repository_that_was_opened_for_another_is_still_decided_by_the_database(world):
    """What is kept in memory shows nothing to who may not see it: each request asks the database first."""
    name, repo = next(iter(world.index.access.granted(["*"], [full("bank")], 1).items()))
    failed, text = _answer(world, world.holder("*"), "search", {"query": "zqbank", REPOS: ["bank"]})
    assert "def zqbank" in text
    assert not failed
    project = world.index.project(name, repo)
    with Deadline(60).governing():
        assert project.store.files() == {}
        assert project.keeper.state == "empty"
    failed, text = _answer(world, world.holder("*"), "search", {"query": "zqbank", REPOS: ["bank"]})
    assert "def zqbank" in text


def test_several_repositories_are_asked_one_after_the_other_and_marked(world):
    holder = world.holder(full("shop"), full("bank"))
    failed, text = _answer(world, holder, "search", {"query": "count together", REPOS: ["*"]})
    assert not failed
    first, second = text.split("\n\n# repository ")
    assert first.startswith(f"# repository {full('bank')}\n")
    assert second.startswith(f"{full('shop')}\n")
    assert "zqbank_total" in first
    assert "zqshop_total" in second
    failed, text = _answer(world, holder, "read", {"path": "src/zqshop.py", REPOS: ["*"]})
    assert not failed, "it is in one of them"
    failed, text = _answer(world, holder, "context", {"goal": "zq", REPOS: ["*"], "budget": "9" * 5000})
    assert not failed, "what is no number of tokens is not taken for one"
    failed, text = _answer(world, holder, "search", {"query": "zq", REPOS: ["*"], "cursor": "x"})
    assert failed
    assert "several are meant" in text


def test_one_is_asked_where_the_address_or_the_token_leaves_no_choice(world):
    both = world.holder(full("shop"), full("bank"))
    failed, text = _answer(world, both, "search", {"query": "count together"})
    assert failed
    assert "you may ask: example.org/zq/bank, example.org/zq/shop" in text
    named = world.gate.named(both, full("shop"))
    assert "zqshop_total" in _answer(world, both, "search", {"query": "count together"}, named)[1]
    assert "zqbank_total" in _answer(world, both, "search", {"query": "count", REPOS: ["bank"]}, named)[1]
    assert world.gate.named(both, full("mail")) == world.gate.named(both, "*") == {}
    assert world.gate.named(world.holder("*"), "example.org/*") == {}


@for_each("name", [one.name for one in OPERATIONS if one.name not in OFFERED] + ["climpt", "__init__", ""])
def test_what_writes_or_is_kept_on_ones_own_machine_is_refused(world, name):
    failed, text = _answer(world, world.holder("*"), name, {"query": "x", REPOS: ["shop"]})
    assert failed
    assert "unknown operation" in text


@for_each(
    "arguments",
    [
        {"session_id": "s1"},
        {"sessionId": "s1"},
        {"again": True},
        {"agent_id": "a"},
        {REPOS: 7},
        {REPOS: [7]},
        {REPOS: ["a\0b"]},
        {REPOS: ["x"] * 200},
        {REPOS: ["x" * 5000]},
        {"max_tokens": "many"},
        {"path": "../../etc/passwd"},
        {"path": "/etc"},
        {"limit": "9" * 5000},
    ],
)
def test_bad_input_is_a_typed_error_with_a_next_step(world, arguments):
    failed, text = _answer(world, world.holder(full("shop")), "search", {"query": "zq", **arguments})
    assert failed
    assert len(text.splitlines()) == 2
    assert str(world.place) not in text


def test_a_plan_leaves_nothing_behind(world):
    holder = world.holder(full("shop"))
    plan = {"goal": "how is zqshop counted"}
    first = _answer(world, holder, "query_plan", plan)[1]
    second = _answer(world, holder, "query_plan", plan)[1]
    ids = [line for text in (first, second) for line in text.splitlines() if line.startswith("plan: ")]
    assert len(set(ids)) == 2
    for more in ({"save": "project"}, {"SAVE": "state"}, {"Save": "gistdex"}, {"topic": "t"}, {"save": ["state"]}):
        assert _answer(world, holder, "query_plan", {**plan, **more})[0]
    assert not list((world.place / "state").rglob("*.md"))


def test_the_audit_tells_who_asked_what_of_which_and_no_word_of_it(world):
    secret, name = world.token(full("shop"))
    holder = world.gate.holder(secret)
    _answer(world, holder, "search", {"query": "zqshop veryprivatewords"})
    _answer(world, holder, "search", {"query": "veryprivatewords", REPOS: ["bank"]})
    rows = [json.loads(line) for line in world.audit.read_text().splitlines() if name in line]
    assert [(row["operation"], row["repository"], row["outcome"]) for row in rows] == [
        ("search", full("shop"), "ok"),
        ("search", "", "bad_argument"),
    ]
    for text in (world.audit.read_text(), world.desk.metrics.text()):
        assert "veryprivate" not in text
        assert secret not in text
    assert "zq" not in world.desk.metrics.text()


def test_names_of_tools_and_of_operations_mean_the_same():
    assert offered("grep") is offered("search_text")
    assert tool_name(offered("search_text")) == "grep"
