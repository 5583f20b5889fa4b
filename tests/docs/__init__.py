"""The examples of the documents."""
