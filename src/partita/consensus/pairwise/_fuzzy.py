"""What fuzzy methods share: memberships from distances, and what they cost.

With distances d_ik of objects from K centres and the fuzziness f > 1, the memberships that minimise
sum_k u_ik^f d_ik, sum_k u_ik = 1, are (Bezdek, 1981)

    u_ik = d_ik^-p / sum_l d_il^-p,    p = 1 / (f - 1),                                                      (eq. P69)

and the minimum is (sum_k d_ik^-p)^(-1/p): a cost of the centres alone.
"""

from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._memory import ensure_memory
from partita._parameters import Interval
from partita._runs import warn
from partita._typing import Codes, FloatArray
from partita.exceptions import FewerClustersWarning

FUZZINESS = [Interval("real", 1.01, None)]  # below, powers of ratios leave the range of numbers; k-means is the limit
_EQUAL = 1e-3  # all memberships of all objects within this: the centres are at one place
_DIGITS = 12  # of memberships that are reported; equal ones differ by some 1e-15
_BLOCK = 2**22  # entries of a block of similarities of new rows: 32 MiB


def memberships(distance: FloatArray, fuzziness: float) -> FloatArray:
    """Memberships (n, k) at given distances; an object on centres belongs to these alone, in equal shares (eq. P69)."""
    share = _ratios(distance) ** (1 / (fuzziness - 1))
    return np.asarray(share / share.sum(axis=1, keepdims=True))


def final_memberships(distance: FloatArray, fuzziness: float) -> FloatArray:
    """The same, rounded: clusters that tie for an object do so to the last bit, whatever the order of the sums."""
    return np.asarray(memberships(distance, fuzziness).round(_DIGITS))


def cost_of(distance: FloatArray, fuzziness: float) -> FloatArray:
    """What each object costs at its best memberships, (n,)   (eq. P69)."""
    p = 1 / (fuzziness - 1)
    return np.asarray(distance.min(axis=1) * (_ratios(distance) ** p).sum(axis=1) ** (-1 / p))


def _ratios(distance: FloatArray) -> FloatArray:
    """Distance of the nearest centre over each distance: from 0 to 1, and 1 where both are 0."""
    nearest = distance.min(axis=1, keepdims=True)
    return np.asarray(np.divide(nearest, distance, out=np.ones_like(distance), where=distance > 0))


def warn_if_equal(Y: FloatArray, method: str, fuzziness: float) -> bool:
    """Whether all clusters became one, which is what too large a fuzziness does; if so, say it."""
    equal = Y.shape[1] > 1 and bool(np.ptp(Y, axis=1).max() < _EQUAL)
    if equal:
        warn(
            f"all clusters of {method} are the same: with fuzziness={fuzziness:g} equal memberships are best for these "
            "labels; pass a lower fuzziness, such as 1.1.",
            FewerClustersWarning,
        )
    return equal


def dense_similarity(ensemble: Ensemble, method: str) -> FloatArray:
    """S = C / N of all pairs of rows, 0 where N = 0."""
    from partita.metrics._coassociation import coassociation_of_codes

    n = ensemble.n_rows
    ensure_memory(
        24 * n * n,  # C, N and S
        purpose=f"{method} on {n} distinct rows with missing labels, whose co-association is held,",
        instead="use fewer objects, or NMFConsensus, which holds no such matrix for many rows.",
    )
    return np.asarray(coassociation_of_codes(ensemble.columns).similarity(), dtype=np.float64)


def similarity_to(codes: Codes, ensemble: Ensemble) -> FloatArray:
    """S = C / N of other rows, in the codes of an ensemble, with its rows: (n_new, n_rows); 0 where N = 0."""
    new, S = ensemble.with_rows(codes), np.empty((len(codes), ensemble.n_rows))
    seen: Any = (ensemble.codes >= 0).T * ensemble.clustering_weights[:, None]
    weighted = (ensemble.indicator * ensemble.cell_weights).T.tocsr()
    step = max(1, _BLOCK // ensemble.n_rows)
    for lo in range(0, len(codes), step):
        part = slice(lo, lo + step)
        N = (codes[part] >= 0) @ seen
        C = (new.indicator[part] @ weighted).toarray()
        S[part] = np.divide(C, N, out=np.zeros_like(C), where=N > 0)
    return S
