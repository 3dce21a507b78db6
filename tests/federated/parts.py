"""Label matrices shared out among sites, and sites that misbehave."""

import contextlib
import socket
from typing import Any

import numpy as np

from partita.federated._engine import InProcess
from partita.federated._sites import PlainSites
from partita.federated.rows._fit import open_rows
from partita.federated.rows._site import Site
from tests.ensembles import noisy_ensemble


def labels_with_holes(seed: int = 0) -> np.ndarray:
    """Noisy copies of three unequal clusters, with holes; every object has a label."""
    return noisy_ensemble(sizes=(60, 40, 20), n_clusterings=8, flip=0.25, seed=seed).X


def share_out(X: np.ndarray, n_sites: int, seed: int = 0) -> list[np.ndarray]:
    """Parts of different sizes, of objects in random order."""
    order = np.random.default_rng(seed).permutation(len(X))
    cuts = np.sort(np.random.default_rng(seed + 1).choice(np.arange(5, len(X) - 5), n_sites - 1, replace=False))
    return [X[part] for part in np.split(order, cuts)]


def ask(parts: list[Any], **options: Any) -> tuple[PlainSites, list[Site]]:
    """Sites in this process, and how to ask them."""
    owners = [Site(part, name=f"s{i}", min_objects=1, **options) for i, part in enumerate(parts)]
    return PlainSites(InProcess({owner.name: owner for owner in owners})), owners


def opened(estimator: Any, parts: list[Any], **options: Any) -> tuple[PlainSites, list[Site], Any]:
    """The same, with the labels agreed upon."""
    sites, owners = ask(parts, **options)
    return sites, owners, open_rows(sites, estimator)


class Spoiled:
    """A site whose reply to one question is changed."""

    def __init__(self, site: Site, question: str, change: Any) -> None:
        self.site, self.question, self.change = site, question, change

    def answer(self, question: str, values: Any) -> Any:
        reply = self.site.answer(question, values)
        return self.change(reply) if question == self.question else reply


def free_port():
    """A port that nobody uses, outside of those that systems give to outgoing connections."""
    for port in np.random.default_rng().integers(20_000, 32_000, size=100).tolist():
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no port is free")
