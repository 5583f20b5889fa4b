"""How small outlines are, and whether every symbol is in them."""
