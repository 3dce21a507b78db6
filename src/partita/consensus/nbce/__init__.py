"""Nonparametric Bayesian cluster ensembles: the number of clusters is found."""

from partita.consensus.nbce._nbce import NBCE

__all__ = ["NBCE"]
