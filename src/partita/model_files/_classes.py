"""The classes that a model file can name: a fixed list of partita's own, so that a file can ask for nothing else."""

from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

from partita.consensus._methods import METHODS

# Parts of fitted models, by name: named tuples and frozen dataclasses, which are their fields and nothing more.
_PARTS = {
    "BCEColumns": "partita.consensus.models._bce_steps",
    "BCESamples": "partita.consensus.models._bce_gibbs",
    "BCEState": "partita.consensus.models._bce_steps",
    "ClusterCounts": "partita.metrics._confidence",
    "ClusterLogs": "partita.consensus.nbce._posterior",
    "ClusterNumber": "partita.consensus.label_space._cluster_number",
    "Ensemble": "partita._labels.ensemble",
    "FeatureColumns": "partita._features",
    "FittedMemberships": "partita.consensus.pairwise._memberships",
    "FittedRows": "partita.consensus.models._fitted_rows",
    "GibbsMeans": "partita.consensus.models._bce_gibbs",
    "HalvesAgreement": "partita.consensus.label_space._halves",
    "JudgedRows": "partita._confidence",
    "LabelSums": "partita._kernels.pcc_labels",
    "Mixing": "partita._sampling",
    "MixtureState": "partita.consensus.models._mixture",
    "NBCEModel": "partita.consensus.nbce._joint",
    "NBCEPosterior": "partita.consensus.nbce._posterior",
    "Occupancy": "partita.consensus.nbce._joint",
    "OneHotSpace": "partita.consensus.kmeans._one_hot_space",
    "Placement": "partita.base",
    "RowEncoder": "partita._labels.validation",
    "SampledLogs": "partita.consensus.nbce._gibbs",
    "StartResult": "partita._kept_starts",
    "TransferCut": "partita.consensus.label_space._transfer_cut",
    "WeightScale": "partita._labels.weights",
}
_ESTIMATORS = {method.estimator: f"partita.consensus.{method.module}" for method in METHODS.values()}


def part_named(name: Any) -> type | None:
    """The class of a part of a model, None if there is no such part."""
    return _found(_PARTS, name)


def estimator_named(name: Any) -> type | None:
    """The class of an estimator, None if there is no such one."""
    return _found(_ESTIMATORS, name)


def name_of_part(value: Any) -> str | None:
    """The name under which a value is stored, None if it is no part of a model."""
    return _name_of(_PARTS, type(value))


def name_of_estimator(value: Any) -> str | None:
    """The name under which an estimator is stored, None if it is none of ours."""
    return _name_of(_ESTIMATORS, type(value))


def field_names(part: type) -> list[str]:
    """Fields of a named tuple or a dataclass; what is derived from them is not stored."""
    return [field.name for field in fields(part)] if is_dataclass(part) else list(part._fields)  # type: ignore[attr-defined]


def _found(known: dict[str, str], name: Any) -> type | None:
    if not isinstance(name, str) or name not in known:
        return None
    found: type = getattr(import_module(known[name]), name)
    return found


def _name_of(known: dict[str, str], kind: type) -> str | None:
    name = kind.__name__
    return name if known.get(name) == kind.__module__ else None
