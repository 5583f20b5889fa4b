"""A team on one index: who may ask what, and how that is kept and told."""
