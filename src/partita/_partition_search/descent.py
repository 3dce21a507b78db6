"""One partition that goes downhill: single moves of rows, merges, and clusters that are rearranged."""

from typing import NamedTuple

import numpy as np

from partita._kernels import partition_moves as kernel
from partita._kernels import partition_turns as turns
from partita._partition_search.problem import Problem, make_state
from partita._runs import Progress
from partita._stopping import check_stop, until_stopped
from partita._typing import Codes, IntArray

SAME = 1e-9  # relative difference of losses below which two runs count as the same end
_PAIRS = 2000  # clusters up to which all pairs are compared for merges: a table of 32 MiB
_COLUMNS = 10  # clusterings, drawn at random, whose labels tell which rows of a cluster are moved together
_REARRANGED = 100  # clusters that are rearranged in one turn, at most


class Limits(NamedTuple):
    """How many clusters there may be."""

    least: int
    most: int


class Run(NamedTuple):
    """A partition, and how it was found."""

    labels: IntArray  # (n_rows,), clusters 0, 1, ... in the order of their first rows
    loss: float
    history: list[float]  # loss after each sweep
    converged: bool


def loss_of(run: Run) -> float:
    """What runs compete by."""
    return run.loss


class Descent:
    """A partition that goes downhill."""

    def __init__(self, problem: Problem, z: IntArray, limits: Limits, seed: int, max_iter: int, bar: Progress) -> None:
        self.problem, self.limits, self.max_iter, self.bar = problem, limits, max_iter, bar
        self.state = make_state(problem, z, seed)
        self.rng = np.random.default_rng(seed)
        self.order = np.arange(len(z))
        self.history: list[float] = []
        self.converged = False

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return int(np.count_nonzero(self.state.n_rows))

    @property
    def loss(self) -> float:
        """Loss of the partition as it is."""
        return max(self.problem.constant + float(self.state.value[:-2].sum()), 0.0)  # rounding can go below 0

    def refill(self) -> None:
        """Tables counted again: sums of weights lose digits when rows come and go."""
        kernel.fill_tables(self.problem.rows, self.state)

    def sweep(self) -> None:
        """Single moves of rows until none gains, or ``max_iter`` sweeps are done."""
        self.converged = False
        while len(self.history) < self.max_iter:
            n_moves, is_full = until_stopped(kernel.sweep, self.problem.rows, self.state, *self.limits, self.order)
            self.history.append(self.loss)
            self.bar.update(1)
            if is_full:
                self._grow(2 * len(self.state.n_rows))
            elif n_moves == 0:
                self.converged = True
                return

    def _grow(self, n_slots: int) -> None:
        seed = int(self.state.generator[0])
        self.state = make_state(self.problem, self.state.z, seed, min(n_slots, len(self.order)))

    def merge(self) -> bool:
        """Best merges while they gain, or while there are too many clusters."""
        if self.n_clusters > _PAIRS:
            return False
        n_slots = len(self.state.n_rows) - 2
        if len(self.state.pairs.cost) < min(n_slots, _PAIRS):  # new, or there are more slots than before
            pairs = kernel.make_pairs(min(n_slots, _PAIRS), len(self.problem.rows.coef))
            self.state = self.state._replace(pairs=pairs)
        n_merges = until_stopped(kernel.merge_clusters, self.problem.rows, self.state, *self.limits)
        self.refill()
        return bool(n_merges)

    def reach_limits(self) -> None:
        """As many clusters as there must be, by the best merges or by splits."""
        if self.n_clusters > self.limits.most:
            self._dissolve_smallest(max(self.limits.most, _PAIRS))
            self.merge()
        while self.n_clusters < self.limits.least:
            sizes = self.state.n_rows[:-2].astype(np.float64)
            sizes[sizes < 2] = 0.0
            self.split(int(self.rng.choice(len(sizes), p=sizes / sizes.sum())), is_forced=True)
        assert self.limits.least <= self.n_clusters <= self.limits.most

    def _dissolve_smallest(self, most: int) -> None:
        """At most so many clusters: the rows of the smallest join others, as there are too many pairs for merges."""
        while self.n_clusters > most:
            n_rows = self.state.n_rows[:-2]
            smallest = int(np.where(n_rows > 0, n_rows, len(self.order) + 1).argmin())
            until_stopped(turns.dissolve, self.problem.rows, self.state, smallest, 1, most)
        self.refill()

    def split(self, q: int, *, is_forced: bool = False) -> float:
        """Split a cluster if that gains, or anyway; returns what it adds to the loss."""
        empty = np.flatnonzero(self.state.n_rows[:-2] == 0)
        if len(empty) == 0:
            self._grow(2 * len(self.state.n_rows))
            empty = np.flatnonzero(self.state.n_rows[:-2] == 0)
        if len(empty) == 0:
            return 0.0
        return float(until_stopped(turns.share_out, self.problem.rows, self.state, q, int(empty[0]), is_forced))

    def rearrange(self) -> bool:
        """Every cluster once: split, shared out anew with another, taken apart; whether any of it gained."""
        before = self.loss
        rows, state = self.problem.rows, self.state
        for q in self._some_clusters():
            check_stop()
            if self.n_clusters < self.limits.most:
                self.split(q)
            elif self.limits.most < len(self.order):
                self._split_and_merge(q)
            rows, state = self.problem.rows, self.state  # splits may have made larger tables
            other = int(self.rng.choice(np.flatnonzero(state.n_rows[:-2])))
            if state.n_rows[q] > 0 and other != q:
                until_stopped(turns.share_out, rows, state, q, other, False)
            if state.n_rows[q] > 0 and self.n_clusters > 1:
                until_stopped(turns.dissolve, rows, state, q, *self.limits)
        self._move_parts()
        self.refill()
        return before - self.loss > SAME * abs(before)

    def _some_clusters(self) -> list[int]:
        """Clusters to rearrange, in random order: the largest, and some others, of those with more than one row."""
        n_rows = self.state.n_rows[:-2]
        by_size = np.argsort(-n_rows, kind="stable")[: np.count_nonzero(n_rows > 1)]
        others = self.rng.permutation(by_size[_REARRANGED // 2 :])[: _REARRANGED // 2]
        chosen: list[int] = self.rng.permutation(np.append(by_size[: _REARRANGED // 2], others)).tolist()
        return chosen

    def _move_parts(self) -> None:
        """Rows of a cluster that have a label in common, moved together; the labels of some clusterings."""
        ensemble = self.problem.ensemble
        m = ensemble.n_clusterings
        for j in self.rng.choice(m, size=min(m, _COLUMNS), replace=False).tolist():
            order, edges = parts_of(ensemble.codes[:, j], self.state.z)
            until_stopped(turns.move_parts, self.problem.rows, self.state, order, edges, self.limits.most)

    def _split_and_merge(self, q: int) -> None:
        """Where no further cluster is allowed: one is split and the best pair merged, if both together gain."""
        if self.state.n_rows[q] < 2 or self.n_clusters >= _PAIRS:  # the split makes one more
            return
        z, before = self.state.z.copy(), self.loss
        self.split(q, is_forced=True)
        self.merge()
        if self.loss >= before - SAME * abs(before):
            self.state.z[:] = z
            self.refill()

    def run(self, quiet: int) -> Run:
        """Down to where nothing gains; clusters are rearranged until that gained nothing ``quiet`` times in a row."""
        self.reach_limits()
        in_vain = 0
        while True:
            self.sweep()
            if self.merge():
                continue
            if in_vain == quiet or not self.converged:
                break
            in_vain = 0 if self.rearrange() else in_vain + 1
        self.refill()
        return Run(self.state.z.copy(), self.loss, self.history, self.converged)


def parts_of(codes: Codes, z: IntArray) -> tuple[IntArray, IntArray]:
    """Labelled rows by label and cluster, and where those of each label and cluster begin."""
    order = np.lexsort((z, codes))[np.count_nonzero(codes < 0) :]
    label, cluster = codes[order], z[order]
    is_new = np.append(True, (label[1:] != label[:-1]) | (cluster[1:] != cluster[:-1]))
    return order, np.append(np.flatnonzero(is_new), len(order))
