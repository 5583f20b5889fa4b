"""Mines the Japanese words of the package, with their English, from translated texts and histories."""
