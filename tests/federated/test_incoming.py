"""What a site reads from a message: real messages that were changed on their way get no answer."""

import copy

import numpy as np
import pytest

from partita import BCE, ECPCS, HBGF, LWGP, MCLA, NBCE, USENC, LabelKMeans, MultinomialMixture
from partita.federated import kmeans_ensemble, simulate
from partita.federated._answers import ANSWERS, COLUMN_ANSWERS, PAPER_ANSWERS
from partita.federated._engine import InProcess
from partita.federated._incoming import (
    MOST_SITES,
    array_of,
    kept,
    number_of,
    place_among_sites,
    real_of,
    whole_numbers_of,
)
from tests.ensembles import noisy_ensemble
from tests.federated.parts import opened, share_out


# ---------------------------------------------------------------------------------------------------------- the readers
def test_an_array_is_read_as_float64_in_rows():
    sent = {"a": np.arange(6, dtype=np.int32).reshape(2, 3).T, "b": [[1, 2.5]], "c": 3}
    found = array_of(sent, "a", 3, None)
    assert found.dtype == np.float64
    assert found.flags.c_contiguous
    assert np.array_equal(found, sent["a"])
    assert array_of(sent, "b", None, 2).tolist() == [[1.0, 2.5]]
    assert real_of(sent, "c") == 3.0
    mine = np.ones((2, 2))
    assert array_of({"a": mine}, "a", 2, 2) is mine  # no copy where none is needed


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.zeros((2, 3)), r"'x' of shape \(2, 3\), and \(4, \*\) is needed"),
        (np.zeros(4), r"'x' of shape \(4,\), and \(4, \*\) is needed"),
        (np.zeros((4, 0)), "of shape"),
        (np.zeros((4, 2, 1)), "of shape"),
        (np.zeros((4, 2), dtype=complex), "not made of real numbers"),
        (np.full((4, 2), "1"), "not made of real numbers"),
        (np.full((4, 2), None), "not made of real numbers"),
        ("text", "not made of real numbers"),
        ({"a": 1}, "not made of real numbers"),
        ([[1.0], [1.0, 2.0]], "is no array"),
        (np.full((4, 2), np.nan), "not finite"),
        (np.full((4, 2), -np.inf), "not finite"),
        (None, "has no 'x'"),
    ],
)
def test_other_arrays_are_refused(value, says):
    with pytest.raises(ValueError, match=says):
        array_of({"x": value}, "x", 4, None)


def test_what_is_missing_is_refused():
    for values in ({}, {"y": 1}, "text", None, [1, 2]):
        with pytest.raises(ValueError, match="the message has no 'x'"):
            array_of(values, "x", None)
        with pytest.raises(ValueError, match="the message has x=None"):
            number_of(values, "x", 0, 1)


@pytest.mark.parametrize("value", [0, 4, 2.0, True, "2", None, np.array([2]), float("nan")])
def test_other_numbers_are_refused(value):
    with pytest.raises(ValueError, match="a whole number from 1 to 3 is needed"):
        number_of({"k": value}, "k", 1, 3)


def test_numbers_within_limits_are_read():
    assert [number_of({"k": value}, "k", 1, 3) for value in (1, np.int64(3))] == [1, 3]
    assert whole_numbers_of({"i": np.array([0.0, 2.0])}, "i", 0, 2, None).dtype == np.int64
    for wrong in ([0, 3], [-1], [0.5], [1e300]):
        with pytest.raises(ValueError, match="whole numbers from 0 to 2"):
            whole_numbers_of({"i": np.array(wrong)}, "i", 0, 2, None)


def test_a_site_finds_itself_among_the_names():
    assert place_among_sites({"names": ["a", "b", "c"]}, "b") == (1, 3)
    for names in (["a"], [], None, "ab", ["b"] * (MOST_SITES + 1)):
        with pytest.raises(ValueError, match="other 'names'"):
            place_among_sites({"names": names}, "b")


def test_what_is_kept_is_itself():
    memory = {"gamma": np.ones((3, 2))}
    assert kept(memory, "gamma", 3, 2) is kept(memory, "gamma") is memory["gamma"]
    for name, shape in [("other", ()), ("gamma", (3, 5))]:
        with pytest.raises(ValueError, match="before the site had it"):
            kept(memory, name, *shape)


