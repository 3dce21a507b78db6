"""Consensus methods, one algorithm a file. Cost with r distinct rows, n objects, m clusterings, k clusters.

| class              | method                                    | output | cost                                       |
|--------------------|-------------------------------------------|--------|--------------------------------------------|
| EAC                | evidence accumulation (Fred, Jain 2005)   | hard   | r^2 m byte comparisons; r^2 numbers        |
| LabelKMeans        | k-means on one-hot labels                 | hard   | r m k an iteration                         |
| QMI                | quadratic mutual information, by k-means  | hard   | r m k an iteration                         |
| MultinomialMixture | mixture model of the labels, by EM        | soft   | r m k an iteration                         |
| BCE                | Bayesian cluster ensemble, variational EM | soft   | r m k a step, some steps an iteration      |
| GBCE               | the same with d features beside labels    | soft   | n (m + d) k a step                         |
| NBCE               | Dirichlet-process mixture of the labels   | soft   | Gibbs n m k a sweep; vb, cvb r m k         |
| PCC                | probabilistic consensus clustering        | soft   | l2 r m k^2 a sweep; KL r^2 k^2, pairs k^2  |
| PEACE              | PCC's likelihood by greedy steps          | soft   | n k a step, of the order of n k steps      |
| BaumEagon          | squared error by multiplicative updates   | soft   | r^2 k an iteration                         |
| AspectModel        | dyadic aspect model by EM                 | soft   | r^2 k an iteration                         |
"""

from partita.consensus._aspect_model import AspectModel
from partita.consensus._baum_eagon import BaumEagon
from partita.consensus._bce import BCE
from partita.consensus._evidence_accumulation import EAC
from partita.consensus._gbce import GBCE
from partita.consensus._label_kmeans import LabelKMeans
from partita.consensus._multinomial_mixture import MultinomialMixture
from partita.consensus._nbce import NBCE
from partita.consensus._pcc import PCC
from partita.consensus._peace import PEACE
from partita.consensus._qmi import QMI

__all__ = [
    "BCE",
    "EAC",
    "GBCE",
    "NBCE",
    "PCC",
    "PEACE",
    "QMI",
    "AspectModel",
    "BaumEagon",
    "LabelKMeans",
    "MultinomialMixture",
]
