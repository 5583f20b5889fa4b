"""The operations of group ``commands``: what each takes, and what it answers."""

from typing import Annotated

from shirube.codec import Arg, Record
from shirube.features.commands import results
from shirube.operation import Context, operation

Whose = Annotated[str, Arg("Whose registry.", usage="--agent NAME")]


class CommandSearchRequest(Record):
    """What ``command_search`` takes."""

    query: Annotated[str, Arg("What should be done, in English or Japanese.", usage="QUERY…")] = ""
    queries: Annotated[tuple[str, ...], Arg("Several views of it (action, target), fused by rank.")] = ()
    agent: Whose = "climpt"
    limit: Annotated[int, Arg("How many commands.", also="topN top_n", low=1, high=50, usage="-k --limit N")] = 3
    mode: Annotated[
        results.CommandSearchMode,
        Arg("strict: the words as written; wide: also stems, translation, meaning.", usage="--mode"),
    ] = results.CommandSearchMode.AUTO


@operation(CommandSearchRequest, "commands", command="commands search {query}")
def command_search(project: Context, asked: CommandSearchRequest) -> results.CommandSearchResult:
    """Which of the team's commands (prompts, procedures) does this? Ask in English or Japanese."""
    from shirube.features.commands.find import command_search as answer

    return answer(project.workspace, asked, project.call)


class CommandDescribeRequest(Record):
    """What ``command_describe`` takes."""

    c1: Annotated[str, Arg("The domain.")]
    c2: Annotated[str, Arg("The action.")]
    c3: Annotated[str, Arg("The target.")]
    agent: Whose = "climpt"


@operation(CommandDescribeRequest, "commands", command="commands describe {c1} {c2} {c3}")
def command_describe(project: Context, asked: CommandDescribeRequest) -> results.CommandDescribeResult:
    """What does a command take? Every entry of the registry with exactly these three words, or none."""
    from shirube.features.commands.find import command_describe as answer

    return answer(project.workspace, asked, project.call)


class CommandExecuteRequest(CommandDescribeRequest):
    """What ``command_execute`` takes: a command as ``command_describe`` takes it, and its input."""

    options: Annotated[
        tuple[str, ...], Arg("-e=detailed, -f=in.md, --uv-NAME=value; or an object by key.", keyed=True)
    ] = ()
    stdin: Annotated[str, Arg("The text the command works on.", also="input_text input", high=1000000)] = ""
    timeout_seconds: Annotated[
        float | None, Arg("When to give up.", also="timeout", low=0, high=3600, usage="--timeout SECONDS")
    ] = None


@operation(CommandExecuteRequest, "commands", command="commands execute {c1} {c2} {c3}")
def command_execute(project: Context, asked: CommandExecuteRequest) -> results.CommandExecuteResult:
    """What are the instructions of a command, with my input in them? Renders its prompt from the registry."""
    from shirube.features.commands.run import command_execute as answer

    return answer(project.workspace, asked, project.call)


class CommandValidateRequest(Record):
    """What ``command_validate`` takes."""

    agent: Whose = "climpt"
    limit: Annotated[int, Arg("How many findings.", low=1, high=10000)] = 200


@operation(CommandValidateRequest, "commands", command="commands validate")
def command_validate(project: Context, asked: CommandValidateRequest) -> results.CommandValidateResult:
    """Which listed commands cannot be rendered, or not as listed? Templates, patterns, placeholders, variables."""
    from shirube.features.commands.upkeep import command_validate as answer

    return answer(project.workspace, asked, project.call)


class CommandBuildRequest(Record):
    """What ``command_build`` takes."""

    agent: Whose = "climpt"
    dry_run: Annotated[bool, Arg("Only say what would change.", usage="--dry-run")] = False


@operation(CommandBuildRequest, "commands", read_only=False, command="commands build")
def command_build(project: Context, asked: CommandBuildRequest) -> results.CommandBuildResult:
    """What should the registry say by the front matter of the prompts beside it? Writes it."""
    from shirube.features.commands.upkeep import command_build as answer

    return answer(project.workspace, asked, project.call)


class CommandReloadRequest(Record):
    """What ``command_reload`` takes."""

    agent: Annotated[str, Arg("Whose registry; empty: all.")] = ""


@operation(CommandReloadRequest, "commands")
def command_reload(project: Context, asked: CommandReloadRequest) -> results.CommandReloadResult:
    """Which registries are there now? Reads them and their configuration anew."""
    from shirube.features.commands.find import command_reload as answer

    return answer(project.workspace, asked, project.call)


class CommandsMethods:
    """These operations as methods of a project."""

    command_search = command_search
    command_describe = command_describe
    command_execute = command_execute
    command_validate = command_validate
    command_build = command_build
    command_reload = command_reload
