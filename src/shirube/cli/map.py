"""``shirube map …``: what was agreed, for people."""

import argparse
import sys
from typing import Any

from shirube.cli.command import NO_MATCH, OK, Command, ask, common, show
from shirube.cli.files import read_file, write_file
from shirube.cli.screen import Paint, paint_for, printable
from shirube.codec.records import replace
from shirube.errors import counted
from shirube.knowledge.agreement import State
from shirube.knowledge.share import is_bundle
from shirube.operations.results.map import AgreementsResult, ExportMapResult, MapReport, MergeResult, WrittenAgreement
from shirube.operations.results.search import AgreementView, MapResult

STATES = {State.FRESH: "good", State.CHANGED: "line", State.MOVED: "line", State.GONE: "bad", State.UNBOUND: "dim"}
NAMED = 10
"""How many lines of each kind a report shows."""


def _declare_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="WORDS", nargs="*", help="only those with these characters in them")
    parser.add_argument("--state", choices=[state.value for state in State], help="only those in this state")
    parser.add_argument("--conventions", action="store_true", help="only conventions")
    parser.add_argument("-k", "--limit", type=int, default=100, metavar="N", help="how many (default 100)")
    common(parser)


def _listing(options: argparse.Namespace) -> dict[str, Any]:
    kind = "convention" if options.conventions else ""
    return {"query": " ".join(options.query), "state": options.state, "doc_type": kind, "limit": options.limit}


def _run_list(options: argparse.Namespace) -> int:
    result = ask(options, "list_agreements", _listing(options))
    show(options, result, lambda: _list_text(result, paint_for(options.no_color)))
    return OK if result.total else NO_MATCH


def _run_check(options: argparse.Namespace) -> int:
    result = ask(options, "check_agreements", _listing(options))
    show(options, result, lambda: _list_text(result, paint_for(options.no_color)))
    stale = sum(count for state, count in result.states.items() if state not in (State.FRESH, State.UNBOUND))
    return NO_MATCH if stale or result.problems else OK


def _declare_add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("term", metavar="TERM", help="the words people use")
    parser.add_argument("symbols", metavar="SYMBOL", nargs="*", help="what they mean in the code")
    parser.add_argument("--evidence", default="", metavar="TEXT", help="what in the code shows it; - reads stdin")
    parser.add_argument("--path", default="", metavar="FILE", help="the file, when several define that name")
    parser.add_argument("--convention", action="store_true", help="a rule of the project: the evidence is its text")
    common(parser)


def _run_add(options: argparse.Namespace) -> int:
    arguments = {
        "nl_term": options.term,
        "symbol": options.symbols,
        "code_evidence": _said(options.evidence),
        "path": options.path,
        "doc_type": "convention" if options.convention else "agreement",
    }
    return _written(options, ask(options, "add_agreement", arguments))


def _said(text: str) -> str:
    return sys.stdin.read() if text == "-" else text


def _written(options: argparse.Namespace, result: WrittenAgreement) -> int:
    paint = paint_for(options.no_color)
    lines = [*(_line(one, paint) for one in result.agreements), paint("dim", result.note)]
    lines += [paint("bad", f"! {problem}") for problem in result.problems]
    show(options, result, lambda: "\n".join(lines))
    return OK


def _declare_edit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agreement", metavar="AGREEMENT", help="its term, 'term → symbol', or the name of its file")
    parser.add_argument("--symbol", default="", metavar="NAME", help="another symbol is meant")
    parser.add_argument("--path", default="", metavar="FILE", help="another file defines it")
    parser.add_argument("--evidence", default="", metavar="TEXT", help="evidence to add; - reads stdin")
    parser.add_argument("--confirm", action="store_true", help="checked: bind it to the code as it is now")
    common(parser)


def _run_edit(options: argparse.Namespace) -> int:
    arguments = {
        "agreement": options.agreement,
        "symbol": options.symbol,
        "path": options.path,
        "code_evidence": _said(options.evidence),
        "confirm": options.confirm,
    }
    return _written(options, ask(options, "edit_agreement", arguments))


def _declare_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", metavar="WORDS", nargs="+", help="words, a question or a symbol")
    parser.add_argument("-k", "--limit", type=int, default=5, metavar="N", help="how many (default 5)")
    common(parser)


def _run_search(options: argparse.Namespace) -> int:
    result = ask(options, "search_map", {"query": " ".join(options.query), "limit": options.limit})
    show(options, result, lambda: _search_text(result, paint_for(options.no_color)))
    return OK if result.map_hits else NO_MATCH


def _declare_expire(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agreement", metavar="AGREEMENT", help="its term, 'term → symbol', or the name of its file")
    parser.add_argument("--delete", action="store_true", help="delete the page instead of marking it")
    common(parser)


def _run_expire(options: argparse.Namespace) -> int:
    arguments = {"agreement": options.agreement, "delete": options.delete}
    return _written(options, ask(options, "expire_agreement", arguments))


def _run_sync(options: argparse.Namespace) -> int:
    return _reported(options, ask(options, "sync_map", {}))


def _reported(options: argparse.Namespace, result: MapReport) -> int:
    show(options, result, lambda: _report_text(result, paint_for(options.no_color)))
    return NO_MATCH if result.conflicts or result.problems else OK


def _declare_merge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="[BASE] OURS THEIRS", nargs="+", help="two versions, or three as git hands them: %%O %%A %%B"
    )
    common(parser)


