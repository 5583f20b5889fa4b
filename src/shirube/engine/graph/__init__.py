"""What is connected to what?

Finds who defines a name, who uses it and with what confidence, and what a change would affect. Also follows the edges
between files in both directions, to a given depth, and draws them. Pure: the store is passed in.
"""
