"""What simulated agents pay until the answering line is in view."""
