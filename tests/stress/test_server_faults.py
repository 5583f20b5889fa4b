"""Three processes write to one server while connections, processes and the server are broken: nothing gets lost.

Every change notes its number with the branch, and a trigger of this test writes down in which order they took effect.
So what a store has to hold is known exactly: the memory store holds it, when it is told the same changes in that order.
"""

import atexit
import json
import os
import random
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha1
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import numpy as np
import psycopg
import pytest

from shirube.codec import replace
from shirube.deadline import Deadline
from shirube.engine.store.changes import ROW
from shirube.engine.store.lookups import ParsedContents
from shirube.engine.store.port import Ask, Entry, PastChange, StoreChange, TouchedFile
from shirube.engine.store.postgres import server as server_module
from shirube.engine.store.postgres import store as store_module
from shirube.engine.store.postgres.layer import FilesPart, unpack
from shirube.engine.store.store import Store
from shirube.errors import ShirubeError
from shirube.types import Edge, FileRecord, Skip
from tests.contracts.test_store import entry
from tests.engine.index.test_incremental import picture
from tests.postgres import DatabaseServer, find_binaries, postgres_store
from tests.proxy import Proxy
from tests.stores import memory_store
from tests.stress.conftest import rounds

ROOT = Path(__file__).parents[2]
Place = tuple[str, str]
MAIN, FEATURE, OTHER = ("r/one", "main"), ("r/one", "feature"), ("r/other", "main")
PLACES: dict[int, tuple[Place, ...]] = {1: (MAIN,), 2: (MAIN,), 3: (FEATURE, OTHER)}
"""Where each writer writes: two on one branch, the third on another branch and another repository."""
EXPECTED = {f"store.{code}" for code in ("server_away", "server_slow", "server_busy", "written_elsewhere")}
"""What a writer may be told; any other error is a bug."""
GRACE_SECONDS = 20
PATIENCE_SECONDS = 90.0
"""When something that must happen has not happened for so long, the test gives up."""
COMMON = [sha1(b"%d" % number).hexdigest() for number in range(4)]
"""Commits that every writer adds."""
AUDIT = (
    "CREATE TABLE public.took_effect (number bigserial, name text, ref text, change text)",
    "CREATE FUNCTION public.took_effect() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
    " INSERT INTO public.took_effect (name, ref, change)"
    " SELECT name, NEW.ref, NEW.notes->>'change' FROM shirube.repositories WHERE repo = NEW.repo; RETURN NULL; END$$",
    "CREATE TRIGGER made AFTER INSERT ON shirube.refs FOR EACH ROW EXECUTE FUNCTION public.took_effect()",
    "CREATE TRIGGER changed AFTER UPDATE ON shirube.refs FOR EACH ROW"
    " WHEN (NEW.generation > OLD.generation AND NEW.layers <> OLD.layers) EXECUTE FUNCTION public.took_effect()",
)

# --- what is written -------------------------------------------------------------------------------------------


def word_of(change: str, at: int = 0) -> str:
    """Return a word that only one file of one change has: ``1.2.34`` → ``qbaacaaadeaa``."""
    writer, run, number = map(int, change.split("."))
    return "q" + f"{writer}{run:03}{number:05}{at:02}".translate(str.maketrans("0123456789", "abcdefghij"))


def plan(chance: random.Random, writer: int, *, is_in_sync: bool) -> dict[str, Any]:
    """Return what to change: files of this writer's own, and some that the others write too."""
    paths = [*(f"own{writer}/{number}.py" for number in range(10)), *(f"shared/{number}.py" for number in range(6))]
    chance.shuffle(paths)
    files = paths[: chance.randint(1, 5)]
    return {
        "files": {path: chance.choice((0, 1, 1, 2, 3)) for path in files},
        "removed": paths[4 : 4 + chance.randint(0, 2)],
        "edges": {path: chance.choice(paths) for path in files if chance.random() < 0.5},
        "waits": chance.random() < 0.2,
        "is_large": chance.random() < 0.08,
        "skips": chance.random() < 0.3,
        "state": ("complete" if chance.random() < 0.5 else "building") if is_in_sync or chance.random() < 0.1 else "",
    }


