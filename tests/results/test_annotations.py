"""Annotations against SciPy, exact tests and plain counting; what cannot be tested says why."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, fisher_exact, kruskal

from partita import combine
from partita.results._annotations import annotation_table, correct, read_annotations
from tests.ensembles import noisy_ensemble

LABELS = np.repeat([0, 1, 2, -1], [40, 30, 20, 5])


def one(column, labels=LABELS):
    return annotation_table(labels, pd.DataFrame({"x": column})).iloc[0]


def test_categories_by_scipy(rng):
    column = np.where(rng.random(95) < 0.6, LABELS, rng.integers(3, size=95)).astype(str)
    table = pd.crosstab(column[:90], LABELS[:90])
    row = one(column)
    expected = chi2_contingency(table, correction=False)
    assert (row["kind"], row["test"], row["n_objects"]) == ("categories", "chi-squared", 90)
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["effect"] == pytest.approx(np.sqrt(expected.statistic / 90 / (min(table.shape) - 1)))


def test_numbers_by_scipy(rng):
    column = rng.random(95) + 0.3 * LABELS
    column[3] = np.nan
    row = one(column)
    kept = (LABELS >= 0) & ~np.isnan(column)
    expected = kruskal(*(column[kept & (q == LABELS)] for q in range(3)))
    assert (row["kind"], row["test"], row["n_objects"]) == ("numbers", "Kruskal-Wallis", 89)
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert row["p_value"] == pytest.approx(expected.pvalue)
    assert row["words"].startswith("highest in cluster 2 (median ")


def test_small_counts_are_tested_by_random_tables():
    labels = np.repeat([0, 1], [12, 8])
    column = np.repeat(["a", "b", "a", "b"], [10, 2, 3, 5])
    row = one(column, labels)
    assert row["test"] == "chi-squared (permutation)"
    exact = fisher_exact([[10, 3], [2, 5]]).pvalue  # orders tables by their probability: near, not equal
    assert row["p_value"] == pytest.approx(exact, abs=0.03)


def test_random_tables_hold_their_level(rng):
    small = [one(rng.permutation(np.repeat(list("abcd"), [88, 3, 2, 2])))["p_value"] for _ in range(60)]
    assert np.mean(np.array(small) <= 0.1) < 0.25


def test_what_goes_with_which_cluster():
    column = np.where(LABELS == 1, "tumour", "normal")
    assert one(column)["words"] == "'tumour' is 100% of cluster 1 and 0% of the others"


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ([f"name {i}" for i in range(201)], "201 different values are more like names"),
        (["a"] * 201, "there is one value, or one cluster, only"),
        ([None] * 201, "there is one value, or one cluster, only"),
        ([np.nan] * 201, "there is one value, or one cluster, only"),
    ],
)
def test_what_is_not_tested_says_why(column, why):
    row = one(column, np.arange(201) % 3)
    assert row["words"] == f"not tested: {why}"
    assert np.isnan(row["p_value"])
    assert np.isnan(row["p_corrected"])


def test_p_values_are_corrected_by_benjamini_and_hochberg():
    p = np.array([0.01, np.nan, 0.04, 0.03, 0.5])
    assert np.allclose(correct(p), [0.04, np.nan, 0.16 / 3, 0.16 / 3, 0.5], equal_nan=True)
    assert np.isnan(correct(np.array([np.nan]))).all()


def test_whole_numbers_of_few_values_and_truth_values_are_categories():
    frame = pd.DataFrame({"grade": np.arange(95) % 3, "alive": np.arange(95) % 2 == 0, "age": np.arange(95)})
    assert annotation_table(LABELS, frame)["kind"].tolist() == ["categories", "categories", "numbers"]


# ----------------------------------------------------------------------------------------------------- through a result
@pytest.fixture
def result():
    data = noisy_ensemble(n_clusterings=8)
    frame = pd.DataFrame(data.X, index=[f"o{i}" for i in range(62)])
    return combine(frame, n_clusters=3, random_state=0)


def test_rows_in_another_order_are_put_in_order(result):
    frame = pd.DataFrame({"cluster": result.labels.astype(str)}, index=result.ids)
    shuffled = frame.sample(frac=1, random_state=1)
    assert result.test_annotations(shuffled).equals(result.test_annotations(frame))
    assert result.test_annotations(frame)["effect"][0] == pytest.approx(1)


@pytest.mark.parametrize(
    "form", [list, pd.Series, lambda x: {"annotation": x}, lambda x: pd.DataFrame({"annotation": x})]
)
def test_forms_of_annotations(result, form):
    table = result.test_annotations(form(result.labels.astype(str).tolist()))
    assert table["annotation"].tolist() == ["annotation"]
    assert table["effect"][0] == pytest.approx(1)


def test_polars_frames_are_read(result):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"a": result.labels, "b": np.arange(62) / 7})
    assert result.test_annotations(frame)["kind"].tolist() == ["categories", "numbers"]


def test_another_number_of_rows_is_refused(result):
    with pytest.raises(ValueError, match="annotations has 3 rows; pass one row per object, 62 in all"):
        result.test_annotations([1, 2, 3])


@pytest.mark.parametrize("names", [["x", "y"], ["p", "p"], ["p", "y"]])
def test_an_index_of_other_names_is_refused(names):
    with pytest.raises(ValueError, match="the index of annotations is not that of the labels, or names objects twice"):
        read_annotations(pd.DataFrame({"a": [1, 2]}, index=names), 2, pd.Index(["p", "q"]))


def test_no_names_are_taken_by_position():
    assert read_annotations(pd.DataFrame({"a": [1, 2]}), 2, pd.Index(["p", "q"]))["a"].tolist() == [1, 2]
    assert read_annotations(pd.DataFrame({"a": [1, 2]}, index=["x", "y"]), 2, None)["a"].tolist() == [1, 2]


def test_few_fractions_are_numbers(rng):
    row = one(rng.random(9), np.repeat([0, 1, 2], 3))
    assert (row["kind"], row["test"]) == ("numbers", "Kruskal-Wallis")


def test_a_series_of_polars_keeps_its_name(result):
    polars = pytest.importorskip("polars")
    assert result.test_annotations(polars.Series("batch", result.labels))["annotation"].tolist() == ["batch"]
