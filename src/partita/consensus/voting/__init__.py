"""Votes of partitions, and the best of several consensus partitions."""

from partita.consensus.voting._cumulative_voting import CumulativeVoting
from partita.consensus.voting._majority_vote import majority_vote
from partita.consensus.voting._supra_consensus import SupraConsensus, supra_consensus

__all__ = ["CumulativeVoting", "SupraConsensus", "majority_vote", "supra_consensus"]
