"""What can be given, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, KMeans

from partita import EAC, NBCE, KMeansEnsemble, choose_n_clusters
from partita.exceptions import NotEnoughMemoryError
from tests.selection.recorded import HASTY, blobs, copies


def test_numbers_are_a_range_or_a_list_and_one_is_left_out():
    X = copies()
    assert choose_n_clusters(X, [5, 3, 1, 3], **HASTY).table["n_clusters"].tolist() == [3, 5]
    assert choose_n_clusters(X, (1, 4), **HASTY).table["n_clusters"].tolist() == [2, 3, 4]
    assert choose_n_clusters(X, **HASTY).table["n_clusters"].tolist() == list(range(2, 11))


def test_few_objects_have_fewer_numbers_by_default():
    table = choose_n_clusters(blobs((5, 5)), **HASTY).table
    assert table["n_clusters"].tolist() == list(range(2, 8))


@pytest.mark.parametrize("make", [copies, lambda: blobs((60,))], ids=["labels", "features"])
def test_of_more_objects_than_the_limit_a_sample_is_used(make):
    X = np.vstack([make()] * 2)
    choice = choose_n_clusters(X, [2, 3], max_objects=30, **HASTY)
    assert choice.n_objects == 30


def test_fractions_are_features_and_everything_else_labels():
    F, X = blobs(), copies()
    options = {"n_clusters": [2, 3], **HASTY}
    assert choose_n_clusters(F, **options).kind == "features"
    assert choose_n_clusters(pd.DataFrame(F), **options).kind == "features"
    assert choose_n_clusters(X, **options).kind == "labels"
    assert choose_n_clusters(X.astype(float), **options).kind == "labels"
    missing = pd.DataFrame(X).astype("Int64").mask(np.random.default_rng(0).random(X.shape) < 0.1)
    assert choose_n_clusters(missing, **options).kind == "labels"
    assert choose_n_clusters(pd.DataFrame(X).map("c{}".format), **options).kind == "labels"
    assert choose_n_clusters(np.round(F), kind="features", **options).kind == "features"


WRONG = {
    "unknown kind": ({"kind": "both"}, "kind='both' is not known; choose 'auto', 'labels' or 'features'"),
    "a name": ({"n_clusters": "four"}, "n_clusters='four' must be a range"),
    "too many": ({"n_clusters": (2, 50)}, r"n_clusters=\(2, 50\) must be numbers from 2 to 31: .* 80 % of 40 objects"),
    "none": ({"n_clusters": [1]}, "must be numbers from 2"),
    "backwards": ({"n_clusters": (5, 2)}, "must be numbers from 2"),
    "negative": ({"n_clusters": [-2, 3]}, "must be numbers from 2"),
    "few references": ({"n_references": 18}, "n_references=18 cannot show p <= 0.05; pass at least 19"),
    "few samples": ({"n_resamples": 1}, "n_resamples=1 is too few"),
    "no probability": ({"alpha": 1.0}, "alpha=1.0 is not allowed; pass a number between 0 and 1"),
    "no level": ({"alpha": None}, "alpha=None is not allowed"),
    "references in text": ({"n_references": "x"}, "n_references='x' is not allowed; pass a whole number"),
    "half a sample": ({"n_resamples": 2.5}, "n_resamples=2.5 is not allowed; pass a whole number"),
    "samples that are true": ({"n_resamples": True}, "n_resamples=True is not allowed"),
    "no objects": ({"max_objects": 0}, "max_objects=0 is not allowed; pass a whole number, at least 1"),
    "objects in text": ({"max_objects": "x"}, "max_objects='x' is not allowed"),
    "few objects": ({"max_objects": 3}, "3 objects with a label are too few to choose a number of clusters"),
    "an endless range": ({"n_clusters": (2, 10**12)}, "must be numbers from 2 to 31"),
    "no threads": ({"n_jobs": 0}, "n_jobs=0 is not a number of threads"),
    "a loud answer": ({"verbose": "x"}, "verbose='x' is not allowed; pass True or False"),
    "base for labels": ({"base": "ward"}, "base is for features"),
    "consensus without number": ({"consensus": NBCE("vb")}, "NBCE has no n_clusters to be chosen"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_refused(case):
    options, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        choose_n_clusters(copies(), **options)


def test_consensus_is_not_for_features():
    with pytest.raises(ValueError, match="consensus is for labels"):
        choose_n_clusters(blobs(), consensus=EAC())


def test_missing_features_are_refused():
    F = blobs()
    F[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        choose_n_clusters(F)


def test_an_unknown_base_is_refused():
    with pytest.raises(ValueError, match="base='wrad' is not known; choose 'single'"):
        choose_n_clusters(blobs(), base="wrad")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base": KMeans}, "base is the class KMeans; pass an instance"),
        ({"base": 3}, "base=3 is not an estimator with fit_predict"),
        ({"base": KMeansEnsemble(3)}, "is not an estimator with fit_predict"),
        ({"consensus": EAC, "kind": "labels"}, "consensus is the class EAC; pass an instance"),
        ({"consensus": KMeans(3), "kind": "labels"}, "clusters features, not labels"),
        ({"consensus": "eac", "kind": "labels"}, "consensus='eac' is not an estimator"),
    ],
    ids=str,
)
def test_wrong_methods_are_refused(options, message):
    X = copies() if options.get("kind") == "labels" else blobs()
    with pytest.raises(TypeError, match=message):
        choose_n_clusters(X, **options)


def test_samples_that_do_not_fit_in_memory_are_refused():
    with pytest.raises(NotEnoughMemoryError, match=r"labels of samples needs .*; pass a smaller n_resamples"):
        choose_n_clusters(copies(), n_resamples=10**12)


def test_a_range_of_fractions_is_refused():
    with pytest.raises(ValueError, match="n_clusters="):
        choose_n_clusters(copies(), (2.0, 4.5))


def test_a_number_with_a_fraction_is_refused():
    with pytest.raises(ValueError, match="n_clusters="):
        choose_n_clusters(copies(), [2.7, 3], **HASTY)


def test_a_base_that_finds_the_number_itself_is_refused():
    with pytest.raises(ValueError, match="DBSCAN has no n_clusters to be chosen"):
        choose_n_clusters(blobs(), base=DBSCAN())
