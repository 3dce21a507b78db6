"""Columns shared out among sites, the same columns pooled, and an engine that keeps what the coordinator receives."""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import check_label_matrix
from partita.federated._engine import InProcess
from partita.federated._sites import PlainSites
from partita.federated.columns._fit import open_columns
from partita.federated.columns._site import ColumnSite


class Recorder(InProcess):
    """Keeps every message and its replies."""

    def __init__(self, sites: Any) -> None:
        super().__init__(sites)
        self.log: list[tuple[str, Any, Any]] = []

    def send(self, question: str, values: Any, to: Any = None) -> dict[str, Any]:
        replies = super().send(question, values, to)
        self.log.append((question, dict(values), replies))
        return replies

    def replies(self, question: str, site: str, key: str) -> list[np.ndarray]:
        """What one site sent, exchange after exchange."""
        return [replies[site][key] for asked, _, replies in self.log if asked == question]


def split_columns(X: np.ndarray, cuts: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Columns of X up to each cut, by the name of the site."""
    return {f"s{i}": part for i, part in enumerate(np.split(X, cuts, axis=1))}


def opened(
    estimator: Any, parts: dict[str, Any], *, paper: bool = False, **options: Any
) -> tuple[PlainSites, dict[str, ColumnSite], Any]:
    """Sites in this process that are ready, and what is known of their objects."""
    owners = {name: ColumnSite(part, name=name, accept_disclosure=True, **options) for name, part in parts.items()}
    sites = PlainSites(Recorder(owners))
    return sites, owners, open_columns(sites, estimator, paper=paper)


def pooled(X: np.ndarray, weights: Any = None) -> Ensemble:
    """All columns in one place, one row per object that has a label."""
    matrix = check_label_matrix(X)
    given = np.ones(X.shape[1]) if weights is None else np.asarray(weights, dtype=float)
    codes = np.ascontiguousarray(matrix.codes[:, given > 0])
    codes = codes[(codes >= 0).any(axis=1)]
    return Ensemble(codes, matrix.n_labels[given > 0], given[given > 0], np.ones(len(codes)))


def tables_of(owners: dict[str, ColumnSite], place: int = 0) -> np.ndarray:
    """Tables of all sites, one below the other."""
    return np.vstack([owner.table(place) for owner in owners.values()])


def close(a: Any, b: Any) -> bool:
    """Equal to 1e-10, relatively."""
    return np.allclose(a, b, rtol=1e-10, atol=1e-13)
