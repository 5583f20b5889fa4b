"""Does a name lead to its definition, however it is asked for? On names that one line of a project defines."""