def change_of(change: str, planned: dict[str, Any]) -> StoreChange:
    """Return a planned change; every file of it has words that no other version of any file has."""
    files = enumerate(planned["files"].items())
    entries = tuple(file_of(path, word_of(change, at), pieces, planned) for at, (path, pieces) in files)
    return StoreChange(
        entries,
        tuple(planned["removed"]),
        {path: [Edge(path, target, "path")] for path, target in planned["edges"].items()},
        (Skip(word_of(change), "binary"),) if planned["skips"] else None,
        {"change": change} | ({"state": planned["state"]} if planned["state"] else {}),
        ((word_of(change), b"parsed"), *((f"common {number}", b"parsed") for number in range(3))),
    )


def file_of(path: str, word: str, pieces: int, planned: dict[str, Any]) -> Entry:
    if not pieces:
        return Entry(FileRecord(path, f"digest of {word}", 1, "", 0), b"", ())
    letters = "abc"[:pieces]
    more = {letter: "".join(f" {word}{letter}{number}" for number in range(150)) for letter in letters}
    texts = [f"alpha {word} {more[letter] if planned['is_large'] else ''}\n" for letter in letters]
    made = entry(path, *texts, names=tuple(word + letter for letter in letters))
    return replace(made, vectors=None) if planned["waits"] else made


def commit_of(hash_: str, word: str) -> PastChange:
    return PastChange(hash_, 1_700_000_000, "Ada", f"Mend {word}", "", (TouchedFile("shared/1.py", ("run",)),))


# --- a writer, in a process of its own -------------------------------------------------------------------------


class Writer:
    """Writes on and on, and keeps a log of what it begins and what was acknowledged."""

    def __init__(self, address: str, number: int, run: int, seed: int, folder: str) -> None:
        self.number, self.run, self.chance = number, run, random.Random(f"{seed}.{number}.{run}")
        self.log, self.stop = (Path(folder) / f"{number}.{run}.log").open("a"), Path(folder) / "stop"
        self.stores = [postgres_store(address, *place) for place in PLACES[number]]
        self.is_in_sync, self.commits = False, dict[int, list[str]]()

    def go_on(self) -> None:
        acts = (self._write, self._past, self._embed, self._compact)
        number = 0
        while not self.stop.exists():
            number += 1
            change, at = f"{self.number}.{self.run}.{number}", self.chance.randrange(len(self.stores))
            (act,) = self.chance.choices(acts, (70, 8, 12, 6))
            try:
                facts, run = act(change, at)
                self._say("begin", change, at, act=act.__name__, **facts)
                run()
                self._say("ack", change, at)
            except ShirubeError as error:
                is_bug = error.message.code not in EXPECTED or "deadlock" in str(error)
                self._say("bug" if is_bug else "fail", change, at, why=error.message.code, told=str(error))
                sleep(0.01)
            except Exception:  # noqa: BLE001 - whatever is not one of our errors is a bug
                self._say("bug", change, at, why="", told=traceback.format_exc())
        for store in self.stores:
            store.close()

    def _say(self, what: str, change: str, at: int, **facts: object) -> None:
        line = {"what": what, "change": change, "place": PLACES[self.number][at], **facts}
        self.log.write(json.dumps(line) + "\n")
        self.log.flush()
        os.fsync(self.log.fileno())

    def _write(self, change: str, at: int) -> tuple[dict[str, Any], Callable[[], None]]:
        planned = plan(self.chance, self.number, is_in_sync=self.is_in_sync)
        made = change_of(change, planned)

        def run() -> None:
            self.stores[at].write(made)
            self.is_in_sync = planned["state"] == "building"

        return {"planned": planned}, run

    def _past(self, change: str, at: int) -> tuple[dict[str, Any], Callable[[], None]]:
        added = {sha1(word.encode()).hexdigest(): word for word in (word_of(change, 0), word_of(change, 1))}
        known = self.commits.setdefault(at, [])
        removed = [known[0]] if known and self.chance.random() < 0.3 else []
        common = self.chance.sample(COMMON, 2)

        def run() -> None:
            changes = [commit_of(hash_, word) for hash_, word in added.items()]
            self.stores[at].write_changes([*changes, *(commit_of(hash_, "common") for hash_ in common)], removed)
            known.append(last)

        mark, last = added  # the first is never removed
        del known[: len(removed)]  # it is not tried again
        return {"mark": mark, "added": added, "removed": removed, "common": common}, run

    def _embed(self, change: str, at: int) -> tuple[dict[str, Any], Callable[[], None]]:
        rows = rows_lacking(self.stores[at], 3)
        return {"numbers": sorted(rows)}, lambda: self.stores[at].embed(rows)

    def _compact(self, change: str, at: int) -> tuple[dict[str, Any], Callable[[], None]]:
        return {}, self.stores[at].compact


