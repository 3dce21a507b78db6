"""The number of clusters: what is chosen, and every column of the table by sums written out."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from partita import BCE, EAC, NBCE, LabelKMeans, MultinomialMixture, NoisyEnsemble, choose_n_clusters
from partita.selection import _choice as module
from partita.selection import _criteria as criteria
from partita.selection._criteria import Profile, compare
from partita.selection._references import gaussian_cloud, uniform_cloud, without_agreement
from tests import twins

FAST = {"base": "ward", "n_resamples": 6, "random_state": 0}  # of features
HASTY = {"alpha": 0.5, "n_references": 1, "n_resamples": 3, "random_state": 0}  # where the answer does not matter


def blobs(sizes=(20, 15, 15), seed=0):
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return 7 * np.eye(len(sizes))[truth] + np.random.default_rng(seed).standard_normal((len(truth), len(sizes)))


def copies(n_clusters=4, noise=0.1, missing=0.0):
    truth = np.repeat(np.arange(n_clusters), 10)
    return NoisyEnsemble(10, noise=noise, missing=missing, random_state=0).fit_transform(truth)


class Recorded:
    """A choice, with what is behind it: of the data first, then of the references."""

    def __init__(self, *arguments, **options):
        self.samples, self.of_all, self.data = [], [], []
        with pytest.MonkeyPatch.context() as monkeypatch:
            for name, calls in [
                ("sample_features", self.samples),
                ("sample_labels", self.samples),
                ("cluster_all", self.of_all),
            ]:
                monkeypatch.setattr(module, name, self._recorder(getattr(module, name), calls))
            self.choice = choose_n_clusters(*arguments, **options)
        self.table = self.choice.table

    def _recorder(self, plain, calls):
        def record(data, *more):
            if calls is self.samples:
                self.data.append(data)
            calls.append(plain(data, *more))
            return calls[-1]

        return record


@pytest.fixture(scope="module")
def of_features():
    return Recorded(blobs(), (2, 4), **FAST)


@pytest.fixture(scope="module")
def of_labels():
    return Recorded(copies(missing=0.1), (2, 6), n_resamples=8, random_state=0)


@pytest.fixture(params=["of_features", "of_labels"])
def recorded(request):
    return request.getfixturevalue(request.param)


def coassociations(X):
    """S_ij of every pair that occurs together, by two loops."""
    found = []
    for i in range(len(X)):
        for j in range(i):
            both = [(a, b) for a, b in zip(X[i], X[j], strict=True) if a >= 0 and b >= 0]
            if both:
                found.append(sum(a == b for a, b in both) / len(both))
    return np.array(found)


# ---------------------------------------------------------------------------------------------------------
# what is chosen


def test_clear_clusters_of_features_are_counted(of_features):
    assert of_features.choice.n_clusters == 3
    assert of_features.choice.kind == "features"
    assert of_features.choice.p_value == pytest.approx(0.05)
    assert "there are clusters" in of_features.choice.reasons[0]


def test_kmeans_is_the_default_for_features():
    assert choose_n_clusters(blobs((15, 15)), [2, 3], n_resamples=6, random_state=0).n_clusters == 2


@pytest.mark.parametrize("seed", [1, 2, 3])  # at level 0.05 one seed in twenty sees clusters; 0 does
def test_one_gaussian_is_one_cluster(seed):
    F = np.random.default_rng(seed).standard_normal((40, 2)) @ [[3, 1], [0, 1]]
    choice = choose_n_clusters(F, [2, 3], **FAST)
    assert choice.n_clusters == 1
    assert "one cluster" in choice.reasons[0]


def test_noisy_copies_of_a_partition_have_its_clusters(of_labels):
    assert of_labels.choice.n_clusters == 4
    assert of_labels.choice.kind == "labels"


@pytest.mark.parametrize("seed", range(3))
def test_labels_that_share_nothing_are_one_cluster(seed):
    X = np.random.default_rng(seed).integers(4, size=(40, 10))
    assert choose_n_clusters(X, (2, 5), n_resamples=6, random_state=0).n_clusters == 1


def test_copies_without_noise_have_the_clusters_of_the_original():
    assert choose_n_clusters(copies(noise=0.0), (2, 6), n_resamples=6, random_state=0).n_clusters == 4


def test_copies_without_noise_have_no_more_clusters_by_another_consensus():
    choice = choose_n_clusters(
        copies(noise=0.0), (2, 6), consensus=LabelKMeans(2, n_init=2), n_resamples=4, random_state=0
    )
    assert choice.n_clusters == 4


def test_objects_without_label_are_left_out():
    X = np.vstack([copies(), np.full((3, 10), -1)])
    choice = choose_n_clusters(X, [3, 4, 5], n_resamples=6, random_state=0)
    assert (choice.n_clusters, choice.n_objects) == (4, 40)


# ---------------------------------------------------------------------------------------------------------
# the table


def test_the_table_has_a_row_for_each_number(recorded):
    numbers = recorded.table["n_clusters"].tolist()
    assert numbers == list(range(2, 2 + len(numbers)))
    gap = ["gap"] if recorded.choice.kind == "features" else []
    assert recorded.table.columns.tolist() == [
        "n_clusters", "n_found", "stability", "pac", "pac_strict", "cdf_area", "delta_area", "lifetime", "bic", "rcsi",
        *gap, "reference_pac", "p_value",
    ]  # fmt: skip
    assert not recorded.table.isna().any().any()


def test_samples_have_80_percent_of_the_objects(of_features):
    assert all(((X >= 0).sum(axis=0) == 40).all() for X in of_features.samples[0])
    assert len(of_features.samples) == 39  # of the data, and of 19 references of each kind
    assert [X.shape for X in of_features.samples[0]] == [(50, 6)] * 3


def test_pac_and_cdf_are_sums_over_pairs(recorded):
    for place, X in enumerate(recorded.samples[0]):
        S = coassociations(X)
        row = recorded.table.iloc[place]
        assert row["pac"] == pytest.approx(((S > 0.1) & (S < 0.9)).mean())
        assert row["pac_strict"] == pytest.approx(((S > 0) & (S < 1)).mean())
        assert row["cdf_area"] == pytest.approx(1 - S.mean())
        curve = recorded.choice.cdf[row["n_clusters"]]
        assert np.allclose(curve, [(value >= S).mean() for value in curve.index])


def test_delta_area_is_the_relative_growth(recorded):
    area = recorded.table["cdf_area"].tolist()
    expected = [area[0]] + [(area[i] - area[i - 1]) / area[i - 1] for i in range(1, len(area))]
    assert np.allclose(recorded.table["delta_area"], expected)


def ambiguous(X):
    S = coassociations(X)
    return ((S > 0.1) & (S < 0.9)).mean()


def within(F, labels):
    """Share of the sum of squares that is within clusters."""
    total = ((F - F.mean(axis=0)) ** 2).sum()
    return sum(((F[labels == k] - F[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels)) / total


def test_references_and_p_values_by_loops(recorded):
    """Logs of data set s and number k: the first data set is the given one, the others are without clusters."""
    pac = np.array([[ambiguous(X) for X in samples] for samples in recorded.samples])
    logs = {"rcsi": np.log(pac + 1e-3)}
    if recorded.choice.kind == "features":
        pairs = zip(recorded.data, recorded.of_all, strict=True)
        scatter = [[within(F, labels) for labels in clusterings] for F, clusterings in pairs]
        logs["gap"] = np.log(np.array(scatter) + 1e-3)
    kinds = [[0, *range(1, 20)], [0, *range(20, 39)]] if recorded.choice.kind == "features" else [[*range(20)]]
    assert len(pac) == 1 + 19 * len(kinds)
    for name, values in logs.items():
        expected = [values[rows[1:]].mean(axis=0) - values[0] for rows in kinds]
        assert np.allclose(recorded.table[name], np.min(expected, axis=0))
    assert np.allclose(recorded.table["reference_pac"], np.min([pac[rows[1:]].mean(axis=0) for rows in kinds], axis=0))
    of_numbers, of_all = zip(*[p_values([values[rows] for values in logs.values()]) for rows in kinds], strict=True)
    assert np.allclose(recorded.table["p_value"], np.max(of_numbers, axis=0))
    assert recorded.choice.p_value == pytest.approx(max(of_all))


def p_values(logs):
    """Of each number, by the sum of z at it; and of all together, by the sum of the largest z."""
    n_sets, n_numbers = logs[0].shape
    z = [(values.mean(axis=0) - values) / values.std(axis=0, ddof=1) for values in logs]
    at = [[sum(one[s, k] for one in z) for k in range(n_numbers)] for s in range(n_sets)]
    over = [sum(max(one[s]) for one in z) for s in range(n_sets)]
    of_numbers = [sum(at[s][k] >= at[0][k] - 1e-9 for s in range(n_sets)) / n_sets for k in range(n_numbers)]
    return of_numbers, sum(value >= over[0] - 1e-9 for value in over) / n_sets


def test_the_choice_follows_from_the_table(recorded):
    table = recorded.table
    better = table[table["p_value"] <= 0.05]
    clear = better[better["pac"] <= 0.01]
    expected = better.loc[better["rcsi"].idxmax()] if clear.empty else clear.iloc[-1]
    assert recorded.choice.n_clusters == expected["n_clusters"]


def test_proposals_are_the_best_of_each_column(recorded):
    table = recorded.table.set_index("n_clusters")
    best = {name: table[name].idxmax() for name in ("rcsi", "gap", "stability", "lifetime") if name in table}
    best |= {name: table[name].idxmin() for name in ("pac", "bic")}
    grows = table.index[table["delta_area"] >= 0.1]
    best["delta_area"] = max(grows, default=table.index[0])
    assert recorded.choice.proposals == best


def test_stability_of_features_is_the_agreement_of_samples_with_the_clusters_of_all(of_features):
    trees = [AgglomerativeClustering(k).fit_predict(blobs()) for k in range(2, 5)]
    for of_all, X, found in zip(trees, of_features.samples[0], of_features.table["stability"], strict=True):
        scores = [adjusted_rand_score(of_all[column >= 0], column[column >= 0]) for column in X.T]
        assert found == pytest.approx(np.mean(scores))


def test_stability_of_labels_is_the_agreement_of_samples_with_the_consensus_of_all(of_labels):
    data = copies(missing=0.1)
    for k, X, found in zip(range(2, 7), of_labels.samples[0], of_labels.table["stability"], strict=True):
        of_all = EAC(k, linkage="ward").fit_predict(data)
        scores = [adjusted_rand_score(of_all[column >= 0], column[column >= 0]) for column in X.T]
        assert found == pytest.approx(np.mean(scores))


def test_lifetimes_are_those_of_average_linkage(of_labels):
    lives = EAC().fit(copies(missing=0.1)).lifetimes_
    assert np.allclose(of_labels.table["lifetime"], lives[:5])


def test_bic_of_labels_by_hand(monkeypatch):
    models, data = [], copies(missing=0.1)

    class Kept(MultinomialMixture):
        def fit(self, *given):
            models.append(self)
            return super().fit(*given)

    monkeypatch.setattr(criteria, "MultinomialMixture", Kept)
    table = choose_n_clusters(data, [2, 4, 5], **HASTY).table
    n_labels = [len(set(column[column >= 0])) for column in data.T]
    for k, model, bic in zip([2, 4, 5], models, table["bic"], strict=True):
        log_likelihood = twins.mixture_posterior(data, model.weights_, model.theta_, np.ones(10))[1].sum()
        n_parameters = (k - 1) + sum(k * (size - 1) for size in n_labels)
        assert bic == pytest.approx(n_parameters * np.log(40) - 2 * log_likelihood)


def test_bic_of_features_is_the_gaussian_mixtures(of_features):
    F = blobs()
    models = [GaussianMixture(k, n_init=5, random_state=1).fit(F) for k in (2, 3)]
    for model, bic in zip(models, of_features.table["bic"], strict=False):
        k, d = model.means_.shape
        n_parameters = k - 1 + k * d + k * d * (d + 1) / 2
        expected = n_parameters * np.log(len(F)) - 2 * model.score_samples(F).sum()
        assert bic == pytest.approx(expected, rel=0.01)


def test_p_value_of_data_that_stand_out_or_do_not():
    references = [Profile(np.full(3, 0.5 + 0.01 * s)) for s in range(19)]
    found = compare(Profile(np.array([0.6, 0.1, 0.9])), references)
    assert found.p_value == 1 / 20
    assert found.columns["p_value"].tolist() == [12 / 20, 1 / 20, 1]
    assert compare(Profile(np.full(3, 0.9)), references).p_value == 1


def test_p_values_are_exact_where_nothing_is_there(rng):
    """Data and references alike: p <= 0.05 in a twentieth of all cases, whatever the two measures have in common."""
    n = 2000
    shared = rng.random((n, 20, 1))
    pac, scatter = rng.random((n, 20, 4)) * shared, rng.random((n, 20, 4)) * shared**2
    p = np.array(
        [
            compare(*profiles[:1], profiles[1:]).p_value
            for profiles in (
                [Profile(a, b) for a, b in zip(*both, strict=True)] for both in zip(pac, scatter, strict=True)
            )
        ]
    )
    assert abs((p <= 0.05).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n)
    assert np.allclose(np.unique(p), np.arange(1, 21) / 20)


# ---------------------------------------------------------------------------------------------------------
# references


def test_reference_features_have_the_mean_and_covariance_of_the_data(rng):
    F = rng.standard_normal((50, 3)) @ rng.standard_normal((3, 3)) + [1, 2, 3]
    many = np.vstack([gaussian_cloud(F, seed) for seed in range(400)])
    scale = np.sqrt(np.diag(np.cov(F.T)))
    assert (np.abs(many.mean(axis=0) - F.mean(axis=0)) < 5 * scale / np.sqrt(20_000)).all()
    assert np.abs(np.cov(many.T) - np.cov(F.T)).max() < 0.05 * scale.max() ** 2


def test_reference_features_of_wide_data(rng):
    F = rng.standard_normal((6, 10))
    like = gaussian_cloud(F, 0)
    assert like.shape == (6, 10)
    centred = F - F.mean(axis=0)
    inside = (like - F.mean(axis=0)) @ np.linalg.pinv(centred) @ centred
    assert np.allclose(inside, like - F.mean(axis=0))  # no direction that the data do not have


def test_uniform_references_fill_the_box_around_the_data(rng):
    F = rng.standard_normal((40, 2)) @ [[3, 1], [0, 1]]
    axes = np.linalg.svd(F - F.mean(axis=0))[2]
    low, high = ((F - F.mean(axis=0)) @ axes.T).min(axis=0), ((F - F.mean(axis=0)) @ axes.T).max(axis=0)
    many = (np.vstack([uniform_cloud(F, seed) for seed in range(200)]) - F.mean(axis=0)) @ axes.T
    assert (many >= low - 1e-9).all()
    assert (many <= high + 1e-9).all()
    assert np.allclose(many.mean(axis=0), (low + high) / 2, atol=0.1)
    assert np.allclose(many.std(axis=0), (high - low) / np.sqrt(12), rtol=0.05)


def test_holes_of_reference_labels_stay_where_they_are(rng):
    X = rng.integers(-1, 3, size=(30, 5))
    assert ((without_agreement(X, 0) < 0) == (X < 0)).all()


@pytest.mark.parametrize("seed", range(4))
def test_a_pattern_of_holes_is_no_cluster(seed):
    X = np.random.default_rng(seed).integers(4, size=(40, 10))
    X[:20, 5:] = X[20:, :5] = -1  # two groups, each clustered by others, at random
    assert choose_n_clusters(X, (2, 4), n_resamples=6, random_state=seed).n_clusters == 1


def test_a_uniform_cloud_is_one_cluster_more_often_than_not():
    answers = [
        choose_n_clusters(np.random.default_rng(seed).uniform(size=(60, 2)), (2, 4), n_resamples=8, random_state=0)
        for seed in range(5)
    ]
    assert sum(choice.n_clusters == 1 for choice in answers) >= 4


def test_reference_labels_are_every_column_shuffled(rng):
    X = rng.integers(-1, 3, size=(30, 5))
    like = without_agreement(X, 0)
    assert (np.sort(like, axis=0) == np.sort(X, axis=0)).all()
    assert (like != X).any(axis=0).all()
    assert not (like == without_agreement(X, 1)).all()


# ---------------------------------------------------------------------------------------------------------
# options


def test_the_number_of_threads_does_not_matter(of_features, of_labels):
    threads = choose_n_clusters(blobs(), (2, 4), n_jobs=3, **FAST)
    pd.testing.assert_frame_equal(threads.table, of_features.table)
    pd.testing.assert_frame_equal(threads.cdf, of_features.choice.cdf)
    threads = choose_n_clusters(copies(missing=0.1), (2, 6), n_resamples=8, random_state=0, n_jobs=3)
    pd.testing.assert_frame_equal(threads.table, of_labels.table)
    assert threads.reasons == of_labels.choice.reasons


def test_another_seed_gives_other_samples(of_labels):
    other = choose_n_clusters(copies(missing=0.1), (2, 6), n_resamples=8, random_state=1)
    assert not other.table["pac"].equals(of_labels.table["pac"])


def test_numbers_are_a_range_or_a_list_and_one_goes_without_saying():
    X = copies()
    assert choose_n_clusters(X, [5, 3, 1, 3], **HASTY).table["n_clusters"].tolist() == [3, 5]
    assert choose_n_clusters(X, (1, 4), **HASTY).table["n_clusters"].tolist() == [2, 3, 4]
    assert choose_n_clusters(X, **HASTY).table["n_clusters"].tolist() == list(range(2, 11))


@pytest.mark.parametrize("make", [copies, lambda: blobs((60,))], ids=["labels", "features"])
def test_more_objects_than_wanted_are_drawn_from(make):
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
    holes = pd.DataFrame(X).astype("Int64").mask(np.random.default_rng(0).random(X.shape) < 0.1)
    assert choose_n_clusters(holes, **options).kind == "labels"
    assert choose_n_clusters(pd.DataFrame(X).map("c{}".format), **options).kind == "labels"
    assert choose_n_clusters(np.round(F), kind="features", **options).kind == "features"


@pytest.mark.parametrize(
    "base",
    ["average", AgglomerativeClustering(), KMeans(n_init=1), GaussianMixture()],
    ids=["name", "tree", "k", "gmm"],
)
def test_features_are_clustered_by_any_base(base):
    choice = choose_n_clusters(blobs((20, 20)), [2, 3], base=base, **HASTY)
    assert choice.table["stability"].iloc[0] == 1


def test_a_given_consensus_combines_the_labels():
    choice = choose_n_clusters(copies(noise=0.0), [3, 4], consensus=MultinomialMixture(9, n_init=2), **HASTY)
    assert choice.table["pac"].tolist()[1] == 0
    assert "lower_bound" not in choice.table


def test_the_bound_of_a_bayesian_consensus_is_told():
    consensus = BCE(2, n_init=1, max_iter=200)
    choice = choose_n_clusters(copies(), [3, 4], consensus=consensus, **{**HASTY, "n_resamples": 2})
    assert choice.table["lower_bound"].diff().iloc[1] > 0
    assert choice.proposals["lower_bound"] == 4
    assert consensus.n_clusters == 2


def test_a_choice_is_printed_with_its_reasons(of_features):
    lines = str(of_features.choice).splitlines()
    assert lines[0] == "n_clusters = 3, from features of 50 objects"
    assert lines[1].startswith("  - there are clusters (p = 0.05")
    assert "n_clusters" in str(of_features.choice).split("\n\n")[1]


WRONG = {
    "unknown kind": ({"kind": "both"}, "kind='both' is not known; choose 'auto', 'labels' or 'features'"),
    "a name": ({"n_clusters": "four"}, "n_clusters='four' must be a range"),
    "too many": ({"n_clusters": (2, 50)}, r"n_clusters=\(2, 50\) must be numbers from 2 to 31: .* 80 % of 40 objects"),
    "none": ({"n_clusters": [1]}, "must be numbers from 2"),
    "backwards": ({"n_clusters": (5, 2)}, "must be numbers from 2"),
    "negative": ({"n_clusters": [-2, 3]}, "must be numbers from 2"),
    "few references": ({"n_references": 18}, "n_references=18 cannot show p <= 0.05; pass at least 19"),
    "few samples": ({"n_resamples": 1}, "n_resamples=1 is too few"),
    "no probability": ({"alpha": 1.0}, "alpha=1.0 must be a probability"),
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


def test_holes_in_features_are_refused():
    F = blobs()
    F[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        choose_n_clusters(F)


def test_an_unknown_base_is_refused():
    with pytest.raises(ValueError, match="clusterer='wrad' is not known"):
        choose_n_clusters(blobs(), base="wrad")


def test_two_samples_are_enough():
    F = np.random.default_rng(0).standard_normal((100, 2))
    assert choose_n_clusters(F, [2, 3], **{**HASTY, "n_resamples": 2}).n_objects == 100


def test_a_clustering_of_few_objects_is_no_reason_to_warn():
    X = copies()
    X[2:, 0] = -1
    assert choose_n_clusters(X, [3, 4], **{**HASTY, "n_resamples": 8}).n_objects == 40


def test_a_range_of_fractions_is_refused_in_our_words():
    with pytest.raises(ValueError, match="n_clusters="):
        choose_n_clusters(copies(), (2.0, 4.5))


def test_a_number_with_a_fraction_is_refused():
    with pytest.raises(ValueError, match="n_clusters="):
        choose_n_clusters(copies(), [2.7, 3], **HASTY)


def test_few_objects_have_fewer_numbers_by_default():
    table = choose_n_clusters(blobs((5, 5)), **HASTY).table
    assert table["n_clusters"].tolist() == list(range(2, 8))


def test_a_base_that_finds_the_number_itself_is_refused():
    with pytest.raises(ValueError, match="DBSCAN has no n_clusters to be chosen"):
        choose_n_clusters(blobs(), base=DBSCAN())


def test_bic_that_cannot_be_computed_is_missing(monkeypatch):
    def fail(self, X):
        raise ValueError("ill-defined")

    monkeypatch.setattr(GaussianMixture, "fit", fail)
    choice = choose_n_clusters(blobs(), (2, 3), **HASTY)
    assert choice.table["bic"].isna().all()


def test_a_global_output_of_frames_does_no_harm(of_features):
    with config_context(transform_output="pandas"):
        again = choose_n_clusters(blobs(), (2, 4), **FAST)
    pd.testing.assert_frame_equal(again.table, of_features.table)
