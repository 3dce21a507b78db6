"""Multiplicative updates of memberships that never raise an objective, made longer by an exponent.

The published updates are y <- y G, normalised, with growth factors G that depend on y: the transform of Baum and Eagon,
and EM of the aspect model. G^exponent goes further in the same direction; the exponent grows as long as the objective
falls, and where it rises that update is taken back for a shorter one, at last the published one (eq. P64).
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from partita._kept_starts import RowStart
from partita._runs import Round, progress, race
from partita._typing import FloatArray

_LONGER, _SHORTER = 1.3, 4.0  # factors of the exponent after a fall and after a rise of the objective, measured
COMPETING = 3  # starts that compete for each one that is run to its end; with four the results are the same


class GrowthProblem(Protocol):
    """What is minimised."""

    def start(self, n_clusters: int, seed: int) -> FloatArray:
        """Random memberships (n_rows, n_clusters) to start from."""

    def measure(self, Y: FloatArray) -> tuple[float, FloatArray]:
        """The objective and the growth factors at Y."""

    def transform(self, Y: FloatArray, G: FloatArray, exponent: float) -> FloatArray:
        """Y G^exponent, normalised."""


class GrowthRun(NamedTuple):
    """One start, as far as it has come."""

    seed: int
    Y: FloatArray
    G: FloatArray  # growth factors at Y
    history: list[float]  # objective at the start, and after each iteration
    made: float  # exponent of the last update
    exponent: float  # exponent of the next
    converged: bool

    @property
    def objective(self) -> float:
        """Objective at Y."""
        return self.history[-1]

    @property
    def n_iter(self) -> int:
        """Iterations so far."""
        return len(self.history) - 1

    def kept(self) -> RowStart:
        """What ``starts_`` says of it."""
        return RowStart(self.objective, self.seed, self.n_iter, self.Y.argmax(axis=1))


def begin(problem: GrowthProblem, Y: FloatArray, seed: int = 0) -> GrowthRun:
    """A start at given memberships, drawn with a seed."""
    objective, G = problem.measure(Y)
    return GrowthRun(seed, Y, G, [objective], made=1.0, exponent=1.0, converged=False)


def grow(problem: GrowthProblem, run: GrowthRun) -> GrowthRun:
    """One iteration: the longest update so far, or a shorter one if that raises the objective."""
    exponent = run.exponent
    while True:
        Y = problem.transform(run.Y, run.G, exponent)
        objective, G = problem.measure(Y)
        if objective <= run.objective or exponent == 1:  # the published update: it cannot rise, but for rounding
            break
        exponent = max(exponent / _SHORTER, 1.0)
    run.history.append(min(objective, run.objective))
    return run._replace(Y=Y, G=G, made=exponent, exponent=exponent * _LONGER)


class Growth(NamedTuple):
    """How starts are run."""

    problem: GrowthProblem
    n_clusters: int
    settle: Callable[[GrowthRun], GrowthRun]  # decides after each iteration whether a run has converged
    max_iter: int
    n_jobs: int | None
    title: str  # of the progress bar, none if empty

    def run_from(self, Y: FloatArray) -> GrowthRun:
        """One run to its end, from given memberships."""
        return self._to_the_end(begin(self.problem, Y))

    def run(self, seeds: list[int], *, n_kept: int, n_short: int) -> list[GrowthRun]:
        """The starts that were run to their ends, best first: the best of a competition of ``n_short`` iterations.

        If all of them are kept there is none.
        """
        rounds = [Round(self._begin, len(seeds)), Round(self._to_the_end, n_kept)]
        if n_kept < len(seeds):
            rounds.insert(1, Round(lambda run: self._iterate(run, min(n_short, self.max_iter)), n_kept))
        ended: list[GrowthRun] = race(seeds, rounds, self.n_jobs, lowest=lambda run: run.objective)
        return ended

    def _begin(self, seed: int) -> GrowthRun:
        return begin(self.problem, self.problem.start(self.n_clusters, seed), seed)

    def _to_the_end(self, run: GrowthRun) -> GrowthRun:
        return self._iterate(run, self.max_iter)

    def _iterate(self, run: GrowthRun, n_iter: int) -> GrowthRun:
        with progress(n_iter - run.n_iter, self.title, show=bool(self.title)) as bar:
            while run.n_iter < n_iter and not run.converged:
                run = self.settle(grow(self.problem, run))
                bar.update(1)
        return run
