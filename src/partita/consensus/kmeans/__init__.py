"""k-means on the labels."""

from partita.consensus.kmeans._label_kmeans import LabelKMeans
from partita.consensus.kmeans._qmi import QMI

__all__ = ["QMI", "LabelKMeans"]
