"""Normalised cut of a small graph by Yu and Shi's discretisation (ICCV 2003): a rotation that makes vectors indicators.

    P = D^-1/2 (Z + I / 2) D^-1/2,   D = diag(Z 1 + 1),   k leading vectors of P, times D^-1/2, rows of length 1: Q
    alternate: X = indicator of the largest entry of each row of Q R;   R = V U' with U S V' = X'Q          (eq. L16)

The 1/2 and the 1 are the regularisation of the authors' program. It begins at one row of Q, drawn at random there; here
the rows of the heaviest vertices take turns, and the closest rotation is kept. More components than parts are grouped
as in the transfer cut (eq. L9).
"""

import numpy as np
from scipy.linalg import eigh, svd

from partita._labels.membership import one_hot
from partita._typing import FloatArray, IntArray
from partita.consensus.label_space._transfer_cut import components, keep_heaviest

_OFFSET = 0.5
_STARTS = 20  # vertices that take turns as the first axis
_STEPS = 50  # alternations; they end by themselves after about 10


def cut_graph(Z: FloatArray, n_parts: int, vertex_weights: FloatArray) -> IntArray:
    """Part of each vertex; some of the parts may stay empty."""
    t = len(Z)
    if n_parts >= t:
        return np.arange(t)
    component = components(Z)
    if component.max() + 1 > n_parts:  # every cut between components is free
        return keep_heaviest(component, vertex_weights, n_parts)
    root = 1 / np.sqrt(Z.sum(axis=1) + 2 * _OFFSET)
    normal = root[:, None] * (Z + _OFFSET * np.eye(t)) * root
    Q = root[:, None] * eigh(normal, subset_by_index=(t - n_parts, t - 1))[1][:, ::-1]
    Q /= np.linalg.norm(Q, axis=0)  # the authors scale the vectors to one length, then the rows
    Q /= np.maximum(np.linalg.norm(Q, axis=1, keepdims=True), np.finfo(float).tiny)
    heavy_first = np.argsort(-vertex_weights, kind="stable")[:_STARTS]
    found = [_rotate(Q, _axes(Q, int(first))) for first in heavy_first]
    closest = max(closeness for closeness, _ in found)
    return next(labels for closeness, labels in found if closeness >= closest - 1e-9)


def _axes(Q: FloatArray, first: int) -> FloatArray:
    """Rows that are as orthogonal to each other as possible, as the columns of R."""
    chosen, overlap = [first], np.zeros(len(Q))
    while len(chosen) < Q.shape[1]:
        overlap += np.abs(Q @ Q[chosen[-1]])
        chosen.append(int(overlap.round(12).argmin()))
    return np.ascontiguousarray(Q[chosen].T)


def _rotate(Q: FloatArray, R: FloatArray) -> tuple[float, IntArray]:
    """How close Q comes to an indicator, and the parts of the rows."""
    before = -np.inf
    for _ in range(_STEPS):
        labels = (Q @ R).round(12).argmax(axis=1)
        U, values, Vt = svd(one_hot(labels, Q.shape[1]).T @ Q)
        closeness = float(values.sum())
        if closeness <= before + 1e-12:
            break
        before, R = closeness, Vt.T @ U.T
    return closeness, labels