def _run_merge(options: argparse.Namespace) -> int:
    from shirube.errors import BadArgument

    if not 2 <= len(options.files) <= 3:
        raise BadArgument(
            f"{counted(len(options.files), 'file was', 'files were')} given", "give OURS THEIRS, or BASE OURS THEIRS"
        )
    *base, ours, theirs = options.files
    result: MergeResult = ask(options, "merge_agreements", {"base": "".join(base), "ours": ours, "theirs": theirs})
    if options.json or not options.quiet:
        show(options, result, lambda: f"merged into {printable(result.file)}")
    for conflict in () if options.json else result.conflicts:
        print(f"shirube: {printable(conflict)}", file=sys.stderr)
    return OK if result.clean else NO_MATCH


def _declare_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="FILE", nargs="?", default="", help="a new file, or an earlier export (default: stdout)"
    )
    common(parser)


def _run_export(options: argparse.Namespace) -> int:
    result: ExportMapResult = ask(options, "export_map", {})
    if options.path:
        result = replace(result, file=write_file(options.path, result.text, is_bundle), text="")
    told = f"{counted(result.total, 'agreement')} written to {printable(result.file)}"
    show(options, result, lambda: told if result.file else result.text.rstrip("\n"))
    for problem in () if options.json else result.problems:
        print(f"shirube: not in it: {printable(problem)}", file=sys.stderr)
    return OK if result.total and not result.problems else NO_MATCH


def _declare_import(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="FILE", help="an exported map, learned_pairs.json, or a .code-intel directory")
    common(parser)


def _run_import(options: argparse.Namespace) -> int:
    text = read_file(options.path)
    return _reported(options, ask(options, "import_map", {"text": text} if text else {"path": options.path}))


def _declare_code_intel(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="DIRECTORY", nargs="?", default=".code-intel", help="where (default .code-intel)"
    )
    common(parser)


# --- as text -----------------------------------------------------------------------------------------------


def _line(view: AgreementView, paint: Paint) -> str:
    """Return one agreement on one line: state, what was agreed, where, and why it is in doubt."""
    state = paint(STATES[view.state], view.state.value.ljust(7))
    arrow = f" → {paint('kind', view.symbol)}" if view.symbol else paint("dim", " (convention)")
    place = f"  {paint('path', view.path)}" + (f":{view.start_line}" if view.symbol else "")
    doubt = "" if view.fresh else paint("dim", f"  {_doubt(view)}")
    return f"{state} {paint('bold', view.nl_term)}{arrow}{place}{doubt}"


def _doubt(view: AgreementView) -> str:
    if view.origin:
        return f"from {view.origin}"
    return view.why if view.standing == "agreed" else f"{view.standing.value}; {view.why}"


def _list_text(result: AgreementsResult, paint: Paint) -> str:
    lines = [_line(view, paint) for view in result.agreements]
    counts = ", ".join(f"{count} {state}" for state, count in result.states.items())
    if result.total:
        shown = f" ({len(lines)} shown; -k for more)" if result.truncated else ""
        facts = counted(result.facts, "is a fact", "are facts")
        lines.append(paint("dim", f"{counted(result.total, 'agreement')}: {counts}; {facts}{shown}"))
    lines += [paint("bad", f"! {problem}") for problem in (*result.problems, *result.degraded)]
    return "\n".join([*lines, *([paint("dim", result.next)] if result.next else [])])


def _search_text(result: MapResult, paint: Paint) -> str:
    lines = []
    for view in result.map_hits:
        lines.append(f"{view.similarity or 0:4.0%}  {_line(view, paint)}")
        lines += [f"      {printable(line)}" for line in view.evidence.split("\n")[:3] if line.strip()]
    lines += [paint("bad", f"! {problem}") for problem in result.problems]
    return "\n".join([*lines, paint("dim", result.next)])


def _report_text(result: MapReport, paint: Paint) -> str:
    states = ", ".join(f"{count} {state}" for state, count in result.states.items())
    logs = ", ".join(f"{count} {name}" for name, count in result.logs.items())
    lines = [
        f"{result.source}: {len(result.new)} new, {len(result.changed)} changed, {result.same} the same, "
        f"{result.bound} bound to code" + (f"; records: {logs}" if logs else ""),
        counted(result.total, "agreement") + (f": {states}" if states else ""),
    ]
    for mark, style, rows in (
        ("+", "good", result.new),
        ("~", "line", result.changed),
        ("?", "line", result.not_bound),
        ("- demoted:", "line", result.demoted),
        ("! conflict:", "bad", result.conflicts),
        ("!", "bad", result.problems),
    ):
        lines += [paint(style, f"{mark} {row}") for row in rows[:NAMED]]
        lines += [paint("dim", f"  … and {len(rows) - NAMED} more")] if len(rows) > NAMED else []
    return "\n".join([*lines, *([paint("dim", result.next)] if result.next else [])])


LIST = Command(_declare_list, _run_list)
ADD = Command(_declare_add, _run_add)
EDIT = Command(_declare_edit, _run_edit)
SEARCH = Command(_declare_search, _run_search)
CHECK = Command(_declare_list, _run_check)
EXPIRE = Command(_declare_expire, _run_expire)
SYNC = Command(common, _run_sync)
MERGE = Command(_declare_merge, _run_merge)
EXPORT = Command(_declare_export, _run_export)
IMPORT = Command(_declare_import, _run_import)

CODE_INTEL = Command(_declare_code_intel, _run_import)
