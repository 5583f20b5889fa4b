TABLE = "user_profile"


def find_profile(database, name: str) -> dict[str, str]:
    """Query the row of a user."""
    return database.row(f"SELECT * FROM {TABLE} WHERE name = ?", name)
