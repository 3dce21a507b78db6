"""Arguments whose meaning their type does not tell, by name: expressions, with {n} objects and {m} columns."""

# What a long loop would only take time for: small numbers, in all tables of parameters.
LOOPS: dict[str, tuple[str, ...]] = {
    "n_init": ("1", "2", "3", "np.int64(2)"),
    "max_iter": ("1", "2", "7", "100", "None"),
    "n_sweeps": ("1", "2", "5", "20", "60"),
    "n_chains": ("1", "2", "3"),
    "burn_in": ("0", "1", "3", "None", "100"),
    "thin": ("1", "2", "7"),
    "truncation": ("1", "2", "5", "30", "100"),
    "n_clusterings": ("1", "2", "5", "None"),
    "n_repeats": ("1", "2", "{'kmeans': 2}"),
    "n_resamples": ("2", "3", "2", "1"),
    "n_references": ("19", "19", "4"),
    "n_draws": ("1", "2", "0"),
    "n_ensembles": ("1", "2"),
    "n_runs": ("1", "2"),
    "n_max": ("1", "3", "8"),
    "n_pairs": ("10", "1", "500"),
    "n_per_cluster": ("1", "5"),
    "max_objects": ("1000", "20", "4", "1"),
    "size": ("1", "2", "3"),
}

OWN_DIVERGENCE = (  # of a class without a module: it cannot be pickled
    "type('Squared', (), {'value': staticmethod(lambda x, y: (x - y) ** 2), "
    "'derivative': staticmethod(lambda x, y: 2 * (y - x))})()"
)
PARAMETERS: dict[str, tuple[str, ...]] = {
    "n_clusters": ("1", "2", "3", "4", "8", "{n}", "{n} + 1", "61", "200", "np.int64(3)", "10**5"),
    "alpha": ("0.05", "0.5", "0.2", "0.5", "0.2", "1e-6", "1e6", "'auto'", "1.0"),
    "pairs": (
        "'all'", "'auto'", "0.5", "1.0", "0.0", "1e-9", "1", "20", "10**9", "5", "sp.csr_matrix((2, 3))",
        "sp.random({n}, {n}, 0.5, 'csr', random_state=0)", "sp.csr_matrix(({n}, {n}))", "np.array([[0, 1]])",
        "np.ones(({n}, {n}))", "[[0, 0]]", "[[0, {n}]]", "np.array([[-1, 0]])", "np.array([[0.5, 1]])",
        "sp.csr_matrix(np.full(({n}, {n}), nan))",
    ),
    "init": (
        "'auto'", "'random'", "'insertion'", "'l2'", "'eac'", "'kmeans'", "'k-means++'", "np.zeros({n}, dtype=int)",
        "np.full(({n}, 2), 0.5)", "np.ones(({n}, 2))", "np.full({n}, -1)", "np.arange({n})", "['a'] * {n}",
        "[nan] * {n}", "np.full(({n}, 2), 1e300)",
    ),
    "groups": (
        "None", "['a', 'b'] * ({m} // 2) + ['c'] * ({m} % 2)", "[0] * {m}", "[0]", "[nan] * {m}", "[None] * {m}",
        "[{}] * {m}",
    ),
    "families": (
        "None", "'gaussian'", "'poisson'", "'bernoulli'", "'categorical'", "['gaussian']", "{'f0': 'poisson'}",
        "{'zz': 'gaussian'}", "'x'", "[1]", "{'f0': []}",
    ),
    "prior_mean": (
        "'data'", "'zero'", "[0.0] * {m}", "[1e200] * {m}", "[nan] * {m}", "[0.0]", "['a'] * {m}", "[1e70] * {m}",
    ),
    "divergence": ("'kl'", "'l2'", "'i-divergence'", "'mahalanobis'", OWN_DIVERGENCE, "object()", "5"),
    "random_state": (
        "0", "7", "np.random.RandomState(3)", "np.random.default_rng(3)", "np.int64(5)", "2**32 - 1", "None",
    ),
    "name": ("'eac'", "'bce'", "'bce-rows'", "'unknown'"),
    "verbose": ("False", "True", "1", "0"),
    "n_jobs": ("None", "1", "2", "-1", "0", "-9", "np.int64(2)", "10**30"),
    "noise": ("0.0", "0.1", "1.0", "[0.1, 0.5]", "(0.0, 1.0)", "[]", "[2.0]", "['a']", "[nan]", "'singleton'"),
    "stop_words": ("'english'", "None", "['a']", "'x'", "5", "[1]", "{'a'}"),
    "min_documents": ("1", "2", "1", "0", "40", "0.5"),
    "n_classes": ("2", "3", "0", "1", "-1", "2.5"),
    "clusterers": (
        "['kmeans']", "['single', 'average', 'complete', 'ward', 'centroid']", "['spectral']", "['fuzzy']",
        "['affinity']", "['metis']", "['gmm']", "[]", "['x']", "[partita.DPMeans()]", "[partita.EAC]", "[5]",
        "{'a': partita.DPMeans(n_clusters=2)}", "'kmeans'", "['kmeans', 'kmeans']",
    ),
    "base": (
        "partita.KMeansEnsemble(3)", "partita.MixedEnsemble(['kmeans', 'single'], 2, n_repeats=1)", "['kmeans']",
        "partita.DPMeans()", "'kmeans'", "5", "partita.KMeansEnsemble", "partita.NoisyEnsemble(3)", "partita.EAC()",
        "[]", "partita.SampledEnsemble(2)", "object()",
    ),
    "consensus": (
        "partita.EAC()", "partita.PCC(2)", "partita.BCE(2, n_init=2)", "partita.MCLA(2)", "partita.EAC", "'eac'", "5",
        "partita.NBCE('vb', n_init=1)", "partita.KMeansEnsemble(3)", "partita.DPMeans(1.0)", "object()",
    ),
}  # fmt: skip

