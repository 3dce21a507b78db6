import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import threadpoolctl

import partita
from partita import BCE, EAC, GBCE, LWGP, NBCE, PCC, LabelBlocks, LabelKMeans, combine, metrics
from partita.exceptions import NotEnoughMemoryError, UnlabelledObjectsWarning
from tests.blocks.ensembles import noisy_labels
from tests.registry import ESTIMATORS

EVERY_OBJECT = {"PCC-kl-pairs", "PCC-l2-greedy", "NBCE-gibbs", "NBCE-gibbs-fsd-vi", "CSPA-metis", "HGPA-kahypar"}


@pytest.fixture(scope="module")
def labels():
    return noisy_labels(180)[0]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_gives_the_bits_of_the_fit_in_memory(name, labels):
    make = ESTIMATORS[name].make
    blocks = LabelBlocks.from_array(labels, rows=37)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in EVERY_OBJECT:
            with pytest.raises(ValueError, match=r"every object|single objects"):
                make().fit(blocks)
            return
        expected, model = make().fit(labels), make().fit(blocks)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        assert model.labels_.dtype == np.int32
        assert model.n_clusters_ == expected.n_clusters_
        np.testing.assert_array_equal(model.confidence_, expected.confidence_)
        np.testing.assert_array_equal(np.vstack(list(model.votes_)), expected.votes_)
        np.testing.assert_array_equal(model.predict(blocks), expected.predict(labels))
        if hasattr(expected, "membership_"):
            assert len(model.membership_) == 5
            np.testing.assert_array_equal(np.vstack(list(model.membership_)), expected.membership_)
            np.testing.assert_array_equal(model.membership_[-1], expected.membership_[148:])
            np.testing.assert_array_equal(np.vstack(list(model.predict_proba(blocks))), expected.predict_proba(labels))


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_gamma_and_starts_come_in_blocks_and_a_model_can_be_stored(labels):
    blocks = LabelBlocks.from_array(labels, rows=50)
    expected, model = BCE(3, random_state=0).fit(labels), BCE(3, random_state=0).fit(blocks)
    np.testing.assert_allclose(np.vstack(list(model.gamma_)), expected.gamma_, rtol=1e-12)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.membership_[2], expected.membership_[100:150])
    np.testing.assert_array_equal(again.confidence_, expected.confidence_)
    with pytest.raises(ValueError, match="fitted to labels in blocks"):
        model.extend(labels[:, :2])
    kept = {"random_state": 0, "n_init": 2, "keep_starts": True}
    of_blocks, of_all = LabelKMeans(3, **kept).fit(blocks).starts_, LabelKMeans(3, **kept).fit(labels).starts_
    for ours, theirs in zip(of_blocks, of_all, strict=True):
        assert ours.objective == theirs.objective
        np.testing.assert_array_equal(ours.labels, theirs.labels)


