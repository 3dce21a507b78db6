"""Federation by columns: whose objects they are, weights, objects without labels, and what every site gets."""

import numpy as np
import pytest

from partita import BCE, EAC, MultinomialMixture
from partita.exceptions import SiteError, UnlabelledObjectsWarning
from partita.federated import simulate
from partita.federated._checkpoint import Checkpoint
from partita.federated._engine import InProcess
from partita.federated._sites import PlainSites
from partita.federated.columns._fit import compare_objects, fit_columns
from partita.federated.columns._site import ColumnSite, digest_of
from tests.ensembles import noisy_ensemble
from tests.federated.columns.parts import close, split_columns
from tests.federated.parts import Spoiled, labels_with_holes

X = noisy_ensemble(sizes=(20, 12, 8), n_clusterings=9, seed=2).X
MIXTURE = MultinomialMixture(3, n_init=1, random_state=0)
BY = {"by": "columns", "accept_disclosure": True}


def owners_of(parts, folders=None):
    return {
        name: ColumnSite(part, name=name, accept_disclosure=True, folder=folders and folders[name])
        for name, part in parts.items()
    }


def test_splits_of_the_columns_are_equivalent():
    fits = [simulate(MIXTURE, split_columns(X, cuts), **BY) for cuts in [(), (4,), (1, 2, 7), tuple(range(1, 9))]]
    for fit in fits[1:]:
        assert np.array_equal(fit.labels_, fits[0].labels_)
        assert close(fit.membership_, fits[0].membership_)
        assert close(fit.history_, fits[0].history_)


def test_the_fit_is_an_ordinary_one():
    fit = simulate(MIXTURE, split_columns(X, (3, 5)), **BY)
    assert fit.n_features_in_ == X.shape[1]
    assert np.array_equal(fit.predict(X), fit.labels_)
    assert np.isfinite(fit.confidence_).all()
    assert {exchange.question for exchange in fit.exchanges_} >= {"describe", "open", "mixture.columns", "close"}


def test_encrypted_sums_give_the_same_fit():
    pytest.importorskip("tenseal")
    sealed, plain = (simulate(MIXTURE, split_columns(X, (3, 5)), **BY, encrypted=yes) for yes in (True, False))
    assert np.array_equal(sealed.labels_, plain.labels_)
    assert close(sealed.membership_, plain.membership_)


def test_labels_of_any_kind_stay_at_their_site():
    named = {"p": np.array(["x", "y", "z"])[X[:, 0]].tolist(), "q": (X[:, 1] * 10.5).tolist()}
    named["p"] = [None if code < 0 else label for code, label in zip(X[:, 0], named["p"], strict=True)]
    named["q"] = [None if code < 0 else label for code, label in zip(X[:, 1], named["q"], strict=True)]
    fit = simulate(MIXTURE, [named, X[:, 2:]], **BY)
    assert np.array_equal(fit.labels_, simulate(MIXTURE, [X[:, :2], X[:, 2:]], **BY).labels_)


def test_weights_are_split_among_the_sites():
    weights = np.array([1, 2, 0, 1, 1, 3, 1, 1, 1.5])
    fit = simulate(MIXTURE.set_params(weights=weights), split_columns(X, (2, 5)), **BY)
    want = simulate(MIXTURE.set_params(weights=weights[weights > 0]), [X[:, weights > 0]], **BY)
    MIXTURE.set_params(weights=None)
    assert close(fit.membership_, want.membership_)
    assert np.isnan(fit.theta_[2]).all()


def test_a_site_without_weight_is_named():
    estimator = MultinomialMixture(3, weights=[0, 0] + 7 * [1])
    with pytest.raises(SiteError, match=r"site 's0' .*leave it out"):
        simulate(estimator, split_columns(X, (2,)), **BY)


def test_objects_without_a_label_at_any_site_get_none():
    few = X.copy()
    few[[4, 11]] = -1
    few[7, :5] = -1  # at the first site only
    with pytest.warns(UnlabelledObjectsWarning, match="2 of 40"):
        fit = simulate(MIXTURE, split_columns(few, (5,)), **BY)
    with pytest.warns(UnlabelledObjectsWarning):
        want = MultinomialMixture(3, random_state=0).fit(few)
    assert np.array_equal(fit.labels_ < 0, want.labels_ < 0)
    assert np.flatnonzero(fit.labels_ < 0).tolist() == [4, 11]
    assert close(fit.membership_[4], fit.weights_)