def rows_lacking(store: Store, most: int) -> dict[int, bytes]:
    return {one.number: entry(one.path, *one.texts).vectors or b"" for one in store.unembedded(0, most)}


def hurry() -> None:
    """Let happen in seconds what takes minutes otherwise."""
    store_module.LEASE_SECONDS, store_module.GRACE_SECONDS = 1, GRACE_SECONDS
    server_module.AGAIN_SECONDS = 0.05


# --- faults ----------------------------------------------------------------------------------------------------


class Stage:
    """A server, a network before it, and three writers."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed, self.chance = folder, seed, random.Random(seed)
        self.server = DatabaseServer(find_binaries())
        self.proxy = Proxy(self.server.port)
        self.runs: Counter[int] = Counter()
        self.writers: dict[int, subprocess.Popen[bytes]] = {}
        self.kinds = [self.cut, self.half_an_answer, self.terminate, self.time_out, self.stop_server, self.crash]
        self.kinds += [lambda number=number: self.kill(number) for number in PLACES]

    @property
    def address(self) -> str:
        return self.server.address(port=self.proxy.port)

    def start(self, number: int) -> None:
        self.runs[number] += 1
        task = json.dumps([self.address, number, self.runs[number], self.seed, str(self.folder)])
        script = "import sys, json; from tests.stress import test_server_faults as t; t.hurry()"
        command = [sys.executable, "-c", f"{script}; t.Writer(*json.loads(sys.argv[1])).go_on()", task]
        with (self.folder / f"{number}.err").open("ab") as errors:
            self.writers[number] = subprocess.Popen(command, cwd=ROOT, stderr=errors)

    def kill(self, number: int) -> None:
        self.writers[number].kill()
        self.writers[number].wait()
        self.start(number)

    def cut(self) -> None:
        self.proxy.cut()

    def half_an_answer(self) -> None:
        self.proxy.cut_after = self.chance.randint(1, 3_000)

    def terminate(self) -> None:
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'shirube'")

    def time_out(self) -> None:
        milliseconds = self.chance.choice((1, 2, 5, 20))
        self.execute(f"ALTER SYSTEM SET statement_timeout = {milliseconds}", "SELECT pg_reload_conf()")
        sleep(self.chance.uniform(0.1, 0.5))
        self.execute("ALTER SYSTEM RESET statement_timeout", "SELECT pg_reload_conf()")

    def stop_server(self) -> None:
        self.server.stop("immediate")
        self.server.start()
        self.proxy._target = self.server.port

    def crash(self) -> None:
        """Lose the server, two of the writers and all connections at once."""
        numbers = self.chance.sample(sorted(PLACES), 2)
        for number in numbers:
            self.writers[number].kill()
        self.cut()
        self.stop_server()
        for number in numbers:
            self.kill(number)

    def execute(self, *statements: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.server.address(), autocommit=True, options="-c statement_timeout=0") as connection:
            for statement in statements:
                cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def acknowledged(self, number: int) -> int:
        with suppress(FileNotFoundError):
            return (self.folder / f"{number}.{self.runs[number]}.log").read_bytes().count(b'"what": "ack"')
        return 0

    def wait_for_more(self) -> None:
        """Wait until every writer has written something more."""
        before = {number: self.acknowledged(number) for number in PLACES}
        until(lambda: all(self.acknowledged(number) >= before[number] + 2 for number in PLACES), self.told)

    def told(self) -> str:
        return "".join(path.read_text()[-3_000:] for path in (*self.folder.glob("*.err"), *self.folder.glob("*.log")))

    def finish(self) -> None:
        """Let the writers finish what they are at."""
        self.proxy.cut_after = 0
        (self.folder / "stop").touch()
        assert [writer.wait(PATIENCE_SECONDS) for writer in self.writers.values()] == [0, 0, 0], self.told()

    def close(self) -> None:
        for writer in self.writers.values():
            writer.kill()
            writer.wait()
        self.proxy.close()
        self.server.remove()
        atexit.unregister(self.server.remove)


def until(is_so: Callable[[], bool], told: Callable[[], str]) -> None:
    end = monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert monotonic() < end, told()
        sleep(0.01)


# --- who looks meanwhile ---------------------------------------------------------------------------------------


class Reader(Thread):
    """Looks again and again, and keeps what it saw after which change."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.stores = {place: postgres_store(address, *place) for place in (MAIN, FEATURE, OTHER)}
        self.saw: dict[Place, list[tuple[str, dict[str, str]]]] = {place: [] for place in self.stores}
        self.stopped, self.problems, self.missed = Event(), list[str](), Counter[str]()

    def run(self) -> None:
        while not self.stopped.wait(0.005):
            for place, store in self.stores.items():
                try:
                    with Deadline(GRACE_SECONDS / 2).governing():
                        self._look(place, store)
                except ShirubeError as error:
                    self.missed[error.message.code] += 1
                except Exception:  # noqa: BLE001 - told at the end
                    self.problems.append(traceback.format_exc())

    def _look(self, place: Place, store: Store) -> None:
        state = store.state()
        found = store.candidates(Ask({"content": {"alpha": 1.0}}, vector=b"\1" * 256, limit=100_000))
        files, spots = store.files(), {(item.path, item.start_line): item.key for item in found.items}
        texts, whole = store.texts(spots.values()), dict[str, str]()
        for (path, _), key in sorted(spots.items()):
            whole[path] = whole.get(path, "") + texts[key]
        assert len(spots) == len(found.items) == found.chunks == state.chunks, "every chunk is found, and once"
        assert store.symbols_of(spots.values()).keys() == texts.keys() == set(spots.values()), "each with its symbols"
        assert {path: f"digest of {text}" for path, text in whole.items()} == {
            path: record.digest for path, record in files.items() if record.language
        }, "each file is that of this moment"
        assert len(files) == state.files == found.files
        assert store.commits().keys() == {change.commit for change in store.past_changes()}
        self.saw[place].append((state.notes.get("change", ""), {path: one.digest for path, one in files.items()}))

    def close(self) -> None:
        self.stopped.set()
        if self.ident:
            self.join(PATIENCE_SECONDS)
        for store in self.stores.values():
            store.close()


