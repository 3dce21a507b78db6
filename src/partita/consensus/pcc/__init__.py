"""Probabilistic consensus clustering."""

from partita.consensus.pcc._pcc import PCC
from partita.consensus.pcc._peace import PEACE

__all__ = ["PCC", "PEACE"]
