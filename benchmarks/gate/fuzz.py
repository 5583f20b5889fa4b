"""A grammar of shells tries the gate: ``python -m benchmarks.gate.fuzz --count 200000 --run 5000 --seed 1``.

Commands are made from the programs of the read list with all their options, the harmful ones among them, and from
everything a shell can do around them. Those that the gate takes for reading are run for real, in every shell there is,
in a throw-away project with traps: a repository inside it whose settings start a program, files named like options.
Afterwards the project, the home directory and the directory for temporary files have to be as before.
"""

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from shirube.features.guard.git_trust import is_trusted
from shirube.features.guard.shell import is_reading

SHELLS = [shell for shell in ("/bin/bash", "/bin/dash", "/bin/zsh", "/bin/busybox") if Path(shell).exists()]
BATCH = 20
"""How many commands run between two looks at the tree."""
SECONDS = 1.0
"""How long one command may run."""
GRAMMAR = tomllib.loads(Path(__file__).with_name("grammar.toml").read_text("utf-8"))


class Tried(NamedTuple):
    """What became of a run of the grammar."""

    judged: int
    allowed: list[str]
    changed: list[tuple[str, str, list[str]]]
    """Command, shell and the paths that are not as before."""
    ran: int


def commands(seed: int, count: int) -> Iterator[str]:
    """Yield command lines; the same seed yields the same ones."""
    chance = random.Random(seed)
    for _ in range(count):
        line = _simple(chance)
        while chance.random() < 0.3:
            line += chance.choice(GRAMMAR["joints"]) + _simple(chance)
        if chance.random() < 0.12:
            line = chance.choice(GRAMMAR["wraps"]).format(line)
        if chance.random() < 0.04:
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.choice("'\"\\$`\n\t (){}[]<>|&;#!~*?=\u00a0\u200b２\u202e\x00") + line[at:]
        yield line


def _simple(chance: random.Random) -> str:
    program = chance.choice(GRAMMAR["programs"])
    name = program.rpartition("/")[2].replace("'", "").replace('"', "").replace("\\", "")
    own = GRAMMAR["arguments"].get({"gawk": "awk"}.get(name, name), ())
    words = [program]
    for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4))):
        kind = chance.random()
        if own and kind < 0.75:
            words.append(chance.choice(own))
        elif kind < 0.85:
            words.append(chance.choice(GRAMMAR["options"]))
        elif kind < 0.97:
            words.append(chance.choice(GRAMMAR["files"]))
        else:
            words.append(
                chance.choice(("$X", "$(echo made)", "$(touch made)", "`touch made`", '"$X"', "${X}", "$((1))", "$'x'"))
            )
    if chance.random() < 0.08:
        words.insert(0, chance.choice(GRAMMAR["assignments"]))
    if chance.random() < 0.12:
        words.append(chance.choice(GRAMMAR["redirections"]))
    return " ".join(words)


def passes(line: str, place: Path) -> bool:
    """Tell whether the gate takes a command for reading in a project."""
    return is_reading(line) and is_trusted(line, (), place)


