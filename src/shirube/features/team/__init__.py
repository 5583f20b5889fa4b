"""Repositories that workers index for a team: which, how far they are, and what a job does."""