# --- what must hold after --------------------------------------------------------------------------------------


class Record:
    """What the writers' logs and the server tell."""

    def __init__(self, stage: Stage, start: dict[str, Any]) -> None:
        lines = [line for path in stage.folder.glob("*.log") for line in path.read_text().splitlines(keepends=True)]
        told = [json.loads(line) for line in lines if line.endswith("\n")]
        self.begun = {one["change"]: one for one in told if one["what"] == "begin"} | {
            "0.0.0": {"act": "_write", "planned": start, "place": MAIN}
        }
        self.acknowledged = {one["change"] for one in told if one["what"] == "ack"} | {"0.0.0"}
        self.bugs = [one["told"] for one in told if one["what"] == "bug"]
        self.failed = Counter(one["why"] for one in told if one["what"] == "fail")
        rows = stage.execute("SELECT name, ref, change FROM public.took_effect ORDER BY number")
        self.order: dict[Place, list[str]] = {place: [] for place in (MAIN, FEATURE, OTHER)}
        for name, ref, change in rows:
            known = self.order[MAIN] if (name, ref) == FEATURE and not self.order[FEATURE] else []
            self.order[name, ref] += [*known[: known.index(change)], change] if known else [change] if change else []

    def of(self, place: Place, act: str) -> dict[str, dict[str, Any]]:
        """Return what was begun at a place."""
        return {change: one for change, one in self.begun.items() if (*one["place"],) == place and one["act"] == act}

    def check_changes(self, place: Place) -> None:
        """Every acknowledged change took effect, once, and those of one writer in their order."""
        order, begun = self.order[place], self.of(place, "_write")
        assert not (begun.keys() & self.acknowledged) - {*order}, "nothing acknowledged is lost"
        assert len({*order}) == len(order), "nothing is doubled"
        for writer in PLACES:
            numbers = [[*map(int, change.split("."))] for change in order if change.startswith(f"{writer}.")]
            assert numbers == sorted(numbers)

    def replayed(self, place: Place, saw: list[tuple[str, dict[str, str]]]) -> Store:
        """Return a store in memory that was told the same changes; at every moment that was seen it held the same."""
        store, order = memory_store(), self.order[place]
        numbers = {"": -1} | {change: number for number, change in enumerate(order)}
        seen = [numbers[change] for change, _ in saw]
        assert seen == sorted(seen), "time does not go back"
        assert all(not files for change, files in saw if not change)
        by_change: dict[str, list[dict[str, str]]] = {}
        for change, files in saw:
            by_change.setdefault(change, []).append(files)
        for change in order:
            store.write(change_of(change, self.begun[change]["planned"]))
            held = {path: record.digest for path, record in store.files().items()}
            assert all(files == held for files in by_change.get(change, ())), f"seen in part: {change}"
        return store

    def check_past(self, place: Place, store: Store) -> None:
        """Commits that were written together are there together, and those that were acknowledged are there."""
        commits, own = {*store.commits()}, self.of(place, "_past")
        known = own | (self.of(MAIN, "_past") if place == FEATURE else {})  # a branch begins with the past of another
        took_effect = [one for one in known.values() if one["mark"] in commits]
        assert not [change for change, one in own.items() if change in self.acknowledged and one not in took_effect]
        wanted = {hash_ for one in took_effect for hash_ in (*one["added"], *one["common"])}
        assert commits == wanted.difference(*(one["removed"] for one in took_effect)), "in part"
        for one in known.values():
            for hash_, word in one["added"].items():
                found = [similar.change.commit for similar in store.similar_changes({word: 1.0}, 5)]
                assert found == [hash_] * (hash_ in commits)

    def check_vectors(self, place: Place, store: Store) -> None:
        """What was embedded once waits no more; what waits can be embedded now."""
        lacking = rows_lacking(store, 10_000)
        for change, one in self.of(place, "_embed").items():
            assert change not in self.acknowledged or lacking.keys().isdisjoint(one["numbers"])
        store.embed(lacking)
        assert store.unembedded(0, 1) == ()
        assert store.coverage()[0] == store.coverage()[1] > 0

    def check_answers(self, place: Place, store: Store, wanted: Store) -> None:
        """The store holds and finds what the one in memory does, and what was replaced is found no more."""
        wanted.embed(rows_lacking(wanted, 10_000))
        assert picture(store) == picture(wanted)
        begun = self.of(place, "_write")
        words = [word_of(change, at) for change in begun for at in range(len(begun[change]["planned"]["files"]))]
        ask = Ask({"content": dict.fromkeys(words, 1.0)}, names=tuple(f"{word}a" for word in words), limit=100_000)
        answers = []
        for one in (store, wanted):
            found = one.candidates(ask)
            counts = {word: count for word, count in found.in_content.items() if count}
            defined = sorted((definition.path, definition.symbol.name) for definition in found.definitions)
            answers.append((sorted((item.path, item.start_line) for item in found.items), counts, defined))
        assert answers[0] == answers[1]
        one, other = store.totals(), wanted.totals()
        assert (one.files, one.chunks, one.symbols, one.edges) == (
            other.files,
            other.chunks,
            other.symbols,
            other.edges,
        )
        parsed = [word_of(change) for change in begun.keys() & self.acknowledged]
        assert store.look(ParsedContents(tuple(parsed)))[0] == dict.fromkeys(parsed, b"parsed")
        assert store.check() == ()


