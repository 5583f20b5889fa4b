"""What a bundle holds of what is needed, for its tokens; what it costs to make; how well tokens are estimated."""
