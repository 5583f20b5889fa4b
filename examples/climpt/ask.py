"""Calls a tool of a server on this directory as a client does: python3 ask.py TOOLSET TOOL NAME=VALUE…"""

import json
import subprocess
import sys

toolset, tool, *given = sys.argv[1:]
arguments = dict(pair.split("=", 1) for pair in given)
arguments = {name: json.loads(value) if value[:1] == "[" else value for name, value in arguments.items()}
client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ask", "version": "1"}}
hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client}
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
lines = "".join(json.dumps(message) + "\n" for message in (hello, call))
server = ["shirube", "serve", "--toolsets", toolset]
told = subprocess.run(server, input=lines, capture_output=True, text=True, check=True).stdout
result = json.loads(told.splitlines()[-1])["result"]
sys.stdout.write(result["content"][0]["text"] + "\n")
sys.exit(result["isError"])