def check_rows(stage: Stage, *, is_clean: bool = False) -> None:
    """The tables hold whole layers, each of some branch or marked as not needed, and nothing besides."""
    layers = {(repo, layer): rest for repo, layer, *rest in stage.execute("SELECT * FROM shirube.layers")}
    refs = stage.execute("SELECT repo, layers FROM shirube.refs")
    referenced = {(repo, layer) for repo, numbers in refs for layer in numbers}
    assert all(len({*numbers}) == len(numbers) for _, numbers in refs), "a layer twice"
    unneeded = {key for key, (*_, orphaned) in layers.items() if orphaned is not None}
    assert referenced <= layers.keys() <= referenced | (set() if is_clean else unneeded)
    files = {*stage.execute("SELECT repo, file FROM shirube.files")}
    assert files == {(repo, int(n)) for (repo, _), row in layers.items() for n in np.frombuffer(row[3], "<i8")}
    vectors = {*stage.execute("SELECT repo, file FROM shirube.vectors")}
    assert vectors <= files
    for (repo, _), (catalog, _, _, numbers, models, _) in layers.items():
        part = unpack(catalog, FilesPart)
        assert part.numbers == np.frombuffer(numbers, "<i8").tolist()
        indexed = {(repo, n) for n, language in zip(part.numbers, part.languages, strict=True) if language}
        assert not models or indexed <= vectors
    for table in ("postings", "names"):
        assert {*stage.execute(f"SELECT DISTINCT repo, layer FROM shirube.{table}")} <= layers.keys()
    for (rows,) in stage.execute("SELECT rows FROM shirube.commit_terms"):
        numbers = np.frombuffer(rows, ROW)["id"].tolist()
        assert len({*numbers}) == len(numbers)


