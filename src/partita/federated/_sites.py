"""The sites as the coordinator sees them: sums over all of them, checked before they are used.

A reply that is not what was asked for (missing, another shape, not finite) ends the fit with the name of its site.
No site is ever left out of a sum.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from partita._typing import FloatArray
from partita.exceptions import SiteError
from partita.federated._checkpoint import Checkpoint
from partita.federated._engine import Engine, Exchange, Values, size_of

Shapes = Mapping[str, tuple[int, ...]]  # of the arrays that every site is to send


class Sites(Protocol):
    """Whom the algorithms ask."""

    names: list[str]
    exchanges: list[Exchange]

    def total(self, question: str, values: Values, shapes: Shapes) -> dict[str, FloatArray]:
        """Sum over the sites of the arrays that they send, of the given shapes."""
        ...

    def each(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """Reply of every site (or of those named), as it is: only for what is not to be added up."""
        ...


class PlainSites:
    """Sites whose sums the coordinator can read."""

    def __init__(self, engine: Engine, checkpoint: Checkpoint | None = None) -> None:
        self._engine = engine
        self._checkpoint = checkpoint
        self.names = list(engine.names)
        self.exchanges: list[Exchange] = []
        self.n_totals = 0  # sites keep their state under this number

    def total(self, question: str, values: Values, shapes: Shapes) -> dict[str, FloatArray]:
        """Sum over the sites, in the order of their names in the federation: the same bits every time."""
        stored = self._checkpoint.stored(question) if self._checkpoint else None
        if stored is not None:
            self.n_totals += 1
            return stored
        replies = self._send(question, {**values, "exchange": self.n_totals}, None)
        failed = {name: fault for name in self.names if (fault := fault_of(replies.get(name), shapes))}
        if failed:
            raise SiteError(failed)
        total = {
            key: np.sum([np.asarray(replies[name][key], dtype=np.float64) for name in self.names], axis=0)
            for key in shapes
        }
        self.n_totals += 1
        if self._checkpoint:
            self._checkpoint.store(question, total)
        return total

    def each(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """Replies as they are."""
        replies = self._send(question, values, to)
        failed = {name: "sent nothing" for name in to or self.names if not isinstance(replies.get(name), Mapping)}
        if failed:
            raise SiteError(failed)
        return replies

    def _send(self, question: str, values: Values, to: Sequence[str] | None) -> dict[str, Any]:
        start = time.perf_counter()
        replies = self._engine.send(question, values, to)
        elapsed = time.perf_counter() - start
        seconds = getattr(self._engine, "seconds", elapsed)
        received = max((size_of(reply) for reply in replies.values()), default=0)
        self.exchanges.append(Exchange(question, seconds, size_of(values), received, elapsed))
        return replies


def fault_of(reply: Any, shapes: Shapes) -> str | None:
    """What is wrong with a reply, in words; None if nothing is."""
    if not isinstance(reply, Mapping):
        return "sent nothing" if reply is None else f"sent {type(reply).__name__}, not named arrays"
    for key, shape in shapes.items():
        if reply.get(key) is None:
            return f"sent no {key!r}"
        try:
            array = np.asarray(reply[key])
            if array.dtype.kind not in "biuf":
                raise TypeError
        except (TypeError, ValueError):
            return f"sent {key!r} that is not an array of numbers"
        if array.shape != shape:
            return f"sent {key!r} of shape {array.shape} instead of {shape}"
        if not np.isfinite(array).all():
            return f"sent {key!r} with values that are not finite"
    return None
