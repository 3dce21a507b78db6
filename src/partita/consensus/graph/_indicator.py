"""Old address of ``through_labels``."""

from partita.consensus.graph._label_factor import through_labels

__all__ = ["through_labels"]
