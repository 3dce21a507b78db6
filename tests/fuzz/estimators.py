"""Random fits of every estimator, and what a fitted model is asked: of its own objects, then of new ones."""

from collections.abc import Callable
from typing import Any

import partita
from partita.consensus._methods import METHODS
from tests.fuzz.draws import (
    Rng,
    chance,
    draw_features,
    draw_labels,
    draw_membership,
    draw_partition,
    draw_size,
    draw_weights,
    pick,
)
from tests.fuzz.examples import OWN_DIVERGENCE
from tests.fuzz.parameters import draw_parameters, written

Drawn = tuple[dict[str, str], list[str]]  # arguments by name, and statements
_ASKED = ("predict_proba", "score_samples", "score", "perplexity")


# ------------------------------------------------------------------------------------------------- consensus estimators
def _consensus(name: str, *, soft: bool) -> Callable[[Rng], Drawn]:
    estimator = getattr(partita, name)

    def draw(rng: Rng) -> Drawn:
        n, m = draw_size(rng), int(rng.integers(1, 9))
        X, new = _soft_clusterings(rng, n, m) if soft and chance(rng, 0.5) else draw_labels(rng, n, m)
        arguments = {"X": X, "new": new, "sample_weight": draw_weights(rng, n)}
        features = name == "GBCE" and chance(rng, 0.6)
        if features:
            d = int(rng.integers(1, 4))
            arguments |= {"F": _mixed_features(rng, n, d), "new_F": _mixed_features(rng, draw_size(rng), d)}
        made = f"model = partita.{name}({written(draw_parameters(rng, estimator, n, m))})"
        fit = f"model.fit(X, sample_weight=sample_weight{', features=F' if features else ''})"
        return arguments, [made, fit, *_uses(rng, estimator, made, features=features)]

    return draw


def _uses(rng: Rng, estimator: Any, made: str, *, features: bool = False) -> list[str]:
    """What a fitted model is asked; ``made`` is the statement that makes it."""
    asked = [how for how in ("predict", *_ASKED) if hasattr(estimator, how)]
    of_X, of_new = ("X, features=F", "new, features=new_F") if features else ("X", "new")
    steps = [_question(estimator, f"{how}_of_X", how, of_X) for how in asked]
    if chance(rng, 0.1) and OWN_DIVERGENCE not in made:
        steps.append("model = pickle.loads(pickle.dumps(model))")
    return steps + [_question(estimator, f"{how}_of_new", how, of_new) for how in asked]


def _question(estimator: Any, name: str, how: str, of: str) -> str:
    if estimator is partita.GBCE and how == "perplexity":
        of = of.split(",")[0]  # of labels alone
    # methods of ConsensusClustering exist if its consensus has them
    condition = f"if hasattr(model, {how!r}): " if estimator is partita.ConsensusClustering else ""
    return f"{condition}{name} = model.{how}({of})"


def _soft_clusterings(rng: Rng, n: int, m: int) -> tuple[str, str]:
    of_fit = [draw_membership(rng, n) for _ in range(m)]
    of_new = of_fit if chance(rng, 0.5) else [draw_membership(rng, n) for _ in range(m)]
    return f"[{', '.join(of_fit)}]", f"[{', '.join(of_new)}]"


def _mixed_features(rng: Rng, n: int, d: int) -> str:
    """Features beside labels: numbers with holes, categories, counts."""
    if chance(rng, 0.4):
        return draw_features(rng, n, d)
    numbers = rng.normal(size=n).round(2) * float(pick(rng, 1.0, 1e-200, 1e160, 100.0))
    columns: dict[str, list[Any]] = {
        "f0": [float("nan") if chance(rng, 0.2) else float(value) for value in numbers],
        "f1": [pick(rng, "a", "b", None) for _ in range(n)],
        "f2": rng.integers(0, 3, size=n).tolist(),
    }
    frame = f"pd.DataFrame({dict(list(columns.items())[:d])!r})"
    return f"{frame}.rename(columns={{'f1': 'f0'}})" if chance(rng, 0.1) else frame


# --------------------------------------------------------------------------------------------- estimators of features
def _of_features(name: str) -> Callable[[Rng], Drawn]:
    estimator = getattr(partita, name)

    def draw(rng: Rng) -> Drawn:
        n, d = draw_size(rng), int(rng.integers(1, 9))
        of_new = draw_features(rng, draw_size(rng), d if chance(rng, 0.95) else d + 1)
        made = f"model = partita.{name}({written(draw_parameters(rng, estimator, n, d))})"
        uses = (
            _generates("X", "new")
            if hasattr(estimator, "transform")
            else ["model.fit(X)", *_uses(rng, estimator, made)]
        )
        return {"X": draw_features(rng, n, d), "new": of_new}, [made, *uses]

    return draw


def _generates(*data: str) -> list[str]:
    again = [f"made_of_{name} = model.transform({name})" for name in data]
    return [f"made = model.fit_transform({data[0]})", *again, "manifest = model.manifest_"]


def _of_labels(name: str) -> Callable[[Rng], Drawn]:
    estimator = getattr(partita, name)

    def draw(rng: Rng) -> Drawn:
        n = draw_size(rng)
        labels = draw_labels(rng, n, int(rng.integers(1, 3)))[0]
        partition = f"np.reshape({draw_partition(rng, n)}, (-1, 1))" if chance(rng, 0.5) else labels
        X = partition if name == "NoisyEnsemble" else draw_membership(rng, n)
        made = f"model = partita.{name}({written(draw_parameters(rng, estimator, n, 1))})"
        return {"X": X}, [made, *_generates("X")]

    return draw


CONSENSUS = {method.estimator: _consensus(method.estimator, soft=method.for_soft) for method in METHODS.values()}
_FROM_FEATURES = (
    "DPMeans", "DPGaussianMixture", "KMeansEnsemble", "MixedEnsemble", "ConsensusClustering", "USpecEnsemble",
    "AnchorEnsemble", "ProjectionEnsemble", "WeakEnsemble",
)  # fmt: skip
OTHER_ESTIMATORS = {
    **{name: _of_features(name) for name in _FROM_FEATURES},
    **{name: _of_labels(name) for name in ("NoisyEnsemble", "SampledEnsemble")},
}
