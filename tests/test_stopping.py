"""Fits that are stopped: by the time, by a flag, before they begin and in their midst; and what they leave behind.

No test measures time. The flag counts how often it is looked at, and says so from the chosen look on.
"""

import inspect
import itertools
import pickle
import sys
import threading
import warnings
from collections import defaultdict
from functools import partial
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import eigsh, svds
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

import partita
from partita import _kernels, _runs, _stopping
from partita._kernels import partition_moves
from partita._labels.membership import one_hot
from partita._runs import in_order, progress
from partita.consensus.graph._stoppable_matrix import stoppable
from partita.consensus.kmeans import _starts_of_sklearn
from partita.consensus.kmeans._starts_of_sklearn import fit_kmeans
from partita.exceptions import Cancelled, Stopped, TimeLimitReached
from tests.ensembles import noisy_ensemble
from tests.registry import ESTIMATORS, OTHER_ESTIMATORS


class Looks:
    """A flag that is set from the look after ``most`` looks on; only those of the thread of the fit count."""

    def __init__(self, most=float("inf")):
        self.most, self.count, self.thread = most, 0, threading.get_ident()

    def is_set(self):
        if threading.get_ident() == self.thread:
            self.count += 1
        return self.count > self.most


def set_flag():
    flag = threading.Event()
    flag.set()
    return flag


# ------------------------------------------------------------------------------------------------------------- limits
def test_without_limits_nothing_stops_and_nothing_is_watched():
    before = threading.active_count()
    _stopping.check_stop()
    assert _stopping.stop_flag()[0] == 0
    assert threading.active_count() == before


def test_a_flag_stops_what_is_inside_until_it_is_cleared():
    flag = threading.Event()
    with partita.limits(cancel=flag):
        _stopping.check_stop()
        flag.set()
        with pytest.raises(Cancelled, match=r"cancelled and left no result; clear the flag to fit again"):
            _stopping.check_stop()
    _stopping.check_stop()
    flag.clear()
    with partita.limits(cancel=flag):
        _stopping.check_stop()


def test_time_runs_from_the_beginning_of_the_limits(monkeypatch):
    now = 100.0
    monkeypatch.setattr(_stopping, "_now", lambda: now)
    with partita.limits(2.5):
        now = 102.4
        _stopping.check_stop()
        now = 102.5
        with pytest.raises(TimeLimitReached, match=r"max_time=2.5 seconds were over .*`partita methods`"):
            _stopping.check_stop()
        now = 100.0  # what was over stays over
        with pytest.raises(TimeLimitReached):
            _stopping.check_stop()
    _stopping.check_stop()


def test_errors_are_of_one_kind_and_time_is_pythons_own():
    assert issubclass(Cancelled, Stopped)
    assert issubclass(TimeLimitReached, Stopped)
    assert issubclass(TimeLimitReached, TimeoutError)


@pytest.mark.parametrize("outer_is_shorter", [True, False])
def test_the_strictest_of_nested_limits_counts(outer_is_shorter, monkeypatch):
    now = 0.0
    monkeypatch.setattr(_stopping, "_now", lambda: now)
    outer, inner = (1.0, 5.0) if outer_is_shorter else (5.0, 1.0)
    with partita.limits(outer):
        with partita.limits(inner):
            now = 1.0
            with pytest.raises(TimeLimitReached, match=r"max_time=1 seconds"):
                _stopping.check_stop()
        if outer_is_shorter:
            with pytest.raises(TimeLimitReached):
                _stopping.check_stop()
        else:
            _stopping.check_stop()


def test_a_flag_outside_stops_what_is_inside():
    flag = threading.Event()
    with partita.limits(cancel=flag), partita.limits(60):
        flag.set()
        with pytest.raises(Cancelled):
            _stopping.check_stop()


def test_limits_hold_for_the_threads_of_a_fit_and_for_no_others():
    seen = []

    def look(_):
        _stopping.check_stop()

    with partita.limits(cancel=set_flag()):
        with pytest.raises(Cancelled):
            list(in_order(look, range(4), 2))
        other = threading.Thread(target=lambda: seen.append(_stopping.present_limits()))
        other.start()
        other.join()
    assert seen == [None]


def test_every_listener_hears_of_all_that_is_inside():
    outer, inner = [], []
    with partita.limits(progress=lambda *told: outer.append(told)):
        with progress(2, "first", show=False) as bar:
            bar.update(2)
        with (
            partita.limits(progress=lambda *told: inner.append(told)),
            progress(None, "second", show=False) as bar,
        ):
            bar.update(1)
            bar.update(3)
    assert inner == [("second", 0, None), ("second", 1, None), ("second", 4, None)]
    assert outer == [("first", 0, 2), ("first", 2, 2), *inner]


