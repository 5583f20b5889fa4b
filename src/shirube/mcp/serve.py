"""Starting and ending a server on stdio."""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp.server.stdio import stdio_server

from shirube.mcp.server import Door, build_server
from shirube.mcp.stdio import Wire


def serve_stdio(root: Path, flags: Mapping[str, Any], watch: bool = False) -> None:
    """Serve one client until it goes away or a signal comes."""
    door = Door(root, flags)
    asyncio.run(_serve(door, watch))
    # The thread that reads stdin may still be waiting for input; everything else is closed.
    sys.stderr.flush()
    os._exit(0)


async def _serve(door: Door, watch: bool) -> None:
    wire = Wire(door.config.serve.max_line_bytes)
    server = build_server(door)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, stop.set)
    door.start(watch)
    async with stdio_server(stdin=wire, stdout=wire) as (incoming, outgoing):  # type: ignore[arg-type]
        serving = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.to_thread(door.close)
        if not serving.done():
            os._exit(0)
        stopping.cancel()
