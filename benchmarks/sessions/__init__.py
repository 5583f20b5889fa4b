"""Do the gates hold? Scripted lies, none of which may pass, and truthful submissions, none of which may be refused."""
