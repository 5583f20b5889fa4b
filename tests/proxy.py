"""A network between a client and a server on this machine: slow, silent or cut, as a test wants it."""

import asyncio
from contextlib import suppress
from threading import Event, Thread


class Proxy:
    """Passes bytes on to a port of the loopback; its own port is free."""

    def __init__(self, target: int, delay_seconds: float = 0.0) -> None:
        self._target, self.delay_seconds = target, delay_seconds
        self.port = 0
        self.silent = False
        """Whether bytes are swallowed, as by a network that is gone without a word."""
        self.cut_after = 0
        """Close every connection after so many more bytes from the server; 0: never."""
        self.accepted = 0
        """How many connections came."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._ready, self._loop = Event(), asyncio.new_event_loop()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()

    def cut(self) -> None:
        """Close every connection there is."""
        done = Event()

        def close() -> None:
            for writer in self._writers:
                writer.transport.abort()
            done.set()

        self._loop.call_soon_threadsafe(close)
        done.wait()

    def close(self) -> None:
        """Stop."""
        if self._loop.is_closed():
            return
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._meet, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._writers.add(writer)
        try:
            theirs, out = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(out)
        await asyncio.gather(self._pass(reader, out, counts=False), self._pass(theirs, writer, counts=True))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, counts: bool) -> None:
        """Pass on what comes, each piece as late as the network is slow, however much there is on the way."""
        on_the_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        arriving = asyncio.create_task(self._arrive(on_the_way, writer))
        with suppress(OSError, asyncio.CancelledError):
            while data := await reader.read(1 << 16):
                if self.silent:
                    continue
                if counts and self.cut_after:
                    self.cut_after -= len(data)
                    if self.cut_after <= 0:
                        self.cut_after = 0
                        for one in self._writers:
                            one.transport.abort()
                        return
                on_the_way.put_nowait((self._loop.time() + self.delay_seconds, data))
            on_the_way.put_nowait((self._loop.time() + self.delay_seconds, b""))
            await arriving
        arriving.cancel()
        writer.transport.abort()

    async def _arrive(self, on_the_way: "asyncio.Queue[tuple[float, bytes]]", writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                due, data = await on_the_way.get()
                if (wait := due - self._loop.time()) > 0:
                    await asyncio.sleep(wait)
                if not data:
                    return
                writer.write(data)
                await writer.drain()
