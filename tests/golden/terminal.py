"""What the commands print: every command on the shop, in one story, at 80 columns, without colour."""

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.golden import adapter
from tests.golden.calls import DIFF, FAILURE, PAYMENT, RETRY
from tests.golden.marks import MACHINE, Marks, as_json
from tests.golden.projects import surroundings, write_attack, write_shop
from tests.golden.scenario import OTHERS, PAIRS

ASKED = "how are failed payments retried?"
EVENT = {"session_id": "client-1", "hook_event_name": "PreToolUse", "tool_name": "Edit"}
STARTED = "session start MODIFY 'Fix the retry of failed payments' --json"

PLANNED = "plan 返金はどこ --iterations 1 --json --save none"

STORY = f"""\
|--version
|--help
|nonsense
|search retry --rooot x
search|search retry policy
search|search 返金処理はどこ -k 2 --why
search|search charge the card --mode hybrid --editing {PAYMENT} -k 2 --json
search|search zyxwvut --mode lexical
search|search retry --lang pyhton
search|search retry --root nowhere
search|search retry --mode magic
search|search
grep|grep with_retries
grep|grep -E 'def \\w+\\(' --path src/shop -C 1 -k 3
grep|grep 再試行 --json -k 1
grep|grep zyxwvut
grep|grep -E '(a'
grep|grep
symbol|symbol with_retries
symbol|symbol chekout
symbol|symbol zyxwvut
symbol|symbol formatPrice --path web --json
defs|defs checkout
defs|defs chekout
defs|defs chekout --exact
defs|defs formatPrice --json --lang typescript
refs|refs with_retries
refs|refs checkout --code -k 1
refs|refs zyxwvut
refs|refs formatPrice --in web/price.ts --json
outline|outline {PAYMENT}
outline|outline src -k 1
outline|outline web --json
outline|outline nowhere
at|at {PAYMENT}:18
at|at {PAYMENT}:999
at|at {PAYMENT}
at|at {RETRY}:12 --json
impact|impact {RETRY}
impact|impact -s PaymentGateway.charge_card --json
impact|impact -s zyxwvut
impact|impact
deps|deps {PAYMENT}
deps|deps {RETRY} --direction inbound --history
deps|deps {PAYMENT} --mermaid
deps|deps {PAYMENT} --dot --no-packages
deps|deps web/cart.ts --json
deps|deps nowhere.py
context|context try again when the bank is slow --budget 500
context|context 支払いの再試行を直す --compact
context|context fix it --failing-test build/failure.txt --diff build/change.diff
context|context retry --budget 1
context|context retry --json --budget 300
context|context which currency --past 1 --compact
past|past which currency --diff
past|past which currency --json -k 1
past|past zyxwvut
past|past --commit HEAD
past|past
status|status
status|status --json
index|index
index|index --full
index|index --json
doctor|doctor
doctor|doctor --json
doctor|doctor --repair
commands search|commands search write a commit message
commands search|commands search --action check --target 'pull request' -k 2 --json
commands search|commands search コミット -k 1
commands search|commands search zyxwvut --mode strict
commands describe|commands describe git write-message commit
commands describe|commands describe git write-message comit
commands describe|commands describe git write-message commit --json --agent nobody
commands execute|commands execute git write-message commit --stdin < renamed checkout
commands execute|commands execute docs write-readme project -e short
commands execute|commands execute docs write-readme project -e long
commands execute|commands execute docs write-readme project --json
commands validate|commands validate
commands validate|commands validate --agent annai --json
commands build|commands build --dry-run
commands build|commands build
commands build|commands build --agent nobody
session start|session start MODIFY 'Fix the retry of failed payments'
session start|{STARTED}
session start|session start DESTROY everything
session status|session status
session status|session status @session
session status|session status @session --json
session status|session status s_0000
session list|session list
session list|session list -k 1 --json
session show|session show @session
session show|session show s_0000
call|call search --json '{{"query": "retry", "limit": 1, "session_id": "@session"}}'
call|call search --json '{{"qeury": "retry"}}'
call|call search --json nonsense
call|call serach
call|call index_status --json - < {{"look": false}}
session show|session show @session --json
map list|map list
map add|map add till checkout --evidence 'it takes the money'
map add|map add 返金 PaymentGateway.refund --json
map add|map add money 'Money is counted in whole yen.' --convention
map add|map add moon moonlight
map list|map list --json
map list|map list till
map list|map list --conventions
map list|map list zyxwvut
map search|map search till
map search|map search 返金する --json
map search|map search zyxwvut
map edit|map edit till --evidence 'it returns the receipt'
map edit|map edit till --confirm --json
map edit|map edit tyll --confirm
map check|map check
map check|map check --json --state changed
map proposals|map proposals
map proposals|map proposals zyxwvut --json
map export|map export
map export|map export build/map.json
map import|map import build/map.json
map import|map import nowhere.json
map sync|map sync
map sync|map sync --json
map merge|map merge build/ours.json build/theirs.json
map merge|map merge nowhere.json
map expire|map expire 返金
map expire|map expire till --delete --json
map expire|map expire till
search|search till
plan|plan {ASKED} --expect with_retries --iterations 2
plans|plans 00000000
plan|{PLANNED}
plan|plan the cart --preset magic
plans|plans
plans|plans --about payments --json
plans|plans @plan
plans|plans --presets
plans|plans --export build/plans.json
plans|plans --import build/plans.json
outcome success|outcome success 'thanks, that works' --session @session
outcome failure|outcome failure 'まだ動きません' --cause 'not read' --at wrong_file --json
outcome partial|outcome partial --session s_0000
outcome insights|outcome insights
outcome insights|outcome insights --stats
outcome insights|outcome insights --json
outcome insights|outcome insights --forget
gate|gate
gate|gate --try 'git log | head'
gate|gate --try 'git commit -m x'
gate|gate --hook start < {json.dumps(EVENT)}
gate|gate --hook before --mode block < {json.dumps({**EVENT, "tool_input": {"file_path": RETRY}})}
gate|gate --hook before --agent codex < {json.dumps({**EVENT, "tool_input": {"file_path": RETRY}})}
gate|gate --hook before --mode block < {json.dumps({**EVENT, "tool_name": "Bash", "tool_input": {"command": "ls"}})}
gate|gate --hook after < {json.dumps({**EVENT, "tool_input": {"file_path": RETRY}})}
gate|gate --hook stop < {json.dumps(EVENT)}
gate|gate --hook before --mode block < nonsense
gate|gate --hook before --mode blok
import code-intel|import code-intel nowhere
import gistdex|import gistdex nowhere
serve|serve --toolsets magic
ui|ui --root nowhere
team add|team add https://example.org/team/shop
team add|team add --branch
team list|team list
team list|team list --json
team remove|team remove shop
team remove|team remove
team status|team status
team status|team status --jso
team sync|team sync shop
team sync|team sync shop --wate
worker|worker --once
worker|worker --jobs many
install|install
install|install nobody
install|install codex --team https://shirube.example.org --repo a/b --print-config
install|install codex --team http://shirube.example.org
team token create|team token create ann --repo a/b
team token create|team token create ann --repo a/b --days 0
team token list|team token list
team token list|team token list --jsn
team token revoke|team token revoke 00000000
team token revoke|team token revoke
team role|team role serving
team role|team role
team trial|team trial
team trial|team trial nowhere --prot 1
serve|serve --team
install|install claude --command shirube --print-config
install|install claude codex --command shirube --dry-run
install|install claude --command shirube --gate block
install|install claude --command shirube --gate block --json
uninstall|uninstall claude --dry-run
uninstall|uninstall claude
uninstall|uninstall claude --json
"""
ATTACK = """\
search|search charge card -k 20
search|search '<script>alert(1)</script>' -k 3 --why
grep|grep charge_card_ -k 30
grep|grep caf 返金
outline|outline src -k 30
refs|refs checkout -k 30
defs|defs charge_card
deps|deps src/shop/payment.py --direction inbound
context|context charge the card --budget 400
status|status
map list|map list
map check|map check
doctor|doctor
"""
GROUND = {
    "build/failure.txt": FAILURE,
    "build/change.diff": DIFF,
    "build/ours.json": json.dumps(PAIRS),
    "build/theirs.json": json.dumps(OTHERS),
}


