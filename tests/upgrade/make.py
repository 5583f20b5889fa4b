"""Makes ``fixture-0.1.0.tar.xz``: run it with release 0.1.0 and with no other, ``python -m tests.upgrade.make``.

A later release must read what 0.1.0 wrote, so the archive is never made again; this script says how it came to be.
"""

import io
import json
import os
import tarfile
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from shirube import Project, __version__, open_workspace
from shirube import operations as run
from shirube.doors.cli import main
from shirube.doors.hook import main as gate
from shirube.operation import Call
from tests.conftest import write_sample
from tests.upgrade.layout import BASE, FIXTURE, KEY, RELEASE, environment, name_of, receipt_of

USER = "[session]\nexpire_hours = 1000000.0\n\n[outcomes]\nprior = 0.1\n\n[index]\nworkers = 1\n"
PROJECT = '[search]\nlimit = 7\n\n[index]\nexcludes = ["drafts/"]\n\n[gate]\nmode = "block"\n'
RETRY, PAYMENT = "src/shop/retry.py", "src/shop/payment.py"
REQUEST = "Fix the retry of failed payments: checkout gives up too early"
CLIENT = "claude-1"
BEFORE = {
    "shop/CLAUDE.md": "# Our rules\n\nMoney is counted in whole yen.\n",
    "shop/.mcp.json": '{\n  "mcpServers": {\n    "other": {"command": "other"}\n  }\n}\n',
    "shop/.claude/settings.json": '{\n  "permissions": {"allow": ["Bash(make test)"]}\n}\n',
    "own/home/.codex/config.toml": '# mine\nmodel = "best"\n\n[mcp_servers.other]\ncommand = "other"\n',
}
INSTALLS = (
    ("claude-code", "gemini", "cursor", "--scope", "project"),
    ("codex", "--scope", "user"),
)
SEMANTIC = {
    "hypotheses": [f"with_retries in {RETRY} is the place"],
    "semantic_reason": "no_similar_implementation",
}
EVIDENCE = {"tool": "search_text", "target": "with_retries", "result": f"with_retries is in {RETRY}", "files": [RETRY]}


def write(base: Path, path: str, text: str) -> None:
    """Write a file below the base."""
    (base / path).parent.mkdir(parents=True, exist_ok=True)
    (base / path).write_text(text, "utf-8")


def begin(project: Project, intent: str, query: str, client: str = "") -> str:
    """Start a session, for a client where one is named, and fill its frame."""
    call = Call(patient=True, client=client)
    handle: str = run(project.workspace, "start_session", {"intent": intent, "query": query}, call).session_id
    if "retry of failed payments" in query:
        slots = {"target_feature": "retry of failed payments", "observed_issue": "checkout gives up too early"}
        filled = {name: {"value": text, "quote": text} for name, text in slots.items()}
        project.call("set_query_frame", session_id=handle, **filled)
    return handle


def explore(project: Project, handle: str) -> None:
    """Look at what the request is about."""
    project.call("search", query="retry failed payments checkout", session_id=handle)
    project.call("find_definitions", symbol="with_retries", session_id=handle)
    project.call("find_references", symbol="with_retries", session_id=handle)
    project.call("search_text", patterns=["with_retries"], session_id=handle)


def suppose(project: Project, handle: str) -> None:
    """Go on to what is only supposed."""
    explore(project, handle)
    project.call("submit_understanding", session_id=handle)


def verify(project: Project, handle: str) -> None:
    """Go on to what is to be verified."""
    suppose(project, handle)
    project.call("submit_semantic", session_id=handle, **SEMANTIC)


def ready(project: Project, handle: str) -> None:
    """Go the whole way."""
    verify(project, handle)
    project.call("search_text", patterns=["with_retries"], session_id=handle)
    decided = [{"hypothesis": "h1", "status": "confirmed", "evidence": EVIDENCE}]
    project.call("submit_verification", session_id=handle, verified=decided)
    project.call("check_write_target", session_id=handle, file_path=RETRY)


def sessions(project: Project) -> dict[str, str]:
    """Leave sessions in every phase, three of them with an outcome; return their handles by what they are for."""
    made = {
        name: begin(project, "MODIFY", REQUEST) for name in ("exploring", "supposing", "verifying", "done", "failed")
    }
    made["asked"] = begin(project, "QUESTION", "checkout は何をする？")
    made["ready"] = begin(project, "MODIFY", REQUEST, CLIENT)
    project.call("search", query="retry", session_id=made["exploring"])
    suppose(project, made["supposing"])
    verify(project, made["verifying"])
    for name in ("done", "failed", "ready"):
        ready(project, made[name])
    confirmed = {
        "relevant_symbols": ["with_retries"],
        "code_evidence": "`with_retries` calls it until ATTEMPTS are over",
    }
    project.call("confirm_symbol_relevance", session_id=made["done"], **confirmed)
    project.call("record_outcome", session_id=made["done"], outcome="success", trigger_message="thanks, that works")
    why = {"root_cause": "the caller was not read", "failure_point": "wrong_file", "related_files": [PAYMENT]}
    project.call("record_outcome", session_id=made["failed"], outcome="failure", analysis=why)
    project.call("search", query="checkout", session_id=made["asked"])
    project.call("record_outcome", session_id=made["asked"], outcome="partial", trigger_message="惜しい")
    return made


