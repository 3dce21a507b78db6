"""The median partition: least expected distance from the clusterings."""
