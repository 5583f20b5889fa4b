"""An index of which only the difference is kept here: unchanged files are those of a ref on a server, the base."""
