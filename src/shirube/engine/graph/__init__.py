"""What is connected to what?

Who defines a name, who uses it and how sure that is, what a change would touch; and the edges between files, followed
both ways and to a depth, and drawn. Pure: the store is handed in.
"""

from shirube.engine.graph.closure import Closure, Direction, Link, Node, close

__all__ = ["Closure", "Direction", "Link", "Node", "close"]
