"""Fits the table by which answers are ranked, and the curve that says how sure the first place is."""
