def write_vectors(database, files: dict[str, list[float]]) -> None:
    """Write the vector of each file into the table file_embedding."""
    for path, vector in files.items():
        database.run("INSERT INTO file_embedding VALUES (?, ?)", path, vector)
