"""k-means on the labels."""
