"""What do users do with it? A folder each: its rules, its operations, what they return."""
