"""Consensus methods, one algorithm a file.

| class       | method                                  | output | cost: r distinct rows, m clusterings, k clusters  |
|-------------|-----------------------------------------|--------|---------------------------------------------------|
| EAC         | evidence accumulation (Fred, Jain 2005) | hard   | r^2 m byte comparisons; r^2 numbers unless single |
| LabelKMeans | k-means on one-hot labels               | hard   | r m k an iteration                                |
"""

from partita.consensus._evidence_accumulation import EAC
from partita.consensus._label_kmeans import LabelKMeans

__all__ = ["EAC", "LabelKMeans"]
