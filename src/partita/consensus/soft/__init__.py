"""Methods for soft clusterings, with a probability of each cluster for each object."""
