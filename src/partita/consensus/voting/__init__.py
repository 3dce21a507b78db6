"""Votes of partitions, and the best of several consensus partitions."""
