"""What past commits tell: read from git, kept in the store beside the index."""
