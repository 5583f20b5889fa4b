"""Options of the commands about map."""

import argparse
import sys
from typing import Any

from shirube.codec import replace
from shirube.doors.cli.command import ask
from shirube.doors.cli.derived import shown
from shirube.doors.cli.screen import read_file, write_file
from shirube.errors import BadArgument
from shirube.features.map.agreement import CONVENTION
from shirube.features.map.merge import is_bundle
from shirube.features.map.results import ExportMapResult
from shirube.operation import OPERATIONS


def declare_list_agreements(parser: argparse.ArgumentParser) -> None:
    """Add a switch for conventions, the kind that is listed most often."""
    parser.add_argument("--conventions", action="store_true", help="only conventions")


def typed_list_agreements(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the switch."""
    return {**arguments, "doc_type": CONVENTION} if options.conventions else arguments


declare_check_agreements, typed_check_agreements = declare_list_agreements, typed_list_agreements


def declare_add_agreement(parser: argparse.ArgumentParser) -> None:
    """Add a switch for conventions."""
    declare_edit_agreement(parser)
    parser.add_argument("--convention", action="store_true", help="a rule of the project: the evidence is its text")


def typed_add_agreement(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the switch, and evidence from stdin."""
    if options.convention == bool(arguments.get("symbol")):
        raise BadArgument("map_view.symbol_or_rule")
    kind = {"doc_type": CONVENTION} if options.convention else {}
    return typed_edit_agreement(options, {**arguments, **kind})


def declare_edit_agreement(parser: argparse.ArgumentParser) -> None:
    """Say that evidence may be piped in."""
    parser.epilog = "--evidence - reads stdin"


def typed_edit_agreement(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read evidence from stdin where it is ``-``."""
    return {**arguments, "code_evidence": sys.stdin.read()} if arguments.get("code_evidence") == "-" else arguments


def declare_merge_agreements(parser: argparse.ArgumentParser) -> None:
    """Add the files as arguments, in the order in which git passes them to a merge driver."""
    parser.add_argument(
        "files", metavar="[BASE] OURS THEIRS", nargs="+", help="two versions, or three as git hands them: %%O %%A %%B"
    )


def typed_merge_agreements(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Assign the files to arguments by their number."""
    if not 2 <= len(options.files) <= 3:
        raise BadArgument("map_view.files_given", count=len(options.files))
    *base, ours, theirs = options.files
    return {"base": "".join(base), "ours": ours, "theirs": theirs}


def declare_export_map(parser: argparse.ArgumentParser) -> None:
    """Add a file as an argument; it may be outside the project."""
    parser.add_argument("path", metavar="FILE", nargs="?", help="a new file, or an earlier export (default: stdout)")


def run_export_map(options: argparse.Namespace, arguments: dict[str, Any]) -> int:
    """Write the map to a file, or show it."""
    result: ExportMapResult = ask(options, "export_map", {})
    if options.path:
        result = replace(result, file=write_file(options.path, result.text, is_bundle), text="")
    return shown(options, OPERATIONS["export_map"], result)


def declare_import_map(parser: argparse.ArgumentParser) -> None:
    """Add a file (anywhere), or the directory of an earlier program, as an argument."""
    kinds = "an exported map, learned_pairs.json, or a .code-intel directory (default .code-intel)"
    parser.add_argument("path", metavar="FILE", nargs="?", default=".code-intel", help=kinds)


def typed_import_map(options: argparse.Namespace, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read the file; the operation handles a directory or a missing file itself."""
    text = read_file(options.path)
    return {"text": text} if text else {"path": options.path}
