"""Questions that change nothing, by operation: asked of both projects, the first of each in a session, too."""

from typing import Any

from tests.e2e.hostile import ANSI, ATTACK, BIDI, IMAGE, NAMES

Cases = dict[str, dict[str, Any]]
PAYMENT, RETRY = "src/shop/payment.py", "src/shop/retry.py"
DIFF = f"""\
--- a/{RETRY}
+++ b/{RETRY}
@@ -6,3 +6,3 @@
 Result = TypeVar("Result")
-ATTEMPTS = 3
+ATTEMPTS = 5
"""
FAILURE = f"""\
Traceback (most recent call last):
  File "{PAYMENT}", line 19, in charge_card
    raise PaymentError("amount too large")
shop.payment.PaymentError: amount too large
FAILED tests/test_payment.py::test_checkout_returns_a_receipt
"""
COMMIT = {"c1": "git", "c2": "write-message", "c3": "commit"}

ASK: dict[str, Cases] = {
    "search": {
        "words": {"query": "retry policy"},
        "a symbol": {"query": "PaymentGateway.charge_card", "limit": 3},
        "in Japanese": {"query": "返金処理はどこ？", "limit": 3},
        "both legs": {"query": "charge the card", "mode": "hybrid", "limit": 2},
        "sense alone": {"query": "cart total", "mode": "dense", "limit": 2},
        "all of it": {"query": '"exponential backoff"', "response_format": "detailed", "limit": 1},
        "only there": {"query": "price", "path": "web", "languages": ["typescript"], "kinds": ["function"]},
        "with a file at hand": {"query": "try again", "editing": [PAYMENT], "profile": "bugfix", "limit": 3},
        "documents first": {"query": "retry", "boost_profile": "docs", "limit": 2},
        "judged": {"query": "retry", "expectedKeywords": ["ATTEMPTS"], "evaluateResult": True, "limit": 2},
        "nothing": {"query": "zyxwvut qqqq", "mode": "lexical"},
        "no words": {"query": "  "},
        "an unknown mode": {"query": "retry", "mode": "magic"},
        "an unknown language": {"query": "retry", "languages": ["pyhton"]},
        "an unknown profile": {"query": "retry", "profile": "bugfixx"},
        "a foreign cursor": {"query": "retry", "cursor": "!!"},
        "too many": {"query": "retry", "limit": 100_000},
    },
    "files_search": {
        "words": {"query": "charge card", "limit": 4},
        "in Japanese": {"query": "三回まで再試行", "limit": 3, "compact": False},
        "by ending": {"query": "price", "ext": ".ts"},
        "nothing": {"query": "zyxwvut", "path_prefix": "web"},
        "a directory that is not there": {"query": "retry", "path_prefix": "nowhere"},
    },
    "search_text": {
        "a text": {"patterns": ["with_retries"]},
        "in Japanese": {"patterns": ["再試行"], "context_lines": 1},
        "an expression": {"patterns": [r"def \w+\("], "regex": True, "path": "src/shop", "limit": 3},
        "any case": {"patterns": ["PAYMENTERROR", "cartTOTAL"], "case_sensitive": False, "word": True},
        "nothing": {"patterns": ["zyxwvut"]},
        "no expression": {"patterns": ["(a"], "regex": True},
        "looking ahead": {"patterns": ["(?=a)b"], "regex": True},
        "none": {"patterns": []},
    },
    "context_bundle": {
        "a goal": {"goal": "try again when the bank is slow", "budget": 600},
        "in Japanese": {"goal": "支払いの再試行を直す", "limit": 3},
        "a failure": {"goal": "fix it", "failing_tests": [FAILURE], "budget": 800},
        "a change": {"goal": "raise the attempts", "last_diff": DIFF, "hints": ["checkout"], "compact": True},
        "with a file at hand": {"goal": "format the price", "editing_path": ["web/cart.ts"], "limit": 2},
        "nothing": {"goal": "zyxwvut", "path": "nowhere"},
        "no words": {"goal": ""},
        "no budget": {"goal": "retry", "budget": 1},
    },
    "snippets_get": {
        "all": {"path": RETRY, "view": "full", "include_line_numbers": True},
        "a symbol": {"path": PAYMENT, "start_line": 18},
        "lines": {"path": PAYMENT, "start_line": 5, "end_line": 8},
        "outline": {"path": PAYMENT, "view": "outline"},
        "in Japanese": {"path": "README.md", "start_line": 15},
        "places alone": {"path": PAYMENT, "compact": True},
        "not there": {"path": "src/shop/paymant.py"},
        "outside": {"path": "../secret"},
        "behind the end": {"path": RETRY, "start_line": 900, "end_line": 910},
        "left out": {"path": ".env"},
    },
    "past_changes": {
        "a goal": {"goal": "say in which currency prices are"},
        "in Japanese": {"goal": "通貨を表示する", "limit": 1},
        "with the diff": {"goal": "which currency", "diff": True, "limit": 1},
        "only there": {"goal": "which currency", "path": "src"},
        "nothing": {"goal": "zyxwvut"},
        "no hash": {"commit": "HEAD~1"},
        "not there": {"commit": "0123456789"},
        "nothing asked": {},
    },
    "search_forest": {
        "words": {"query": "try again", "limit": 2},
        "in Japanese": {"query": "合計金額", "limit": 2},
        "nothing": {"query": "zyxwvut", "mode": "lexical"},
    },
    "semantic_rerank": {
        "files": {"text": "charge a card", "candidates": [{"path": "web/cart.ts"}, {"path": PAYMENT, "score": 0.5}]},
        "in Japanese": {"text": "再試行", "candidates": [{"path": RETRY}, {"path": "README.md"}], "k": 1},
        "not there": {"text": "x", "candidates": [{"path": "nowhere.py"}]},
        "none": {"text": "x", "candidates": []},
    },
    "query": {
        "a question": {"question": "who calls with_retries?"},
        "a task": {"question": "change checkout so that it tries five times", "show_plan": False},
        "in Japanese": {"question": "返金はどこで行われる？"},
        "about a symbol": {"question": "what does it do?", "symbol": "checkout", "intent": "QUESTION"},
        "nothing": {"question": "zyxwvut qqqq?", "path": "web"},
        "no words": {"question": ""},
        "an unknown intent": {"question": "retry", "intent": "DESTROY"},
    },
    "list_presets": {"all": {}},
    "deps_closure": {
        "what it uses": {"path": PAYMENT},
        "who uses it": {"path": RETRY, "direction": "inbound"},
        "both, drawn": {"path": "web/cart.ts", "direction": "both", "format": "mermaid", "history": True},
        "dot": {"path": PAYMENT, "format": "dot", "max_depth": 1, "include_packages": False},
        "nothing": {"path": "pyproject.toml"},
        "not there": {"path": "src/shop/none.py"},
        "an unknown direction": {"path": PAYMENT, "direction": "sideways"},
    },
    "command_search": {
        "words": {"query": "write a commit message"},
        "in Japanese": {"query": "コミットメッセージを書く", "limit": 2},
        "strict": {"query": "changelog", "mode": "strict", "limit": 1},
        "several": {"queries": ["check", "pull request"], "limit": 2},
        "another registry": {"query": "translate", "agent": "annai", "limit": 1},
        "nothing": {"query": "zyxwvut", "mode": "strict"},
        "no words": {},
        "an unknown registry": {"query": "commit", "agent": "nobody"},
    },
    "command_describe": {
        "one": COMMIT,
        "not there": {**COMMIT, "c3": "comit"},
        "an unknown registry": {**COMMIT, "agent": "nobody"},
    },
    "command_execute": {
        "plain": {**COMMIT, "stdin": "renamed checkout"},
        "an edition": {"c1": "docs", "c2": "write-readme", "c3": "project", "options": ["-e=short"]},
        "an adaptation": {"c1": "git", "c2": "group-commit", "c3": "unstaged-changes", "options": ["-a=detailed"]},
        "an unknown edition": {**COMMIT, "options": ["-e=short"]},
        "another registry": {"c1": "docs", "c2": "translate-page", "c3": "japanese", "agent": "annai", "stdin": "Hi"},
        "an unknown option": {**COMMIT, "options": ["--nothing=1"]},
        "not there": {**COMMIT, "c1": "gti"},
    },
    "command_validate": {"ours": {}, "another": {"agent": "annai", "limit": 2}},
    "command_reload": {"all": {}, "one": {"agent": "annai"}, "an unknown registry": {"agent": "nobody"}},
    "find_definitions": {
        "a function": {"symbol": "checkout"},
        "a method": {"symbol": "PaymentGateway.refund", "kind": "method"},
        "misspelt": {"symbol": "chekout"},
        "misspelt, exact": {"symbol": "chekout", "exact_match": True},
        "in a language": {"symbol": "formatPrice", "language": ["typescript"], "limit": 1},
        "no name": {"symbol": ""},
    },
    "find_references": {
        "a function": {"symbol": "with_retries"},
        "a method": {"symbol": "PaymentGateway.charge_card", "prose": False},
        "defined there": {"symbol": "formatPrice", "defined_in": "web/price.ts"},
        "nothing": {"symbol": "zyxwvut"},
        "not defined there": {"symbol": "checkout", "defined_in": "web/price.ts"},
    },
    "symbol": {
        "a function": {"symbol": "with_retries"},
        "a class": {"name": "PaymentGateway", "limit": 1},
        "defined there": {"symbol": "formatPrice", "path": "web"},
        "a similar name": {"symbol": "CHECKOUT"},
        "nothing": {"symbol": "zyxwvut"},
        "not there": {"symbol": "checkout", "path": "web/prize.ts"},
        "no name": {"symbol": " "},
    },
    "get_symbols": {
        "a file": {"path": PAYMENT},
        "a directory": {"path": "web"},
        "a kind": {"path": "src/shop", "kind": "class"},
        "nothing": {"path": "pyproject.toml", "kind": "class"},
        "not there": {"path": "src/shpo"},
    },
    "analyze_structure": {
        "a file": {"path": PAYMENT},
        "a directory": {"path": "web", "limit": 5},
        "not there": {"path": "nowhere"},
    },
    "get_function_at_line": {
        "in a method": {"file_path": PAYMENT, "line": 17},
        "outside any": {"file_path": PAYMENT, "line": 5},
        "behind the end": {"file_path": PAYMENT, "line": 999},
        "not there": {"file_path": "none.py", "line": 1},
        "no line": {"file_path": PAYMENT, "line": 0},
    },
    "analyze_impact": {
        "a file": {"files": [RETRY]},
        "a symbol": {"symbols": ["PaymentGateway.charge_card"]},
        "not there": {"files": ["none.py"], "symbols": ["zyxwvut"]},
        "nothing": {},
    },
    "index_status": {"all": {}, "at once": {"look": False, "limit": 1}},
}