# ----------------------------------------------------------------------------------------------- changed real messages
FREE = {  # axes whose length only the message tells: a shorter one is another good message
    ("kmeans.assign", "mass"): (0, 1),  # starts and clusters
    ("lloyd.open", "cell_map"): (1,),  # vectors
    ("lloyd.step", "centers"): (1,),  # clusters
    ("number.shuffle", "counts"): (0,),  # shuffles
    ("place", "singular_values"): (0,),  # shown to the user and nothing else
    ("objects", "labelled"): (0,),
    ("start.logs", "membership"): (1,),  # clusters
    ("nbce.slopes", "used"): (0,),
}
NOT_READ = {("HBGF", "hbgf.count", "singular_values"), ("HBGF", "place", "singular_values")}

MODELS = {
    "BCE": BCE(3, random_state=0),
    "MultinomialMixture": MultinomialMixture(3, n_init=2, random_state=0),
    "NBCE": NBCE(inference="vb", truncation=8, random_state=0),
}
BY_ROWS = {
    "ECPCS": ECPCS(3),
    "MCLA": MCLA(3, random_state=0),
    "LWGP": LWGP(random_state=0),
    "HBGF": HBGF(3, random_state=0),
    "USENC": USENC(3, random_state=0),
    "LabelKMeans": LabelKMeans(3, random_state=0),
    **MODELS,
}


def small():
    return noisy_ensemble(sizes=(18, 13, 9), n_clusterings=5, flip=0.15, missing=0.1).X


def points():
    return np.random.default_rng(0).normal(size=(40, 3))


def by_rows(name, **options):
    return lambda: simulate(BY_ROWS[name], share_out(small(), 2), **options)


def by_columns(name, **options):
    parts = np.split(small(), [2], axis=1)
    return lambda: simulate(MODELS[name], parts, by="columns", accept_disclosure=True, **options)


FITS = {
    **{name: by_rows(name) for name in BY_ROWS},
    "heuristic": by_rows("BCE", heuristic=True),
    **{f"{name} by columns": by_columns(name) for name in MODELS},
    "paper": by_columns("BCE", paper=True),
    "features": lambda: kmeans_ensemble(np.split(points(), [17]), n_clusterings=3, n_clusters=3, random_state=0),
}


