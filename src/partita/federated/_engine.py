"""Where the sites are: one message to each, one reply from each.

The algorithms are ordinary functions of a coordinator that asks the sites for sums. An engine carries the questions:
``InProcess`` to sites in the same process, for trying; ``flare/_server.py`` to other machines.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from partita._runs import Progress
from partita.exceptions import SiteError

Values = Mapping[str, Any]  # arrays, numbers, text, bytes, None, and lists and dicts of these: nothing that runs


class Answerer(Protocol):
    """What is at a site."""

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question of the coordinator."""
        ...


class Engine(Protocol):
    """Carries messages."""

    names: list[str]  # of the sites, in a fixed order

    def send(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """Send one message to all sites, or to those named, and return one reply per site.

        Raises ``SiteError``, with every site that failed, if a reply is missing.
        """
        ...


class Exchange(NamedTuple):
    """One message and its replies: what ``exchanges_`` of a federated fit holds."""

    question: str
    seconds: float  # the slowest site's; with an engine between machines, the whole exchange
    bytes_sent: int  # to one site
    bytes_received: int  # from the site with the longest reply
    elapsed: float = 0.0  # seconds until all replies were there; in one process, sites answer one after the other


class InProcess:
    """Sites in the same process, asked one after the other."""

    def __init__(self, sites: Mapping[str, Answerer], bar: Progress | None = None) -> None:
        self._sites = dict(sites)
        self._bar = bar
        self.names = list(self._sites)
        self.seconds = 0.0  # of the slowest site in the last exchange: between machines, sites work at the same time

    def send(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """One reply per site."""
        replies, failed, self.seconds = {}, {}, 0.0
        for name in self.names if to is None else to:
            start = time.perf_counter()
            try:
                replies[name] = self._sites[name].answer(question, values)
            except Exception as error:  # whatever it is: the site is named, as with sites on other machines
                told = "answered" if isinstance(error, ValueError) else f"raised {type(error).__name__}"
                failed[name] = f"{told}: {error}"
                cause = error
            self.seconds = max(self.seconds, time.perf_counter() - start)
        if failed:
            raise SiteError(failed) from cause
        if self._bar is not None:
            self._bar.update(1)
        return replies


def size_of(values: Any) -> int:
    """Bytes of a message, without what an engine adds."""
    if isinstance(values, Mapping):
        return sum(len(str(name)) + size_of(value) for name, value in values.items())
    if isinstance(values, list | tuple):
        return sum(map(size_of, values))
    if hasattr(values, "nbytes"):
        return int(values.nbytes)
    return len(values) if isinstance(values, str | bytes) else 8