def test_an_error_of_a_listener_ends_the_fit(X):
    def listen(*told):
        raise KeyError(told)

    with partita.limits(progress=listen), pytest.raises(KeyError):
        partita.LabelKMeans(3, random_state=0).fit(X)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"max_time": 0}, ValueError, r"max_time=0 is not a limit; pass a number of seconds above 0, or None"),
        ({"max_time": -1.5}, ValueError, r"max_time=-1.5 "),
        ({"max_time": float("nan")}, ValueError, r"max_time=nan "),
        ({"max_time": float("inf")}, ValueError, r"max_time=inf "),
        ({"max_time": True}, ValueError, r"max_time=True "),
        ({"max_time": "10"}, ValueError, r"max_time='10' "),
        ({"cancel": True}, TypeError, r"cancel=True has no method is_set; pass a threading.Event"),
        ({"progress": 3}, TypeError, r"progress=3 cannot be called; pass a function of \(stage, done, total\)"),
    ],
)
def test_what_is_no_limit_is_refused(given, error, message):
    with pytest.raises(error, match=message), partita.limits(**given):
        raise AssertionError("these limits were opened")


def test_limits_may_be_numbers_of_numpy():
    with partita.limits(np.float32(60)), partita.limits(np.int64(60)):
        _stopping.check_stop()


def test_the_watcher_sets_the_flag_of_kernels_and_ends_with_its_limits():
    flag = threading.Event()
    with partita.limits(cancel=flag):
        seen = _stopping.stop_flag()
        assert seen[0] == 0
        assert _stopping.stop_flag() is seen
        (watcher,) = [thread for thread in threading.enumerate() if thread.name == "partita-limits"]
        flag.set()
        watcher.join(timeout=60)
        assert seen[0] == 1
    with partita.limits(60):
        _stopping.stop_flag()
        (watcher,) = [thread for thread in threading.enumerate() if thread.name == "partita-limits"]
    watcher.join(timeout=60)
    assert not watcher.is_alive()


def test_combine_takes_a_limit_of_time(X):
    with pytest.raises(TimeLimitReached, match=r"max_time=1e-09"):
        partita.combine(X, random_state=0, max_time=1e-9)
    with pytest.raises(ValueError, match=r"max_time=0 "):
        partita.combine(X, random_state=0, max_time=0)
    result, limited = partita.combine(X, random_state=0), partita.combine(X, random_state=0, max_time=3600)
    assert np.array_equal(result.labels, limited.labels)
    assert result.choice.table.equals(limited.choice.table)


