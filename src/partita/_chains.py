"""Whether several chains of a sampler agree."""

import numpy as np

from partita._typing import FloatArray


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
