"""What reading the history of a project costs."""
