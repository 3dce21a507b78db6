"""What is said where a result departs from what was asked for."""

from partita._runs import warn
from partita.consensus.graph._graph_partition import GraphPartition, is_installed
from partita.exceptions import FewerClustersWarning, PartitionerWarning


def warn_other_partitioner(asked: str, found: GraphPartition) -> None:
    """Say that the partitioner asked for by name found no partition; one that is not installed was named before."""
    if found.partitioner in (asked, "none") or not is_installed(asked):
        return
    warn(
        f"partitioner={asked!r} found no partition into so many clusters, and {found.partitioner!r} was used instead. "
        "The vertices are too few, or too unequal in weight: pass a smaller n_clusters or a larger imbalance.",
        PartitionerWarning,
    )


def warn_fewer_clusters(method: str, asked: int, n_found: int, n_rows: int) -> None:
    """Say that fewer clusters were found than asked for, and how many could be."""
    if n_found >= asked:
        return
    can = f"X has {n_rows} different rows" if n_rows < asked else "the labels do not tell more apart"
    warn(
        f"{method} found {n_found} clusters, and n_clusters={asked} were asked for: {can}. Pass a smaller n_clusters, "
        "or try another method.",
        FewerClustersWarning,
    )
