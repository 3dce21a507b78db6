"""Tables of labels with noise: what a site releases once, with a proof of what it hides (differential privacy).

A site's table G counts, for all pairs of labels, the objects that have both. One object more or less, with labels in m
clusterings, changes m (m + 1) / 2 counts of its upper triangle by 1 (eq. S33), whatever its labels are. Noise of the
discrete Laplace distribution with scale m (m + 1) / (2 epsilon) on each count (eq. S34) makes the release epsilon-
differentially private for objects: the probability of any outcome differs by a factor of at most exp(epsilon) between
the site's objects and the same with one object added or removed.

The site makes the noisy table once, keeps it, and answers everything else about its counts by refusing, so that no
second release adds to epsilon. What is done with a noisy table afterwards costs nothing. Not covered: which labels
exist (the sites agree on them first), and that the site has at least ``min_objects`` objects.

References: C. Dwork, F. McSherry, K. Nissim, A. Smith, Calibrating noise to sensitivity in private data analysis, TCC
2006. A. Ghosh, T. Roughgarden, M. Sundararajan, Universally utility-maximizing privacy mechanisms, SIAM J. Comput. 41
(2012) 1673-1693.
"""

import hashlib
import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.membership import one_hot
from partita._labels.tables import ClusterTables, cluster_tables
from partita._optional import require
from partita._typing import Array, FloatArray
from partita.base import ClusterTotals, warn_fewer_clusters
from partita.federated._engine import Values
from partita.federated._messages import pack
from partita.federated._private_files import load_arrays, private_folder, save_arrays
from partita.federated._sites import Shapes, Sites
from partita.federated.rows._fit import Model, RowMethod, open_rows
from partita.federated.rows._site import Site
from partita.metrics._confidence import ClusterCounts

_PASSED = ("labels", "open", "close")  # their replies hold no counts
_PLAIN = "releases a table with noise only, and the server asked for a fit without; pass with_noise there"
_SECOND = (
    "has released its table for other labels or weights; another release would add to epsilon. Pass the same sites and "
    "weights, or start the site anew, which spends epsilon again"
)


