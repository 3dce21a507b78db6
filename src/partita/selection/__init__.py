"""How many clusters there are."""

from partita.selection._choice import ClusterNumberChoice, choose_n_clusters

__all__ = ["ClusterNumberChoice", "choose_n_clusters"]
