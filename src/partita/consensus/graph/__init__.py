"""Graph methods: a graph or hypergraph of objects and clusters, partitioned."""

from partita.consensus.graph._cspa import CSPA
from partita.consensus.graph._hbgf import HBGF
from partita.consensus.graph._hgpa import HGPA
from partita.consensus.graph._mcla import MCLA

__all__ = ["CSPA", "HBGF", "HGPA", "MCLA"]
