"""ConsensusResult: every estimator, tables against plain loops and scikit-learn, JSON, pickling."""

import itertools
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from partita import EAC, ITK, LWGP, MCLA, PCC, ConsensusClustering, ConsensusResult, KMeansEnsemble, combine
from partita.metrics import label_confidence
from tests.consensus.soft.soft_clusterings import one_hot_blocks
from tests.ensembles import noisy_ensemble
from tests.registry import ESTIMATORS

pytestmark = pytest.mark.filterwarnings("ignore::partita.exceptions.WeakStructureWarning")

CLEAN = noisy_ensemble(n_clusterings=8)
X = CLEAN.X.copy()
X[[3, 40]] = -1  # without any label
X[:, 5] = -1  # dropped
X = X.astype(float)
WEIGHTS = np.where(np.arange(62) % 9 == 1, 0.0, np.arange(62) % 2 + 1.0)  # some without weight
CLUSTERING_WEIGHTS = np.array([1, 2, 0, 1, 1, 1, 1, 3])  # one without weight


def fitted(name):
    entry = ESTIMATORS[name]
    model = entry.make(n_clusters=3) if entry.takes_k else entry.make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.set_params(weights=CLUSTERING_WEIGHTS).fit(X, sample_weight=WEIGHTS)


# ---------------------------------------------------------------------------------------------- of every estimator
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_has_a_result(name):
    model = fitted(name)
    result = ConsensusResult.from_estimator(model)
    assert np.array_equal(result.labels, model.labels_)
    assert result.n_clusters == model.n_clusters_ == result.choice.n_clusters
    assert result.labels[[3, 40]].tolist() == [-1, -1]
    assert np.array_equal(result.confidence, model.confidence_, equal_nan=True)
    assert result.membership.shape[0] == 62
    assert np.allclose(result.membership.sum(axis=1), 1)
    assert result.membership_kind == ("probabilities" if hasattr(model, "membership_") else "votes")
    check_clusters(result)
    check_objects(result)
    check_clusterings(result)
    check_json(result)


def check_clusters(result):
    table = result.clusters
    for q, row in table.iterrows():
        inside = result.labels == q
        assert row["cluster"] == q
        assert row["size"] == inside.sum()
        assert row["share"] == pytest.approx(inside.sum() / (result.labels >= 0).sum())
        assert row["median_confidence"] == pytest.approx(np.nanmedian(result.confidence[inside]))
        assert row["in_doubt"] == sum(value <= 0 for value in result.confidence[inside])
        assert row["closest"] != q
        assert (row["closest"] == -1) == (result.n_clusters == 1)
    assert len(table) == result.n_clusters


def check_objects(result):
    table, votes = result.objects, result.estimator.votes_
    for i in range(0, 62, 7):
        label = result.labels[i]
        assert table["id"][i] == i
        assert table["cluster"][i] == label
        if label < 0:
            assert np.isnan(table["vote"][i])
            assert table["second"][i] == -1
            continue
        assert table["vote"][i] == votes[i, label]
        assert table["second"][i] != label
        assert (table["second"][i] == -1) == (result.n_clusters == 1 or np.isnan(table["confidence"][i]))


def check_clusterings(result):
    table = result.clusterings
    assert table["clustering"].tolist() == [f"clustering {m}" for m in (0, 1, 3, 4, 6, 7)]
    assert table["weight"].tolist() == [1, 2, 1, 1, 1, 3]
    for _, row in table.iterrows():
        column = X[:, int(row["clustering"].split()[1])]
        both = (column >= 0) & (result.labels >= 0)
        assert row["n_objects"] == both.sum()
        nmi = normalized_mutual_info_score(column[both], result.labels[both], average_method="geometric")
        assert row["nmi"] == pytest.approx(nmi, abs=1e-9)
        assert row["adjusted_rand"] == pytest.approx(adjusted_rand_score(column[both], result.labels[both]), abs=1e-9)


def check_json(result):
    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    facts = json.loads(result.to_json(), parse_constant=refuse)
    assert facts["ids"] == list(range(62))
    assert facts["summary"] == result.summary
    assert facts["labels"] == result.labels.tolist()
    assert (facts["method"], facts["n_clusters"]) == (result.method, result.n_clusters)
    confidence = np.array([np.nan if value is None else value for value in facts["confidence"]])
    there = np.isfinite(result.confidence)
    assert np.array_equal(confidence[there], result.confidence[there])
    assert np.isnan(confidence[~there]).all()
    assert facts["choice"]["reasons"] == result.choice.reasons
    assert pd.DataFrame(facts["clusters"])["size"].tolist() == result.clusters["size"].tolist()


