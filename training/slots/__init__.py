"""Fits the table by which the slots of a request are read."""
