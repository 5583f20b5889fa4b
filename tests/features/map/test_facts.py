from shirube.features.map.facts import Called, ConfirmedSymbol, SessionFacts, facts_from
from tests.cases import for_each

BODY = {
    "id": "s1",
    "intent": "modify",
    "request": "ログイン機能のバリデーションを追加",
    "risk": "HIGH",
    "phase": "ready",
    "frame": {"slots": {"target_feature": {"value": "ログイン機能", "quote": "ログイン機能"}, "observed_issue": None}},
    "confirmed": [
        {
            "nl_term": "ログイン機能",
            "symbol": "AuthService",
            "path": "a.py",
            "tier": "raised",
            "evidence": "e",
            "similarity": 0.5,
        },
        {"nl_term": "x", "symbol": "No", "approved": False},
        {"nl_term": "no symbol"},
    ],
    "added": ["c.py"],
}
MAPS = [
    {"term": "t", "symbol": "S", "similarity": 0.9, "fresh": True},
    {"term": "far", "symbol": "F", "similarity": 0.4, "fresh": True},
    {"term": "stale", "symbol": "G", "similarity": 0.9, "fresh": False},
]
EVENTS = [
    {"kind": "call", "operation": "search", "ok": True, "seen": ["a.py", "b.py"], "maps": MAPS},
    {"kind": "call", "operation": "search_forest", "ok": False, "seen": []},
    {"kind": "check", "path": "a.py", "allowed": True},
    {"kind": "check", "path": "z.py", "allowed": False},
    {"kind": "refusal", "operation": "submit_understanding", "reason": "too early"},
]


def test_a_session_is_read_from_its_document_and_its_events():
    found = facts_from("s1", BODY, EVENTS)
    assert (found.intent, found.risk, found.phase) == ("MODIFY", "HIGH", "READY")
    assert found.confirmed == (
        ConfirmedSymbol("ログイン機能", "AuthService", "a.py", "raised", "e", 0.5),
        ConfirmedSymbol("x", "No", "", "refused"),
    )
    assert found.explored == ("c.py", "a.py", "b.py")
    assert found.calls == (Called("search", True, ("a.py", "b.py"), (("t", "S"),)), Called("search_forest", False))
    assert found.targets == ("a.py",)
    assert found.frame == (("target_feature", "ログイン機能"),)
    assert found.operations == ("search",)
    assert found.used_agreements == (("t", "S"),)
    assert not found.semantic_used


@for_each(
    "body",
    [{}, {"confirmed": "x", "frame": 5, "calls": [1]}, {"confirmed": [{"symbol": "S"}], "query_frame": {"slots": []}}],
)
def test_what_is_missing_is_empty(body: dict[str, object]):
    found = facts_from("s", body)
    assert isinstance(found, SessionFacts)
    assert (found.intent, found.calls, found.targets, found.frame) == ("", (), (), ())