# ------------------------------------------------------------------------------------------------------ small things
def test_the_closest_cluster_and_the_consensus_by_a_plain_loop():
    data = noisy_ensemble(sizes=(25, 20, 15, 10), n_clusterings=6, flip=0.3, seed=2)
    weights = np.arange(6) % 3 + 1.0
    result = ConsensusResult.from_estimator(MCLA(4, weights=weights, random_state=0).fit(data.X))
    sums, known = np.zeros((4, 4)), np.zeros((4, 4))
    for i, j in itertools.permutations(range(70), 2):
        both = (data.X[i] >= 0) & (data.X[j] >= 0)
        if both.any():
            place = result.labels[i], result.labels[j]
            sums[place] += weights[both & (data.X[i] == data.X[j])].sum() / weights[both].sum()
            known[place] += 1
    mean = sums / known
    assert np.allclose(result.clusters["consensus"], mean.diagonal())
    np.fill_diagonal(mean, -1)
    assert result.clusters["closest"].tolist() == mean.argmax(axis=1).tolist()
    assert np.allclose(result.clusters["closest_consensus"], mean.max(axis=1))


def test_one_cluster_is_confused_with_none():
    result = combine(CLEAN.X, n_clusters=1)
    assert result.clusters["closest"].tolist() == [-1]
    assert result.clusters["distinguished_by"].tolist() == [""]
    assert result.objects["second"].unique().tolist() == [-1]
    assert json.loads(result.to_json())["confidence"] == [None] * 62  # infinite


def test_frames_keep_the_index_and_the_names():
    frame = pd.DataFrame(CLEAN.X, index=[f"object {i}" for i in range(62)], columns=list("abcdefgh"))
    result = combine(frame, random_state=0)
    assert result.to_frame().index.equals(frame.index)
    assert result.to_frame().columns.tolist() == ["label", "confidence", "vote", "second"]
    assert result.objects.columns.tolist() == ["id", "cluster", "confidence", "vote", "second"]
    assert result.objects["id"].tolist() == result.ids.tolist() == frame.index.tolist()
    assert result.clusterings["clustering"].tolist() == list("abcdefgh")
    table = result.to_frame()
    table["label"] = 7
    assert np.array_equal(result.to_frame()["label"], result.labels)  # a copy was given


def test_kinds_of_membership():
    probabilities = ConsensusResult.from_estimator(PCC(3, random_state=0).fit(CLEAN.X))
    assert probabilities.membership_kind == "probabilities"
    assert np.array_equal(probabilities.membership, probabilities.estimator.membership_)
    votes = combine(CLEAN.X, random_state=0)
    assert votes.membership_kind == "votes"
    assert np.array_equal(votes.membership, votes.estimator.votes_)


def test_soft_clusterings_of_weight_zero_are_left_out_of_the_table():
    blocks = one_hot_blocks(CLEAN.X)
    result = combine(blocks, weights=CLUSTERING_WEIGHTS, n_clusters=3, random_state=0)
    table = result.clusterings
    assert table["clustering"].tolist() == [f"clustering {m}" for m in (0, 1, 3, 4, 5, 6, 7)]
    assert table["weight"].tolist() == [1, 2, 1, 1, 1, 1, 3]
    assert table["n_objects"].tolist() == (CLEAN.X[:, [0, 1, 3, 4, 5, 6, 7]] >= 0).sum(axis=0).tolist()


def test_a_fit_on_labels_and_then_on_soft_clusterings():
    model = ITK(3, random_state=0, weights=CLUSTERING_WEIGHTS).fit(CLEAN.X)
    assert len(ConsensusResult.from_estimator(model).clusterings) == 7
    model.fit(one_hot_blocks(CLEAN.X))
    assert ConsensusResult.from_estimator(model).clusterings["clustering"].tolist()[2] == "clustering 3"


def test_a_result_does_not_follow_its_estimator():
    model = EAC(3).fit(CLEAN.X)
    result = ConsensusResult.from_estimator(model)
    before = result.labels.copy()
    model.set_params(n_clusters=2).fit(CLEAN.X[:30])
    assert np.array_equal(result.labels, before)
    assert len(result.confidence) == len(result.to_frame()) == 62


def test_a_pickled_result_is_the_same():
    result = combine(CLEAN.X, random_state=0)
    fresh = pickle.loads(pickle.dumps(result))  # nothing has been computed yet
    assert fresh.to_json() == result.to_json()
    assert pickle.loads(pickle.dumps(result)).to_frame().equals(result.to_frame())
    assert str(fresh) == str(result)


def test_new_objects_are_placed_by_the_estimator():
    result = combine(CLEAN.X, random_state=0)
    assert np.array_equal(result.estimator.predict(CLEAN.X), result.labels)


def test_of_features_the_consensus_is_told(rng):
    F = np.repeat([[0.0], [9.0]], 20, axis=0) + rng.standard_normal((40, 1))
    model = ConsensusClustering(KMeansEnsemble(8, (2, 4)), n_clusters=2, random_state=0).fit(F)
    result = ConsensusResult.from_estimator(model)
    assert np.array_equal(result.labels, model.labels_)
    assert len(result.clusterings) == 8


def test_what_is_no_fitted_consensus_is_refused():
    with pytest.raises(TypeError, match=r"is no consensus estimator of partita; .* use combine\(X\)"):
        ConsensusResult.from_estimator(KMeans(2))
    with pytest.raises(NotFittedError):
        ConsensusResult.from_estimator(LWGP())


