"""What federation costs, and the two figures of the BCE paper that are about it.

``python -m benchmarks federated [--figure 5|6|exchange] [--quick]``. Figure 5: accuracy of BCE on the rows of P sites,
exact and by the paper's heuristic, beside distributed k-means on the labels. Figure 6: time of column-distributed EM
with the paper's messages and with ours, beside EM in one place; the time of a site counts once, as sites work at the
same time. "exchange": one E-step of 20,000 objects per site, plain and encrypted.
"""

import argparse
import time
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from partita import BCE, LabelKMeans
from partita.federated import simulate
from partita.federated._engine import InProcess

DATA = {"iris": datasets.load_iris, "wine": datasets.load_wine, "wdbc": datasets.load_breast_cancer}
CLUSTERINGS = (20, 60, 120, 240, 480, 960, 1440, 1920)  # of figure 6


def kmeans_labels(name: str, n_clusterings: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """k-means of the features with as many clusters as there are classes, as in the paper, and the classes."""
    data = DATA[name]()
    seeds = np.random.default_rng(seed).integers(2**31, size=n_clusterings)
    k = len(data.target_names)
    runs = [KMeans(k, init="random", n_init=1, random_state=int(one)).fit_predict(data.data) for one in seeds]
    return np.column_stack(runs), data.target


def precision(truth: np.ndarray, labels: np.ndarray) -> float:
    """The paper's measure: share of objects in the class that is most frequent in their cluster."""
    return sum(np.bincount(truth[labels == one]).max() for one in np.unique(labels)) / len(truth)


# ------------------------------------------------------------------------------------------------------------ figure 5
def rows_of_sites(n_sites: Iterable[int], repeats: int) -> None:
    """Accuracy for each number of sites: mean over ensembles of 20 clusterings."""
    methods = {
        "BCE, exact": lambda k: (BCE(k, random_state=0), {}),
        "BCE, heuristic": lambda k: (BCE(k, random_state=0), {"heuristic": True}),
        "k-means": lambda k: (LabelKMeans(k, random_state=0), {}),
    }
    print(f"{'data':<6} {'sites':>5}  " + "  ".join(f"{name:>24}" for name in methods))
    for name in DATA:
        ensembles = [kmeans_labels(name, 20, seed) for seed in range(repeats)]
        for n in n_sites:
            scores = [_score(X, truth, n, make) for make in methods.values() for X, truth in ensembles]
            means = np.array(scores).reshape(len(methods), repeats, 2).mean(axis=1)
            cells = "  ".join(f"MP {mp:.4f}, ARI {ari:8.4f}" for mp, ari in means)
            print(f"{name:<6} {n:>5}  {cells}", flush=True)


def _score(X: np.ndarray, truth: np.ndarray, n_sites: int, make: Any) -> tuple[float, float]:
    order = np.random.default_rng(0).permutation(len(X))
    estimator, options = make(len(np.unique(truth)))
    labels = simulate(estimator, [X[part] for part in np.array_split(order, n_sites)], **options).labels_
    return precision(truth[order], labels), adjusted_rand_score(truth[order], labels)


# ------------------------------------------------------------------------------------------------------------ figure 6
def time_of_columns(numbers: Iterable[int], max_iter: int) -> None:
    """Seconds of a whole fit with one clustering per site: in one place, by the paper's messages, by ours."""
    header = f"{'clusterings':>11} {'in one place':>13} {'paper':>9} {'ours':>9}"
    print(f"{header} {'one place / paper':>18} {'one place / ours':>17}   seconds")
    for n in numbers:
        X, truth = kmeans_labels("wdbc", n, 0)
        k = len(np.unique(truth))
        alone = _in_one_place(X, k, max_iter)
        paper, ours = (_by_columns(X, k, max_iter, paper=paper) for paper in (True, False))
        cells = f"{n:>11} {alone:>13.3f} {paper:>9.3f} {ours:>9.3f} {alone / paper:>18.2f} {alone / ours:>17.2f}"
        print(cells, flush=True)


def _in_one_place(X: np.ndarray, k: int, max_iter: int) -> float:
    start = time.perf_counter()
    BCE(k, n_init=1, max_iter=max_iter, random_state=0).fit(X)
    return time.perf_counter() - start


def _by_columns(X: np.ndarray, k: int, max_iter: int, *, paper: bool) -> float:
    """Time of the coordinator, and of the slowest site of every exchange."""
    at_sites, real = [0.0], InProcess.send

    def send(engine: InProcess, *given: Any) -> Any:
        start = time.perf_counter()
        try:
            return real(engine, *given)
        finally:
            at_sites[0] += time.perf_counter() - start

    InProcess.send = send  # type: ignore[method-assign]
    try:
        start = time.perf_counter()
        estimator = BCE(k, n_init=1, max_iter=max_iter, random_state=0)
        sites = [X[:, [j]] for j in range(X.shape[1])]
        found = simulate(estimator, sites, by="columns", accept_disclosure=True, paper=paper)
        wall = time.perf_counter() - start
    finally:
        InProcess.send = real  # type: ignore[method-assign]
    return wall - at_sites[0] + sum(one.seconds for one in found.exchanges_)


# ----------------------------------------------------------------------------------------------------------- exchange
def time_of_exchanges(n: int, k: int) -> None:
    """Seconds of the slowest site and bytes of one exchange, by rows and by columns, plain and encrypted."""
    rng = np.random.default_rng(0)
    truth = rng.integers(k, size=3 * n)
    flipped = rng.random((3 * n, 20)) < 0.2
    X = np.where(flipped, rng.integers(k, size=flipped.shape), truth[:, None])
    columns = np.array_split(X[:n], 3, axis=1)
    print(f"{n} objects per site, 3 sites, {k} clusters, 20 clusterings")
    for by, parts in (("rows", np.split(X, 3)), ("columns", columns)):
        for encrypted in (False, True):
            estimator = BCE(k, n_init=1, max_iter=3, tol=0.1, random_state=0)
            start = time.perf_counter()
            options = {"accept_disclosure": True} if by == "columns" else {}
            found = simulate(estimator, parts, by=by, encrypted=encrypted, **options)
            steps = [one for one in found.exchanges_ if one.question.startswith(("bce", "columns.bce", "column"))]
            seconds = [one.seconds for one in steps]
            print(
                f"{by:<8} {'encrypted' if encrypted else 'plain':<10} mean {np.mean(seconds):.3f} s,"
                f" longest {max(seconds):.3f} s, reply {max(one.bytes_received for one in steps) / 1e6:.2f} MB,"
                f" {len(found.exchanges_)} exchanges, {time.perf_counter() - start:.1f} s in all",
                flush=True,
            )


def main(arguments: list[str]) -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks federated", description=__doc__)
    parser.add_argument("--figure", choices=["5", "6", "exchange"], help="default all")
    parser.add_argument("--quick", action="store_true", help="fewer sites, clusterings and repeats")
    given = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # iterations are limited on purpose
        if given.figure in (None, "5"):
            rows_of_sites((1, 2, 5) if given.quick else range(1, 11), 2 if given.quick else 10)
        if given.figure in (None, "6"):
            time_of_columns(CLUSTERINGS[:3] if given.quick else CLUSTERINGS, 500)
        if given.figure in (None, "exchange"):
            time_of_exchanges(2_000 if given.quick else 20_000, 10)
