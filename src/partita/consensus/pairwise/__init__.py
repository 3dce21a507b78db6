"""Methods on the co-association of pairs of objects."""
