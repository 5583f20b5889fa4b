"""How is code read, kept and found? Knows nothing of agents, sessions or screens."""
