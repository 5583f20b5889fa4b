"""What deleted chunks do to the order of answers, and what throwing them out costs."""
