"""Pairs of objects that must be together, or apart, as a matrix that is added to the co-association.

Must-links join objects to groups: if a and b, and b and c, must be together, so must a and c. A pair that must be apart
keeps all objects of its two groups apart. With E the indicator of the groups, (n, q), and C the pairs of groups that
must be apart, what is added is

    L = E K E',    K = strength R^-1/2 (T - C) R^-1/2                                                        (eq. P75)

T diagonal, 1 for groups of two or more objects; R_a the weight of the objects with which an object of group a is linked
in either way. So the eigenvalues of L are between -strength and strength, whatever the number of pairs and of objects.
Products with L need no pair of objects.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from partita._typing import FloatArray, IntArray
from partita.base import LabelledRows


class Links(NamedTuple):
    """The groups of objects that must be together, and the pairs of groups that must be apart."""

    group: IntArray  # (n_samples,) group of each object, -1 for objects without a link
    apart: Any  # (n_groups, n_groups) sparse, symmetric, 1 for pairs of groups
    must: IntArray  # (n_pairs, 2) as they were given
    cannot: IntArray

    def n_violated(self, labels: IntArray) -> int:
        """How many of the given pairs a partition violates; pairs with an unlabelled object are not counted."""
        first, second = labels[self.must].T
        a, b = labels[self.cannot].T
        apart = (first != second) & (first >= 0) & (second >= 0)
        return int(np.count_nonzero(apart) + np.count_nonzero((a == b) & (a >= 0)))

    @property
    def has_any(self) -> bool:
        """Whether there is any link."""
        return len(self.must) + len(self.cannot) > 0


def read_links(must_link: Any, cannot_link: Any, n_samples: int) -> Links:
    """Check pairs of objects, and join those that must be together to groups."""
    must = _read_pairs(must_link, "must_link", n_samples)
    cannot = _read_pairs(cannot_link, "cannot_link", n_samples)
    group = _groups(must, cannot, n_samples)
    inside = group[cannot[:, 0]] == group[cannot[:, 1]]
    if inside.any():
        i, j = cannot[inside][0].tolist()
        raise ValueError(
            f"cannot_link has the pair ({i}, {j}), but must_link joins these two objects, directly or through others; "
            f"leave out one of the links. {int(inside.sum())} of {len(cannot)} pairs contradict must_link."
        )
    q = int(group.max(initial=-1)) + 1
    a, b = group[cannot].T
    apart = sparse.coo_array((np.ones(2 * len(a)), (np.append(a, b), np.append(b, a))), shape=(q, q)).tocsr()
    apart.data[:] = 1.0  # pairs that were given twice were added up
    return Links(group, apart, must, cannot)


def _read_pairs(pairs: Any, name: str, n_samples: int) -> IntArray:
    """Pairs of row numbers as (n_pairs, 2)."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64)
    try:
        read = np.asarray(pairs)
    except ValueError:  # rows of different lengths
        read = np.empty(0, dtype=object)
    if read.size == 0 and read.dtype != object:
        return np.empty((0, 2), dtype=np.int64)
    if read.ndim != 2 or read.shape[1] != 2 or read.dtype.kind not in "iu":
        raise ValueError(
            f"{name} must be pairs of row numbers, whole numbers of shape (n_pairs, 2); received {pairs!r:.60}."
        )
    outside = (read < 0) | (read >= n_samples)
    if outside.any():
        pair = tuple(read[outside.any(axis=1)][0].tolist())
        raise ValueError(f"{name} has the pair {pair}, but the rows of X are numbered from 0 to {n_samples - 1}.")
    same = read[:, 0] == read[:, 1]
    if same.any():
        pair = tuple(read[same][0].tolist())
        raise ValueError(f"{name} has the pair {pair}, an object and itself; pass pairs of two objects.")
    return read.astype(np.int64)


def _groups(must: IntArray, cannot: IntArray, n_samples: int) -> IntArray:
    """Group of each object that has a link, by the connected components of the must-links; -1 for the others."""
    graph = sparse.coo_array((np.ones(len(must)), (must[:, 0], must[:, 1])), shape=(n_samples, n_samples))
    component = connected_components(graph, directed=False)[1]
    linked = np.unique(np.append(must, cannot))
    group = np.full(n_samples, -1, dtype=np.int64)
    group[linked] = np.unique(component[linked], return_inverse=True)[1]
    return group


class LinkMatrix(NamedTuple):
    """L = E K E' between rows that are objects (eq. P75)."""

    E: Any  # (r, q) sparse
    K: Any  # (q, q) sparse

    def times(self, weighted: FloatArray) -> FloatArray:
        """L Y, given w Y."""
        return np.asarray(self.E @ (self.K @ (self.E.T @ weighted)))

    def squared_norm(self, row_weights: FloatArray) -> float:
        """|| L ||^2 over all pairs of objects."""
        mass = self.E.T @ row_weights
        return float(mass @ (self.K.power(2) @ mass))

    def lowest(self, row_weights: FloatArray) -> float:
        """A bound of the negative eigenvalues of W^1/2 L W^1/2: the largest sum of the negative entries of a row."""
        root = np.sqrt(self.E.T @ row_weights)
        return float(-(root * (self.K.minimum(0) @ root)).min(initial=0.0))


def link_matrix(links: Links, rows: LabelledRows, strength: float) -> LinkMatrix:
    """L of the rows of a fit; objects that take no part in it are left out, what they join stays joined (eq. P75)."""
    q, w = links.apart.shape[0], rows.ensemble.row_weights
    group = np.full(rows.ensemble.n_rows, -1, dtype=np.int64)
    known = rows.row_of_object >= 0
    group[rows.row_of_object[known]] = links.group[known]
    linked = np.flatnonzero(group >= 0)
    E = sparse.csr_array((np.ones(len(linked)), (linked, group[linked])), shape=(len(group), q))
    mass = np.bincount(group[linked], weights=w[linked], minlength=q)
    together = np.bincount(group[linked], minlength=q) > 1
    reach = together * mass + links.apart @ mass  # weight of the objects with which an object of the group is linked
    root = sparse.diags_array(np.divide(1.0, np.sqrt(reach), out=np.zeros(q), where=reach > 0))
    K = sparse.csr_array(strength * (root @ (sparse.diags_array(together.astype(np.float64)) - links.apart) @ root))
    return LinkMatrix(E, K)
