"""Random calls of everything public: each is a list of statements with its arguments."""

import inspect
import pickle
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import partita
from partita.consensus._methods import METHODS
from tests.fuzz.draws import (
    CONTAINERS,
    NAMES,
    Rng,
    chance,
    draw_features,
    draw_labels,
    draw_membership,
    draw_numbers,
    draw_partition,
    draw_size,
    draw_weights,
    pick,
)
from tests.fuzz.files import FILES
from tests.fuzz.parameters import draw_parameters

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz"))  # for the files of calls


class Call(NamedTuple):
    """Arguments by name, and the statements that use them; each argument and statement is Python."""

    target: str
    arguments: dict[str, str]
    steps: list[str]

    def as_python(self) -> str:
        """The call as a script."""
        lines = [f"{name} = {text}" for name, text in self.arguments.items()]
        return "\n".join([*lines, *self.steps])


def names() -> dict[str, Any]:
    """What the statements of a call may use."""
    return {**NAMES, "pickle": pickle, "folder": FOLDER}


def draw_call(target: str, seed: int, number: int) -> Call:
    """The call of this number; the same for the same seed."""
    rng = np.random.default_rng([seed, zlib.crc32(target.encode()), number])
    return Call(target, *TARGETS[target](rng))


Drawn = tuple[dict[str, str], list[str]]


