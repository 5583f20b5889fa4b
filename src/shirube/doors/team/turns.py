"""Whose call is at work when: nobody has all threads, and a call ends when its client hangs up."""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any, TypeVar

from shirube.deadline import Deadline
from shirube.doors.loopback import Receive
from shirube.errors import Cancelled, IndexBusy
from shirube.shared import LOOK_UPS

LINE = "shirube.line"
"""Where a request has what its client sends."""
MOST_WAITING = 100
"""How many calls of one holder may wait for their turn; further ones are refused."""
T = TypeVar("T")


class ClientLine:
    """What a client sends, with a word when it hangs up."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._rest: asyncio.Task[None] | None = None
        self.gone = asyncio.Event()

    async def __call__(self) -> Any:
        """Return the next piece; after the last one, wait for the client to hang up."""
        if self._rest is not None:
            await self.gone.wait()
            return {"type": "http.disconnect"}
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self.gone.set()
        elif not message.get("more_body"):
            self._rest = asyncio.create_task(self._wait())
        return message

    def close(self) -> None:
        """Wait no longer."""
        if self._rest is not None:
            self._rest.cancel()

    async def _wait(self) -> None:
        await self._receive()
        self.gone.set()


class Turns:
    """Lets calls work in threads; of one holder at most half of them."""

    def __init__(self, threads: int) -> None:
        self._calls = ThreadPoolExecutor(threads, "call")
        self._look_ups = ThreadPoolExecutor(LOOK_UPS, "look-up")
        self._share = max(1, threads // 2)
        self._waiting: Counter[str] = Counter()
        self._shares: dict[str, asyncio.Semaphore] = {}
        self._at_work: set[Deadline] = set()

    async def look_up(self, work: Callable[[], T]) -> T:
        """Run what is short and comes before a call."""
        return await asyncio.get_running_loop().run_in_executor(self._look_ups, work)

    async def run(self, holder: str, line: ClientLine, deadline: Deadline, work: Callable[[], T]) -> T:
        """Run the work of a call in the turn of its holder; cancel it when the client hangs up."""
        if self._waiting[holder] >= MOST_WAITING:
            raise IndexBusy("team_access.busy", most=MOST_WAITING)
        self._waiting[holder] += 1
        try:
            async with self._shares.setdefault(holder, asyncio.Semaphore(self._share)):
                return await self._watched(line, deadline, work)
        finally:
            self._waiting[holder] -= 1
            if not self._waiting[holder]:
                del self._waiting[holder], self._shares[holder]

    async def _watched(self, line: ClientLine, deadline: Deadline, work: Callable[[], T]) -> T:
        if line.gone.is_set():
            raise Cancelled("request.cancelled")
        at_work = asyncio.get_running_loop().run_in_executor(self._calls, work)
        gone = asyncio.create_task(line.gone.wait())
        self._at_work.add(deadline)
        try:
            either: set[asyncio.Future[Any]] = {at_work, gone}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not at_work.done():
                await self._cancel(deadline)
            return await at_work
        except asyncio.CancelledError:
            await self._cancel(deadline)
            raise
        finally:
            self._at_work.discard(deadline)
            gone.cancel()

    async def _cancel(self, deadline: Deadline) -> None:
        """Cancel a call beside the loop: the database has to be told, too."""
        with suppress(RuntimeError):  # the threads have ended already
            await self.look_up(deadline.cancel)

    def close(self) -> None:
        """Begin nothing any more, and end what is at work; a database that is silent cannot hold that up."""
        for deadline in self._at_work:
            Thread(target=deadline.cancel, daemon=True).start()
        for pool in (self._calls, self._look_ups):
            pool.shutdown(wait=False, cancel_futures=True)
