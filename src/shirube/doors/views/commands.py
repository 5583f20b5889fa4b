"""Text for the commands of a registry: found, described, rendered, checked and built."""

from shirube.doors.views.screen import Screen, View, changes, printable
from shirube.features.commands.results import (
    CommandBuildResult,
    CommandDescribeResult,
    CommandExecuteResult,
    CommandSearchResult,
    CommandValidateResult,
)

STYLES = {"error": "bad", "warning": "line"}


def command_search(result: CommandSearchResult, screen: Screen) -> View:
    """Return the matching commands, each with its score and what it does."""
    warnings = tuple(screen.say(note) for note in result.degraded)
    if not result.results:
        notes = "; ".join([*warnings, screen.say(result.next)])
        return View(screen.words("commands_view.none", notes=notes), (), False)
    lines = []
    for command in result.results:
        name = screen.paint("bold", f"{command.c1} {command.c2} {command.c3}")
        lines += [f"{name}  {screen.paint('dim', f'{command.score:.4g}')}", f"    {printable(command.description)}"]
    return View("\n".join(lines), warnings)


def command_describe(result: CommandDescribeResult, screen: Screen) -> View:
    """Return the arguments of each command."""
    words, blocks = screen.words, []
    for command in result.commands:
        taken = command.options
        given = ", ".join(name for name in ("file", "stdin", "destination") if getattr(taken, name))
        rows = {
            words("commands_view.usage"): command.usage,
            words("commands_view.edition"): ", ".join(taken.edition),
            words("commands_view.adaptation"): ", ".join(taken.adaptation),
            words("commands_view.takes"): given or words("commands_view.nothing"),
            **{f"--uv-{name}": meaning for name, meaning in taken.uv.items()},
        }
        lines = [screen.paint("bold", command.id), f"    {printable(command.description)}"]
        lines += [f"    {screen.paint('dim', name)}  {printable(text)}" for name, text in rows.items()]
        blocks.append("\n".join(lines))
    return View("\n".join(blocks) or words("commands_view.no_such"), tuple(result.degraded), bool(blocks))


def command_execute(result: CommandExecuteResult, screen: Screen) -> View:
    """Return the prompt unchanged, on a terminal without control characters; what it lacks goes to the notes."""
    bare = result.text.removesuffix("\n")
    text = "\n".join(map(printable, bare.split("\n"))) if screen.tty else bare
    missing = result.missing_variables
    left = [name for name in result.unresolved_placeholders if name not in missing]
    notes = [screen.words("commands_view.not_given", names=missing)] if missing else []
    notes += [screen.words("commands_view.left", names=left)] if left else []
    return View(text, (*result.degraded, *notes))


def command_validate(result: CommandValidateResult, screen: Screen) -> View:
    """Return a line for each finding, and how many commands can be rendered."""
    paint = screen.paint
    lines = [
        f"{paint(STYLES[one.level], screen.words(f'commands_view.{one.level}'))}  "
        f"{paint('bold', one.command or result.path)}  {screen.say(one.message)}"
        for one in result.findings
    ]
    lines.append(
        screen.words("commands_view.rendered", path=result.path, good=result.renderable, count=result.commands)
    )
    broken = result.degraded or result.next or any(finding.level == "error" for finding in result.findings)
    return View("\n".join(lines), tuple(result.degraded), not broken)


def command_build(result: CommandBuildResult, screen: Screen) -> View:
    """Return what was added, changed, removed and left out, and how many commands there are."""
    lines = changes(result, screen.paint)
    lines += screen.warn(result.left_out)
    code = "commands_view.written" if result.written else "commands_view.would_write"
    return View("\n".join([*lines, screen.words(code, path=result.path, count=result.commands)]))
