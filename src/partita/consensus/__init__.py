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

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
