"""Consensus methods, one algorithm a file.

| class       | method                                  | output | cost: r distinct rows, m clusterings, k clusters  |
|-------------|-----------------------------------------|--------|---------------------------------------------------|
| BCE         | Bayesian cluster ensemble by variational EM | soft | r m k a step of the E-step                        |
| EAC         | evidence accumulation (Fred, Jain 2005) | hard   | r^2 m byte comparisons; r^2 numbers unless single |
| LabelKMeans | k-means on one-hot labels               | hard   | r m k an iteration                                |
| MultinomialMixture | mixture of multinomials by EM | soft | r m k an iteration |
| QMI | quadratic mutual information by k-means | hard | r m k an iteration |
| PCC         | probabilistic consensus clustering      | soft   | l2: r m k^2 a sweep; KL: r^2 k^2, or pairs k^2    |
| PEACE       | PCC's likelihood by greedy steps        | soft   | n k a step, of the order of n k steps             |
| BaumEagon   | squared error by multiplicative updates | soft   | r^2 k an iteration                                |
| AspectModel | dyadic aspect model by EM               | soft   | r^2 k an iteration                                |
"""

from partita.consensus._aspect_model import AspectModel
from partita.consensus._baum_eagon import BaumEagon
from partita.consensus._bce import BCE
from partita.consensus._evidence_accumulation import EAC
from partita.consensus._label_kmeans import LabelKMeans
from partita.consensus._multinomial_mixture import MultinomialMixture
from partita.consensus._pcc import PCC
from partita.consensus._peace import PEACE
from partita.consensus._qmi import QMI

__all__ = [
    "BCE",
    "EAC",
    "PCC",
    "PEACE",
    "QMI",
    "AspectModel",
    "BaumEagon",
    "LabelKMeans",
    "MultinomialMixture",
]
