"""Which files come first: ten paths for each question, with the model everybody has."""

import os
from collections.abc import Callable
from pathlib import Path

from tests.golden import adapter
from tests.golden.marks import as_json
from tests.golden.projects import surroundings, write_frozen, write_orchid, write_shop

MOST = 10
ORCHID = (
    "where is the password checked at login",
    "how does a session expire",
    "database connection pool",
    "retry with exponential backoff",
    "http status code not found",
    "LruCache",
    "user_profile database query",
    "page-agent Lambda handler",
    "feature guide",
    "undo the last migration",
    "verify the token of a request",
    "ログインはどこで確認される",
    "接続プールの上限",
    "キャッシュ",
    "データベースのバックアップ",
    "設定を環境変数から読む",
)
SHOP = (
    "retry policy",
    "charge the card",
    "cart total",
    "write a commit message",
    "check a pull request for security",
    "which actions are accepted",
    "PaymentGateway",
    "返金処理",
    "支払いの再試行",
    "カートの合計金額",
    "変更履歴を更新する",
    "議事録の要約",
)
FROZEN = (
    "which phase allows an operation",
    "what did a result show",
    "BM25 formula",
    "stop words of a question",
    "cutting Japanese into tokens",
    "how sure is the first hit",
    "penalty for tests and documents",
    "fuse lists by rank",
    "who uses a symbol",
    "draw a graph with mermaid",
    "claims checked against recorded calls",
    "next steps of a session",
    "read_result",
    "Hypothesis",
    "estimate of tokens",
    "日本語の分割",
    "セッションの段階",
    "順位付けの理由",
    "参照を探す",
    "意味の近さ",
)
PROJECTS: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "orchid": (write_orchid, ORCHID),
    "shop": (write_shop, SHOP),
    "sources": (write_frozen, FROZEN),
}


def produce(base: Path) -> dict[str, str]:
    """Return the golden rankings by name: words alone, and words with sense."""
    files = {}
    for name, (write, questions) in PROJECTS.items():
        with surroundings(base / name):
            del os.environ["SHIRUBE_EMBED_MODEL"]
            with adapter.project_at(write(base / name / name)) as project:
                found = {
                    question: {
                        mode: _first(
                            adapter.answer(project, "search", {"query": question, "limit": 50, "mode": mode})[0]
                        )
                        for mode in ("lexical", "hybrid")
                    }
                    for question in questions
                }
        files[f"rankings/{name}.json"] = as_json(found)
    return files


def _first(told: dict[str, dict[str, list[dict[str, str]]]]) -> list[str]:
    return list(dict.fromkeys(hit["path"] for hit in told["result"]["forest_hits"]))[:MOST]