def test_words_of_a_result():
    result = combine(CLEAN.X, random_state=0)
    assert repr(result) == f"<ConsensusResult: {result.summary}>"
    assert result.summary.startswith(
        "8 clusterings of 62 objects lead to 3 clusters (method lwgp): two halves of them "
    )
    assert result.summary.endswith(".")
    assert str(result).startswith("3 clusters, method lwgp\n")
    assert "62 objects, 8 clusterings; clusters of sizes " in str(result)


def test_a_notebook_shows_names_as_text():
    frame = pd.DataFrame(CLEAN.X, columns=["<script>alert(1)</script>", *"bcdefgh"]).astype(str)
    html = combine(frame, n_clusters=2, random_state=0)._repr_html_()
    assert "<script>" not in html
    assert html.count("<tr>") == 3


def test_a_workbook_holds_every_table(tmp_path):
    frame = pd.DataFrame(CLEAN.X, index=[f"=object {i}" for i in range(62)], columns=list("abcdefgh"))
    result = combine(frame, random_state=0)
    result.to_excel(tmp_path / "book.xlsx")
    book = pd.read_excel(tmp_path / "book.xlsx", sheet_name=None)
    assert list(book) == ["summary", "objects", "clusters", "clusterings", "choice"]
    assert book["objects"]["id"].tolist() == frame.index.tolist()
    assert np.allclose(book["objects"]["confidence"], result.confidence)
    assert book["summary"]["value"][0] == result.summary
    assert book["clusters"]["size"].tolist() == result.clusters["size"].tolist()


def test_a_workbook_needs_its_suffix_and_infinite_numbers_are_empty(tmp_path):
    result = combine(CLEAN.X, n_clusters=1)
    with pytest.raises(ValueError, match=r"let it end in \.xlsx"):
        result.to_excel(tmp_path / "book.csv")
    result.to_excel(tmp_path / "book.xlsx")
    assert pd.read_excel(tmp_path / "book.xlsx", sheet_name="objects")["confidence"].isna().all()


# ------------------------------------------------------------------------------------------------ a given partition
def test_a_given_partition_is_judged_as_a_consensus():
    given = np.where(np.arange(62) % 20 == 0, -1, CLEAN.truth)
    result = ConsensusResult.from_labels(CLEAN.X, np.array(["a", "b", "c", "d"])[given.clip(-1)].astype(object))
    assert (result.labels == -1).sum() == 0  # text: "d" is a cluster
    result = ConsensusResult.from_labels(CLEAN.X, given)
    assert np.array_equal(result.labels < 0, given < 0)
    assert adjusted_rand_score(result.labels, given) == pytest.approx(1)
    assert (np.diff(result.clusters["size"]) <= 0).all()
    assert np.allclose(result.confidence, label_confidence(CLEAN.X, given), equal_nan=True)
    assert (result.method, result.choice.verdict) == ("given", "given")
    assert result.summary.startswith("A given partition of 62 objects into 3 clusters, judged by 8 clusterings: the ")


def test_objects_with_equal_labels_may_be_given_different_clusters():
    result = ConsensusResult.from_labels([[0, 0, 0, 1, 1, 1]], [0, 0, 1, 1, 1, 1])
    assert result.labels.tolist() == [1, 1, 0, 0, 0, 0]
    assert np.array_equal(result.estimator.predict([[0, 1]]), [1, 0])


def test_a_partition_of_another_length_is_refused():
    with pytest.raises(ValueError, match="5"):
        ConsensusResult.from_labels(CLEAN.X, [0, 1, 0, 1, 1])


# ------------------------------------------------------------------------------------------------------- unusual names
def test_names_that_are_no_text_can_be_handed_on(tmp_path):
    indices = [
        pd.MultiIndex.from_arrays([np.arange(62) // 2, np.arange(62) % 2]),
        pd.period_range("2020-01", periods=62, freq="M"),
        pd.Index([np.nan, *range(61)]),
    ]
    for index in indices:
        result = combine(pd.DataFrame(CLEAN.X, index=index), n_clusters=3, random_state=0)
        facts = json.loads(result.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
        assert len(facts["ids"]) == 62
        result.to_excel(tmp_path / "book.xlsx")
        assert len(pd.read_excel(tmp_path / "book.xlsx", sheet_name="objects")) == 62


def test_the_second_cluster_is_the_one_that_the_confidence_is_measured_against():
    result = combine(CLEAN.X, n_clusters=3, random_state=0)
    for i, row in enumerate(result.objects.itertuples()):
        moved = result.labels.copy()
        moved[i] = row.second  # nearly the same counts: the log-odds change their sign
        assert np.sign(label_confidence(CLEAN.X, moved)[i]) == -np.sign(row.confidence)


def test_clusterings_made_from_features_keep_their_names(rng):
    F = np.repeat([[0.0], [9.0]], 20, axis=0) + rng.standard_normal((40, 1))
    model = ConsensusClustering(KMeansEnsemble(4, (2, 4)), n_clusters=2, random_state=0).fit(F)
    names = ConsensusResult.from_estimator(model).clusterings["clustering"].tolist()
    assert names == [str(name) for name in model.base_.get_feature_names_out()]
