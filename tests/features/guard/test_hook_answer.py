import json

from shirube.features.guard.hook_protocol import HookAnswer, advise, refuse
from tests.cases import for_each


def test_leave_is_one_word_and_a_refusal_has_its_reason_on_stderr():
    assert HookAnswer() == HookAnswer("ALLOW", "", 0)
    assert refuse("why", "before", "codex") == HookAnswer("BLOCK", "why", 2)


@for_each(("moment", "key"), [("before", "permissionDecisionReason"), ("after", "additionalContext")])
def test_claude_code_reads_the_reason_from_json_without_the_command_of_the_hook(moment: str, key: str):
    answer = refuse("理由", moment, "claude-code")
    assert (answer.err, answer.code) == ("理由", 2)
    assert json.loads(answer.out.removeprefix("BLOCK "))["hookSpecificOutput"][key] == "理由"
    assert refuse("理由", "stop", "claude-code") == HookAnswer("BLOCK", "理由", 2)


@for_each(
    ("agent", "moment", "where"),
    [
        ("claude-code", "before", ("hookSpecificOutput", "additionalContext")),
        ("codex", "after", ("hookSpecificOutput", "additionalContext")),
        ("gemini", "before", ("hookSpecificOutput", "additionalContext")),
        ("cursor", "before", ("agent_message",)),
        ("cursor", "after", ("additional_context",)),
        ("claude-code", "stop", ("systemMessage",)),
    ],
)
def test_advice_stands_where_each_agent_reads_it(agent: str, moment: str, where: tuple[str, ...]):
    answer = advise("助言", moment, agent)
    word, _, told = answer.out.partition(" ")
    assert (word, answer.code, answer.err) == ("ALLOW", 0, "")
    value = json.loads(told)
    for key in where:
        value = value[key]
    assert value == "助言"
    assert "\n" not in answer.out


def test_an_event_is_called_as_the_agent_calls_it():
    assert '"PreToolUse"' in advise("x", "before", "codex").out
    assert '"BeforeTool"' in advise("x", "before", "gemini").out
    assert advise("x", "stop", "cursor") == HookAnswer()
