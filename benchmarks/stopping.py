"""How long a fit goes on after it was cancelled: the longest delay of three fits of every method, generator and step.

Each fit runs in a thread of its own and is cancelled after 0.3, 1 and 2.5 seconds, unless it ends before. Nearly all
rows differ, which is the hardest case for methods that work on distinct rows. ``seconds`` is the time of all fits
together, ``delay`` the longest time from the flag to the error, ``cancelled`` how many of the three were.
"""

import threading
import time
import warnings
from itertools import takewhile
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs

import partita
from benchmarks._ensembles import noisy_ensemble
from benchmarks._harness import Benchmark, Case, Contestant
from partita._labels.membership import one_hot
from partita.consensus._methods import METHODS
from partita.consensus._registered import new_estimator
from partita.exceptions import Cancelled

_MOMENTS = (0.3, 1.0, 2.5)
_K = 8
_SIZES = (1_000, 5_000, 20_000, 100_000)
# Most objects whose rows may all differ: matrices of all pairs of rows, decompositions of these, steps of O(r k)
_OF_PAIRS = ("eac", "multi-eac", "robust", "lwea", "lce", "cspa", "pcc", "constrained-nmf", "gbce", "hgpa")
_MOST = dict.fromkeys(_OF_PAIRS, 20_000)
_MOST |= dict.fromkeys(("drec", "pta", "ptgp", "peace", "baum-eagon", "aspect", "soft-cspa"), 5_000)
_VARIANTS = {
    "pcc, l2": ("pcc", {"divergence": "l2"}, 100_000),
    "pcc, greedy": ("pcc", {"solver": "greedy"}, 20_000),
    "eac, single": ("eac", {"linkage": "single"}, 100_000),
    "eac, ward": ("eac", {"linkage": "ward"}, 20_000),
    "nbce, vb": ("nbce", {"inference": "vb"}, 100_000),
    "nbce, cvb": ("nbce", {"inference": "cvb"}, 100_000),
    "bce, gibbs": ("bce", {"inference": "gibbs"}, 100_000),
    "median, vi": ("median", {"loss": "vi"}, 100_000),
    "lwgp, k found": ("lwgp", {"n_clusters": None}, 100_000),
    "ecpcs, tree": ("ecpcs", {"output": "tree"}, 20_000),
    "lce, cut": ("lce", {"output": "cut"}, 100_000),
    "lce, srs": ("lce", {"similarity": "srs"}, 20_000),
    "cspa, pairs": ("cspa", {"pairs": 20, "partitioner": "spectral"}, 20_000),
    "hbgf, metis": ("hbgf", {"partitioner": "metis"}, 20_000),
    "label-kmeans, raw": ("label-kmeans", {"coding": "raw"}, 100_000),
}
_GENERATORS = ("KMeansEnsemble", "AnchorEnsemble", "USpecEnsemble", "ProjectionEnsemble", "WeakEnsemble")
_OF_FEATURES = (*_GENERATORS, "MixedEnsemble", "DPMeans", "DPGaussianMixture", "ConsensusClustering")


def delay_after(run: Any, seconds: float) -> float | None:
    """Seconds from the flag to the error; None if the work was done before."""
    flag, ended, failed = threading.Event(), [], []

    def work() -> None:
        with warnings.catch_warnings(), partita.limits(cancel=flag):
            warnings.simplefilter("ignore")
            try:
                run()
            except Cancelled:
                ended.append(time.perf_counter())
            except Exception as error:
                failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(seconds)
    flag.set()
    begin = time.perf_counter()
    thread.join()
    if failed:
        raise failed[0]
    return ended[0] - begin if ended else None


def _longest(run: Any) -> dict[str, Any]:
    delays = list(takewhile(lambda delay: delay is not None, (delay_after(run, seconds) for seconds in _MOMENTS)))
    return {"delay": round(max(delays), 2) if delays else "-", "cancelled": len(delays)}


def _of_method(name: str, method: str, options: dict[str, Any]) -> Contestant:
    def run(X: Any) -> dict[str, Any]:
        estimator = new_estimator(method)
        known = estimator.get_params(deep=False)
        given = {"n_clusters": _K, "random_state": 0, **options}
        estimator.set_params(**{option: value for option, value in given.items() if option in known})
        return _longest(lambda: estimator.fit(X))

    return Contestant(name, run, repeat=1)


def _soft(n: int) -> list[Any]:
    rng = np.random.default_rng(0)
    return [
        0.8 * one_hot(column, 8) + 0.2 * rng.dirichlet(np.ones(8), size=n)
        for column in noisy_ensemble(n, 20, flip=0.5).T
    ]


def _labels(n: int) -> Case:
    rows = [row for row in METHODS.values() if not row.for_soft and n <= _MOST.get(row.name, 100_000)]
    contestants = [_of_method(row.name, row.name, {}) for row in rows]
    contestants += [
        _of_method(name, method, options) for name, (method, options, most) in _VARIANTS.items() if n <= most
    ]
    return _case(f"{n:,} x 20", lambda: noisy_ensemble(n, 20, flip=0.5), contestants)


def _soft_labels(n: int) -> Case:
    rows = [row for row in METHODS.values() if row.for_soft and n <= _MOST.get(row.name, 100_000)]
    return _case(f"{n:,} x 20 soft", lambda: _soft(n), [_of_method(row.name, row.name, {}) for row in rows])


def _features(n: int) -> Case:
    def of(name: str) -> Contestant:
        make = getattr(partita, name)
        return Contestant(name, lambda X: _longest(lambda: make(random_state=0).fit(X)), repeat=1)

    def prepare() -> Any:
        return make_blobs(n, n_features=10, centers=_K, cluster_std=3.0, random_state=0)[0]

    names = [name for name in _OF_FEATURES if n <= 5_000 or name != "MixedEnsemble"]
    return _case(f"features, {n:,} x 10", prepare, [of(name) for name in names])


def _report(result: Any) -> Any:
    with TemporaryDirectory() as folder:
        return result.report(f"{folder}/report.html")


def _results(n: int) -> Case:
    steps = {
        "stability": lambda result: result.stability(random_state=0),
        "compare": lambda result: result.compare(random_state=0),
        "report": _report,
    }
    contestants = [
        Contestant(name, lambda result, step=step: _longest(lambda: step(result)), repeat=1)
        for name, step in steps.items()
    ]
    return _case(
        f"result, {n:,} x 20", lambda: partita.combine(noisy_ensemble(n, 20, flip=0.5), random_state=0), contestants
    )


def _case(name: str, prepare: Any, contestants: list[Contestant]) -> Case:
    return Case(name, prepare, contestants, answer=lambda value: value, agree=False)


BENCHMARK: Benchmark = [
    *(_labels(n) for n in _SIZES),
    *(_soft_labels(n) for n in (1_000, 20_000)),
    *(_features(n) for n in (5_000, 100_000)),
    *(_results(n) for n in (1_000, 20_000)),
]
