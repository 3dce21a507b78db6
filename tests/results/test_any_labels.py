"""Whatever the labels are: every part of a result is there, and says the same as a plain count."""

import json
import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from partita import ConsensusResult

SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 5))
LABELS = SHAPES.flatmap(lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 3)))


@given(LABELS, st.data())
@settings(max_examples=80)
def test_of_any_labels_and_any_partition(X, data):
    partition = data.draw(arrays(np.int64, len(X), elements=st.integers(-1, 3)))
    usable = (X >= 0).any(axis=1) & (partition >= 0)
    if not usable.any():
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = ConsensusResult.from_labels(X, partition)
        stability = result.stability(2)
    assert np.array_equal(result.labels >= 0, usable)
    assert result.clusters["size"].sum() == usable.sum()
    assert result.clusters["consensus"].dropna().between(0, 1).all()
    assert len(result.clusterings) == (X >= 0).any(axis=0).sum()
    assert result.clusterings["agreement"].dropna().le(1 + 1e-9).all()
    assert stability.clusters["stability"].between(0, 1).all()
    assert stability.numbers["share"].sum() == 1
    assert result.summary.endswith(".")
    assert "<table>" in result._repr_html_()
    assert json.loads(result.to_json())["n_clusters"] == result.n_clusters
    table = result.test_annotations({"row": np.arange(len(X)) % 3, "value": np.arange(len(X)) / 7})
    assert table["p_value"].dropna().between(0, 1).all()
