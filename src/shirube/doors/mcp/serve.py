"""Starting and ending a server on stdio."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp.server.stdio import stdio_server

from shirube.doors.mcp.server import Door, build_server
from shirube.doors.mcp.stdio import Wire
from shirube.engine.repo import children

INTERRUPTED = 128 + signal.SIGINT


def serve_stdio(root: Path, flags: Mapping[str, Any], watch: bool = False) -> None:
    """Serve one client until it goes away or a signal comes."""
    door = Door(root, flags)
    code = asyncio.run(_serve(door, watch))
    # The thread that reads stdin may still be waiting for input; everything else is closed.
    sys.stderr.flush()
    os._exit(code)


async def _serve(door: Door, watch: bool) -> int:
    """Return the exit code: whoever pressed Ctrl-C is told so, and every other end is a good one."""
    wire = Wire(door.config.serve.max_line_bytes)
    server = build_server(door)
    stop, codes = asyncio.Event(), [0]

    def end(code: int) -> None:
        codes.append(code)
        stop.set()

    loop = asyncio.get_running_loop()
    for number, code in ((signal.SIGTERM, 0), (signal.SIGHUP, 0), (signal.SIGINT, INTERRUPTED)):
        loop.add_signal_handler(number, end, code)
    door.start(watch)
    async with stdio_server(stdin=wire, stdout=wire) as (incoming, outgoing):  # type: ignore[arg-type]
        serving = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        children.kill_all()
        await asyncio.to_thread(door.close)
        if not serving.done():
            os._exit(codes[-1])
        stopping.cancel()
    return codes[-1]
