"""Models of the rows of labels, fitted by EM."""

from partita.consensus.models._bce import BCE
from partita.consensus.models._gbce import GBCE
from partita.consensus.models._multinomial_mixture import MultinomialMixture

__all__ = ["BCE", "GBCE", "MultinomialMixture"]
