"""Methods side by side on the labels of a result: rows, agreement, failures, wrong names."""

import numpy as np
import pytest

from partita import combine
from partita.metrics import adjusted_rand_score
from partita.results import _comparison
from partita.results._comparison import THIS
from tests.ensembles import noisy_ensemble

DATA = noisy_ensemble(n_clusterings=8)


@pytest.fixture
def result():
    return combine(DATA.X, n_clusters=3, random_state=0)


def test_rows_and_agreement(result):
    found = result.compare(["eac", "mcla"])
    assert sorted(found.table["method"]) == ["eac", "mcla"]
    assert (found.table["n_clusters"] == 3).all()
    assert found.agreement.index.tolist() == [THIS, "eac", "mcla"]
    for row in found.table.itertuples():
        assert row.agreement == found.agreement.loc[THIS, row.method]
    eac = combine(DATA.X, method="eac", n_clusters=3)
    assert found.agreement.loc[THIS, "eac"] == pytest.approx(adjusted_rand_score(result.labels, eac.labels))


def test_the_usual_methods_are_quick_ones_that_work(result):
    found = result.compare()
    assert set(found.table["method"]) == set(_comparison.USUAL)
    assert (found.table["error"] == "").all()


def test_many_objects_are_sampled(monkeypatch):
    monkeypatch.setattr("partita.results._result.COMPARED", 30)
    found = combine(DATA.X, n_clusters=3, random_state=0).compare(["lwgp"])
    assert found.n_objects == 30


def test_a_method_that_fails_does_not_end_the_others(result, monkeypatch):
    def broken(*_):
        raise ValueError("it is broken")

    monkeypatch.setattr("partita.EAC._fit_rows", broken)
    table = result.compare(["eac", "mcla"]).table.set_index("method")
    assert "it is broken" in table.loc["eac", "error"]
    assert np.isnan(table.loc["eac", "agreement"])
    assert table.loc["mcla", "error"] == ""


@pytest.mark.parametrize("wrong", ["eac", [3], 7])
def test_what_is_no_list_of_names(result, wrong):
    with pytest.raises(TypeError):
        result.compare(wrong)


@pytest.mark.parametrize("wrong", [["magic"], [], ["gbce"], ["soft-lwgp"]])
def test_unknown_methods_are_refused(result, wrong):
    with pytest.raises(ValueError, match=r"cannot be compared; pass some of eac, pcc"):
        result.compare(wrong)
