"""The one table of the consensus methods.

The command line, the docstring of ``partita.consensus``, the tests and ``make tables`` (which writes
``docs/methods.md`` and the stubs that make the names public) read it. Nothing heavy is imported here, so that
``partita methods`` and ``--help`` answer at once.
"""

from typing import NamedTuple


class Method(NamedTuple):
    """What a user needs to know to choose the method."""

    name: str  # on the command line
    estimator: str  # public name in partita
    module: str  # room and file of partita.consensus that define it
    summary: str
    source: str
    cost: str  # in the symbols of COST_SYMBOLS
    missing: str  # what a missing label means to it
    soft: bool = False  # gives probabilities
    finds_k: bool = False  # finds the number of clusters where none is given
    upper_bound: bool = False  # n_clusters is an upper bound: fewer clusters may be used
    for_soft: bool = False  # made for soft clusterings; on labels the same as another method
    grows: bool = False  # goes on with further clusterings of the same objects: extend
    by_columns: bool = False  # fitted on clusterings of several owners that do not pool them: partita.federated
    by_rows: bool = False  # the same on objects of several owners
    beyond_memory: bool = False  # fitted to more distinct rows than fit in memory: partita.blocks
    home: str = "partita"  # module to import the estimator from; of methods of other packages theirs (_registered.py)

    @property
    def variants(self) -> str:
        """What else it can be fitted to, beside complete labels in one place (BCE paper, table 2)."""
        able = {"beyond memory": self.beyond_memory, "extend": self.grows}
        able |= {"federated by columns": self.by_columns, "federated by rows": self.by_rows}
        return ", ".join(name for name, can in able.items() if can) or "-"

    @property
    def output(self) -> str:
        """What it gives for each object."""
        return "soft" if self.soft else "hard"

    @property
    def number_of_clusters(self) -> str:
        """How the number of clusters is chosen."""
        return "found" if self.finds_k else "upper bound" if self.upper_bound else "given"


# Public names of the rooms that are not methods of their own.
OTHER_NAMES = {
    "SupraConsensus": "voting._supra_consensus",
    "lac_memberships": "soft._lac_memberships",
    "majority_vote": "voting._majority_vote",
    "register_method": "_registered",
    "supra_consensus": "voting._supra_consensus",
}

COST_SYMBOLS = "n objects, r distinct rows, m clusterings, t labels in all, d features, k clusters"