def produce(base: Path) -> dict[str, str]:
    """Return every golden text by its name."""
    files: dict[str, list[str]] = {}
    before = Path.cwd()
    for where, write, story in (("shop", write_shop, STORY), ("hostile", write_attack, ATTACK)):
        with surroundings(base / where):
            root = write(base / where / "shop")
            for path, text in GROUND.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text, "utf-8")
            try:
                os.chdir(root)
                for name, told in _told(where, story, Marks(base / where)):
                    files.setdefault(name, []).append(told)
            finally:
                os.chdir(before)
    for name in adapter.command_names():
        files.setdefault(name, []).insert(0, _help(name))
    return {f"terminal/{(name or 'shirube').replace(' ', '-')}.txt": "\n".join(told) for name, told in files.items()}


def _told(where: str, story: str, marks: Marks) -> Iterator[tuple[str, str]]:
    kept = {"@session": "", "@plan": ""}
    for line in story.splitlines():
        name, _, asked = line.partition("|")
        typed, _, stdin = asked.partition(" < ")
        filled = re.sub("@session|@plan", lambda found: kept[found[0]], typed)
        code, out, err = adapter.command(*shlex.split(filled), stdin=re.sub("@session", kept["@session"], stdin))
        if typed == STARTED:
            kept["@session"] = json.loads(out)["session_id"]
        if typed == PLANNED:
            kept["@plan"] = json.loads(out)["planId"]
        parts = [f"$ shirube {asked}   ({where})", f"exit {code}"]
        parts += [f"--- {stream}\n{_marked(text, marks)}" for stream, text in (("out", out), ("err", err)) if text]
        yield name, "\n".join(parts) + "\n"


def _marked(text: str, marks: Marks) -> str:
    if not text.startswith("{"):
        return marks.terminal(text)
    value = marks.value(json.loads(text))
    if "findings" in value:
        value["findings"] = [one for one in value["findings"] if one["what"] not in MACHINE]
    return as_json(value)


def _help(name: str) -> str:
    """Return what a command says of itself; how lines are broken differs between versions of Python."""
    code, out, err = adapter.command(*name.split(), "--help")
    options = re.sub(r"(-\w) ([A-Z]+), (--[\w-]+) \2", r"\1, \3 \2", out)
    lines = re.sub(r"\n {8,}", " ", options)
    return f"$ shirube {name} --help\nexit {code}\n--- out\n{re.sub(r'(?<=[^ ]) {2,}', '  ', lines)}{err}"