HOSTILE: dict[str, Cases] = {
    "search": {
        "an attack": {"query": f"charge card {ATTACK} {BIDI}", "limit": 20, "mode": "lexical"},
        "a control character": {"query": f"charge {ANSI}", "limit": 1},
        "a filter": {"query": f"charge path:{IMAGE}", "limit": 2},
        "half a character": {"query": "charge \ud83d", "limit": 1},
    },
    "files_search": {"every name": {"query": "charge card", "compact": False}},
    "search_text": {
        "an attack": {"patterns": [ATTACK, "charge_card_name"], "limit": 20},
        "in any encoding": {"patterns": ["返金", "caf"]},
        "a control character": {"patterns": ["\x1b[31m"], "limit": 3},
        "below a name": {"patterns": ["charge"], "path": NAMES[0]},
    },
    "context_bundle": {
        "an attack": {"goal": f"{ATTACK} charge the card", "hints": [IMAGE, *NAMES[:3]], "budget": 500},
    },
    "snippets_get": {
        **{f"name {number}": {"path": name} for number, name in enumerate(NAMES)},
        "a line break": {"path": "src/line\nbreak.py"},
        "a broken name": {"path": "src/broken\udcff.py"},
        "Latin": {"path": "src/latin.py"},
        "Shift JIS": {"path": "src/shift.py"},
        "sixteen bits": {"path": "src/wide.py"},
        "no text": {"path": "src/nothing.py"},
        "a very long line": {"path": "long.py", "compact": True},
    },
    "semantic_rerank": {"hostile names": {"text": ATTACK, "candidates": [{"path": name} for name in NAMES[:4]]}},
    "query": {"an attack": {"question": f"who calls checkout? {ATTACK} {BIDI}"}},
    "deps_closure": {
        "hostile names": {"path": PAYMENT, "direction": "inbound", "format": "mermaid"},
        "drawn": {"path": NAMES[1], "format": "dot"},
    },
    "find_definitions": {"an attack": {"symbol": ATTACK}, "everywhere": {"symbol": "charge_card", "limit": 30}},
    "find_references": {"everywhere": {"symbol": "checkout", "limit": 30}},
    "symbol": {"an attack": {"symbol": ATTACK}, "everywhere": {"symbol": "checkout", "limit": 30}},
    "get_symbols": {"everything": {"path": "src", "limit": 60}, "a name": {"path": NAMES[3]}},
    "analyze_structure": {"markup": {"path": "*.md"}, "everything": {"path": "src", "limit": 20}},
    "get_function_at_line": {"a hostile name": {"file_path": NAMES[2], "line": 6}},
    "analyze_impact": {"hostile names": {"files": [PAYMENT, NAMES[0]], "symbols": [ATTACK]}},
    "command_search": {"an attack": {"query": f"commit {ATTACK}", "limit": 1}},
    "command_execute": {"an attack": {**COMMIT, "stdin": f"{ATTACK} {{{{7*7}}}} {{input_text}} {ANSI}"}},
    "index_status": {"everything left out": {"limit": 50}},
}
