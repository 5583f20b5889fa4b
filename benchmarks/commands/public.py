"""Check a registry that somebody else wrote: it loads, is found, validates, and renders as its templates say.

``python -m benchmarks.commands.public ROOT`` looks at every agent of the project at ROOT. What a prompt should be is
worked out here a second time, straight from the rules: three passes of plain replacement over the template file.
"""

import json
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from shirube import Project, open_workspace
from shirube.errors import CommandFault
from shirube.features.commands.model import Command

STDIN = "text from stdin: {uv-x} ${input_text} $& ; rm -rf *"
FRONT = re.compile(r"\A---[ \t]*\n.*?\n---[ \t]*\n", re.DOTALL)


@dataclass
class Report:
    """What was seen."""

    agents: dict[str, int] = field(default_factory=dict)
    found: int = 0
    """Commands that their own description finds at the first place."""
    errors: int = 0
    warnings: int = 0
    equal: int = 0
    refused: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Commands of all agents."""
        return sum(self.agents.values())

    def lines(self) -> list[str]:
        """Return it for people."""
        agents = ", ".join(f"{name} ({number})" for name, number in self.agents.items())
        return [
            f"A public registry: {self.total} commands of {agents}.",
            f"{self.found} are found first by their description; {self.errors} errors and {self.warnings} warnings.",
            f"{self.equal} render equal to their templates, {len(self.different)} differ, {len(self.refused)} refused:",
            "",
            *(f"- {line}" for line in [*self.different, *self.refused]),
        ]


def check(root: Path) -> Report:
    """Look at every command of every agent."""
    report = Report()
    with open_workspace(root, index__sync_on_start=False) as project:
        for loaded in project.command_reload().registries:
            report.agents[loaded.agent] = loaded.commands
            findings = project.command_validate(agent=loaded.agent).findings
            report.errors += sum(finding.level == "error" for finding in findings)
            report.warnings += sum(finding.level == "warning" for finding in findings)
            for command in project.workspace.commands.registry(loaded.agent).commands:
                _look(project, root, loaded.agent, command, report)
    return report


def _look(project: Project, root: Path, agent: str, command: Command, report: Report) -> None:
    found = project.command_search(command.description, agent=agent, limit=1).results
    report.found += [(one.c1, one.c2, one.c3) for one in found] == [(command.c1, command.c2, command.c3)]
    options = {f"uv-{name}": f"<{name}>" for name in command.options.uv}
    options |= {"file": "notes.md"} if command.options.file else {}
    flags = tuple(f"{name}={value}" for name, value in options.items())
    stdin = STDIN if command.options.stdin else ""
    words = (command.c1, command.c2, command.c3)
    try:
        result = project.command_execute(*words, agent=agent, options=flags, stdin=stdin)
    except CommandFault as error:
        report.refused.append(f"{command.id}: {error.message}")
        return
    if result.text == expected(root, agent, command, stdin):
        report.equal += 1
    else:
        report.different.append(command.id)


def expected(root: Path, agent: str, command: Command, stdin: str) -> str:
    """Return the prompt as the rules say, by a way of its own."""
    profile = command.c1 if agent == "climpt" else f"{agent}-{command.c1}"
    settings = (root / ".agent/climpt/config" / f"{profile}-app.yml").read_text("utf-8")
    working = _setting(settings, r"^working_dir:")
    prompts, schemas = (_setting(settings, rf"^{name}:\s*\n\s+base_dir:") for name in ("app_prompt", "app_schema"))
    folder = root.resolve() / working / prompts / command.c2 / command.c3
    text = FRONT.sub("", (folder / "f_default.md").read_text("utf-8"), count=1).lstrip()
    values = {f"uv-{name}": f"<{name}>" for name in command.options.uv}
    values["base_prompt_dir"] = str(folder)
    values["schema_file"] = str(root.resolve() / working / schemas / command.c2 / command.c3 / "base.schema.md")
    values |= {"input_text_file": str(root.resolve() / "notes.md")} if command.options.file else {}
    # The text from stdin looks like a template, so it goes in last: nothing may replace anything inside of it.
    values |= {"input_text": stdin.strip()} if stdin else {}
    for name, value in values.items():
        for form in (f"{{{{{name}}}}}", f"${{{name}}}", f"{{{name}}}"):
            text = text.replace(form, "\0" if name == "input_text" else value)
    text = text.replace("\0", stdin.strip()).lstrip()
    return text if text.endswith("\n") else f"{text}\n"


def _setting(text: str, name: str) -> str:
    found = re.search(rf"{name}[ \t]*(.+)$", text, re.MULTILINE)
    assert found, name
    value = found[1].strip()
    return str(json.loads(value)) if value.startswith('"') else value


if __name__ == "__main__":
    seen = check(Path(sys.argv[1]))
    print("\n".join(seen.lines()))
    sys.exit(bool(seen.different))
