"""Methods in the space of labels: tables of all pairs of clusters, whose size does not grow with the objects."""