def check_locks(stage: Stage) -> None:
    """Nobody who is gone holds anything, and who comes new can write, after a lease at the latest."""
    open_still = "SELECT FROM pg_stat_activity WHERE application_name = 'shirube' AND state LIKE 'idle in%'"
    until(lambda: not stage.execute(open_still), lambda: "a transaction is open still")
    for number, place in enumerate((MAIN, FEATURE, OTHER)):
        with closing(postgres_store(stage.server.address(), *place)) as store:

            def can_write(store: Store = store, number: int = number) -> bool:
                with suppress(ShirubeError):
                    store.write(StoreChange((entry("last.py", "last"),), notes={"change": f"9.0.{number}"}))
                return "last.py" in store.files()

            until(can_write, lambda: "nobody can write any more")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> Iterator[Stage]:
    for module, names in ((store_module, ("LEASE_SECONDS", "GRACE_SECONDS")),):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(server_module, "AGAIN_SECONDS", server_module.AGAIN_SECONDS)
    hurry()
    made = Stage(tmp_path, seed)
    yield made
    made.close()


def test_of_many_faults_under_three_writers_nothing_is_lost_partial_or_doubled(stage: Stage, monkeypatch):
    faults, done = rounds(9, 100), Counter[str]()
    start = plan(random.Random(stage.seed), 0, is_in_sync=False)
    start["files"] = {f"{folder}/{number}.py": 2 for folder in ("own1", "own2", "shared") for number in range(10)}
    with closing(postgres_store(stage.address, *MAIN)) as store:
        store.files()
        stage.execute(*AUDIT)
        store.write(change_of("0.0.0", start))
    with closing(Reader(stage.address)) as reader:
        reader.start()
        for number in PLACES:
            stage.start(number)
        stage.wait_for_more()
        for number in range(faults):
            if not number % len(stage.kinds):
                stage.chance.shuffle(stage.kinds)
            fault = stage.kinds[number % len(stage.kinds)]
            sleep(stage.chance.uniform(0, 0.05))
            fault()
            done[getattr(fault, "__name__", "kill")] += 1
            stage.wait_for_more()
        stage.finish()
    record = Record(stage, start)
    print(f"faults {dict(done)}, changes {len(record.begun)}, acknowledged {len(record.acknowledged)}")
    print(f"failed {dict(record.failed)}, seen {[len(saw) for saw in reader.saw.values()]}, not {dict(reader.missed)}")
    assert record.bugs == []
    assert reader.problems == []
    check_rows(stage)
    wanted: dict[Place, Store] = {}
    for place, saw in reader.saw.items():
        record.check_changes(place)
        wanted[place] = record.replayed(place, saw)
    with closing(Reader(stage.server.address())) as later:
        for place, store in later.stores.items():
            record.check_past(place, store)
            record.check_vectors(place, store)
            record.check_answers(place, store, wanted[place])
        monkeypatch.setattr(store_module, "GRACE_SECONDS", 0)
        for _ in range(2):
            for store in later.stores.values():
                store.compact()
        for place, store in later.stores.items():
            record.check_answers(place, store, wanted[place])
    check_rows(stage, is_clean=True)
    check_locks(stage)
