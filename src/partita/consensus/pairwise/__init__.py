"""Methods on the co-association of pairs of objects."""

from partita.consensus.pairwise._aspect_model import AspectModel
from partita.consensus.pairwise._baum_eagon import BaumEagon
from partita.consensus.pairwise._evidence_accumulation import EAC
from partita.consensus.pairwise._multi_eac import MultiEAC
from partita.consensus.pairwise._nmf_consensus import NMFConsensus

__all__ = ["EAC", "AspectModel", "BaumEagon", "MultiEAC", "NMFConsensus"]