def test_weights_of_clusterings_and_objects_that_only_others_label(labels):
    X = labels.copy()
    X[11, :4] = np.nan  # labelled by clusterings of weight 0 alone
    weights = [1, 2, 0.5, 1, 0, 0]
    with pytest.warns(UnlabelledObjectsWarning, match="2 of 180 objects"):
        expected = LWGP(3, weights=weights, random_state=0).fit(X)
    with pytest.warns(UnlabelledObjectsWarning, match="2 of 180 objects"):
        model = LWGP(3, weights=weights, random_state=0).fit(LabelBlocks.from_array(X, rows=50))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.confidence_, expected.confidence_)
    assert model.labels_[11] == -1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_combine_and_its_tables(labels):
    blocks = LabelBlocks.from_array(labels, rows=50)
    for options in ({}, {"method": "bce"}, {"method": "mcla", "n_clusters": 3}):
        expected, result = combine(labels, random_state=0, **options), combine(blocks, random_state=0, **options)
        assert result.summary == expected.summary
        for table in ("clusters", "clusterings", "objects"):
            pd.testing.assert_frame_equal(
                getattr(result, table), getattr(expected, table), check_dtype=False, rtol=1e-12
            )
        assert set(json.loads(result.to_json())) == set(json.loads(expected.to_json()))
        np.testing.assert_array_equal(np.vstack(list(result.membership)), expected.membership)


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_the_dendrogram_is_that_of_the_distinct_rows(labels):
    model = EAC(3).fit(LabelBlocks.from_array(labels, rows=50))
    n_rows = len(np.unique(np.nan_to_num(np.delete(labels, 7, axis=0), nan=-1), axis=0))
    assert model.dendrogram_.shape == (n_rows - 1, 4)


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_names_of_columns_are_those_of_the_fit_in_memory(labels):
    frame = pd.DataFrame(labels, columns=[f"c{j}" for j in range(6)])
    for X in (frame, frame.rename(columns={f"c{j}": j for j in range(6)}), labels, dict(frame)):
        expected = LWGP(3, random_state=0).fit(X)
        parts = [X.iloc[:90], X.iloc[90:]] if X is frame else [X]
        model = LWGP(3, random_state=0).fit(LabelBlocks.from_iterable(lambda parts=parts: parts))
        assert hasattr(model, "feature_names_in_") == hasattr(expected, "feature_names_in_")
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))  # without a warning
    twice = pd.DataFrame(labels, columns=list("aabbcc"))
    blocks = LabelBlocks.from_iterable(lambda: [twice])
    model = LWGP(3, random_state=0).fit(blocks)
    np.testing.assert_array_equal(model.predict(blocks), model.labels_)


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_empty_blocks_have_empty_results(labels):
    parts = [labels[:0], labels[:100], labels[100:]]
    blocks = LabelBlocks.from_iterable(lambda: parts)
    model = BCE(3, random_state=0).fit(blocks)
    assert [part.shape for part in model.membership_] == [(0, 3), (100, 3), (80, 3)]
    assert [part.shape for part in model.predict_proba(blocks)] == [(0, 3), (100, 3), (80, 3)]


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_two_iterators_at_once_leave_the_number_of_threads(labels):
    def threads():
        return [library["num_threads"] for library in threadpoolctl.threadpool_info()]

    blocks, before = LabelBlocks.from_array(labels, rows=50), threads()
    model = BCE(3, random_state=0).fit(blocks)
    for one, other in zip(model.predict_proba(blocks), model.predict_proba(blocks), strict=True):
        np.testing.assert_array_equal(one, other)
    assert threads() == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NBCE(), r"Gibbs sampling.*NBCE\(inference='vb'\) takes blocks"),
        (lambda: PCC(3, solver="greedy", divergence="l2"), "sees every object"),
        (lambda: NBCE("vb", coassignment=True), "all pairs of objects"),
        (lambda: PCC(3, init=np.ones((180, 3)) / 3), r"init=array"),
    ],
)
def test_what_needs_every_object_is_refused_before_any_work(make, message):
    def unread():
        raise AssertionError("a block was read")

    with pytest.raises(ValueError, match=message):
        make().fit(LabelBlocks.from_iterable(unread))


def test_other_refusals(labels):
    blocks = LabelBlocks.from_array(labels, rows=50)
    with pytest.raises(ValueError, match="sample_weight is not taken"):
        LWGP(3).fit(blocks, sample_weight=np.ones(180))
    with pytest.raises(ValueError, match="GBCE with features needs labels in memory"):
        GBCE(3).fit(blocks, features=np.ones((180, 2)))
    with pytest.raises(TypeError, match="labels in blocks"):
        metrics.coassociation(blocks)
    with pytest.raises(TypeError, match="labels in blocks"):
        partita.check_label_matrix(blocks)


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_methods_that_need_all_rows_name_those_that_do_not(labels, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "10kB")
    with pytest.raises(NotEnoughMemoryError, match=r"EAC needs them all at once.*BCE, CSPA, .*LWGP.*NBCE.*USENC"):
        EAC(3).fit(LabelBlocks.from_array(labels, rows=50))
    with pytest.raises(NotEnoughMemoryError, match="keep_starts=True"):
        BCE(3, keep_starts=True).fit(LabelBlocks.from_array(labels, rows=50))
