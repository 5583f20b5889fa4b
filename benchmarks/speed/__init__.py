"""How long, how much memory, how much disk: shirube beside semble and ripgrep, in one run on the same files."""
