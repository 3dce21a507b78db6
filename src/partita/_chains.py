"""Whether several chains of a sampler agree, and which of their sweeps are used."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita._typing import Array, FloatArray

_AGREE = 1.1  # largest R-hat of chains that agree
_DISAGREE = 1.5  # from here on a warning is due


def check_burn_in(n_sweeps: int, burn_in: int | None, thin: int) -> int:
    """Sweeps that are not used, half by default; refuse a plan that leaves no sample."""
    burn_in = n_sweeps // 2 if burn_in is None else burn_in
    if burn_in + thin > n_sweeps:
        raise ValueError(
            f"burn_in={burn_in} and thin={thin} leave no sample of n_sweeps={n_sweeps}; raise n_sweeps or lower "
            "burn_in."
        )
    return burn_in


def compare_chains(traces: dict[str, Array], burn_in: int, *, stacklevel: int) -> tuple[dict[str, float], bool]:
    """R-hat of each (n_chains, n_sweeps) trace after the burn-in, and whether chains agree; warn if far from it."""
    r_hat = {name: split_r_hat(trace[:, burn_in:]) for name, trace in traces.items()}
    worst = max(r_hat.values())
    if worst > _DISAGREE:
        warnings.warn(
            f"the chains disagree (R-hat {worst:.2f}): labels_ are those of the best of them, but samples_ and what is "
            "averaged over them mix several modes. Raise n_sweeps, or n_chains to see how many there are.",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )
    return r_hat, all(value < _AGREE for value in r_hat.values())


def split_r_hat(traces: FloatArray) -> float:
    """Potential scale reduction of (n_chains, n_draws) traces, each cut in two halves; 1 when they agree.

    sqrt(((n - 1) / n W + B / n) / W) with the variances W within and B / n between the halves.
    """
    n = traces.shape[1] // 2
    if n < 2:
        return float("nan")
    halves = np.concatenate([traces[:, :n], traces[:, -n:]]).astype(np.float64)
    within = halves.var(axis=1, ddof=1).mean()
    between = halves.mean(axis=1).var(ddof=1)
    if within == 0:
        return 1.0 if between == 0 else float("inf")
    return float(np.sqrt((n - 1) / n + between / within))
