"""Federation by rows: sites with different objects, and the same clusterings."""
