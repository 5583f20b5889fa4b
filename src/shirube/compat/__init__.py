"""What did earlier programs leave behind? Their names and files, read so that nobody starts from nothing."""
