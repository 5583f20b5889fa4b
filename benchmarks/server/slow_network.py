"""A slow network in a process of its own: ``python -m benchmarks.server.slow_network PORT SECONDS`` prints its port.

It ends when its standard input does.
"""

import sys

from tests.proxy import Proxy

if __name__ == "__main__":
    proxy = Proxy(int(sys.argv[1]), float(sys.argv[2]))
    print(proxy.port, flush=True)
    sys.stdin.read()
    proxy.close()
