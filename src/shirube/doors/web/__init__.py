"""What would a person rather see?

The browser door: a small local site over the same operations, rendered on the server: one style sheet, one script,
nothing from other sites. Every visitor must know the token. Content of the repository is always shown as text, never
as markup. GET requests change nothing; only forms of our own pages can change something.
"""
