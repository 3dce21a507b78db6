"""Random calls of every function: metrics, selection, recipes, text."""

import inspect
from collections.abc import Callable
from operator import attrgetter

import partita
from tests.fuzz.draws import (
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
from tests.fuzz.estimators import Drawn
from tests.fuzz.examples import ARGUMENTS
from tests.fuzz.parameters import draw_parameters, example, needed_by, parameters_of, written

_PARTITIONS = ("labels_true", "labels_pred", "labels", "reference")
_SAMPLES = ("a", "b", "x", "log_likelihood")
_MEMBERSHIPS = ("membership", "membership_true", "membership_pred")
# How data are drawn, by the name that they have in the signature; (rng, objects, columns) gives an expression.
_DATA: dict[str, Callable[[Rng, int, int], str]] = {
    "X": lambda rng, n, m: draw_labels(rng, n, m)[0],
    "features": draw_features,
    "y": lambda rng, n, m: draw_partition(rng, n) if chance(rng, 0.5) else draw_numbers(rng, n),
    **dict.fromkeys(_PARTITIONS, lambda rng, n, m: draw_partition(rng, _nearly(rng, n))),
    **dict.fromkeys(_SAMPLES, lambda rng, n, m: draw_numbers(rng, _nearly(rng, n))),
    **dict.fromkeys(_MEMBERSHIPS, lambda rng, n, m: draw_membership(rng, _nearly(rng, n))),
}
_X_IS_FEATURES = {
    "calinski_harabasz_score", "davies_bouldin_score", "dunn_score", "dunn_scores", "silhouette_score",
    "silhouette_samples", "validity_report", "rank_features", "dp_means_path",
}  # fmt: skip
_RANGES = ("choose_n_clusters", "dp_means_path")  # n_clusters are several numbers


def _nearly(rng: Rng, n: int) -> int:
    """The number of objects; in some calls another one."""
    return n if chance(rng, 0.95) else n + 1


def _argument(rng: Rng, function: str, name: str, n: int, m: int) -> str:
    if name in ARGUMENTS:
        return example(rng, ARGUMENTS[name], n, m)
    of_features = name == "X" and (function in _X_IS_FEATURES or (function == "choose_n_clusters" and chance(rng, 0.5)))
    return _DATA["features" if of_features else name](rng, n, m)


def _function(path: str) -> Callable[[Rng], Drawn]:
    """A function of partita, whose options are drawn by their types."""
    function = attrgetter(path)(partita)
    name = path.rsplit(".", 1)[-1]
    data = [known for known in parameters_of(function) if known in {**_DATA, **ARGUMENTS}]

    def draw(rng: Rng) -> Drawn:
        n, m = draw_size(rng), int(rng.integers(1, 9))
        used = [known for known in data if known in needed_by(function) or chance(rng, 0.4)]
        arguments = {known: _argument(rng, name, known, n, m) for known in used}
        options = draw_parameters(rng, function, n, m, skip=tuple(data))
        if name in _RANGES and "n_clusters" in options:
            options["n_clusters"] = example(rng, ARGUMENTS["numbers of clusters"], n, m)
        result = f"partita.{path}({written({**{known: known for known in used}, **options})})"
        return arguments, [f"result = list({result})" if options.get("form") == "'blocks'" else f"result = {result}"]

    return draw


def _recipe(rng: Rng) -> Drawn:
    from partita.experiments import RECIPES

    name = pick(rng, *RECIPES)
    n, m = draw_size(rng), int(rng.integers(1, 9))
    made_from = RECIPES[name].made_from
    X = {"features": draw_features(rng, n, m), "labels": draw_labels(rng, n, m)[0], "nothing": "None"}[made_from]
    options = draw_parameters(rng, RECIPES[name].make, n, m, skip=("X", "run"))
    shown = name if chance(rng, 0.97) else "unknown"
    return {"X": X}, [f"result = partita.ensemble_recipe({shown!r}, X, {written({'random_state': '0', **options})})"]


def _text(rng: Rng) -> Drawn:
    options = draw_parameters(rng, partita.make_text_features, 3, 1)
    options.setdefault("min_documents", "1")
    documents, new = (example(rng, ARGUMENTS["documents"], draw_size(rng), 1) for _ in range(2))
    made = f"model = partita.make_text_features({written(options)})"
    return {"documents": documents, "new": new}, [
        made,
        "made = model.fit_transform(documents)",
        "made_of_new = model.transform(new)",
    ]


_WAYS = ("'auto'", "'eac'", "'pcc'", "'MCLA'", "'lwgp'", "'usenc'", "'soft-lwgp'", "'bce'", "'unknown'", "5", "None")


def _combine(rng: Rng) -> Drawn:
    """Labels, or soft clusterings, to what a result tells."""
    n, m = draw_size(rng), int(rng.integers(1, 9))
    options = draw_parameters(rng, partita.combine, n, m, skip=("labels", "method", "n_clusters", "sample_weight"))
    if chance(rng, 0.5):
        options["n_clusters"] = pick(rng, "2", "'auto'", "None", "1", f"{n} + 1", "2.0", "'two'")
    if chance(rng, 0.4):
        options["method"] = pick(rng, *_WAYS, "partita.EAC(2)", "partita.LWGP(max_clusters=3)", "partita.LWGP")
    if chance(rng, 0.4):
        options["sample_weight"] = draw_weights(rng, n)
    soft = f"[{', '.join(draw_membership(rng, n) for _ in range(m))}]"
    labels = draw_labels(rng, n, m)[0] if chance(rng, 0.8) else soft
    told = [
        "labels_of_it = result.labels",
        "frame = result.to_frame()",
        "text = result.to_json()",
        "words = str(result)",
    ]
    taken = ["again = pickle.loads(pickle.dumps(result)).to_json() == text", "del result"]
    return {"labels": labels}, [f"result = partita.combine(labels, {written(options)})", *told, *taken]


METRICS = {
    f"metrics.{name}": _function(f"metrics.{name}")
    for name in partita.metrics.__all__
    if inspect.isfunction(getattr(partita.metrics, name))
}
_OF_ENSEMBLES = ("align_labels", "diversity", "enough_clusterings", "resolution_tree", "select_clusterings")
_OTHERS = (
    "check_label_matrix",
    "lac_memberships",
    "majority_vote",
    "supra_consensus",
    "dp_means_path",
    "choose_n_clusters",
)
_OF_EXPERIMENTS = ("mann_whitney_critical_table", "mann_whitney_critical_value", "recipe_input")
FUNCTIONS = {
    **{name: _function(name) for name in (*_OTHERS, *_OF_ENSEMBLES)},
    **{f"experiments.{name}": _function(f"experiments.{name}") for name in _OF_EXPERIMENTS},
    "ensemble_recipe": _recipe,
    "make_text_features": _text,
    "combine": _combine,
}
