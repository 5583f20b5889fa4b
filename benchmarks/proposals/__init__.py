"""What history proposes for the map on Japanese projects, and how much of it holds when checked against the code."""
