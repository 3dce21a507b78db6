"""Samples from a posterior: do the chains agree, and which sweeps are used."""

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from partita._runs import warn
from partita._typing import Array, FloatArray

_AGREE = 1.1  # largest R-hat of chains that agree: the usual limit since Gelman and Rubin (1992)
_DISAGREE = 1.2  # above this value a warning is given: between the two, longer chains are likely to agree
_TOLD = "labels_ are those of the best of them, but samples_ and what is averaged over them mix several modes"


# ------------------------------------------------------------------------------------------------------------- chains
class SamplingPlan(NamedTuple):
    """How long each chain samples, and which sweeps it keeps."""

    n_sweeps: int
    burn_in: int  # sweeps that are not used
    thin: int  # every how many of the others a sample is kept

    @property
    def kept(self) -> range:
        """Sweeps of which the sample is kept."""
        return range(self.burn_in + self.thin - 1, self.n_sweeps, self.thin)


def make_plan(n_sweeps: int, burn_in: int | None, thin: int) -> SamplingPlan:
    """Plan with half of the sweeps as burn-in by default; refuse one that leaves no sample."""
    burn_in = n_sweeps // 2 if burn_in is None else burn_in
    if burn_in + thin > n_sweeps:
        raise ValueError(
            f"burn_in={burn_in} and thin={thin} leave no sample of n_sweeps={n_sweeps}; raise n_sweeps or lower "
            "burn_in."
        )
    return SamplingPlan(n_sweeps, burn_in, thin)


class Mixing(NamedTuple):
    """Whether chains have come to the same distribution, and what their draws are worth."""

    r_hat: dict[str, float]
    ess: dict[str, float]
    agree: bool

    @property
    def disagree(self) -> bool:
        """Whether the chains are so far apart that there was a warning."""
        return max(self.r_hat.values()) > _DISAGREE


def compare_chains(traces: dict[str, Array], burn_in: int, advice: str = "", *, told: str = _TOLD) -> Mixing:
    """R-hat and effective sample size of each (n_chains, n_sweeps) trace after the burn-in; warn if chains disagree.

    ``told`` says which results the user has then.
    """
    r_hat = {name: split_r_hat(trace[:, burn_in:]) for name, trace in traces.items()}
    ess = {name: effective_sample_size(trace[:, burn_in:]) for name, trace in traces.items()}
    mixing = Mixing(r_hat, ess, all(value < _AGREE for value in r_hat.values()))
    if mixing.disagree:
        warn(
            f"the chains disagree (R-hat {max(r_hat.values()):.2f}): {told}. Raise n_sweeps, or n_chains to see how "
            f"many modes there are{advice}.",
            ConvergenceWarning,
        )
    return mixing


def split_r_hat(traces: FloatArray) -> float:
    """Potential scale reduction of (n_chains, n_draws) traces, each cut in two halves; 1 when they agree.

    sqrt(((n - 1) / n W + B / n) / W) with the variances W within and B / n between the halves (eqs. N25, N26).
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


def effective_sample_size(traces: FloatArray) -> float:
    """Independent draws that would give the mean of (n_chains, n_draws) traces as exactly (eq. N52).

    Autocorrelations of the halves of all chains together, summed over pairs of lags as long as pairs are positive and
    do not rise (Geyer 1992; Vehtari et al. 2021). NaN for fewer than 4 draws in a half, and for constant traces.
    """
    n = traces.shape[1] // 2
    if n < 4:
        return float("nan")
    halves = np.concatenate([traces[:, :n], traces[:, -n:]]).astype(np.float64)
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, 2 * n, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, :n].mean(axis=0) / n
    within = covariance[0] * n / (n - 1)
    total = within * (n - 1) / n + halves.mean(axis=1).var(ddof=1)
    if total == 0:
        return float("nan")
    rho = 1 - (within - covariance * n / (n - 1)) / total
    rho[0] = 1.0
    pairs = rho[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs < 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if len(negative) else len(pairs)])
    return float(min(halves.size / max(2 * pairs.sum() - 1, 1 / np.log10(halves.size)), halves.size))
