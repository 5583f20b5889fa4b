"""How well requests in two languages find the right one of 200 commands, and what a public registry says."""