class Field:
    """A throw-away project with traps, a home directory, and a place for temporary files."""

    def __init__(self, top: Path) -> None:
        self.top, self.project = top, top / "project"
        reachable = all(folder.stat().st_mode & 0o001 for folder in top.parents)
        helpers = shutil.which("setpriv") is not None and shutil.which("unshare") is not None
        self.lowered = os.geteuid() == 0 and helpers and reachable

    def lay(self) -> None:
        """Make everything anew."""
        shutil.rmtree(self.top, ignore_errors=True)
        for folder in ("project/src", "project/a b", "home", "tmp"):
            (self.top / folder).mkdir(parents=True)
        for name, text in {"a": "x\ny\nx\n", "b": "y\nz\n", "f1": "1\n1\n", "f2": "2\n", "src/c.py": "x = 1\n"}.items():
            (self.project / name).write_text(text)
        self._git(self.project, "init", "-q")
        self._git(self.project, "add", "-A")
        self._git(self.project, "commit", "-qm", "one")
        vendor = self.project / "vendor"
        vendor.mkdir()
        self._git(vendor, "init", "-q")
        (vendor / "v").write_text("v")
        (vendor / "cat").write_text("#!/bin/sh\ntouch made\n")
        (vendor / "cat").chmod(0o755)
        self._git(vendor, "add", "v")
        self._git(vendor, "commit", "-qm", "v")
        with (vendor / ".git" / "config").open("a") as config:
            config.write(f'[core]\n\tfsmonitor = "touch {self.project}/ran #"\n\tpager = touch {self.project}/ran\n')
        for name in ("-o made", "f1;touch made", "ca", "cb"):
            (self.project / name).write_text("touch made\n")
        if self.lowered:
            subprocess.run(["chown", "-R", "65534:65534", str(self.top)], check=True)

    def _git(self, place: Path, *words: str) -> None:
        plain = {"HOME": str(self.top / "home"), "PATH": os.defpath, "GIT_CONFIG_NOSYSTEM": "1"}
        argv = ["git", "-c", "user.name=t", "-c", "user.email=t@t", *words]
        subprocess.run(argv, cwd=place, check=True, capture_output=True, env=plain)

    def run(self, shell: str, lines: Sequence[str]) -> None:
        """Run commands in one process after another, without network and rights where that is possible."""
        script = self.top / "script"
        script.write_text("\0".join(lines), "utf-8", "surrogatepass")
        lower = ["unshare", "-n", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if self.lowered else []
        words = [shell, "sh", "-c"] if shell.endswith("busybox") else [shell, "-c"]
        loop = (
            "import subprocess, sys\n"
            f"for line in open({str(script)!r}, 'rb').read().split(b'\\0'):\n"
            "    try:\n"
            f"        subprocess.run([*{words!r}, line], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,"
            f" stderr=subprocess.DEVNULL, timeout={SECONDS}, start_new_session=True)\n"
            "    except subprocess.TimeoutExpired:\n"
            "        pass\n"
        )
        env = {
            "PATH": f"{os.defpath}:/usr/local/bin",
            "HOME": str(self.top / "home"),
            "TMPDIR": str(self.top / "tmp"),
            "LANG": "C.UTF-8",
        }
        subprocess.run([*lower, sys.executable, "-c", loop], cwd=self.project, env=env, check=False)

    def state(self) -> dict[str, str]:
        """Return every path with a digest of what it is; git may refresh its own index when it reads."""
        found = {}
        for folder, folders, files in os.walk(self.top):
            for name in (*folders, *files):
                place = Path(folder, name)
                path = place.relative_to(self.top).as_posix()
                if path == "script" or (name in ("index", "index.lock") and place.parent.name == ".git"):
                    continue
                status = place.lstat()
                whole = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
                found[path] = f"{status.st_mode:o} {hashlib.sha1(whole, usedforsecurity=False).hexdigest()}"
        return found


def _differing(before: dict[str, str], after: dict[str, str]) -> list[str]:
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def run_all(field: Field, lines: Sequence[str], shells: Sequence[str] = SHELLS) -> list[tuple[str, str, list[str]]]:
    """Run commands in batches and return those after which something is not as before."""
    guilty = []
    for shell in shells:
        field.lay()
        if not list(_find(field, shell, ["touch made"])):
            raise SystemExit(f"{shell}: a command that writes was not seen, so nothing else would be")
        field.lay()
        before = field.state()
        for at in range(0, len(lines), BATCH):
            batch = lines[at : at + BATCH]
            field.run(shell, batch)
            if _differing(before, field.state()):
                guilty += list(_find(field, shell, batch))
                field.lay()
                before = field.state()
    return guilty


def _find(field: Field, shell: str, batch: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    for line in batch:
        field.lay()
        before = field.state()
        field.run(shell, [line])
        if changed := _differing(before, field.state()):
            yield line, shell, changed


def fuzz(seed: int, count: int, run: int, top: Path) -> Tried:
    """Judge ``count`` commands, and run up to ``run`` different ones of those that pass."""
    field = Field(top)
    field.lay()
    allowed = dict.fromkeys(line for line in commands(seed, count) if passes(line, field.project))
    # Lines with several programs or an option come first: plain ones are many and alike.
    chosen = sorted(
        allowed, key=lambda line: hashlib.sha1(line.encode("utf-8", "replace"), usedforsecurity=False).digest()
    )[:run]
    return Tried(count, list(allowed), run_all(field, chosen), len(chosen))


def main() -> None:
    """Try the gate and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--count", type=int, default=200_000, help="how many commands are judged (default: %(default)s)"
    )
    parser.add_argument(
        "--run", type=int, default=5_000, help="how many of those that pass are run (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o755)
        tried = fuzz(options.seed, options.count, options.run, Path(scratch, "field").resolve())
    programs = Counter(line.split()[0] for line in tried.allowed)
    print(
        f"{tried.judged:,} judged, {len(tried.allowed):,} different ones pass, {tried.ran:,} run in {', '.join(SHELLS)}"
    )
    print(f"most: {', '.join(f'{name} {times}' for name, times in programs.most_common(12))}")
    print(f"changed something: {len(tried.changed)}; {time.perf_counter() - started:.0f} s")
    for line, shell, paths in tried.changed[:50]:
        print(f"  {shell}: {line!r} → {', '.join(paths[:5])}")
    sys.exit(bool(tried.changed))


if __name__ == "__main__":
    main()