def test_methods_of_a_result_are_stopped(X):
    result = partita.combine(X, random_state=0)
    for ask in (lambda: result.stability(n_resamples=4, random_state=0), lambda: result.compare(["eac", "qmi"])):
        looks = Looks()
        with partita.limits(cancel=looks):
            ask()
        with partita.limits(cancel=Looks(looks.count // 2)), pytest.raises(Cancelled):
            ask()


# --------------------------------------------------------------------------------------------------- every estimator
SMALL = noisy_ensemble(sizes=(11, 9, 7), n_clusterings=6)
POINTS = np.random.default_rng(0).normal(size=(60, 3)) + 8 * np.eye(3)[np.arange(60) % 3]


def quick(make):
    """An estimator with few iterations: what is tested does not depend on where a fit ends."""

    def build():
        estimator = make()
        few = {"n_sweeps": 6, "thin": 1, "max_iter": 8, "n_chains": 1, "n_clusterings": 6}
        known = estimator.get_params(deep=False)
        return estimator.set_params(**{name: value for name, value in few.items() if name in known})

    return build


def of_labels(name):
    entry = ESTIMATORS[name]
    return quick(lambda: entry.make(n_clusters=3) if entry.takes_k else entry.make())


FEW = {
    "ConsensusClustering": {"base": partita.KMeansEnsemble(5, random_state=0)},
    "MixedEnsemble": {"clusterers": ["average", "kmeans"], "n_clusters": [2, 3], "n_repeats": 1},
}


def of_features(name):
    return quick(lambda: getattr(partita, name)(**{"random_state": 0, **FEW.get(name, {})}))


CASES = {name: (of_labels(name), SMALL.X) for name in ESTIMATORS}
CASES |= {f"{name} on soft clusterings": (of_labels(name), None) for name in ESTIMATORS if name.startswith("Soft")}
CASES |= {"ITK on soft clusterings": (of_labels("ITK"), None)}
CASES |= {name: (of_features(name), POINTS) for name in OTHER_ESTIMATORS}
DRAW_LATER = ("NoisyEnsemble", "SampledEnsemble")  # fit draws seeds; transform makes the clusterings
CASES["NoisyEnsemble"] = (of_features("NoisyEnsemble"), SMALL.truth)
CASES["SampledEnsemble"] = (of_features("SampledEnsemble"), one_hot(SMALL.truth, 3))


def data_of(name):
    if CASES[name][1] is not None:
        return CASES[name][1]
    return [0.9 * one_hot(column.clip(0), 3) + 0.1 / 3 for column in SMALL.X.T]


def state_of(estimator):
    """Its attributes; the bits of arrays count, and nothing else."""
    return pickle.dumps(vars(estimator))


@pytest.fixture
def silent():
    """Few iterations do not converge, and few objects make fewer clusters: both are said, and not tested here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("name", CASES)
def test_a_fit_stops_where_it_is_told_to_and_leaves_the_estimator_as_it_was(name):
    make, X = CASES[name][0], data_of(name)
    estimator, looks = make(), Looks()
    with partita.limits(cancel=looks, progress=lambda *told: None):
        estimator.fit(X)
    fitted = state_of(estimator)
    assert fitted == state_of(make().fit(X))  # no limit changes a bit
    assert looks.count >= (1 if name in DRAW_LATER else 2)
    flag = Looks(looks.count // 2)
    with partita.limits(cancel=flag), pytest.raises(Cancelled):
        estimator.fit(X)
    assert flag.count == looks.count // 2 + 1
    assert state_of(estimator) == fitted
    fresh = make()
    with partita.limits(cancel=Looks(looks.count // 4)), pytest.raises(Cancelled):
        fresh.fit(X)
    assert state_of(fresh) == state_of(make())


@pytest.mark.parametrize("name", DRAW_LATER)
def test_clusterings_that_are_drawn_after_the_fit_stop_between_two_of_them(name):
    drawn = CASES[name][0]().fit(CASES[name][1])
    with partita.limits(cancel=Looks(3)), pytest.raises(Cancelled):
        drawn.transform(CASES[name][1])


@pytest.mark.parametrize("name", CASES)
def test_a_flag_that_is_set_stops_before_the_data_are_looked_at(name):
    estimator = CASES[name][0]()
    with partita.limits(cancel=set_flag()), pytest.raises(Cancelled):
        estimator.fit("no data at all")


# --------------------------------------------------------------------------------------------------------- kernels
def stoppable_kernels():
    """All compiled functions with a parameter named stop."""
    found = {}
    for path in sorted(Path(_kernels.__file__).parent.glob("[a-z]*.py")):
        module = import_module(f"partita._kernels.{path.stem}")
        for name, kernel in vars(module).items():
            function = getattr(kernel, "py_func", None)
            if function is not None and "stop" in inspect.signature(function).parameters:
                found[f"{path.stem}.{name}"] = kernel
    return found


KERNELS = stoppable_kernels()
MANY = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=7, flip=0.45)


@pytest.fixture(scope="module")
def calls():
    """The arguments of the first calls of each of these kernels, by fits that together call all of them."""
    known, recorded = {id(kernel): name for name, kernel in KERNELS.items()}, defaultdict(list)
    call = _stopping.until_stopped

    def record(kernel, *arguments):
        of_kernel = recorded[known[id(kernel)]]
        if len(of_kernel) < 30:
            of_kernel.append(pickle.dumps(arguments))
        return call(kernel, *arguments)

    def zeros(*shape):
        pairs = make_pairs(*shape)
        for table in (pairs.content, pairs.logged, pairs.cost):
            table[:] = 0.0  # where nothing is known they may hold anything, and tests compare all of it
        return pairs

    make_pairs, estimators = partition_moves.make_pairs, FITS
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(partition_moves, "make_pairs", zeros)
        patch.setattr(_runs, "SAMPLE_SIZE", 60)  # so that rows are placed in the clusters of a sample
        for name, module in list(sys.modules.items()):
            if name.startswith("partita.") and getattr(module, "until_stopped", None) is call:
                patch.setattr(module, "until_stopped", record)
        for estimator in estimators:
            estimator.fit(MANY.X)
    return recorded


FITS = (
    partita.NBCE("gibbs", n_sweeps=4, thin=1, n_chains=1, random_state=0),
    partita.NBCE("vb", n_init=1, max_iter=3, random_state=0),
    partita.MultinomialMixture(3, n_init=1, max_iter=3, random_state=0),
    partita.MedianPartition(n_init=2, random_state=0),
    partita.MedianPartition(4, n_init=2, random_state=0),
    partita.PCC(3, divergence="l2", random_state=0),
    partita.PCC(3, divergence="kl", max_iter=3, random_state=0),
    partita.PCC(3, divergence="kl", pairs=8, solver="greedy", max_iter=3, random_state=0),
    partita.PEACE(3, n_init=1, max_iter=9, random_state=0),
    partita.LabelKMeans(3, n_init=2, random_state=0),
    partita.KCC(3, n_init=2, random_state=0),
    partita.InformationBottleneck(3, n_init=2, random_state=0),
)


def arrays_in(value):
    """All arrays of nested tuples, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    return list(itertools.chain.from_iterable(map(arrays_in, value))) if isinstance(value, tuple) else []


def run_kernel(name, call, flag):
    """All arrays before and after a run; ``flag`` gives the flag, from the arrays that the kernel will work on."""
    arguments, before = pickle.loads(call), pickle.loads(call)
    KERNELS[name](*arguments, flag(arrays_in(arguments)))
    return arrays_in(before), arrays_in(arguments)


def clear(_):
    return np.zeros(1, dtype=np.uint8)


def changed(before, after):
    return {place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old.tobytes() != new.tobytes()}


def test_every_kernel_with_a_flag_is_called_with_it(calls):
    assert set(calls) == set(KERNELS)
    assert len(KERNELS) >= 15


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_whose_flag_is_set_leaves_its_work_undone(name, calls):
    undone = [
        changed(*run_kernel(name, call, clear)) - changed(*run_kernel(name, call, lambda _: clear(_) + np.uint8(1)))
        for call in calls[name]
    ]
    assert any(undone)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_looks_at_its_flag_again_while_it_runs(name, calls):
    assert any(_stops_early(name, call) for call in calls[name])


def _stops_early(name, call):
    """Whether it comes to another end where its flag is a byte that the kernel itself writes: 0 at first, then not."""
    before, after = run_kernel(name, call, clear)
    ends = [array.tobytes() for array in after]
    for place in changed(before, after):
        old, new = bytes_of(before[place]), bytes_of(after[place])
        for byte in np.flatnonzero((old == 0) & (new != 0))[:6].tolist():
            flag = partial(byte_of, place=place, byte=byte)
            if [array.tobytes() for array in run_kernel(name, call, flag)[1]] != ends:
                return True
    return False


def bytes_of(array):
    return array.reshape(-1).view(np.uint8)


def byte_of(arrays, place, byte):
    return bytes_of(arrays[place])[byte : byte + 1]


# ------------------------------------------------------------------------------- steps that other libraries compute
def mostly_zero(rng, shape):
    return rng.random(shape) * (rng.random(shape) < 0.02)


@pytest.mark.parametrize("form", [sparse.csr_array, np.asarray])
def test_eigenvectors_by_scipy_are_the_same_and_stop_before_a_product(form, rng):
    half = mostly_zero(rng, (700, 700))
    matrix, start = form(half + half.T), rng.random(700)
    ours = eigsh(stoppable(matrix), k=4, which="LA", v0=start)
    theirs = eigsh(matrix, k=4, which="LA", v0=start)
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    with partita.limits(cancel=Looks(5)), pytest.raises(Cancelled):
        eigsh(stoppable(matrix), k=4, which="LA", v0=start)


def test_singular_vectors_by_scipy_are_the_same_and_stop_before_a_product(rng):
    matrix, start = sparse.csr_array(mostly_zero(rng, (900, 300))), rng.random(300)
    ours, theirs = svds(stoppable(matrix), k=3, v0=start), svds(matrix, k=3, v0=start)
    assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))
    with partita.limits(cancel=Looks(5)), pytest.raises(Cancelled):
        svds(stoppable(matrix), k=3, v0=start)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("grid", [False, True])
def test_starts_one_by_one_are_those_of_scikit_learn(seed, grid, monkeypatch):
    """On a grid several starts end at the same clusters in another order."""
    monkeypatch.setattr(_starts_of_sklearn, "_SHORT", 0)
    rng = np.random.default_rng(seed)
    points = rng.integers(3, size=(80, 3)).astype(float) if grid else rng.normal(size=(150, 4))
    weights = rng.random(len(points))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours = fit_kmeans(points, weights, 5, n_init=8, random_state=seed)
        theirs = KMeans(5, n_init=8, random_state=seed).fit(points, sample_weight=weights)
    assert np.array_equal(ours.labels_, theirs.labels_)
    assert np.array_equal(ours.cluster_centers_, theirs.cluster_centers_)
    assert (ours.inertia_, ours.n_iter_) == (theirs.inertia_, theirs.n_iter_)
