"""The index on a server beside the one on this machine."""
