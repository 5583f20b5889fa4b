"""What the ranking gains when it learns from outcomes, and what it loses where there is nothing to learn."""