_PAIRS = "a pair counts where both are labelled"
_MEAN = "replaced by the mean of the clustering"
_LEFT_OUT = "left out of the likelihood"
_OUTSIDE = "the object is in no cluster of that clustering"

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="eac",
            estimator="EAC",
            module="pairwise._evidence_accumulation",
            summary="evidence accumulation: linkage of the co-association, cut at the highest lifetime",
            source="Fred and Jain 2005",
            cost="r^2 m byte comparisons; r^2 numbers",
            missing=_PAIRS,
            finds_k=True,
        ),
        Method(
            name="pcc",
            estimator="PCC",
            module="pcc._pcc",
            summary="probabilistic consensus clustering: a binomial model of the co-association",
            source="Lourenço et al. 2015",
            cost="per sweep, l2: r m k^2; kl: r^2 k^2; chosen pairs: k^2 per pair",
            missing=_PAIRS,
            soft=True,
            upper_bound=True,
            beyond_memory=True,
        ),
        Method(
            name="peace",
            estimator="PEACE",
            module="pcc._peace",
            summary="the model of PCC by the greedy algorithm of the papers",
            source="Lourenço et al. 2013",
            cost="r k per step, about r k steps",
            missing=_PAIRS,
            soft=True,
            upper_bound=True,
        ),
        Method(
            name="baum-eagon",
            estimator="BaumEagon",
            module="pairwise._baum_eagon",
            summary="squared error of the co-association by multiplicative updates",
            source="Rota Bulò et al. 2010",
            cost="r m k per iteration; r^2 k with missing labels",
            missing=_PAIRS,
            soft=True,
            upper_bound=True,
        ),
        Method(
            name="aspect",
            estimator="AspectModel",
            module="pairwise._aspect_model",
            summary="dyadic aspect model of the pairs that are together, by EM",
            source="Lourenço et al. 2011",
            cost="r^2 k per iteration",
            missing=_PAIRS,
            soft=True,
        ),
        Method(
            name="bce",
            estimator="BCE",
            module="models._bce",
            summary="Bayesian cluster ensemble: every object is a mixture of clusters",
            source="Wang et al. 2011",
            cost="r m k per inner step, some inner steps per iteration",
            missing=_LEFT_OUT,
            soft=True,
            grows=True,
            by_columns=True,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="gbce",
            estimator="GBCE",
            module="models._gbce",
            summary="BCE with features beside the labels",
            source="Wang et al. 2011",
            cost="n (m + d) k per inner step",
            missing=_LEFT_OUT,
            soft=True,
        ),
        Method(
            name="information-bottleneck",
            estimator="InformationBottleneck",
            module="models._information_bottleneck",
            summary="the clusters that keep the most information about the clusterings",
            source="Gondek and Hofmann 2004",
            cost="r m k per iteration",
            missing="left out of the sums of its clustering",
            soft=True,
        ),
        Method(
            name="nbce",
            estimator="NBCE",
            module="nbce._nbce",
            summary="nonparametric Bayesian cluster ensemble: a Dirichlet-process mixture of the labels",
            source="Wang et al. 2010",
            cost="gibbs: r m k + n m per sweep; vb, cvb: r m k per iteration",
            missing=_LEFT_OUT,
            soft=True,
            finds_k=True,
            by_columns=True,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="mm",
            estimator="MultinomialMixture",
            module="models._multinomial_mixture",
            summary="mixture model of the labels, by EM",
            source="Topchy et al. 2004",
            cost="r m k per iteration",
            missing=f"{_LEFT_OUT}, or imputed",
            soft=True,
            grows=True,
            by_columns=True,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="qmi",
            estimator="QMI",
            module="kmeans._qmi",
            summary="quadratic mutual information with the clusterings, by k-means",
            source="Topchy et al. 2003",
            cost="r m k per iteration",
            missing=_MEAN,
            beyond_memory=True,
        ),
        Method(
            name="cspa",
            estimator="CSPA",
            module="graph._cspa",
            summary="cluster-based similarity partitioning: a graph of objects, partitioned",
            source="Strehl and Ghosh 2002",
            cost="r^2 m, or r m + t^3 through the labels",
            missing=_PAIRS,
            beyond_memory=True,
        ),
        Method(
            name="hgpa",
            estimator="HGPA",
            module="graph._hgpa",
            summary="hypergraph partitioning: every cluster is a hyperedge",
            source="Strehl and Ghosh 2002",
            cost="that of the partitioner, or r m^2 + t^3",
            missing=_OUTSIDE,
        ),
        Method(
            name="mcla",
            estimator="MCLA",
            module="graph._mcla",
            summary="meta-clustering: the clusters of all clusterings are clustered",
            source="Strehl and Ghosh 2002",
            cost="r m^2 + t^3",
            missing=_OUTSIDE,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="hbgf",
            estimator="HBGF",
            module="graph._hbgf",
            summary="bipartite graph of objects and clusters, partitioned",
            source="Fern and Brodley 2004",
            cost="r (m^2 + m k) + t^3",
            missing=_OUTSIDE,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="voting",
            estimator="CumulativeVoting",
            module="voting._cumulative_voting",
            summary="cumulative votes for the clusters of a reference",
            source="Ayad and Kamel 2008",
            cost="r m q + r q^2 with a reference of q clusters",
            missing="the clustering has no vote on the object",
            soft=True,
        ),
        Method(
            name="matched-voting",
            estimator="MatchedVoting",
            module="voting._matched_voting",
            summary="mean of the clusterings after their clusters are matched, by least squares",
            source="Gordon and Vichi 2001",
            cost="r m k + t k min(t / m, k) per iteration",
            missing="the clustering has no vote on the object",
            soft=True,
        ),
        Method(
            name="nmf",
            estimator="NMFConsensus",
            module="pairwise._nmf_consensus",
            summary="non-negative factorisation of the co-association",
            source="Li et al. 2007",
            cost="r m k per iteration; r^2 k with missing labels, up to r = 4000",
            missing=_PAIRS,
            soft=True,
        ),
        Method(
            name="multi-eac",
            estimator="MultiEAC",
            module="pairwise._multi_eac",
            summary="evidence accumulation from stable clusters",
            source="Fred and Jain 2006",
            cost="r^2 m; r^2 numbers",
            missing=_PAIRS,
            finds_k=True,
        ),
        Method(
            name="constrained-nmf",
            estimator="ConstrainedNMF",
            module="pairwise._constrained_nmf",
            summary="NMFConsensus with pairs of objects that must be together, or apart",
            source="Li et al. 2007",
            cost="n m k per iteration; n^2 k with missing labels, up to n = 4000",
            missing=_PAIRS,
            soft=True,
        ),
        Method(
            name="robust",
            estimator="RobustClusters",
            module="pairwise._robust_clusters",
            summary="robust clusters: components of the pairs that all clusterings put together",
            source="Kellam et al. 2001",
            cost="n m; with missing labels or less than full agreement r^2 m byte comparisons",
            missing=_PAIRS,
            finds_k=True,
        ),
        Method(
            name="fuzzy-kmeans",
            estimator="FuzzyKMeans",
            module="pairwise._fuzzy_kmeans",
            summary="fuzzy k-means of the rows of the co-association",
            source="Bezdek 1981",
            cost="r m^2 once, r m k + t^2 k per iteration; r^2 k with missing labels",
            missing=_PAIRS,
            soft=True,
        ),
        Method(
            name="fuzzy-kmedoids",
            estimator="FuzzyKMedoids",
            module="pairwise._fuzzy_kmedoids",
            summary="fuzzy k-medoids of the co-association",
            source="Krishnapuram et al. 2001",
            cost="r m k per iteration; r^2 k with missing labels",
            missing=_PAIRS,
            soft=True,
        ),
        Method(
            name="lwgp",
            estimator="LWGP",
            module="label_space._lwgp",
            summary="the default: graph of objects and clusters, weighted by their entropy; k on which halves agree",
            source="Huang et al. 2018",
            cost="r (m^2 + m k) + t^3",
            missing=_OUTSIDE,
            finds_k=True,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="usenc",
            estimator="USENC",
            module="label_space._usenc",
            summary="bipartite graph of objects and clusters, by one transfer cut",
            source="Huang et al. 2020",
            cost="r (m^2 + m k) + t^3",
            missing=_OUTSIDE,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="lwea",
            estimator="LWEA",
            module="label_space._lwea",
            summary="evidence accumulation with clusters weighted by their entropy",
            source="Huang et al. 2018",
            cost="r m^2 + r^2 m; r^2 numbers",
            missing=_PAIRS,
            finds_k=True,
        ),
        Method(
            name="ecpcs",
            estimator="ECPCS",
            module="label_space._ecpcs",
            summary="clusters compared by random walks among all clusters, then grouped, or a tree of objects",
            source="Huang et al. 2021",
            cost="meta: r m^2 + t^3; tree: r^2 m more, r^2 numbers",
            missing="clusters are compared where both clusterings label",
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="median",
            estimator="MedianPartition",
            module="median._median_partition",
            summary="the partition of least mean distance from the clusterings: information, or Binder's loss",
            source="Dahl et al. 2022",
            cost="r m k per sweep; t k numbers",
            missing="clusterings are compared on the objects that they label",
            finds_k=True,
        ),
        Method(
            name="lce",
            estimator="LCE",
            module="label_space._lce",
            summary="clusters compared by their links to other clusters (CTS, SRS, ASRS), then a tree or a cut",
            source="Iam-On et al. 2011",
            cost="cut: r m^2 + t^3; tree: r^2 m more, r^2 numbers",
            missing="clusters and objects are compared where both are labelled",
        ),
        Method(
            name="drec",
            estimator="DREC",
            module="label_space._drec",
            summary="rows represented densely by each other, then a spectral cut",
            source="Zhou et al. 2019",
            cost="r t^2 + t^3 + r^2 (t + k); r^2 numbers",
            missing=_OUTSIDE,
        ),
        Method(
            name="pta",
            estimator="PTA",
            module="walks._pta",
            summary="rows compared by random walks among their strongest links, then a tree",
            source="Huang et al. 2016",
            cost="r^2 m, and a few hundred r^2 or r^3; r^2 numbers",
            missing=_PAIRS,
        ),
        Method(
            name="ptgp",
            estimator="PTGP",
            module="walks._ptgp",
            summary="rows compared by random walks, then a cut of the graph of rows and clusters",
            source="Huang et al. 2016",
            cost="r^2 m, and a few hundred r^2 or r^3, r t^2 + t^3; r^2 numbers",
            missing=_PAIRS,
        ),
        Method(
            name="soft-cspa",
            estimator="SoftCSPA",
            module="soft._soft_graph",
            summary="CSPA for soft clusterings",
            source="Punera and Ghosh 2007",
            cost="n^2 t",
            missing=_PAIRS,
            for_soft=True,
        ),
        Method(
            name="soft-mcla",
            estimator="SoftMCLA",
            module="soft._soft_graph",
            summary="MCLA for soft clusterings",
            source="Punera and Ghosh 2007",
            cost="n t^2",
            missing=_OUTSIDE,
            for_soft=True,
        ),
        Method(
            name="soft-hbgf",
            estimator="SoftHBGF",
            module="soft._soft_graph",
            summary="HBGF for soft clusterings",
            source="Punera and Ghosh 2007",
            cost="n t^2",
            missing=_OUTSIDE,
            for_soft=True,
        ),
        Method(
            name="soft-lwgp",
            estimator="SoftLWGP",
            module="soft._soft_lwgp",
            summary="LWGP on probabilities",
            source="Huang et al. 2018",
            cost="n t^2 + t^3",
            missing=_OUTSIDE,
            finds_k=True,
            for_soft=True,
        ),
        Method(
            name="soft-hgpa",
            estimator="SoftHGPA",
            module="soft._soft_graph",
            summary="HGPA on probabilities, through the clique expansion",
            source="Punera and Ghosh 2007",
            cost="n t^2 + t^3",
            missing=_OUTSIDE,
            for_soft=True,
        ),
        Method(
            name="itk",
            estimator="ITK",
            module="soft._itk",
            summary="k-means for soft clusterings, with the Kullback-Leibler divergence",
            source="Punera and Ghosh 2007",
            cost="n t k per iteration",
            missing="the other clusterings of the object count more",
            for_soft=True,
        ),
        Method(
            name="label-kmeans",
            estimator="LabelKMeans",
            module="kmeans._label_kmeans",
            summary="k-means on the one-hot labels",
            source="baseline",
            cost="r m k per iteration",
            missing=_MEAN,
            by_rows=True,
            beyond_memory=True,
        ),
        Method(
            name="kcc",
            estimator="KCC",
            module="kmeans._kcc",
            summary="k-means with the divergence of a utility: category utility, mutual information, cosine, norms",
            source="Wu et al. 2015",
            cost="r m k per iteration",
            missing="left out: only observed labels enter",
        ),
        Method(
            name="k-modes",
            estimator="KModes",
            module="kmeans._kmodes",
            summary="k-modes: as few labels as possible that differ from the most frequent ones of the cluster",
            source="Huang 1998",
            cost="r m k per iteration",
            missing="left out: only observed labels enter",
        ),
    )
}
