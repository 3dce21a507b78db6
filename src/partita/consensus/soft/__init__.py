"""Methods for soft clusterings, with a probability of each cluster for each object."""

from partita.consensus.soft._itk import ITK
from partita.consensus.soft._soft_graph import SoftCSPA, SoftHBGF, SoftMCLA

__all__ = ["ITK", "SoftCSPA", "SoftHBGF", "SoftMCLA"]
