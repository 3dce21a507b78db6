"""Similarity of clusters by random walks (Huang et al., 2021): alike are those from which a walk goes to the same ones.

    J_cd = G_cd / (A_cd + A_dc - G_cd), 0 within one clustering,   P = J / row sums                  (eqs. L13, L14)
    Z_cd = cos([P_c., P^2_c., .., P^T_c.], [P_d., .., P^T_d.])                                             (eq. L15)

P is similar to a symmetric matrix, so that one decomposition gives the sums of all T powers.
"""

import numpy as np
from scipy.linalg import eigh

from partita._labels.tables import ClusterTables
from partita._typing import FloatArray

_ROUNDING = 1e-12  # cosines below it are those of clusters between which no walk leads


def common_jaccard(tables: ClusterTables) -> FloatArray:
    """J: objects in both clusters over objects in either, among those that both clusterings label (eq. L13)."""
    G, A = tables.together, tables.seen[:, tables.cell_clustering]
    either = A + A.T - G
    J = np.divide(G, either, out=np.zeros_like(G), where=either > 0)
    J[tables.cell_clustering[:, None] == tables.cell_clustering] = 0.0
    return J


def trajectory_similarity(J: FloatArray, steps: int) -> FloatArray:
    """Z, (t, t): cosine of the trajectories of walks of 1 to ``steps`` steps; 0 for clusters without neighbours."""
    Z = np.zeros_like(J)
    joined = np.flatnonzero(J.sum(axis=1) > 0)
    if len(joined):
        Z[np.ix_(joined, joined)] = _cosines(J[np.ix_(joined, joined)], steps)
    return Z


def _cosines(J: FloatArray, steps: int) -> FloatArray:
    """I_cd / sqrt(I_cc I_dd) with I = sum over q of P^q P^q' (eq. L15).

    With R = D^-1/2 J D^-1/2 = Q diag(l) Q', P^q = D^-1/2 Q diag(l^q) Q' D^1/2, so that
    I = D^-1/2 Q ((Q' D Q) * sum over q of (l l')^q) Q' D^-1/2.
    """
    degree = J.sum(axis=1)
    root = 1 / np.sqrt(degree)
    values, Q = eigh(root[:, None] * J * root)
    product = np.outer(values, values)
    powers, total = product.copy(), product.copy()
    for _ in range(steps - 1):
        powers *= product
        total += powers
    inner = root[:, None] * (Q @ ((Q.T @ (degree[:, None] * Q)) * total) @ Q.T) * root
    length = np.sqrt(np.maximum(np.diag(inner), np.finfo(float).tiny))
    Z = (inner / np.outer(length, length)).clip(0.0, 1.0)
    Z[Z < _ROUNDING] = 0.0
    np.fill_diagonal(Z, 1.0)
    return np.asarray((Z + Z.T) / 2)
