"""What the leaderboard runs: every method of the table and of installed packages, the default, and a plain rule."""

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import partita
from partita.consensus._registered import all_methods, new_estimator

GIVEN, FOUND = "given", "found"  # the number of clusters is given, or found by the method
DEFAULT, REFERENCE, REFERENCE_CUT, CUT = "default", "reference-rule", "reference-lwgp", "lwgp"

_REFERENCE_VERSION = "1"  # of benchmarks/_reference_rule.py; a new number when its answers change
_LEFT_OUT = ("gbce", "constrained-nmf")  # need features, or pairs; without them they are other methods of the list
# Distinct rows above which these are not tried: their cost is r^2 k per iteration, or n k per step of n k steps
MOST_ROWS = {"peace": 2500, "baum-eagon": 2500, "aspect": 2500}
_VARIANTS = {  # other settings of methods; those that a method does not have are left out
    "nbce-vb": ("nbce", {"inference": "vb"}, FOUND),
    "eac-uncapped": ("eac", {"max_clusters": None}, FOUND),
    "ecpcs-tree": ("ecpcs", {"output": "tree"}, GIVEN),
    "lce-cut": ("lce", {"output": "cut"}, GIVEN),
    "kcc-h": ("kcc", {"utility": "h"}, GIVEN),
    "kcc-cos": ("kcc", {"utility": "cos"}, GIVEN),
    "kcc-lp": ("kcc", {"utility": "lp"}, GIVEN),
    "label-kmeans-coordinate": ("label-kmeans", {"solver": "coordinate"}, GIVEN),
    "median-vi": ("median", {"loss": "vi"}, GIVEN),
    "bce-gibbs": ("bce", {"inference": "gibbs", "n_sweeps": 200}, GIVEN),  # 1000 would exceed the limit on most
}


class Contestant(NamedTuple):
    """One row of the leaderboard."""

    name: str
    mode: str  # GIVEN or FOUND
    run: Callable[[Any, int], Any]  # labels, true number of clusters (to be used if given) -> labels
    version: str
    most_rows: int = 10**9


def prepare() -> None:
    """Load and compile what would otherwise count as time of the first cell."""
    partita.warm_up()


def contestants() -> list[Contestant]:
    """Everything that can run with the methods that are there."""
    rows = {name: method for name, method in all_methods().items() if method.home == "partita" or _loads(name)}
    known = [method for method in rows.values() if not method.for_soft and method.name not in _LEFT_OUT]
    made = [_of_method(method.name, method.name, {}, GIVEN) for method in known if _has(method.name, "n_clusters")]
    made += [_of_method(method.name, method.name, {}, FOUND) for method in known if method.finds_k]
    made += [
        _of_method(name, method, options, mode)
        for name, (method, options, mode) in _VARIANTS.items()
        if method in rows and all(_has(method, option) for option in options)
    ]
    if "combine" in partita.__all__:
        made += [Contestant(DEFAULT, mode, run, partita.__version__) for mode, run in _DEFAULTS.items()]
    return [*made, *_OF_REFERENCE]


def _loads(method: str) -> bool:
    """Whether the estimator of a method of another package can be made; else it is left out, and named."""
    try:
        new_estimator(method)
    except (ImportError, TypeError) as error:
        print(f"left out: {error}", file=sys.stderr)
        return False
    return True


def _has(method: str, option: str) -> bool:
    return option in new_estimator(method).get_params(deep=False)


def _of_method(name: str, method: str, options: dict[str, Any], mode: str) -> Contestant:
    def run(labels: Any, k: int) -> Any:
        chosen = {**options, **({"n_clusters": k} if mode == GIVEN else {})}
        chosen |= {"random_state": 0} if _has(method, "random_state") else {}
        return new_estimator(method).set_params(**chosen).fit(labels).labels_

    return Contestant(name, mode, run, partita.__version__, MOST_ROWS.get(method, 10**9))


def _default(labels: Any, _: int) -> Any:
    return partita.combine(labels, random_state=0).labels


def _default_with_k(labels: Any, k: int) -> Any:
    return partita.combine(labels, n_clusters=k, random_state=0).labels


def _reference(labels: Any, _: int) -> Any:
    from benchmarks._reference_rule import reference_rule

    return reference_rule(labels).labels


def _reference_cut(labels: Any, k: int) -> Any:
    from benchmarks._reference_rule import weighted_cut

    return weighted_cut(labels, k).labels


_DEFAULTS = {GIVEN: _default_with_k, FOUND: _default}
_OF_REFERENCE = [
    Contestant(REFERENCE, FOUND, _reference, _REFERENCE_VERSION),
    Contestant(REFERENCE_CUT, GIVEN, _reference_cut, _REFERENCE_VERSION),
]
