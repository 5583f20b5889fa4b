"""How good are the answers? Labelled questions over public repositories, ours beside others."""