# -------------------------------------------------------------------------------------------------------- at a site
class NoisySite:
    """A site that says nothing of its objects but one table with noise.

    Parameters
    ----------
    site : Site
        Whose table it is.
    epsilon : float
        Budget of privacy: small is private. Two releases of the same objects spend the sum of both.
    folder : path, optional
        Where the noisy table is kept, so that the site answers with the same one after it was started again.
    """

    def __init__(self, site: Site, epsilon: float, folder: str | Path | None = None) -> None:
        self._site, self._epsilon = site, check_epsilon(epsilon)
        self._path = None if folder is None else Path(folder) / "released-table.npz"
        self._settled = False
        self._asked = ""  # which labels and weights the table would be of
        self._released: tuple[str, FloatArray] | None = self._load()

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question."""
        if question == "open":
            if not values.get("noisy"):
                raise ValueError(_PLAIN)
            about = pack([values["labels"], values["parameters"].get("weights")])
            self._asked = hashlib.sha256(self._site.codes.tobytes() + about).hexdigest()
            self._settled = False
        if question in _PASSED:
            return self._site.answer(question, values)
        if question == "tables":
            return {"together": self._release()}
        if question == "settle":  # as "place", but the counts stay here
            if self._settled:
                raise ValueError("has placed its objects; it does so once per fit")
            self._settled = True
            with suppress(ValueError, KeyError, IndexError):  # what happens here depends on the objects: nobody is told
                self._site._place(values)
            return {"ready": True}
        raise ValueError(
            f"does not answer {question!r:.60}: with epsilon={self._epsilon:g} it releases one table with noise and "
            "nothing else; fit a method that needs the tables alone, such as ECPCS or MCLA"
        )

    def _release(self) -> FloatArray:
        """The noisy table, made once."""
        if self._released is None:
            ensemble = self._site.rows.ensemble
            table = add_noise(cluster_tables(ensemble).together, ensemble, self._epsilon)
            self._save(self._asked, table)  # before it is sent: a release that is not kept could be repeated
            self._released = self._asked, table
        made_for, table = self._released
        if made_for != self._asked:
            raise ValueError(_SECOND)
        return table.copy()

    def _load(self) -> tuple[str, FloatArray] | None:
        if self._path is None or not self._path.exists():
            return None
        file = load_arrays(self._path)
        if float(file["epsilon"]) != self._epsilon:
            raise ValueError(f"{self._path} was released with epsilon={float(file['epsilon']):g}; pass the same.")
        return str(file["about"]), file["table"]

    def _save(self, about: str, table: FloatArray) -> None:
        if self._path is None:
            return
        private_folder(self._path.parent)
        save_arrays(self._path, {"about": np.array(about), "table": table, "epsilon": np.array(self._epsilon)})


def check_epsilon(epsilon: Any) -> float:
    """Refuse what is not a positive number."""
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 < epsilon < math.inf:
        raise ValueError(f"epsilon={epsilon!r:.60} must be a positive number; 1 is usual, and less is more private.")
    return float(epsilon)


def sensitivity(n_clusterings: int) -> int:
    """Largest sum of changes of the counts by one object: m sizes, and m (m - 1) / 2 pairs (eq. S33)."""
    return n_clusterings * (n_clusterings + 1) // 2


def add_noise(together: FloatArray, layout: Ensemble, epsilon: float) -> FloatArray:
    """The table with noise on every count that an object can change; symmetric (eq. S34)."""
    above = counted_once(layout)
    counts = np.rint(together[above]).astype(np.int64)  # whole already: every object of a site has weight 1
    noisy = np.zeros_like(together)
    noisy[above] = discrete_laplace(sensitivity(layout.n_clusterings), epsilon)(counts.tolist())
    return np.asarray(noisy + np.triu(noisy, 1).T)


def counted_once(layout: Ensemble) -> Array:
    """Counts of the upper triangle; two labels of one clustering never meet, which is no secret, (t, t) bool."""
    different = layout.cell_clustering[:, None] != layout.cell_clustering
    return np.triu(different | np.eye(layout.n_cells, dtype=bool))


def discrete_laplace(change: int, epsilon: float) -> Any:
    """Mechanism of whole numbers, epsilon-private if one object changes them by at most this in sum."""
    dp = require("opendp.prelude", extra="privacy", purpose="noise with a privacy budget")
    dp.enable_features("contrib")  # as opendp asks for: constructors whose proofs are still being reviewed
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = change / epsilon
    mechanism = dp.m.make_laplace(*space, scale=scale)
    while mechanism.map(change) > epsilon:  # by the rounding of the quotient
        scale = math.nextafter(scale, math.inf)
        mechanism = dp.m.make_laplace(*space, scale=scale)
    return mechanism


# ------------------------------------------------------------------------------------------------ at the coordinator
class NoisyTables:
    """The sites as a method sees them that may ask for their tables only."""

    def __init__(self, sites: Sites, layout: Ensemble) -> None:
        self._sites, self._layout = sites, layout
        self.names, self.exchanges = sites.names, sites.exchanges
        self.tables: ClusterTables

    def total(self, question: str, values: Values, shapes: Shapes) -> dict[str, FloatArray]:
        """The sum of the tables, without counts below 0."""
        if question != "tables":
            raise ValueError(
                f"the method asks the sites for {question!r}, and with epsilon they release their tables only; fit a "
                "method that needs the tables alone, such as ECPCS or MCLA."
            )
        together = np.maximum(self._sites.total("tables", values, shapes)["together"], 0.0)
        size = np.diag(together)
        together = np.minimum(together, np.minimum.outer(size, size))  # no two labels meet more often than each occurs
        if not size.any():
            raise ValueError("no count is larger than the noise; pass a larger epsilon, or fewer clusterings.")
        layout = self._layout
        self.tables = ClusterTables(together, layout.cell_clustering, layout.clustering_weights)
        return {"together": together}

    def each(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """Not part of a method of one sum."""
        raise ValueError(f"the method asks single sites for {question!r}, which they do not tell with epsilon.")


def fit_noisy_rows(sites: Sites, estimator: Any, method: RowMethod) -> tuple[Model, ClusterTotals]:
    """As ``fit_rows``, where every site is a ``NoisySite``: sizes of clusters are those of the noisy tables."""
    layout = open_rows(sites, estimator, noisy=True)
    asked = NoisyTables(sites, layout)
    model = method.fit(asked, estimator, layout)
    totals = estimated_totals(asked.tables, _groups(model, asked.tables))
    sites.each("settle", {"model": model, "n_clusters": model["n_clusters"]})
    counts = {"cells": totals.counts.cells, "sizes": totals.counts.sizes, "mass": totals.mass}
    sites.each("close", counts)
    warn_fewer_clusters(type(estimator).__name__, int(estimator.n_clusters), totals.n_clusters)
    return model, totals


def _groups(model: Model, tables: ClusterTables) -> FloatArray:
    """Weight of each label in its group, 0 in the others, (t, k)."""
    k = int(model["n_clusters"])
    if "meta" in model:  # MCLA
        return one_hot(np.asarray(model["meta"]), k) * tables.cell_weights[:, None]
    return np.asarray(model["shares"])[:, :k]  # ECPCS


def estimated_totals(tables: ClusterTables, member: FloatArray) -> ClusterTotals:
    """Sizes and label counts of clusters, (k,) and (t, k), from tables alone (eq. S35).

    An object votes with its labels for the groups of labels; objects of a label are shared out by their votes.
    """
    votes = tables.together @ member
    all_votes = votes.sum(axis=1, keepdims=True)
    shares = np.divide(votes, all_votes, out=np.zeros_like(votes), where=all_votes > 0)
    cells = tables.size[:, None] * shares
    sizes = cells.sum(axis=0) / len(tables.clustering_weights)
    return ClusterTotals(ClusterCounts(cells, sizes), sizes)