def _written(parameters: dict[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in parameters.items())


# ------------------------------------------------------------------------------------------------- consensus estimators
def _consensus(name: str) -> Callable[[Rng], Drawn]:
    estimator = getattr(partita, name)
    soft = METHODS_BY_ESTIMATOR[name].for_soft

    def draw(rng: Rng) -> Drawn:
        n, m = draw_size(rng), int(rng.integers(1, 9))
        X, new = _soft_clusterings(rng, n, m) if soft and chance(rng, 0.5) else draw_labels(rng, n, m)
        arguments = {"X": X, "new": new, "sample_weight": draw_weights(rng, n)}
        extra = ""
        if name == "GBCE" and chance(rng, 0.6):
            d = int(rng.integers(1, 4))
            arguments |= {"F": _mixed_features(rng, n, d), "new_F": _mixed_features(rng, draw_size(rng), d)}
            extra = ", features=F"
        parameters = draw_parameters(rng, estimator, n, m)
        steps = [f"model = partita.{name}({_written(parameters)})", f"model.fit(X, sample_weight=sample_weight{extra})"]
        return arguments, steps + _uses(rng, estimator, extra)

    return draw


def _uses(rng: Rng, estimator: Any, extra: str = "") -> list[str]:
    """What a fitted model is asked: first of the objects it knows, then of new ones."""
    steps = ["again = model.predict(X)"] if not extra and hasattr(estimator, "predict") else []
    of_new = f"new{extra.replace('F', 'new_F')}"
    asked = [how for how in ("predict_proba", "score_samples", "score", "perplexity") if hasattr(estimator, how)]
    steps += [_asked(estimator, f"{how}_of_X", how, "X") for how in asked if not extra]
    if chance(rng, 0.1):
        steps.append("model = pickle.loads(pickle.dumps(model))")
    return steps + [_asked(estimator, f"{how}_of_new", how, of_new) for how in ["predict", *asked] if hasattr(estimator, how)]


def _asked(estimator: Any, name: str, how: str, of: str) -> str:
    """A method of a fitted model; that of ConsensusClustering exists if its consensus has it."""
    condition = f"if hasattr(model, {how!r}): " if estimator is partita.ConsensusClustering else ""
    return f"{condition}{name} = model.{how}({of})"


def _soft_clusterings(rng: Rng, n: int, m: int) -> tuple[str, str]:
    of_fit = [draw_membership(rng, n) for _ in range(m)]
    of_new = of_fit if chance(rng, 0.5) else [draw_membership(rng, n) for _ in range(m)]
    return f"[{', '.join(of_fit)}]", f"[{', '.join(of_new)}]"


def _mixed_features(rng: Rng, n: int, d: int) -> str:
    """Features beside labels: numbers with holes, categories, truth values."""
    if chance(rng, 0.4):
        return draw_features(rng, n, d)
    numbers = [float(value) for value in rng.normal(size=n).round(2) * float(pick(rng, 1.0, 1e-200, 1e160, 100.0))]
    holed = [float("nan") if chance(rng, 0.2) else value for value in numbers]
    columns = {
        "f0": holed,
        "f1": [pick(rng, "a", "b", None) for _ in range(n)],
        "f2": rng.integers(0, 3, size=n).tolist(),
    }
    frame = f"pd.DataFrame({dict(list(columns.items())[:d])!r})"
    return f"{frame}.rename(columns={{'f1': 'f0'}})" if chance(rng, 0.1) else frame


METHODS_BY_ESTIMATOR = {method.estimator: method for method in METHODS.values()}


# --------------------------------------------------------------------------------------------- estimators of features
def _of_features(name: str) -> Callable[[Rng], Drawn]:
    estimator = getattr(partita, name)

    def draw(rng: Rng) -> Drawn:
        n, d = draw_size(rng), int(rng.integers(1, 9))
        arguments = {
            "X": draw_features(rng, n, d),
            "new": draw_features(rng, draw_size(rng), d if chance(rng, 0.95) else d + 1),
        }
        parameters = draw_parameters(
            rng, estimator, n, d, skip=("base", "consensus", "clusterers") if name != "DPGaussianMixture" else ()
        )
        parameters |= {
            name: _part(rng, name)
            for name in ("base", "consensus", "clusterers")
            if name in _parameters_of(estimator) and name not in parameters and chance(rng, 0.6)
        }
        steps = [f"model = partita.{name}({_written(parameters)})"]
        if hasattr(estimator, "transform"):
            return arguments, [
                *steps,
                "made = model.fit_transform(X)",
                "made_again = model.transform(X)",
                "made_of_new = model.transform(new)",
            ]
        return arguments, [*steps, "model.fit(X)", *_uses(rng, estimator)]

    return draw


def _parameters_of(of: Any) -> list[str]:
    return list(inspect.signature(of).parameters)


_PARTS = {
    "clusterers": (
        "['kmeans']", "['single', 'average', 'complete', 'ward', 'centroid']", "['spectral']", "['fuzzy']", "['affinity']", "['metis']", "['gmm']",
        "[]", "['x']", "[partita.DPMeans()]", "{'a': partita.DPMeans(n_clusters=2)}", "[partita.EAC]", "[5]", "'kmeans'", "['kmeans', 'kmeans']",
    ),
    "base": (
        "partita.KMeansEnsemble(3)", "partita.MixedEnsemble(['kmeans', 'single'], 2, n_repeats=1)", "['kmeans']", "partita.DPMeans()", "'kmeans'", "5",
        "partita.KMeansEnsemble", "partita.NoisyEnsemble(3)", "partita.EAC()", "[]", "partita.SampledEnsemble(2)", "object()",
    ),
    "consensus": (
        "partita.EAC()", "partita.PCC(2)", "partita.BCE(2, n_init=2)", "partita.MCLA(2)", "partita.NBCE('vb', n_init=1)", "partita.EAC", "'eac'", "5",
        "partita.KMeansEnsemble(3)", "partita.DPMeans(1.0)", "partita.DPGaussianMixture(n_sweeps=3)", "'map'", "object()",
    ),
}  # fmt: skip


def _part(rng: Rng, name: str) -> str:
    return str(pick(rng, *_PARTS[name]))


# ------------------------------------------------------------------------------------------------ functions and metrics
def _inputs(rng: Rng, name: str, n: int, m: int) -> str:
    """An argument that holds data, by the name that it has in the signature."""
    labels = draw_labels(rng, n, m)[0]
    return {
        "labels_true": lambda: draw_partition(rng, n),
        "labels_pred": lambda: draw_partition(rng, n if chance(rng, 0.95) else n + 1),
        "labels": lambda: draw_partition(rng, n if chance(rng, 0.95) else n + 1),
        "y": lambda: draw_partition(rng, n) if chance(rng, 0.5) else draw_numbers(rng, draw_size(rng)),
        "X": lambda: labels,
        "F": lambda: draw_features(rng, n, m),
        "features": lambda: draw_features(rng, n, m),
        "membership": lambda: draw_membership(rng, n),
        "membership_true": lambda: draw_membership(rng, n),
        "membership_pred": lambda: draw_membership(rng, n),
        "dissimilarity": lambda: pick(rng, f"1 - partita.coassociation({CONTAINERS['int64'](np.zeros((n, 1), int))}).similarity()", f"np.abs(np.subtract.outer(np.arange({n}.0), np.arange({n})))", draw_features(rng, n, n)),
        "log_likelihood": lambda: draw_numbers(rng, n),
        **{sample: (lambda: draw_numbers(rng, n if chance(rng, 0.8) else draw_size(rng))) for sample in ("a", "b", "x")},
        "documents": lambda: repr([pick(rng, "stars are bright", "a cluster of stars", "", "Clusters", "über Größe", "1 2 3") for _ in range(n)]) if chance(rng, 0.8) else pick(rng, "None", "'text'", "[None]", "[1]", "[]", "5"),
        "n_clusters": lambda: pick(rng, "None", "(2, 3)", "[2]", "2", "(1, 4)", "[2, 3]", "(5, 2)", "range(2, 4)", "(2,)"),
        "lams": lambda: pick(rng, "None", "[1.0, 2.0]", "[0.0]", "[-1.0]", "[nan]", "[]", "[1e300]", "5", "'x'", "[5e-324]"),
        "methods": lambda: pick(rng, "None", "[partita.EAC()]", "{'a': partita.MCLA(2)}", "[]", "{}", "[5]", "[partita.EAC]", "{'a': 5}", "[partita.BCE(2, n_init=1), partita.EAC(2)]", "[partita.KMeansEnsemble()]"),
        "grid": lambda: pick(rng, "None", "[0.0, 0.5, 1.0]", "[]", "[nan]", "[2.0, -1.0]", "'x'", "5", "[[0.5]]"),
        "thresholds": lambda: pick(rng, "(0.1, 0.9)", "'senbabaoglu'", "'strict'", "(0.9, 0.1)", "(0.5, 0.5)", "(nan, 1.0)", "0.5", "'x'", "(0, 1, 2)"),
        "pairs": lambda: pick(rng, "None", "0.5", "3", "[[0, 1]]", f"sp.eye({n}, format='csr')", "0", "[[0, 99]]", "nan", "'x'", "10**9", "[[-1, 0]]", "np.empty((0, 2))"),
    }[name]()  # fmt: skip


_DATA = {
    "labels_true", "labels_pred", "labels", "y", "X", "features", "membership", "membership_true", "membership_pred", "dissimilarity", "log_likelihood",
    "a", "b", "x", "lams", "methods", "grid", "thresholds", "pairs", "documents",
}  # fmt: skip
_FEATURES_AS_X = {
    "calinski_harabasz_score", "davies_bouldin_score", "dunn_score", "dunn_scores", "silhouette_score", "silhouette_samples", "validity_report",
    "rank_features", "dp_means_path",
}  # fmt: skip


def _function(path: str) -> Callable[[Rng], Drawn]:
    """A function whose data have one of the names of ``_inputs``, and whose options are drawn by their types."""
    name = path.rsplit(".", 1)[-1]
    function = partita
    for part in path.split(".")[1:]:
        function = getattr(function, part)
    given = _parameters_of(function)

    def draw(rng: Rng) -> Drawn:
        n, m = draw_size(rng), int(rng.integers(1, 9))
        needed = [p for p in given if inspect.signature(function).parameters[p].default is inspect.Parameter.empty]
        used = [p for p in given if p in _DATA and (p in needed or chance(rng, 0.4))]
        arguments = {p: _inputs(rng, "F" if p == "X" and name in _FEATURES_AS_X else p, n, m) for p in used}
        options = draw_parameters(rng, function, n, m, skip=(*_DATA, "options", "consensus", "base"))
        if name in ("choose_n_clusters", "dp_means_path") and "n_clusters" in options:
            options["n_clusters"] = _inputs(rng, "n_clusters", n, m)
        options |= {p: _part(rng, p) for p in given if p in ("base", "consensus") and chance(rng, 0.3)}
        result = f"{path}({_written({**{p: p for p in used}, **options})})"
        return arguments, [f"result = list({result})" if options.get("form") == "'blocks'" else f"result = {result}"]

    return draw


def _choose(rng: Rng) -> Drawn:
    arguments, steps = _function("partita.choose_n_clusters")(rng)
    if chance(rng, 0.5):
        arguments["X"] = draw_features(rng, draw_size(rng), int(rng.integers(1, 5)))
    return arguments, steps


def _recipe(rng: Rng) -> Drawn:
    from partita.experiments import RECIPES

    name = pick(rng, *RECIPES)
    n, m = draw_size(rng), int(rng.integers(1, 9))
    X = {"features": draw_features(rng, n, m), "labels": draw_labels(rng, n, m)[0], "nothing": "None"}[
        RECIPES[name].made_from
    ]
    options = draw_parameters(rng, RECIPES[name].make, n, m, skip=("X", "run"))
    options |= {
        o: str(pick(rng, "2", "3", "0", "1", "-1", "2.5"))
        for o in ("n_classes", "n_clusters")
        if o in _parameters_of(RECIPES[name].make) and o not in options
    }
    shown = repr(name if chance(rng, 0.97) else "unknown")
    return {"X": X}, [
        f"result = partita.ensemble_recipe({shown}, X, random_state=0{''.join(f', {o}={v}' for o, v in options.items())})"
    ]


def _text(rng: Rng) -> Drawn:
    options = draw_parameters(rng, partita.make_text_features, 3, 2) | {
        "min_documents": pick(rng, "1", "2", "1", "0", "40", "0.5")
    }
    options["stop_words"] = pick(rng, "'english'", "None", "['a']", "'x'", "5", "[1]", "{'a'}")
    new = _inputs(rng, "documents", 3, 1)
    return {"documents": _inputs(rng, "documents", draw_size(rng), 1), "new": new}, [
        f"model = partita.make_text_features({_written(options)})", "result = model.fit_transform(documents)", "made_of_new = model.transform(new)"
    ]  # fmt: skip


def _generator_of_labels(name: str) -> Callable[[Rng], Drawn]:
    def draw(rng: Rng) -> Drawn:
        n = draw_size(rng)
        partition = (
            f"np.reshape({draw_partition(rng, n)}, (-1, 1))"
            if chance(rng, 0.5)
            else draw_labels(rng, n, int(rng.integers(1, 3)))[0]
        )
        X = partition if name == "NoisyEnsemble" else draw_membership(rng, n)
        parameters = draw_parameters(rng, getattr(partita, name), n, 1)
        return {"X": X}, [
            f"model = partita.{name}({_written(parameters)})",
            "made = model.fit_transform(X)",
            "made_again = model.transform(X)",
        ]

    return draw


METRICS = {
    f"metrics.{name}": _function(f"partita.metrics.{name}")
    for name in partita.metrics.__all__
    if inspect.isfunction(getattr(partita.metrics, name))
}
CONSENSUS = {name: _consensus(name) for name in METHODS_BY_ESTIMATOR}
OTHER_ESTIMATORS = {
    **{
        name: _of_features(name)
        for name in ("DPMeans", "DPGaussianMixture", "KMeansEnsemble", "MixedEnsemble", "ConsensusClustering")
    },
    **{name: _generator_of_labels(name) for name in ("NoisyEnsemble", "SampledEnsemble")},
}
FUNCTIONS = {
    **{
        name: _function(f"partita.{name}")
        for name in ("check_label_matrix", "majority_vote", "supra_consensus", "dp_means_path")
    },
    "choose_n_clusters": _choose,
    "ensemble_recipe": _recipe,
    "make_text_features": _text,
    **{
        f"experiments.{name}": _function(f"partita.experiments.{name}")
        for name in ("mann_whitney_critical_table", "mann_whitney_critical_value")
    },
}
TARGETS: dict[str, Callable[[Rng], Drawn]] = {**CONSENSUS, **OTHER_ESTIMATORS, **FUNCTIONS, **METRICS, **FILES}
