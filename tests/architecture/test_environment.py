"""The environment, the wall clock, stdout and blind handlers each have their one place."""

import ast
import re

from tests.architecture.house import Module, dotted, modules

ENVIRONMENT = {"os.environ", "os.environb", "os.getenv", "os.putenv", "environ", "getenv"}
WALL_CLOCK = {
    "time.time",
    "time.time_ns",
    "time_ns",
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.date.today",
}
STARTS = re.compile(
    r"(subprocess\.)?(Popen|check_call|check_output|getoutput)|subprocess\.(run|call)"
    r"|os\.(fork\w*|system|popen|spawn\w+|posix_spawnp?|exec\w+)|multiprocessing\..*|(.*\.)?ProcessPoolExecutor"
    r"|asyncio\.create_subprocess_\w+"
)
BROAD = {"Exception", "BaseException", ""}
BLIND = {
    "engine/embed/e5.py": "the edge to two libraries that raise bare exceptions: raised again as ours",
    "doors/hook.py": "the door: in block mode whatever goes wrong refuses",
    "engine/index/job.py": "a thread: the error is told to whoever waits",
    "engine/index/watch.py": "a thread: it pauses, and the next question looks by itself and tells",
    "engine/index/pool.py": "a thread: the error is raised again by the one that waits",
    "engine/store/postgres/server.py": "a thread: the error is raised again by the one that waits",
    "features/plan/project_access.py": "a thread: the error is raised again by the one that waits",
    "doors/team/site.py": "the door: a caller reads that something failed, and nothing of its insides",
    "doors/mcp/reply.py": "the door: a model reads a message instead of waiting for its time-out",
}
"""The handlers that may take any error, one for each file named here; those that raise again do not count."""


def test_only_the_configuration_reads_the_environment() -> None:
    assert _users(ENVIRONMENT) <= {"config.py"}


def test_only_the_wiring_reads_the_wall_clock() -> None:
    # The gate has a small wiring of its own, because the other one imports every room.
    assert _users(WALL_CLOCK) <= {"workspace.py", "doors/hook.py"}


def test_only_the_terminal_door_prints() -> None:
    printing = {module.name for module in modules() if "print" in _called(module)}
    assert {name for name in printing if not name.startswith("doors/cli/")} == set()


def test_only_one_module_starts_processes() -> None:
    """Which ends them, too, however we end."""
    starting = {module.name for module in modules() for name in _called(module) if STARTS.fullmatch(name)}
    assert starting == {"engine/repo/process.py"}


def test_a_handler_that_takes_any_error_stands_at_a_door() -> None:
    found = [module.name for module in modules() for node in ast.walk(module.tree) if _is_blind(node)]
    assert sorted(found) == sorted(BLIND)


def _users(names: set[str]) -> set[str]:
    return {module.name for module in modules() if names.intersection(_used(module))}


def _used(module: Module) -> set[str]:
    """Return every dotted name a module reads, and what it takes from ``os`` and ``time`` by name."""
    used = {dotted(node) for node in ast.walk(module.tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("os", "time"):
            used |= {f"{node.module}.{alias.name}" for alias in node.names}
    return used


def _called(module: Module) -> set[str]:
    return {dotted(node.func) for node in ast.walk(module.tree) if isinstance(node, ast.Call)}


def _is_blind(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    broad = any(kind is None or dotted(kind) in BROAD for kind in kinds)
    raises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
    return broad and not raises