def arrays_in(value, path=()):
    """Arrays of a message and where they are; lists of whole numbers are arrays too, unless they are labels."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, list) and value and all(type(item) is int for item in value) and path[0] != "labels":
        yield path, np.array(value)
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from arrays_in(item, (*path, key))


def replaced(value, path, new):
    """The message with another array in one place."""
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def changes(array, free):
    """What could come instead of an array."""
    for axis in range(array.ndim):
        if axis not in free:
            yield f"without the last of axis {axis}", np.take(array, range(array.shape[axis] - 1), axis)
            yield f"longer along axis {axis}", np.concatenate([array, array], axis)
    yield "one more axis", array[..., None]
    yield "one more axis in front", array[None]
    yield "complex", array + 1j
    yield "text", "text"
    yield "nothing", None
    if array.dtype.kind == "i":
        yield "numbers too high", array + 10**6
        yield "numbers too low", array - 10**6
    else:
        yield "not finite", array * np.nan


class Tried:
    """Sends each kind of message in all its changes to a copy of a site, before the site itself answers it."""

    def __init__(self, fit):
        self.fit, self.kinds, self.questions, self.n_tried, self.wrong = fit, set(), set(), 0, []

    def send(self, engine, question, values, to=None):
        kind = (question, values.get("action"), *sorted(values))
        if kind not in self.kinds:
            site = engine._sites[(to or engine.names)[0]]
            for path, array in arrays_in(dict(values)):
                self.try_array(site, question, dict(values), path, array)
        self.kinds.add(kind)
        self.questions.add(question)
        return SEND(engine, question, values, to)

    def try_array(self, site, question, values, path, array):
        name = next(key for key in reversed(path) if isinstance(key, str))
        if (self.fit, question, name) in NOT_READ:
            return
        for what, new in changes(array, FREE.get((question, name), ())):
            self.n_tried += 1
            try:
                copy.deepcopy(site).answer(question, replaced(values, path, new))
            except ValueError:
                continue
            except Exception as error:
                self.wrong.append(f"{question} {path} {what}: {error!r}")
            else:
                self.wrong.append(f"{question} {path} {what}: an answer")


SEND = InProcess.send


def watch(monkeypatch, send):
    monkeypatch.setattr(InProcess, "send", lambda engine, *message, **to: send(engine, *message, **to))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fit", FITS)
def test_a_changed_message_gets_no_answer_but_a_value_error(fit, monkeypatch):
    tried = Tried(fit)
    watch(monkeypatch, tried.send)
    FITS[fit]()
    assert tried.n_tried > 20
    assert not tried.wrong, "\n".join(tried.wrong)


@pytest.mark.filterwarnings("ignore")
def test_the_fits_ask_every_question(monkeypatch):
    asked = set()

    def send(engine, question, *message, **to):
        asked.add(question)
        return SEND(engine, question, *message, **to)

    watch(monkeypatch, send)
    for fit in FITS.values():
        fit()
    assert {*ANSWERS, *COLUMN_ANSWERS, *PAPER_ANSWERS} <= asked
    assert {"place", "close", "objects", "features.clusters", "features.step", "features.close"} <= asked


# ----------------------------------------------------------------------------------------- messages that do not belong
def site_of(name):
    _, owners, layout = opened(BY_ROWS[name], share_out(small(), 2))
    return owners[0], layout.n_cells


def test_a_small_table_does_not_reach_the_kernel():
    site, _ = site_of("MultinomialMixture")
    with pytest.raises(ValueError, match=r"'log_table' of shape \(2, 3\)"):
        site.answer("mixture.expect", {"log_table": np.zeros((2, 3)), "log_weights": np.zeros(3), "exchange": 0})


def test_another_number_of_clusters_than_before_is_refused():
    site, t = site_of("BCE")

    def message(k, action, exchange):
        state = {"alpha": np.ones(k), "table": np.full((t, k), 0.5), "n_steps": 2}
        return {**state, "action": action, "place": 0, "exchange": exchange}

    with pytest.raises(ValueError, match=r"'gamma-0' of shape .* before the site had it"):
        site.answer("bce.expect", message(3, "go", 0))
    site.answer("bce.expect", message(3, "flat", 0))
    with pytest.raises(ValueError, match="'gamma-0' of shape"):
        site.answer("bce.expect", message(5, "go", 1))
    assert np.isfinite(site.answer("bce.expect", message(3, "go", 1))["bound"]).all()  # and goes on


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        ("start.search", {"n_sites": 3}),
        ("start.search", {"n_sites": 10**9}),
        ("start.search", {"n_clusters": 10**9}),
        ("start.search", {"n_clusters": 0}),
        ("start.search", {"seed": -1}),
        ("start.search", {"seed": "text"}),
        ("start.search", {"seed": None}),
    ],
)
def test_numbers_beyond_limits_are_refused(question, changed):
    site, _ = site_of("MultinomialMixture")
    values = {"n_clusters": 3, "n_sites": 2, "seed": 0, "model": "mixture", "exchange": 0}
    with pytest.raises(ValueError, match=f"the message has {next(iter(changed))}="):
        site.answer(question, {**values, **changed})
    site.answer(question, values)


def test_questions_in_another_order_are_refused():
    site, t = site_of("USENC")
    step = {"centers": np.zeros((1, 2, 2)), "starts": [0], "is_first": True}
    for question, values in [
        ("close", {"cells": np.zeros((t, 3)), "sizes": np.zeros(3), "mass": np.zeros(3)}),
        ("lloyd.step", step),
        ("lloyd.close", {"start": 0, "n_clusters": 3}),
        ("number.shuffle", {"counts": np.zeros((1, 2, t)), "seed": 0}),
        ("number.step", {"centers": []}),
    ]:
        with pytest.raises(ValueError, match="before"):
            site.answer(question, {**values, "exchange": 0})
