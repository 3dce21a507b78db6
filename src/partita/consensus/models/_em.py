"""The loop of every EM: expect, compare, update; in blocks of rows, from several starts.

A block grid depends on the problem alone, and blocks are added up in their order, so that the number of threads never
changes a sum.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from partita._runs import Progress
from partita._typing import FloatArray

_BLOCK = 8192  # rows a block, at least


class EMRun(NamedTuple):
    """Where a climb ended."""

    state: Any
    stats: Any  # of that state
    history: list[float]
    converged: bool


class Stretch(NamedTuple):
    """How to go further than an update: over-relaxed EM (Salakhutdinov and Roweis, 2003)."""

    beyond: Callable[[Any, Any, float], Any]  # (old, updated, factor) -> state; factor 1 is the update itself
    memory: FloatArray  # what an E-step starts from, to be restored when a stretched update was too long


_GROWTH = 1.3  # of the factor, as long as the bound rises
_LONGEST = 50.0


def climb(
    expect: Callable[[Any], tuple[Any, float]],
    update: Callable[[Any, Any], Any],
    state: Any,
    *,
    tol: float,
    max_iter: int,
    n: float,
    bar: Progress,
    stretch: Stretch | None = None,
) -> EMRun:
    """Alternate until the bound rises by less than ``tol``, relatively; statistics and bound are of the last state.

    The rise is relative to the bound or, because that can be 0, to the number ``n`` of objects if that is larger.

    With ``stretch`` updates go beyond what EM proposes, ever further until the bound falls; then that update is taken
    back and the plain one made. The bound never falls from one iteration to the next, and a run ends by a plain update.
    """
    stats, bound = expect(state)
    history, factor = [bound], 1.0
    while len(history) < max_iter:
        plain = update(state, stats)
        before = stretch.memory.copy() if stretch and factor > 1 else None
        state = stretch.beyond(state, plain, factor) if stretch and factor > 1 else plain
        stats, bound = expect(state)
        if stretch and before is not None and bound < history[-1]:
            stretch.memory[:] = before
            state, factor = plain, 1.0
            stats, bound = expect(state)
        rise = bound - history[-1]
        history.append(bound)
        bar.update(1)
        settled = rise <= tol * max(abs(history[-2]), n)
        if settled and factor == 1:
            return EMRun(state, stats, history, True)
        factor = 1.0 if settled or stretch is None else min(_GROWTH * factor, _LONGEST)
    return EMRun(state, stats, history, False)


def block_edges(n_rows: int, n_cells: int) -> list[tuple[int, int]]:
    """Blocks of rows, long enough that adding up their tables of n_cells entries takes no time."""
    length = max(_BLOCK, 2 * n_cells)
    return [(lo, min(n_rows, lo + length)) for lo in range(0, n_rows, length)]
