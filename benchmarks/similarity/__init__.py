"""What a similarity is worth: curves fitted on labelled pairs, and how well they hold where they were not fitted."""
