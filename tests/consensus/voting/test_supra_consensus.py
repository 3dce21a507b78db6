"""Several methods side by side, and the best of them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from partita import CSPA, EAC, HBGF, MCLA, LabelKMeans, MultinomialMixture, supra_consensus
from partita.consensus.voting._supra_consensus import Outcome, agreement
from partita.metrics import adjusted_rand_score, average_nmi_score
from tests.broken import Broken
from tests.ensembles import noisy_ensemble, same_partition


def test_the_highest_average_nmi_is_kept():
    X, truth = noisy_ensemble()
    methods = {"two": LabelKMeans(2, random_state=0), "three": LabelKMeans(3, random_state=0), "one": CSPA(1)}
    found = supra_consensus(X, methods=methods)
    scores = {name: average_nmi_score(X, method.fit(X).labels_) for name, method in methods.items()}
    assert found.best == max(scores, key=scores.get) == "three"
    assert same_partition(found.labels, truth)
    assert found.table["method"].tolist() == sorted(scores, key=scores.get, reverse=True)
    assert np.allclose(found.table["average_nmi"], sorted(scores.values(), reverse=True))
    assert found.table["n_clusters"].tolist() == [3, 2, 1]
    assert [outcome.name for outcome in found.outcomes] == ["two", "three", "one"]


def test_default_methods_are_those_of_the_paper(X, truth):
    found = supra_consensus(X, 3, random_state=0)
    assert {outcome.name for outcome in found.outcomes} == {"CSPA", "HGPA", "MCLA"}
    assert same_partition(found.labels, truth)
    assert (found.table["seconds"] > 0).all()
    assert (found.table["error"] == "").all()


def test_estimators_are_not_changed(X):
    method = MCLA(3, random_state=0)
    supra_consensus(X, methods={"mcla": method})
    assert not hasattr(method, "labels_")


def test_verbose_changes_nothing(X):
    quiet, loud = (supra_consensus(X, 3, random_state=0, verbose=verbose) for verbose in (False, True))
    assert quiet.best == loud.best
    assert np.array_equal(quiet.labels, loud.labels)


def test_a_failing_method_is_reported_and_does_not_stop_the_rest(X, truth):
    found = supra_consensus(X, methods={"broken": Broken(3), "eac": EAC(3), "bad": HBGF(0)})
    assert found.best == "eac"
    assert same_partition(found.labels, truth)
    assert found.table["method"].tolist()[0] == "eac"
    rows = found.table.set_index("method")
    assert rows.loc["broken", "error"] == "RuntimeError: it broke"
    assert "n_clusters" in rows.loc["bad", "error"]
    assert np.isnan(rows.loc["broken", "average_nmi"])
    assert found.outcomes[0].labels is None


def test_what_cannot_work_raises(X):
    with pytest.raises(ValueError, match="broken: RuntimeError: it broke"):
        supra_consensus(X, methods={"broken": Broken(3)})
    with pytest.raises(ValueError, match="n_clusters is None"):
        supra_consensus(X)
    with pytest.raises(ValueError, match="methods is empty"):
        supra_consensus(X, methods={})


def test_agreement_is_the_adjusted_rand_index_between_results(rng):
    labellings = {name: rng.integers(3, size=40) for name in "abc"}
    labellings["b"][:10] = labellings["a"][:10]
    outcomes = [Outcome(name, found, 3, 0.5, 0.1, "", []) for name, found in labellings.items()]
    table = agreement([*outcomes, Outcome("failed", None, 0, np.nan, 0.1, "ValueError: no", [])])
    assert table.index.tolist() == table.columns.tolist() == ["a", "b", "c"]
    assert np.array_equal(table, table.T)
    for first in "abc":
        for second in "abc":
            expected = adjusted_rand_score(labellings[first], labellings[second])
            assert table.loc[first, second] == pytest.approx(expected)


def test_methods_may_be_a_list(X):
    assert len(supra_consensus(X, methods=[CSPA(3, random_state=0), CSPA(2, random_state=0)]).outcomes) == 2
    with pytest.raises(TypeError, match="must be a dict of estimators by name, or a list of estimators"):
        supra_consensus(X, methods=["cspa"])


def test_a_method_that_does_not_converge_is_named(X):
    methods = {"stopped": MultinomialMixture(3, max_iter=1, tol=0.0, random_state=0), "cspa": CSPA(3, random_state=0)}
    with pytest.warns(ConvergenceWarning, match="stopped: MultinomialMixture did not converge in max_iter=1"):
        result = supra_consensus(X, methods=methods)
    warned = result.table.set_index("method")["warning"]
    assert "did not converge" in warned["stopped"]
    assert warned["cspa"] == ""


def test_what_is_no_switch_is_refused():
    with pytest.raises(ValueError, match="verbose=<NA> is not allowed; pass True or False"):
        supra_consensus([[0, 0, 1], [0, 1, 1]], 2, verbose=pd.NA)
