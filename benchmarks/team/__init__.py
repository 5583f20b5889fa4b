"""How quickly workers index a team's repositories, and what is lost when they are killed."""
