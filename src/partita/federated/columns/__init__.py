"""Federation by columns: sites with different clusterings of the same objects."""
