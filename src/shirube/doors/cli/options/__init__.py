"""Options of commands that their operations do not declare, a module each group of operations."""
