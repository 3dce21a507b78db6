"""What models of labels share: likelihood, perplexity, and the warning about a single clustering."""

import numpy as np
import pytest

from partita import BCE, GBCE, MultinomialMixture
from partita.exceptions import IdentifiabilityWarning

all_models = pytest.mark.parametrize("kind", [MultinomialMixture, BCE, GBCE])


@all_models
def test_single_clustering_is_warned_about(kind):
    with pytest.warns(IdentifiabilityWarning, match=f"{kind.__name__} is not identifiable from a single clustering"):
        kind(2, n_init=1, random_state=0).fit(np.repeat([[0], [1], [2]], 5, axis=0))


def test_single_clustering_with_features_is_not_warned_about(recwarn):
    X, F = np.repeat([[0], [1], [2]], 5, axis=0), np.arange(15, dtype=float)[:, None]
    GBCE(2, n_init=1, random_state=0).fit(X, features=F)
    assert not [warning for warning in recwarn if issubclass(warning.category, IdentifiabilityWarning)]


@all_models
def test_score_is_the_weighted_mean_of_the_rows(kind, X, rng):
    model, weight = kind(3, n_init=1, random_state=0).fit(X), rng.random(len(X))
    values = model.score_samples(X)
    assert model.score(X) == pytest.approx(values.mean())
    assert model.score(X, sample_weight=weight) == pytest.approx(np.average(values, weights=weight))


@all_models
def test_row_without_labels_scores_zero_and_a_label_never_seen_its_floor(kind, X):
    weights = np.linspace(0.5, 1.5, X.shape[1])
    model = kind(3, weights=weights, n_init=1, random_state=0).fit(X)
    rows = np.full((2, X.shape[1]), -1)
    rows[1, 4] = 99
    assert np.allclose(model.score_samples(rows), [0.0, weights[4] * np.log(1e-12)])


@all_models
def test_perplexity_is_per_label_and_by_weight(kind, X):
    weights = np.linspace(0.5, 1.5, X.shape[1])
    model = kind(3, weights=weights, n_init=1, random_state=0).fit(X)
    n_labels = ((X >= 0) @ weights).sum()
    assert model.perplexity(X) == pytest.approx(np.exp(-model.score_samples(X).sum() / n_labels))
