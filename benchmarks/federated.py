"""What one exchange of a federation costs.

``python -m benchmarks federated [--quick]``: one E-step of 20,000 objects per site, plain and encrypted. Figures 5 and
6 of the BCE paper are items of ``partita reproduce``.
"""

import argparse
import time
import warnings

import numpy as np

from partita import BCE
from partita.federated import simulate


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
    parser.add_argument("--quick", action="store_true", help="fewer objects")
    given = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # iterations are limited on purpose
        time_of_exchanges(2_000 if given.quick else 20_000, 10)
