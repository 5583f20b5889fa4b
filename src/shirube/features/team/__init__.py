"""A team on one index: which repositories workers index, who may ask what, and how that is kept and told."""
