"""The consensus methods that the command line offers."""

from typing import Any, NamedTuple


class Method(NamedTuple):
    """One row of ``partita methods``."""

    estimator: str  # public name in partita
    summary: str
    finds_k: bool  # works without --n-clusters
    soft: bool  # gives probabilities
    source: str
    for_soft: bool = False  # made for soft clusterings; on labels the same as another method


METHODS = {
    "eac": Method(
        "EAC",
        "evidence accumulation: linkage of the co-association, cut at the highest lifetime",
        finds_k=True,
        soft=False,
        source="Fred and Jain 2005",
    ),
    "pcc": Method(
        "PCC",
        "probabilistic consensus clustering: a binomial model of the co-association",
        finds_k=False,
        soft=True,
        source="Lourenco et al. 2015",
    ),
    "peace": Method(
        "PEACE",
        "the same model by the papers' greedy algorithm",
        finds_k=False,
        soft=True,
        source="Lourenco et al. 2013",
    ),
    "baum-eagon": Method(
        "BaumEagon",
        "squared error of the co-association by multiplicative updates",
        finds_k=False,
        soft=True,
        source="Rota Bulo et al. 2010",
    ),
    "aspect": Method(
        "AspectModel",
        "dyadic aspect model of the pairs that are together",
        finds_k=False,
        soft=True,
        source="Lourenco et al. 2011",
    ),
    "bce": Method(
        "BCE",
        "Bayesian cluster ensemble: every object a mixture of clusters",
        finds_k=False,
        soft=True,
        source="Wang et al. 2011",
    ),
    "gbce": Method(
        "GBCE",
        "the same with features beside the labels (--features)",
        finds_k=False,
        soft=True,
        source="Wang et al. 2011",
    ),
    "nbce": Method(
        "NBCE",
        "nonparametric Bayesian cluster ensemble: a Dirichlet-process mixture",
        finds_k=True,
        soft=True,
        source="Wang et al. 2010",
    ),
    "mm": Method(
        "MultinomialMixture",
        "mixture model of the labels",
        finds_k=False,
        soft=True,
        source="Topchy et al. 2004",
    ),
    "qmi": Method(
        "QMI",
        "quadratic mutual information with the clusterings",
        finds_k=False,
        soft=False,
        source="Topchy et al. 2003",
    ),
    "cspa": Method(
        "CSPA",
        "cluster-based similarity partitioning: a graph of objects, partitioned",
        finds_k=False,
        soft=False,
        source="Strehl and Ghosh 2002",
    ),
    "hgpa": Method(
        "HGPA",
        "hypergraph partitioning: every cluster a hyperedge",
        finds_k=False,
        soft=False,
        source="Strehl and Ghosh 2002",
    ),
    "mcla": Method(
        "MCLA",
        "meta-clustering: the clusters of all clusterings are clustered",
        finds_k=False,
        soft=False,
        source="Strehl and Ghosh 2002",
    ),
    "hbgf": Method(
        "HBGF",
        "bipartite graph of objects and clusters, partitioned",
        finds_k=False,
        soft=False,
        source="Fern and Brodley 2004",
    ),
    "voting": Method(
        "CumulativeVoting",
        "cumulative votes for the clusters of a reference",
        finds_k=False,
        soft=True,
        source="Ayad and Kamel 2008",
    ),
    "nmf": Method(
        "NMFConsensus",
        "non-negative factorisation of the co-association",
        finds_k=False,
        soft=True,
        source="Li et al. 2007",
    ),
    "multi-eac": Method(
        "MultiEAC",
        "evidence accumulation from stable clusters",
        finds_k=True,
        soft=False,
        source="Fred and Jain 2006",
    ),
    "soft-cspa": Method(
        "SoftCSPA",
        "cspa for soft clusterings",
        finds_k=False,
        soft=False,
        source="Punera and Ghosh 2007",
        for_soft=True,
    ),
    "soft-mcla": Method(
        "SoftMCLA",
        "mcla for soft clusterings",
        finds_k=False,
        soft=False,
        source="Punera and Ghosh 2007",
        for_soft=True,
    ),
    "soft-hbgf": Method(
        "SoftHBGF",
        "hbgf for soft clusterings",
        finds_k=False,
        soft=False,
        source="Punera and Ghosh 2007",
        for_soft=True,
    ),
    "itk": Method(
        "ITK",
        "k-means for soft clusterings, with the Kullback-Leibler divergence",
        finds_k=False,
        soft=False,
        source="Punera and Ghosh 2007",
        for_soft=True,
    ),
    "label-kmeans": Method(
        "LabelKMeans",
        "k-means on the one-hot labels",
        finds_k=False,
        soft=False,
        source="baseline",
    ),
}


def build(method: str, parameters: dict[str, Any]) -> Any:
    """The estimator of a method, with the parameters it knows; unknown ones are refused by name."""
    import partita

    estimator = getattr(partita, METHODS[method].estimator)()
    known = estimator.get_params(deep=False)
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise ValueError(f"method {method!r} has no parameter {unknown[0]!r}; it has {', '.join(sorted(known))}.")
    return estimator.set_params(**parameters)


def call_of(method: str, parameters: dict[str, Any]) -> str:
    """How the estimator is written in Python."""
    arguments = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    return f"{METHODS[method].estimator}({arguments})"


def python_call(
    method: str,
    parameters: dict[str, Any],
    path: str,
    reading: dict[str, Any],
    noise: str,
    features: str | None = None,
) -> str:
    """The Python lines that do the same."""
    estimator = METHODS[method].estimator
    how = "".join(f", {name}={value!r}" for name, value in reading.items())
    lines = [f"from partita import {estimator}" + ("" if noise == "missing" else ", check_label_matrix")]
    if features is None:
        lines += ["from partita.io import read_labels", f"X = read_labels({path!r}{how}).labels"]
    else:
        lines += [
            "from partita.io import read_features, read_labels",
            f"table = read_labels({path!r}{how})",
            f"F = read_features({features!r}, table)",
            "X = table.labels",
        ]
    if noise != "missing":
        lines.append(f"X = check_label_matrix(X, noise={noise!r})")
    beside = "" if features is None else ", features=F"
    return "\n".join([*lines, f"labels = {call_of(method, parameters)}.fit_predict(X{beside})"])
