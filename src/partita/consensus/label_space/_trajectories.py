"""Similarity of clusters by random walks (Huang et al., 2021): alike are those from which a walk goes to the same ones.

    J_cd = G_cd / (A_cd + A_dc - G_cd), 0 within one clustering,   P = J / row sums                  (eqs. L13, L14)
    Z_cd = cos([P_c., P^2_c., .., P^T_c.], [P_d., .., P^T_d.])                                             (eq. L15)

P is similar to a symmetric matrix, so that one decomposition gives the sums of all T powers.
"""

import numpy as np
from scipy.linalg import eigh

from partita._labels.tables import ClusterTables
from partita._stopping import check_stop
from partita._typing import FloatArray
from partita.consensus.label_space._row_tree import symmetrise

_ROUNDING = 1e-12  # cosines below it are those of clusters between which no walk leads
_ROWS = 128  # of the table of powers at a time


def common_jaccard(tables: ClusterTables) -> FloatArray:
    """J: objects in both clusters over objects in either, among those that both clusterings label (eq. L13)."""
    G, A = tables.together, tables.seen[:, tables.cell_clustering]
    either = A + A.T - G
    J = np.divide(G, either, out=np.zeros_like(G), where=either > 0)
    J[tables.cell_clustering[:, None] == tables.cell_clustering] = 0.0
    return J


def trajectory_similarity(J: FloatArray, steps: int) -> FloatArray:
    """Z, (t, t): cosine of the trajectories of walks of 1 to ``steps`` steps; 0 for clusters without neighbours.

    J is overwritten: with it three matrices are held at a time.
    """
    degree = J.sum(axis=1)
    root = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    inner = _inner_products(J, degree, root, steps)
    length = 1 / np.sqrt(np.maximum(np.diag(inner), np.finfo(float).tiny))
    inner *= length[:, None]
    inner *= length
    np.clip(inner, 0.0, 1.0, out=inner)
    inner[inner < _ROUNDING] = 0.0
    np.fill_diagonal(inner, degree > 0)
    symmetrise(inner)
    return inner


def _inner_products(J: FloatArray, degree: FloatArray, root: FloatArray, steps: int) -> FloatArray:
    """I = sum over q of P^q P^q' (eq. L15); J is overwritten.

    With R = D^-1/2 J D^-1/2 = Q diag(l) Q', P^q = D^-1/2 Q diag(l^q) Q' D^1/2, so that
    I = D^-1/2 Q ((Q' D Q) * sum over q of (l l')^q) Q' D^-1/2.
    """
    J *= root[:, None]
    J *= root
    values, Q = eigh(J.T, overwrite_a=True)  # symmetric; in the order of Fortran nothing is copied
    check_stop()
    np.multiply(degree[:, None], Q, out=J)
    inner = Q.T @ J
    for lo in range(0, len(J), _ROWS):
        check_stop()
        inner[lo : lo + _ROWS] *= _power_sums(np.outer(values[lo : lo + _ROWS], values), steps)
    np.matmul(Q, inner, out=J)
    check_stop()
    np.matmul(J, Q.T, out=inner)
    inner *= root[:, None]
    inner *= root
    return inner


def _power_sums(x: FloatArray, steps: int) -> FloatArray:
    """Sum of the powers x, x^2, ..., x^steps, entry by entry."""
    powers, total = x.copy(), x.copy()
    for _ in range(steps - 1):
        powers *= x
        total += powers
    return total