def test_every_site_gets_the_consensus_and_its_own_tables():
    few = X.copy()
    few[4] = -1
    owners = owners_of(split_columns(few, (5,)))
    with pytest.warns(UnlabelledObjectsWarning):
        fit_columns(PlainSites(InProcess(owners)), BCE(3, random_state=0, n_init=1), accept_disclosure=True)
    with pytest.warns(UnlabelledObjectsWarning):
        want = simulate(BCE(3, random_state=0, n_init=1), split_columns(few, (5,)), **BY)
    for owner in owners.values():
        assert np.array_equal(owner.labels_, want.labels_)
        assert close(owner.membership_, want.membership_)
    tables = [table for owner in owners.values() for table in owner.tables_]
    assert all(close(got, beta) for got, beta in zip(tables, want.beta_, strict=True))


def test_sites_must_have_the_same_objects():
    with pytest.raises(SiteError, match="site 'b' has 39 objects, and site 'a' has 40"):
        simulate(MIXTURE, {"a": X[:, :4], "b": X[:-1, 4:]}, **BY)


def test_ids_are_compared_by_their_digest():
    key, ids = "0123456789abcdef", [f"object {i}" for i in range(40)]
    plain = {"n_objects": 40, "n_columns": 2, "ids": digest_of(ids, 40, None)}
    keyed = {"n_objects": 40, "n_columns": 2, "ids": digest_of(ids, 40, key.encode())}
    moved = {"n_objects": 40, "n_columns": 2, "ids": digest_of(ids[::-1], 40, None)}
    silent = {"n_objects": 40, "n_columns": 2, "ids": ""}
    assert compare_objects({"a": plain, "b": silent, "c": plain}) == 40
    for other in (moved, keyed):
        with pytest.raises(SiteError, match=r"site 'c' names its objects .* otherwise than site 'b'"):
            compare_objects({"a": silent, "b": plain, "c": other})
    site = ColumnSite(X, name="a", ids=ids, secret_key=key, accept_disclosure=True)
    assert site.answer("describe", {})["ids"] == keyed["ids"]
    assert digest_of(["a", "bc"], 2, None) != digest_of(["ab", "c"], 2, None)
    with pytest.raises(ValueError, match="ids has 40 names, and X has 39 objects"):
        ColumnSite(X[1:], name="a", ids=ids)


def test_a_wrong_reply_names_its_site():
    owners = owners_of(split_columns(X, (4,)))
    spoiled = {**owners, "s1": Spoiled(owners["s1"], "start.logs", lambda reply: {"logs": reply["logs"][:-1]})}
    with pytest.raises(SiteError, match="site 's1' sent 'logs' of shape"):
        fit_columns(PlainSites(InProcess(spoiled)), MIXTURE, accept_disclosure=True)


def test_a_site_can_be_used_again():
    owners = owners_of(split_columns(X, (4,)))
    first, second = (fit_columns(PlainSites(InProcess(owners)), MIXTURE, accept_disclosure=True) for _ in range(2))
    assert first["history"] == second["history"]


class Interrupted(InProcess):
    """Stops after so many messages."""

    left = 70

    def send(self, question, values, to=None):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().send(question, values, to)


def test_a_fit_that_was_interrupted_goes_on_with_the_same_bits(tmp_path):
    parts = split_columns(X, (4,))
    want = fit_columns(PlainSites(InProcess(owners_of(parts))), MIXTURE, accept_disclosure=True)
    folders = {name: tmp_path / name for name in parts}
    stopped = Interrupted(owners_of(parts, folders))
    with pytest.raises(KeyboardInterrupt):
        fit_columns(PlainSites(stopped, Checkpoint(tmp_path, {})), MIXTURE, accept_disclosure=True)
    sites = PlainSites(InProcess(owners_of(parts, folders)), Checkpoint(tmp_path, {}))
    got = fit_columns(sites, MIXTURE, accept_disclosure=True)
    assert len(sites.exchanges) < 60  # of which the first 64 are stored
    assert got["history"] == want["history"]
    assert np.array_equal(got["membership"], want["membership"])


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (EAC(), {}, "EAC cannot be fitted by columns of several sites; pass one of BCE, MultinomialMixture, NBCE"),
        (MultinomialMixture(3), {"paper": True}, "paper=True is the column-distributed EM of BCE"),
        (BCE(3, keep_starts=True), {}, "keep_starts=True has no meaning"),
        (BCE(3), {"paper": True, "encrypted": True}, "no sum to encrypt"),
        (BCE(3, weights=[1, 2]), {}, "weights has shape"),
    ],
)
def test_what_cannot_be_done_is_said(estimator, options, message):
    with pytest.raises(ValueError, match=message):
        simulate(estimator, split_columns(labels_with_holes(), (3,)), **BY, **options)
