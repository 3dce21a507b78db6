"""EAC against brute force: SciPy on the full matrix, connected components, and the definition of lifetimes."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, is_valid_linkage
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform

import partita.consensus.pairwise._evidence_accumulation as module
from partita import EAC
from partita.exceptions import AmbiguousNumberWarning, NotEnoughMemoryError
from tests import twins
from tests.ensembles import label_matrices, noisy_ensemble, same_partition

LINKAGES = ["single", "average", "complete", "ward"]


def untied_ensemble(rng, n=40, m=120, missing=0.2, copies=0):
    """Random labels under random weights: no two pairs are equally similar but by being copies."""
    X = rng.integers(0, 3, size=(n, m))
    X = np.where(rng.random((n, m)) < missing, -1, X)
    X[:, 0] = rng.integers(0, 3, size=n)
    X = np.vstack([X, X[rng.integers(n, size=copies)]]) if copies else X
    return X, rng.random(m) + 0.1


@pytest.mark.parametrize("copies", [0, 25])
@pytest.mark.parametrize("missing", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("linkage", LINKAGES)
def test_tree_is_scipys_on_the_full_matrix(linkage, missing, copies, rng):
    X, weights = untied_ensemble(rng, missing=missing, copies=copies)
    D = twins.dissimilarity(X, weights)
    expected = scipy_linkage(squareform(D, checks=False), linkage)
    model = EAC(3, linkage=linkage, weights=weights).fit(X)
    assert is_valid_linkage(model.dendrogram_)
    assert np.allclose(model.dendrogram_[:, 2], expected[:, 2], atol=1e-12)
    assert np.array_equal(np.sort(model.dendrogram_[:, 3]), np.sort(expected[:, 3])) or copies
    for k in range(2, 12):
        labels = EAC(k, linkage=linkage, weights=weights).fit_predict(X)
        assert len(np.unique(labels)) == k
        assert same_partition(labels, fcluster(expected, k, "maxclust"))


def test_exact_ward_is_scipys_on_the_one_hot_points(rng):
    """Complete ensembles: sqrt(2 (1 - S)) is the distance of the one-hot rows, divided by the root of their number."""
    X, weights = untied_ensemble(rng, missing=0, copies=15)
    points = twins.one_hot(X, weights) / np.sqrt(weights.sum())
    expected = scipy_linkage(points, "ward")
    model = EAC(5, linkage="ward", ward="exact", weights=weights).fit(X)
    assert np.allclose(model.dendrogram_[:, 2], expected[:, 2], atol=1e-7)  # SciPy takes roots of rounded squares
    assert same_partition(model.labels_, fcluster(expected, 5, "maxclust"))


@given(label_matrices(max_rows=12, max_columns=5), st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.75, 1.0]))
def test_single_link_at_a_threshold_is_connected_components(X, threshold):
    X = X[(X >= 0).any(axis=1)]
    X = X[:, (X >= 0).any(axis=0)]
    S = 1 - twins.dissimilarity(X)
    labels = EAC(linkage="single", threshold=threshold).fit_predict(X)
    assert same_partition(labels, twins.components(threshold <= S))


@pytest.mark.parametrize("linkage", ["single", "average", "complete"])
def test_threshold_cuts_the_tree_at_one_minus_it(linkage, X):
    D = twins.dissimilarity(X)
    expected = scipy_linkage(squareform(D, checks=False), linkage)
    model = EAC(linkage=linkage, threshold=0.37).fit(X)
    if linkage == "single":
        assert same_partition(model.labels_, fcluster(expected, 1 - 0.37, "distance"))
    assert (model.dendrogram_[:, 2] <= 1 - 0.37).sum() == len(X) - model.n_clusters_


@given(label_matrices(max_rows=12, max_columns=5, min_rows=3))
@pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")
def test_lifetimes_are_differences_of_heights(X):
    X = X[(X >= 0).any(axis=1)]
    X = X[:, (X >= 0).any(axis=0)]
    model = EAC(linkage="single", max_clusters=None).fit(X)
    h, n = model.dendrogram_[:, 2], len(X)
    assert len(model.dendrogram_) == n - 1
    assert len(model.lifetimes_) == max(n - 2, 0)
    for k in range(2, n):
        assert model.lifetimes_[k - 2] == pytest.approx(h[n - k] - h[n - k - 1], abs=1e-15)
    if n > 2:
        assert model.lifetimes_.sum() == pytest.approx(h[-1] - h[0])
        if model.lifetimes_.max() > 1e-9:
            assert model.n_clusters_ == np.flatnonzero(model.lifetimes_ > model.lifetimes_.max() - 1e-9)[0] + 2


def slow_choice(heights, limit):
    """Number of clusters of the longest life up to the limit, by trying every height at which the tree can be cut."""
    n = len(heights) + 1
    life = {k: heights[n - k] - heights[n - k - 1] for k in range(2, n)}
    allowed = {k: life[k] for k in life if k <= limit and life[k] > 1e-9} or {
        k: life[k] for k in life if life[k] > 1e-9
    }
    if max(heights, default=0) <= 1e-9:
        return 1
    if not allowed:
        return n
    longest = max(allowed.values())
    return min(k for k in allowed if allowed[k] > longest - 1e-9)


@given(label_matrices(max_rows=14, max_columns=5, min_rows=3), st.sampled_from(["sqrt", None, 2, 3, 5, 50]))
@pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")
def test_limited_choice_is_the_slow_one(X, max_clusters):
    X = X[(X >= 0).any(axis=1)]
    X = X[:, (X >= 0).any(axis=0)]
    model = EAC(max_clusters=max_clusters).fit(X)
    limit = {"sqrt": max(int(len(X) ** 0.5), 2), None: len(X)}.get(max_clusters, max_clusters)
    assert model.n_clusters_ == slow_choice(model.dendrogram_[:, 2].tolist(), limit)


@pytest.mark.filterwarnings("ignore::partita.exceptions.AmbiguousNumberWarning")
def test_the_limit_counts_objects_and_not_rows(rng, monkeypatch):
    """Objects of one row count one by one, weight 2 is the object twice, and objects without weight do not count."""
    seen = []
    monkeypatch.setattr(module, "lives_up_to", lambda lives, limit, tolerance: seen.append(limit) or lives)
    X = rng.integers(0, 4, size=(9, 12))
    EAC().fit(X)
    EAC().fit(np.repeat(X, 4, axis=0))
    for weight in (np.full(9, 4.0), np.full(9, 0.01), [1] * 5 + [0] * 4):
        EAC().fit(X, sample_weight=weight)
    assert seen == [3, 6, 6, 3, 2]


def test_the_limit_decides_where_small_pieces_live_longest():
    """Twelve objects in two groups: the groups live .3, and the pieces that no clustering joins .4."""
    heights = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5, 0.5, 0.8])
    lives = module.cut_lifetimes(heights)
    choose = lambda limit: module._longest_life(  # noqa: E731
        module.lives_up_to(lives, limit, 1e-9), heights, 1e-9, allow_one=False
    )
    assert [choose(limit) for limit in (2, 3, 5, 6, 12)] == [2, 2, 2, 6, 6]


def test_a_clustering_of_more_clusters_than_the_limit_is_returned_unchanged():
    truth = np.arange(60) % 20
    assert same_partition(EAC().fit(np.tile(truth[:, None], 5)).labels_, truth)
    assert same_partition(EAC(max_clusters=2).fit([truth]).labels_, truth)


def nearly_tied(other):
    """Heights whose cut into 2 lives 0.1 and whose cut into 4 lives ``other``."""
    return np.array([0.08, 0.1, 0.1 + other, 0.12 + other, 0.22 + other])


@pytest.mark.parametrize(("other", "warned"), [(0.094, False), (0.096, True), (0.1, True)])
def test_another_number_that_is_nearly_as_good_is_named(other, warned):
    heights = nearly_tied(other)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module._warn_ambiguous(module.cut_lifetimes(heights), heights, 2, allow_one=False)
    assert len(caught) == warned
    if warned:
        message = str(caught[0].message)
        assert f"the cut into 2 has the lifetime 0.1, and that into 4 has {other:.4g}." in message
        assert "pass n_clusters=2 or n_clusters=4" in message


def test_one_cluster_is_named_where_it_is_allowed():
    heights = np.array([0.1, 0.1, 0.56])
    lives = module.cut_lifetimes(heights)
    module._warn_ambiguous(lives, heights, 2, allow_one=False)
    with pytest.warns(
        AmbiguousNumberWarning, match=r"the cut into 2 has the lifetime 0\.46, and that into 1 has 0\.44"
    ):
        module._warn_ambiguous(lives, heights, 2, allow_one=True)


def test_a_fit_warns_of_two_numbers_and_not_where_the_number_is_given():
    """Four pairs that one clustering keeps apart, and two halves that another one does."""
    pairs, halves = np.arange(16) // 4, np.arange(16) // 8
    X = np.column_stack([pairs, pairs, halves, halves, np.zeros(16), np.zeros(16)]).astype(int)
    with pytest.warns(
        AmbiguousNumberWarning, match=r"the cut into 2 has the lifetime 0\.3333, and that into 4 has 0\.3333"
    ) as caught:
        assert EAC().fit(X).n_clusters_ == 2
    assert caught[0].filename == __file__
    EAC(4).fit(X)
    EAC(max_clusters=3).fit(X)


def test_highest_lifetime_and_its_ties():
    heights = np.array([0.0, 0.1, 0.4, 0.7, 0.75])
    lives = module.cut_lifetimes(heights)
    assert np.allclose(lives, [0.05, 0.3, 0.3, 0.1])
    assert module._longest_life(lives, heights, 1e-9, allow_one=False) == 3
    assert module._longest_life(lives, heights, 1e-9, allow_one=True) == 3
    assert module._longest_life(lives, heights / 2, 1e-9, allow_one=True) == 1


def test_one_cluster_only_on_request():
    X = noisy_ensemble(sizes=(40,), n_clusterings=30, flip=0.0, missing=0).X
    X[:4] += np.random.default_rng(0).integers(0, 2, size=(4, 30))
    assert EAC().fit(X).n_clusters_ > 1
    assert EAC(allow_one=True).fit(X).n_clusters_ == 1


def test_merges_at_one_height_have_no_cut_between():
    """All apart, or all together: no number in between is better than another."""
    assert EAC().fit([[0, 1, 2, 3]]).n_clusters_ == 4
    together = np.zeros((4, 10), int)
    together[np.arange(4), np.arange(4)] = 1
    assert EAC().fit(together).n_clusters_ == 4  # one cluster only on request
    assert EAC(allow_one=True).fit(together).n_clusters_ == 1
    assert EAC().fit([[0, 1]]).n_clusters_ == 2
    assert EAC().fit([[0, 0, 1]] * 3).labels_.tolist() == [0, 0, 1]


def test_leaves_are_the_labelled_objects(X):
    with_empty = np.insert(X, [0, 5], -1, axis=0)
    with pytest.warns(UserWarning, match="2 of 64 objects"):
        model = EAC().fit(with_empty)
    assert np.array_equal(model.leaves_, np.flatnonzero((with_empty >= 0).any(axis=1)))
    assert len(model.dendrogram_) == len(model.leaves_) - 1


def test_weights_of_objects_let_all_of_them_stay_apart(truth):
    """Distinct rows of weight 2 are copies, so the cut into all of them is a candidate."""
    X = np.array([[0, 0], [1, 1], [2, 2]])
    assert same_partition(EAC().fit(X, sample_weight=[2, 2, 2]).labels_, [0, 1, 2])


@pytest.mark.parametrize("linkage", LINKAGES)
def test_float32_gives_the_same_tree(linkage, rng, monkeypatch):
    X, weights = untied_ensemble(rng, n=150, copies=30)
    double = EAC(6, linkage=linkage, weights=weights).fit(X)
    monkeypatch.setattr(module, "_DOUBLE_BYTES", 0)
    single = EAC(6, linkage=linkage, weights=weights).fit(X)
    assert np.allclose(double.dendrogram_[:, 2], single.dendrogram_[:, 2], atol=1e-5)
    assert same_partition(double.labels_, single.labels_)


def test_tree_larger_than_memory_is_refused_and_single_is_not(X, monkeypatch):
    monkeypatch.setenv("PARTITA_MAX_MEMORY", "16kB")
    with pytest.raises(
        NotEnoughMemoryError, match=r"linkage='average' on 60 distinct rows needs .* use linkage='single'"
    ):
        EAC().fit(X)
    EAC(linkage="single").fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 3, "threshold": 0.5}, "n_clusters=3 and threshold=0.5 are both given"),
        ({"cut": "threshold"}, "cut='threshold' needs threshold"),
        ({"cut": "n_clusters"}, "cut='n_clusters' needs n_clusters"),
        ({"cut": "lifetime", "n_clusters": 1}, "cut='lifetime' finds .* n_clusters=1 is given; leave out one"),
        ({"cut": "lifetime", "threshold": 0.5}, "cut='lifetime' finds .* threshold=0.5 is given; leave out one"),
        (
            {"n_clusters": 2, "max_clusters": 5},
            "max_clusters=5 limits the cut at the highest lifetime, .* by n_clusters",
        ),
        ({"threshold": 0.5, "max_clusters": None}, "max_clusters=None limits .* by threshold; leave out one"),
        ({"max_clusters": 1}, "'max_clusters' parameter of EAC must be"),
        ({"n_clusters": 2, "allow_one": True}, "allow_one=True is for the cut at the highest lifetime"),
        ({"ward": "exact"}, "ward='exact' is for linkage='ward', received linkage='average'"),
        ({"linkage": "ward", "threshold": 0.5}, "linkage='ward' with threshold: Ward's heights are not similarities"),
        ({"linkage": "ward", "allow_one": True}, "linkage='ward' with allow_one=True"),
        ({"linkage": "centroid"}, r"'linkage' parameter of EAC must be a str among .* Got 'centroid' instead"),
        ({"n_clusters": 0}, r"'n_clusters' parameter of EAC must be an int in the range \[1, inf\)"),
        ({"n_clusters": 2.5}, r"'n_clusters' parameter of EAC"),
        ({"threshold": 1.2}, r"'threshold' parameter of EAC must be a float in the range \[0.0, 1.0\]"),
    ],
)
def test_wrong_or_contradictory_parameters_are_refused(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        EAC(**parameters).fit(X)


def test_explicit_cut_settles_a_contradiction(X):
    assert EAC(3, threshold=0.9, cut="n_clusters").fit(X).n_clusters_ == 3


def test_progress_is_shown_when_asked(X, capsys, monkeypatch):
    import tqdm

    shown = []
    monkeypatch.setattr(tqdm, "tqdm", lambda **options: shown.append(options["desc"]) or tqdm.std.tqdm(**options))
    EAC(verbose=True).fit(X)
    EAC(linkage="single", verbose=1).fit(X)
    assert shown == ["co-association", "linkage", "single linkage"]
    assert capsys.readouterr().err == ""  # it took less than two seconds


@pytest.mark.parametrize("linkage", LINKAGES)
def test_new_objects_join_equal_ones_or_the_most_similar_cluster(linkage, X):
    """By the mean similarity, whatever the linkage (eq. P12)."""
    model = EAC(3, linkage=linkage).fit(X)
    assert np.array_equal(model.predict(X), model.labels_)
    new = X[:8].copy()
    new[:, ::4] = -1
    S = 1 - twins.dissimilarity(np.vstack([new, X]))[: len(new), len(new) :]
    known = (twins.coassociation(np.vstack([new, X]))[1] > 0)[: len(new), len(new) :]
    mean = np.column_stack([np.where(known, S, 0)[:, model.labels_ == k].mean(axis=1) for k in range(3)])
    assert np.array_equal(model.predict(new), mean.argmax(axis=1))
    strange = X[:2].astype(object)
    strange[0] = "never seen"
    assert model.predict(strange).tolist() == [-1, model.labels_[1]]
