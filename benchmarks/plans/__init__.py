"""How well plans do."""
