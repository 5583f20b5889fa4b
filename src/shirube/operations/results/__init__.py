"""What operations return, a module each group; a result says what it put before its reader."""
