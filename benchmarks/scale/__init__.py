"""How it does on a tree as large as a kernel's."""