def agreements(project: Project) -> None:
    """Leave a map: a term in each language, two symbols for one word, a convention, one that is expired."""
    project.call("add_agreement", nl_term="till", symbol=["checkout"], code_evidence="it takes the money")
    project.call("add_agreement", nl_term="返金", symbol=["PaymentGateway.refund"], code_evidence="お金を返す")
    project.call("add_agreement", nl_term="price", symbol=["formatPrice", "cartTotal"])
    project.call(
        "add_agreement", nl_term="money", doc_type="convention", code_evidence="Money is counted in whole yen."
    )
    project.call("expire_agreement", agreement="price → cartTotal")
    project.call("sync_map")


def plans(project: Project) -> dict[str, str]:
    """Leave plans, one with a page in the state directory and one with a page in the project."""
    expected = {"keywords": ["with_retries", "ATTEMPTS"], "minMatches": 2}
    retries = project.call("query_plan", goal="how are failed payments retried?", expectedResults=expected)
    refunds = project.call("query_plan", goal="返金はどこ？", maxIterations=2, save="project")
    return {"retries": retries.planId, "refunds": refunds.planId}


def hooks(root: Path) -> None:
    """Let the gate be asked as an agent's hooks do, so that it has something to remember."""
    event = {"session_id": CLIENT, "cwd": str(root), "hook_event_name": "PreToolUse", "tool_name": "Edit"}
    for moment, path in (("start", RETRY), ("before", RETRY), ("before", "web/cart.ts")):
        told = json.dumps({**event, "tool_input": {"file_path": str(root / path)}}).encode()
        sent = io.TextIOWrapper(io.BytesIO(told), "utf-8")
        with patch("sys.stdin", sent):
            gate(["--hook", moment, "--agent", "claude-code", "--mode", "block"])


def make(base: Path) -> dict[str, Any]:
    """Let everything happen below ``base``; return what a later release has to find."""
    root = write_sample(base / "shop").resolve()
    write(base, "own/config/config.toml", USER)
    write(base, "shop/.shirube/config.toml", PROJECT)
    write(base, "shop/drafts/idea.py", "def draft_only() -> None: ...\n")
    for path, text in BEFORE.items():
        write(base, path, text)
    os.chdir(root)
    for install in INSTALLS:
        assert main(["install", *install, "--type", "all", "--gate", "block", "--command", "shirube"]) == 0
    with open_workspace(root) as project:
        project.sync_index()
        handles = sessions(project)
        agreements(project)
        made = plans(project)
        hooks(root)
        told = project.call("index_status")
        listed = project.call("list_agreements")
        phases = {line.session_id: line.phase for line in project.call("list_sessions").sessions}
    return {
        "release": RELEASE,
        "sessions": {name: {"id": handle, "phase": str(phases[handle])} for name, handle in handles.items()},
        "plans": made,
        "index": {"files": told.files, "symbols": told.symbols, "chunks": told.chunks, "edges": told.edges},
        "agreements": sorted(f"{one.nl_term} → {one.symbol}" for one in listed.agreements),
        "before": BEFORE,
    }


def pack(base: Path, expected: dict[str, Any]) -> None:
    """Write the archive; where a path of this machine stands in a name or a text, a mark takes its place."""
    root = base / "shop"
    texts = (".json", ".toml", ".md", ".original", "directories")
    with tarfile.open(FIXTURE, "w:xz", preset=9) as archive:

        def add(name: str, data: bytes) -> None:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o600
            archive.addfile(entry, io.BytesIO(data))

        add("expected.json", json.dumps(expected, ensure_ascii=False, indent=1).encode())
        for file in sorted(base.rglob("*")):
            if not file.is_file() or file.suffix == ".lock" or file.name == "lock":
                continue
            assert not file.name.endswith(("-wal", "-shm")), "a database was not closed"
            data = file.read_bytes()
            name = file.relative_to(base).as_posix().replace(name_of(root), KEY)
            if "own/" in name and file.name.endswith(texts):
                data = data.replace(str(base).encode(), BASE.encode())
            if name.startswith("own/state/agents/") and name.endswith((".json", ".original")):
                path = json.loads(file.with_suffix(".json").read_text("utf-8"))["path"]
                assert file.stem == receipt_of(path)
                name = f"own/state/agents/{BASE}{path.removeprefix(str(base)).replace('/', '%')}{file.suffix}"
            add(name, data)


if __name__ == "__main__":
    assert __version__ == RELEASE, "this fixture is of another release: keep it as it is"
    with tempfile.TemporaryDirectory(prefix="shirube-") as made_at:
        place = Path(made_at).resolve()
        os.environ |= environment(place)
        pack(place, make(place))
        print(f"{FIXTURE.name}: {FIXTURE.stat().st_size} bytes")
