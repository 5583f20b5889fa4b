"""What shirube costs and how good its answers are, measured beside other programs."""
