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
| CSPA               | similarity graph, partitioned             | hard   | r^2 m, or r m + t^3 with t labels          |
| HGPA               | hypergraph of clusters, partitioned       | hard   | partitioner's, or r m^2 + t^3              |
| MCLA               | graph of clusters, partitioned            | hard   | r m^2 + t^3                                |
| HBGF               | bipartite graph, partitioned              | hard   | r m^2 + t^3                                |
| CumulativeVoting   | votes for a reference's clusters          | soft   | r m q, reference of q clusters             |
| NMFConsensus       | factorised co-association                 | soft   | r m k an iteration; r^2 k with missing     |
| MultiEAC           | evidence of stable clusters only          | hard   | r^2 m                                      |
| SoftCSPA, SoftMCLA, SoftHBGF | the same for soft clusterings   | hard   | n^2 t, n t^2, n t^2                        |
| ITK                | k-means on soft clusterings, with KL      | hard   | n t k an iteration                         |
| PCC                | probabilistic consensus clustering        | soft   | l2 r m k^2 a sweep; KL r^2 k^2, pairs k^2  |
| PEACE              | PCC's likelihood by greedy steps          | soft   | n k a step, of the order of n k steps      |
| BaumEagon          | squared error by multiplicative updates   | soft   | r^2 k an iteration                         |
| AspectModel        | dyadic aspect model by EM                 | soft   | r^2 k an iteration                         |
"""

from partita.consensus._aspect_model import AspectModel
from partita.consensus._baum_eagon import BaumEagon
from partita.consensus._bce import BCE
from partita.consensus._cspa import CSPA
from partita.consensus._cumulative_voting import CumulativeVoting
from partita.consensus._evidence_accumulation import EAC
from partita.consensus._gbce import GBCE
from partita.consensus._hbgf import HBGF
from partita.consensus._hgpa import HGPA
from partita.consensus._itk import ITK
from partita.consensus._label_kmeans import LabelKMeans
from partita.consensus._majority_vote import majority_vote
from partita.consensus._mcla import MCLA
from partita.consensus._multi_eac import MultiEAC
from partita.consensus._multinomial_mixture import MultinomialMixture
from partita.consensus._nbce import NBCE
from partita.consensus._nmf_consensus import NMFConsensus
from partita.consensus._pcc import PCC
from partita.consensus._peace import PEACE
from partita.consensus._qmi import QMI
from partita.consensus._soft_graph import SoftCSPA, SoftHBGF, SoftMCLA
from partita.consensus._supra_consensus import SupraConsensus, supra_consensus

__all__ = [
    "BCE",
    "CSPA",
    "EAC",
    "GBCE",
    "HBGF",
    "HGPA",
    "ITK",
    "MCLA",
    "NBCE",
    "PCC",
    "PEACE",
    "QMI",
    "AspectModel",
    "BaumEagon",
    "CumulativeVoting",
    "LabelKMeans",
    "MultiEAC",
    "MultinomialMixture",
    "NMFConsensus",
    "SoftCSPA",
    "SoftHBGF",
    "SoftMCLA",
    "SupraConsensus",
    "majority_vote",
    "supra_consensus",
]
