"""Search for hard clusters of rows of the highest log p(Y, Z): single rows move, clusters are merged and split.

Rows are weighted distinct rows, so equal objects stay together. Every change is accepted by the exact joint (eqs. N5 to
N7), which is the variational bound of a q(Z) without doubt (eq. N30). The clusters of "tsb" are numbered by size.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from partita._kernels._jit import helper, jit

_COPIES = 16  # factors multiplied before a log is taken: from 1e-6 to 1e15, so products are in 1e-96 to 1e240
_LEAST = 1e-9  # smallest rise of the joint that counts: far above rounding, far below what matters
_ABOUT = 2.0  # nats by which the prior of single moves may be wrong under sticks; the exact one is computed only then
_COOLED = 1.25  # the last fifth of the sweeps only climbs
_TINY = 1e-300  # instead of 0 in logs
_PASSES = 3  # turns in which the rows of two new clusters may change sides: later ones hardly move any


class SearchRows(NamedTuple):
    """Rows of labels, and what does not change."""

    start: Any  # (n + 1,) int64, row i has labels start[i] to start[i + 1] - 1
    cells: Any  # (n_observed,) int32, place of each label among all labels of all clusterings
    columns: Any  # (n_observed,) int32, its clustering
    row_weights: Any  # (n,) float64
    clustering_weights: Any  # (m,) float64
    n_labels: Any  # (m,) float64
    cell_clustering: Any  # (n_cells,) int64, clustering of each label


class SearchState(NamedTuple):
    """Clusters of the rows, and what they hold. The last two clusters are for trials, and empty between them."""

    z: Any  # (n,) int64
    n_rows: Any  # (C + 2,) int64, rows of each cluster
    size: Any  # (C + 2,) float64, their weight
    label_size: Any  # (C + 2, n_cells) float64, weight of the rows with a label
    observed: Any  # (C + 2, m) float64, weight of the rows with any label of a clustering
    value: Any  # (C + 2,) float64, log p(labels of the cluster)
    sorted: Any  # (C + 2,) float64, memory
    members: Any  # (n,) int64, memory
    sides: Any  # (n,) int64, memory
    prior: Any  # (1,) float64, log p(Z) up to what depends on the number of objects alone
    generator: Any  # (1,) uint64
    best: Any  # (n,) int64, the clusters of the highest joint so far


class SearchModel(NamedTuple):
    """The prior."""

    alpha0: float
    beta: float
    n_clusters: float  # K
    sticks: bool


# ------------------------------------------------------------------------------------------------------- small parts
@helper
def _uniform(generator):
    """The next random number in [0, 1), by a linear congruential generator (Knuth's MMIX)."""
    generator[0] = generator[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return (generator[0] >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@helper
def _least(state, heat):
    """Smallest rise that is accepted."""
    return _LEAST if heat == 0.0 else heat * math.log(max(_uniform(state.generator), _TINY))


@helper
def _count(rows, state, i, cluster, sign):
    """Add row i to a cluster (sign 1), or take it out (-1)."""
    weight = sign * rows.row_weights[i]
    state.n_rows[cluster] += int(sign)
    state.size[cluster] += weight
    for p in range(rows.start[i], rows.start[i + 1]):
        state.label_size[cluster, rows.cells[p]] += weight
        state.observed[cluster, rows.columns[p]] += weight


@helper
def _clear(state, cluster):
    """Make a cluster empty; rounding must not stay in it."""
    state.n_rows[cluster] = 0
    state.size[cluster] = 0.0
    state.value[cluster] = 0.0
    for cell in range(state.label_size.shape[1]):
        state.label_size[cluster, cell] = 0.0
    for j in range(state.observed.shape[1]):
        state.observed[cluster, j] = 0.0


@helper
def _copy(state, source, target):
    """Let a cluster hold what another one holds."""
    state.n_rows[target] = state.n_rows[source]
    state.size[target] = state.size[source]
    state.value[target] = state.value[source]
    for cell in range(state.label_size.shape[1]):
        state.label_size[target, cell] = state.label_size[source, cell]
    for j in range(state.observed.shape[1]):
        state.observed[target, j] = state.observed[source, j]


@helper
def _rise(x, weight):
    """Log Gamma(x + weight) - log Gamma(x)."""
    return math.log(x) if weight == 1.0 else math.lgamma(x + weight) - math.lgamma(x)


@helper
def _gain(rows, state, i, cluster, b):
    """How much log p(labels) of a cluster rises when row i joins it."""
    weight = rows.row_weights[i]
    copies = int(weight) if weight <= _COPIES and weight == math.floor(weight) else 0
    total, above, below, n_factors, power = 0.0, 1.0, 1.0, 0, 1.0
    for p in range(rows.start[i], rows.start[i + 1]):
        j = rows.columns[p]
        label = b + max(state.label_size[cluster, rows.cells[p]], 0.0)
        whole = rows.n_labels[j] * b + max(state.observed[cluster, j], 0.0)
        if copies == 0:
            total += rows.clustering_weights[j] * (_rise(label, weight) - _rise(whole, weight))
            continue
        if n_factors + copies > _COPIES or rows.clustering_weights[j] != power:
            total += power * math.log(above / below)
            above, below, n_factors, power = 1.0, 1.0, 0, rows.clustering_weights[j]
        for copy in range(copies):
            above *= label + copy
            below *= whole + copy
        n_factors += copies
    return total + power * math.log(above / below)


@helper
def _value(rows, state, cluster, b):
    """Log p(labels of the cluster), its part of eq. N5."""
    if state.n_rows[cluster] == 0:
        return 0.0
    total = 0.0
    log_gamma_b = math.lgamma(b)
    for cell in range(state.label_size.shape[1]):
        if state.label_size[cluster, cell] > 0.0:
            weight = rows.clustering_weights[rows.cell_clustering[cell]]
            total += weight * (math.lgamma(b + state.label_size[cluster, cell]) - log_gamma_b)
    for j in range(state.observed.shape[1]):
        whole = rows.n_labels[j] * b
        rise = math.lgamma(whole + max(state.observed[cluster, j], 0.0)) - math.lgamma(whole)
        total -= rows.clustering_weights[j] * rise
    return total


@helper
def _prior(state, model):
    """Log p(Z), up to what depends on the number of objects alone (eqs. N6 and N7); sticks by decreasing size."""
    a0, K, n = model.alpha0, model.n_clusters, 0
    for c in range(state.size.shape[0]):
        if state.n_rows[c] > 0:
            place = n
            while place > 0 and state.sorted[place - 1] < state.size[c]:
                state.sorted[place] = state.sorted[place - 1]
                place -= 1
            state.sorted[place] = state.size[c]
            n += 1
    total, beyond = 0.0, 0.0
    if not model.sticks:
        for k in range(n):
            total += math.lgamma(a0 / K + state.sorted[k])
        return total - n * math.lgamma(a0 / K)
    for k in range(n - 1, -1, -1):
        if k < K - 1:
            total += math.log(a0) + math.lgamma(1.0 + state.sorted[k]) + math.lgamma(a0 + beyond)
            total -= math.lgamma(1.0 + a0 + beyond + state.sorted[k])
        beyond += state.sorted[k]
    return total


@helper
def _share(state, model, cluster, weight):
    """About what the prior of a cluster adds when ``weight`` more objects join it; with sticks as K grows."""
    if not model.sticks:
        return _rise(model.alpha0 / model.n_clusters + state.size[cluster], weight)
    if state.n_rows[cluster] == 0:
        return math.log(model.alpha0) + math.lgamma(weight)
    return _rise(max(state.size[cluster], 1e-9), weight)


@jit
def joint_of_search(rows, state, model):
    """Count everything anew; returns log p(Y, Z) up to what depends on the number of objects alone."""
    for c in range(state.size.shape[0]):
        _clear(state, c)
    for i in range(state.z.shape[0]):
        _count(rows, state, i, state.z[i], 1.0)
    total = _prior(state, model)
    state.prior[0] = total
    for c in range(state.size.shape[0]):
        state.value[c] = _value(rows, state, c, model.beta)
        total += state.value[c]
    return total


# ------------------------------------------------------------------------------------------------------------ rows
@helper
def _free(state):
    """An empty cluster, or -1."""
    for c in range(state.size.shape[0] - 2):
        if state.n_rows[c] == 0:
            return c
    return -1


@helper
def _move_row(rows, state, model, i, heat):
    """Take a row to the cluster that raises the joint most; returns the rise."""
    c, b, weight = state.z[i], model.beta, rows.row_weights[i]
    least = _least(state, heat)
    _count(rows, state, i, c, -1.0)
    free = _free(state)
    own = _gain(rows, state, i, c, b)
    own_share = _share(state, model, c, weight)
    best, best_score, best_rise, best_gain = -1, -np.inf, 0.0, 0.0
    for d in range(state.size.shape[0] - 2):
        if d != c and (state.n_rows[d] > 0 or d == free):
            gain = _gain(rows, state, i, d, b)
            rise = gain - own + _share(state, model, d, weight) - own_share
            score = rise
            # the highest after Gumbel noise is a draw with probabilities proportional to exp(rise / heat)
            if heat > 0.0:
                score -= heat * math.log(-math.log(max(_uniform(state.generator), _TINY)))
            if score > best_score:
                best, best_score, best_rise, best_gain = d, score, rise, gain
    if best >= 0 and best_rise > least - _ABOUT:
        _count(rows, state, i, best, 1.0)
        prior = _prior(state, model)
        rise = best_gain - own + prior - state.prior[0]
        if rise > least:
            state.prior[0] = prior
            state.z[i] = best
            state.value[best] += best_gain
            state.value[c] -= own
            if state.n_rows[c] == 0:
                _clear(state, c)
            return rise
        _count(rows, state, i, best, -1.0)
        if state.n_rows[best] == 0:
            _clear(state, best)
    _count(rows, state, i, c, 1.0)
    return 0.0


# ------------------------------------------------------------------------------------------------- pairs of clusters
@helper
def _gather(state, c, d):
    """List the rows of two clusters; returns how many."""
    n = 0
    for i in range(state.z.shape[0]):
        if state.z[i] == c or state.z[i] == d:
            state.members[n] = i
            n += 1
    return n


@helper
def _shuffle(state, n):
    for t in range(n - 1, 0, -1):
        u = int(_uniform(state.generator) * (t + 1))
        state.members[t], state.members[u] = state.members[u], state.members[t]


@helper
def _odds(rows, state, model, i, A, B):
    """Log odds of a row for cluster A against B."""
    b, weight = model.beta, rows.row_weights[i]
    log = _gain(rows, state, i, A, b) - _gain(rows, state, i, B, b)
    return log + _share(state, model, A, weight) - _share(state, model, B, weight)


@helper
def _deal(rows, state, model, n, i, j, A, B):
    """Put rows i and j into clusters A and B and draw sides of the other members (Dahl's sequential allocation)."""
    _shuffle(state, n)
    _count(rows, state, i, A, 1.0)
    _count(rows, state, j, B, 1.0)
    for t in range(n):
        row = state.members[t]
        if row == i or row == j:
            state.sides[t] = A if row == i else B
            continue
        odds = _odds(rows, state, model, row, A, B)
        u = _uniform(state.generator)
        state.sides[t] = A if u * (1.0 + math.exp(min(-odds, 500.0))) < 1.0 else B
        _count(rows, state, row, state.sides[t], 1.0)


@helper
def _settle(rows, state, model, n, A, B):
    """Let rows change sides as long as that raises the joint, a few times over."""
    for _ in range(_PASSES):
        moved = False
        for t in range(n):
            row, side = state.members[t], state.sides[t]
            if state.n_rows[side] == 1:
                continue
            _count(rows, state, row, side, -1.0)
            new = A if _odds(rows, state, model, row, A, B) > 0.0 else B
            _count(rows, state, row, new, 1.0)
            state.sides[t] = new
            moved = moved or new != side
        if not moved:
            return


@helper
def _try_two(rows, state, model, i, j, heat):
    """Share the rows of the clusters of i and j anew between two clusters; returns the rise, 0 if there is none."""
    c, d = state.z[i], state.z[j]
    d_new = d if c != d else _free(state)
    if d_new < 0:
        return 0.0
    A, B = state.size.shape[0] - 2, state.size.shape[0] - 1
    n = _gather(state, c, d)
    before = state.prior[0] + state.value[c] + (state.value[d] if c != d else 0.0)
    _deal(rows, state, model, n, i, j, A, B)
    _settle(rows, state, model, n, A, B)
    state.value[A], state.value[B] = _value(rows, state, A, model.beta), _value(rows, state, B, model.beta)
    n_c, n_d = state.n_rows[c], state.n_rows[d]
    state.n_rows[c], state.n_rows[d] = 0, 0
    prior = _prior(state, model)
    rise = prior + state.value[A] + state.value[B] - before
    state.n_rows[c], state.n_rows[d] = n_c, n_d
    accepted = rise > _least(state, heat)
    if accepted:
        state.prior[0] = prior
        for t in range(n):
            state.z[state.members[t]] = c if state.sides[t] == A else d_new
        _copy(state, A, c)
        _copy(state, B, d_new)
    _clear(state, A)
    _clear(state, B)
    return rise if accepted else 0.0


@helper
def _try_one(rows, state, model, c, d, heat):
    """Merge two clusters; returns the rise, 0 if there is none."""
    A = state.size.shape[0] - 2
    before = state.prior[0] + state.value[c] + state.value[d]
    _copy(state, c, A)
    state.n_rows[A] += state.n_rows[d]
    state.size[A] += state.size[d]
    for cell in range(state.label_size.shape[1]):
        state.label_size[A, cell] += state.label_size[d, cell]
    for j in range(state.observed.shape[1]):
        state.observed[A, j] += state.observed[d, j]
    state.value[A] = _value(rows, state, A, model.beta)
    n_c, n_d = state.n_rows[c], state.n_rows[d]
    state.n_rows[c], state.n_rows[d] = 0, 0
    prior = _prior(state, model)
    rise = prior + state.value[A] - before
    state.n_rows[c], state.n_rows[d] = n_c, n_d
    accepted = rise > _least(state, heat)
    if accepted:
        state.prior[0] = prior
        for i in range(state.z.shape[0]):
            if state.z[i] == d:
                state.z[i] = c
        _copy(state, A, c)
        _clear(state, d)
    _clear(state, A)
    return rise if accepted else 0.0


@helper
def _propose(rows, state, model, heat):
    """Two rows are drawn: one cluster of both is split, two are merged or shared anew. Returns the change accepted."""
    n = state.z.shape[0]
    i, j = int(_uniform(state.generator) * n), int(_uniform(state.generator) * n)
    if i == j:
        return 0.0
    if state.z[i] != state.z[j] and _uniform(state.generator) < 0.5:
        return _try_one(rows, state, model, state.z[i], state.z[j], heat)
    return _try_two(rows, state, model, i, j, heat)


@jit
def search_clusters(rows, state, model, n_sweeps, n_proposals, heat, stop):
    """Sweeps over the rows, and after each proposals to merge two clusters, to split one or to share two anew.

    The state must be counted (``joint_of_search``). Changes that lower the joint are accepted as if it were divided by
    the heat, which falls to 0 at four fifths of the sweeps. The clusters of the highest joint are left in z; the counts
    are not theirs. Returns how much that joint is above the first. ``stop``, (1,) uint8, is not 0 as soon as it is to
    return at once.
    """
    n = state.z.shape[0]
    total, highest = 0.0, 0.0
    for i in range(n):
        state.best[i] = state.z[i]
    for sweep in range(n_sweeps):
        now = max(heat * (1.0 - _COOLED * sweep / n_sweeps), 0.0)
        rise = 0.0
        for i in range(n):
            if stop[0] != 0:
                return highest
            rise += _move_row(rows, state, model, i, now)
        for _ in range(n_proposals):
            if stop[0] != 0:
                return highest
            rise += _propose(rows, state, model, now)
        total += rise
        if total > highest:
            highest = total
            for i in range(n):
                state.best[i] = state.z[i]
        if now == 0.0 and rise == 0.0:
            break
    for i in range(n):
        state.z[i] = state.best[i]
    return highest
