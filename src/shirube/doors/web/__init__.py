"""What would a person rather see?

The browser door: a small local site over the same operations, rendered here and calm there: one style sheet, one
script, nothing from elsewhere. Whoever asks must know the token; whatever the repository holds is text and never
markup; looking changes nothing, and what changes something is sent by a form of ours.
"""
