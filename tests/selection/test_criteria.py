"""Every column of the table by sums written out (eqs. I55, I64, I65, I66, I67)."""

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from partita import EAC, MultinomialMixture, choose_n_clusters
from partita.selection import _criteria as criteria
from tests import twins
from tests.selection.recorded import HASTY, blobs, coassociations, copies


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


def test_bic_that_cannot_be_computed_is_missing(monkeypatch):
    def fail(self, X):
        raise ValueError("ill-defined")

    monkeypatch.setattr(GaussianMixture, "fit", fail)
    choice = choose_n_clusters(blobs(), (2, 3), **HASTY)
    assert choice.table["bic"].isna().all()
