"""Further clusterings: parameters by hand, bounds that rise, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from partita import BCE, GBCE, MultinomialMixture
from partita._labels.validation import check_label_matrix
from partita.consensus.models._growing import grown_matrix, memberships_of_rows, soft_counts
from tests.ensembles import noisy_ensemble

X, TRUTH = noisy_ensemble(sizes=(40, 30, 20), n_clusterings=14, flip=0.4, seed=3)
KINDS = [BCE, MultinomialMixture]


@pytest.mark.parametrize("kind", KINDS)
def test_more_clusterings_are_used(kind):
    few = kind(3, random_state=0).fit(X[:, :4])
    before = adjusted_rand_score(TRUTH, few.labels_)
    few.extend(X[:, 4:9]).extend(X[:, 9:])
    want = kind(3, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, few.labels_) > before + 0.1
    assert few.lower_bound_ >= want.lower_bound_ - 0.06 * abs(want.lower_bound_)
    assert few.n_features_in_ == X.shape[1]
    assert np.array_equal(few.predict(X), few.labels_)
    assert np.all(np.diff(few.history_) > -1e-9 * abs(few.history_[0]))


@pytest.mark.parametrize("kind", KINDS)
def test_objects_that_only_new_clusterings_label(kind):
    first = X[:, :5].copy()
    first[:6] = -1
    with pytest.warns(UserWarning, match="no label"):
        model = kind(3, random_state=0).fit(first)
    assert (model.labels_[:6] == -1).all()
    assert (model.extend(X[:, 5:]).labels_ >= 0).all()


def test_the_matrix_is_that_of_all_clusterings():
    frame = pd.DataFrame(X[:, :3], columns=list("abc")).astype("object")
    frame.loc[::7, "b"] = None
    frame["c"] = frame["c"].map({0: "u", 1: "v", 2: "w"})
    model = MultinomialMixture(3, random_state=0).fit(frame)
    new = pd.DataFrame({"d": X[:, 3]})
    grown, want = grown_matrix(model, new), check_label_matrix(pd.concat([frame, new], axis=1))
    assert np.array_equal(grown.codes, want.codes)
    assert all(np.array_equal(a, b) for a, b in zip(grown.labels, want.labels, strict=True))


def test_counts_of_memberships_by_hand():
    model = MultinomialMixture(3, random_state=0).fit(X[:, :5])
    matrix = grown_matrix(model, X[:, 5:])
    rows = model._open(matrix, np.ones(len(X)))
    membership = memberships_of_rows(rows, model.membership_, model._placement.order)
    size, mass = soft_counts(rows, membership)
    in_model = np.empty_like(model.membership_)
    in_model[:, model._placement.order] = model.membership_
    assert np.allclose(size, in_model.sum(axis=0))
    for cell in (0, 7, 20):
        j = rows.ensemble.cell_clustering[cell]
        label = matrix.labels[j][cell - rows.ensemble.first_cell[j]]
        assert np.allclose(mass[cell], in_model[X[:, j] == label].sum(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_refused(kind):
    model = kind(3, random_state=0)
    with pytest.raises(ValueError, match="not fitted"):
        model.extend(X)
    with pytest.raises(ValueError, match="X has 5 objects, but 90 were fitted"):
        model.fit(X[:, :5]).extend(X[:5])
    with pytest.raises(ValueError, match="weights=None"):
        kind(3, weights=[1, 2, 1, 1, 1]).fit(X[:, :5]).extend(X[:, 5:])
    weight = np.ones(len(X))
    for value in (0.0, 2.5):
        weight[3] = value
        with pytest.raises(ValueError, match="sample_weight"):
            kind(3, random_state=0).fit(X[:, :5], sample_weight=weight).extend(X[:, 5:])


def test_features_are_not_kept():
    with pytest.raises(NotImplementedError, match="fit all clusterings again"):
        GBCE(3, random_state=0).fit(X, features=np.random.default_rng(0).random((len(X), 2))).extend(X)
