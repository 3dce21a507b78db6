"""Graph methods: a graph or hypergraph of objects and clusters, partitioned."""
