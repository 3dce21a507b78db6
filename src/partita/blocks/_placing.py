"""A fitted estimator applied to labels in blocks."""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from partita._labels.columns import named_columns
from partita._typing import FloatArray, IntArray
from partita.blocks._label_blocks import LabelBlocks
from partita.blocks._sources import Block, naming


def predict(blocks: LabelBlocks, estimator: Any) -> IntArray:
    """Cluster of each object of all blocks, int32."""
    from partita.blocks._fit import engine_for

    check_is_fitted(estimator, "labels_")
    engine = engine_for(blocks, estimator)
    kept = engine.share(light(estimator))
    tasks = ((block, kept, "labels") for block in blocks.blocks())
    return np.concatenate(list(engine.map(place_block, tasks)))


def memberships(blocks: LabelBlocks, estimator: Any) -> Iterator[FloatArray]:
    """Probabilities of the clusters, one array per block."""
    from partita.blocks._fit import engine_for

    check_is_fitted(estimator, "labels_")
    engine = engine_for(blocks, estimator)
    kept = engine.share(light(estimator))
    tasks = ((block, kept, "membership") for block in blocks.blocks())
    return engine.map(place_block, tasks)


def place_block(block: Block, estimator: Any, what: str) -> Any:
    """Labels, probabilities, or gamma of BCE, of the objects of one block."""
    place = _PLACES[what]
    with naming(block):
        found = [place(estimator, _as_fitted(piece.labels, estimator)) for piece in block.pieces()]
    if found:
        return np.concatenate(found)
    return np.empty(0, dtype=np.int32) if what == "labels" else np.empty((0, estimator.n_components_))


def _as_fitted(labels: Any, estimator: Any) -> Any:
    """Labels with names for their columns only if the fit had names, too; scikit-learn compares them."""
    return labels if hasattr(estimator, "feature_names_in_") else dict(enumerate(named_columns(labels)[1]))


def _labels(estimator: Any, labels: Any) -> Any:
    return estimator.predict(labels).astype(np.int32)


def _membership(estimator: Any, labels: Any) -> FloatArray:
    return np.asarray(estimator.predict_proba(labels))


def _gamma(estimator: Any, labels: Any) -> FloatArray:
    """Membership times the sum of alpha and the weight of the labels that an object has."""
    encoder = estimator._placement.encoder
    observed = (encoder.known(encoder.encode(labels)) >= 0) @ encoder.clustering_weights
    return np.asarray(_membership(estimator, labels) * (estimator.alpha_.sum() + observed)[:, None])


_PLACES = {"labels": _labels, "membership": _membership, "gamma": _gamma}


def light(estimator: Any) -> Any:
    """The estimator without what it found for the objects of its fit: what travels to a worker."""
    kept = copy(estimator)
    kept.labels_ = np.empty(0, dtype=np.int32)
    for name in ("membership_", "_judged", "_observed_weight", "starts_", "index_"):
        kept.__dict__.pop(name, None)
    return kept