# Arguments of functions that hold neither labels nor features.
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "lams": ("None", "[1.0, 2.0]", "[0.0]", "[-1.0]", "[nan]", "[]", "[1e300]", "5", "'x'", "[5e-324]"),
    "methods": (
        "None", "[partita.EAC()]", "{'a': partita.MCLA(2)}", "[]", "{}", "[5]", "[partita.EAC]", "{'a': 5}",
        "[partita.BCE(2, n_init=1), partita.EAC(2)]", "[partita.KMeansEnsemble()]",
    ),
    "grid": ("None", "[0.0, 0.5, 1.0]", "[]", "[nan]", "[2.0, -1.0]", "'x'", "5", "[[0.5]]"),
    "thresholds": (
        "(0.1, 0.9)", "'senbabaoglu'", "'strict'", "(0.9, 0.1)", "(0.5, 0.5)", "(nan, 1.0)", "0.5", "'x'", "(0, 1, 2)",
    ),
    "pairs": (
        "None", "0.5", "3", "[[0, 1]]", "sp.eye({n}, format='csr')", "0", "[[0, 99]]", "nan", "'x'", "10**9",
        "[[-1, 0]]", "np.empty((0, 2))",
    ),
    "dissimilarity": (
        "1 - partita.coassociation(np.arange({n})[:, None] // 2).similarity()", "np.zeros(({n}, {n}))",
        "np.abs(np.subtract.outer(np.arange({n}.0), np.arange({n})))", "np.full(({n}, {n}), 1e300)", "[['a']]", "5",
        "np.zeros(({n}, 2))", "[[0.0, nan], [nan, 0.0]]", "np.arange({n} ** 2.0).reshape({n}, {n})",
    ),
    "documents": (
        "['stars are bright', 'a cluster of stars', 'Clusters'] * {n}", "['', '1 2 3']", "['über Größe'] * {n}", "[]",
        "None", "'text'", "[None]", "[1]", "5", "np.array(['a b', 'cluster'])", "pd.Series(['stars', 'cluster'])",
    ),
    "numbers of clusters": ("None", "(2, 3)", "[2]", "2", "(1, 4)", "[2, 3]", "(5, 2)", "range(2, 4)", "(2,)"),
}  # fmt: skip
