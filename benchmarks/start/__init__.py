"""What it costs to begin: a command, a server, a question of the gate as the project grows."""
