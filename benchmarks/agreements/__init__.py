"""Whether agreements notice what happens to the code, on real repositories that are edited for it."""
