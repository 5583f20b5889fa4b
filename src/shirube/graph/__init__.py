"""What is connected to what?

Follows the edges between files, both ways and to a depth, and draws them. Pure: the store is handed in.
"""

from shirube.graph.closure import Closure, Direction, Link, Node, close

__all__ = ["Closure", "Direction", "Link", "Node", "close"]
