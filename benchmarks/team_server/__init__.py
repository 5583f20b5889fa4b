"""What one server, and two, do for 64 clients of a team."""
