"""Sites of a fit by columns on the workers of a Dask cluster.

A site is a future of its labels, which stay where they were read, and what it keeps between two exchanges: tables of
its labels, which do not grow with the objects. Every question is a task

    answer(site, kept, question, values) -> (what is told, what is kept then)

that changes neither site nor kept: if a worker dies, Dask reads the labels again elsewhere and asks again what is still
needed, to the same bits. Nothing is scattered, because what was scattered to a worker that dies is lost.

What it costs. The scheduler holds the values of every question (mostly n x k numbers) until no later task depends on
its answer. A chain of answers that lasted for the whole fit would hold all of them: 500 exchanges about 20,000 objects
and 8 clusters are 640 MB. So the chain is cut: as soon as the messages since the last cut weigh as much as what a site
keeps, this comes to the coordinator with the reply, and is sent with the next question. The scheduler then holds no
more than that and one message, and cutting at most doubles what travels. With many more objects than labels every
exchange is a cut, and a dead worker costs one question; with many more labels than objects the chain is longer. What
is small travels at once, as Dask takes longer for one more task. Dask itself remembers the last 1,000 messages of less
than 1 MB of every connection, here and at the scheduler (``distributed.admin.low-level-log-length``).
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from partita._labels.validation import LabelMatrix
from partita._runs import Progress
from partita._typing import Array, FloatArray
from partita.blocks._dask import OnDask, _alone, telling
from partita.blocks.columns._sources import load_site
from partita.exceptions import SiteError
from partita.federated._engine import Values, size_of
from partita.federated._memory import SiteMemory

Kept = Mapping[str, Array]
_ONE_TASK = 1 << 20  # bytes that travel in about the time of one more task, 5 to 10 ms
SET_UP = ("describe", "open", "objects")  # questions before the fit; after the last two the site is another one


# --------------------------------------------------------------------------------------------------------- on a worker
class Told(NamedTuple):
    """What goes to the coordinator."""

    reply: dict[str, Any]
    fault: str = ""  # what went wrong at the site, in words
    n_kept: int = 0  # bytes that the site keeps
    fit: str = ""  # digest of labels and method, by which stored states are recognised


class Answer(NamedTuple):
    """The first part is told; the second stays on the worker: what the site keeps, or the site itself."""

    told: Told
    kept: Any


def set_up(site: Any, question: str, values: Values) -> Answer:
    """Answer a question that prepares the site; the one before stays as it was."""
    own = copy(_site_in(site))
    try:
        reply = own.answer(question, values)
    except Exception as error:
        return Answer(Told({}, _in_words(error)), own)
    return Answer(Told(reply, fit=own.memory.fit), own)


def answer(site: Any, before: Kept | Answer, question: str, values: Values) -> Answer:
    """Answer a question of the fit, from copies of what the site kept."""
    own = _with_memory(site, before, int(values["exchange"]))
    try:
        reply = own.answer(question, values)
    except Exception as error:
        return Answer(Told({}, _in_words(error)), {})
    kept = dict(own.memory)
    return Answer(Told(reply, n_kept=size_of(kept)), kept)


def result_of(site: Any, before: Kept | Answer, place: int) -> tuple[LabelMatrix, FloatArray]:
    """Labels of a site, in as few bytes as they need, and its parameters at the end of the fit."""
    own = _with_memory(site, before, 0)
    matrix, table = own.matrix, own.table(place)
    shorter = matrix.codes.astype(np.min_scalar_type(-max(int(matrix.codes.max(initial=0)), 1)))
    return LabelMatrix(shorter, matrix.labels, matrix.names, matrix.kept, matrix.n_columns_in, matrix.noise), table


def _site_in(site: Any) -> Any:
    return site.kept if isinstance(site, Answer) else site


def _with_memory(site: Any, before: Kept | Answer, number: int) -> Any:
    """A site that keeps copies: neither its own arrays nor those of the task before are ever changed."""
    own = copy(_site_in(site))
    own.memory = SiteMemory()
    own.memory.put(number, before.kept if isinstance(before, Answer) else before)
    return own


def _in_words(error: Exception) -> str:
    told = "answered" if isinstance(error, ValueError) else f"raised {type(error).__name__}"
    return f"{told}: {error}"


# ---------------------------------------------------------------------------------------------------------------- here
class DaskSites:
    """The engine: one message to each site, one reply from each.

    With folders for them, the memories of the sites are written there after every exchange, so that the fit can be
    resumed; every exchange is then a cut.
    """

    def __init__(
        self, client: Any, sources: Mapping[str, Any], folders: Mapping[str, Path | None], bar: Progress
    ) -> None:
        self._dask, self._bar = OnDask(client), bar
        self._memories = {name: SiteMemory(folder) for name, folder in folders.items()}
        self._always = any(folder is not None for folder in folders.values())
        self.names = list(sources)
        with telling(), _large_graphs():
            workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
            self._homes = {name: workers[i % len(workers)] for i, name in enumerate(self.names)}
            self._sites = {name: self._submit(name, load_site, name, source) for name, source in sources.items()}
        self._chains: dict[str, Any] = {}  # futures of answers, for sites whose memory is not here
        self._weights = dict.fromkeys(self.names, 0)  # bytes of the messages since the last cut
        self._n_kept = dict.fromkeys(self.names, 0)  # bytes that a site keeps

    def send(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """One reply per site."""
        names = self.names if to is None else list(to)
        # copies, because workers in this process would see what becomes of the arrays here
        own = {key: np.array(value) if isinstance(value, np.ndarray) else value for key, value in values.items()}
        with telling(), _large_graphs():
            few = size_of(own) * len(names) <= _ONE_TASK
            shared = own if few else self._dask.share(own)
            if question in SET_UP:
                told = self._set_up(names, question, shared)
            else:
                told = self._ask(names, question, shared, int(values["exchange"]), size_of(values))
        self._bar.update(1)
        return {name: told[name].reply for name in names}

    def results(self, place: int, number: int) -> tuple[list[LabelMatrix], list[FloatArray]]:
        """Labels of all sites, and their parameters after so many exchanges."""
        with telling(), _large_graphs():
            found = self._dask.client.gather(
                [
                    self._submit(name, result_of, self._sites[name], self._before(name, number), place)
                    for name in self.names
                ]
            )
        matrices, tables = zip(*found, strict=True)
        return list(matrices), list(tables)

    def _set_up(self, names: list[str], question: str, shared: Any) -> dict[str, Told]:
        """Questions before the fit."""
        asked = {name: self._submit(name, set_up, self._sites[name], question, shared) for name in names}
        told: dict[str, Told] = self._dask.client.gather({name: self._first_of(one) for name, one in asked.items()})
        _raise_faults(told)
        if question != "describe":
            self._sites.update(asked)
        if question == "open":
            for name in names:
                self._memories[name].begin(told[name].fit)
        return told

    def _ask(self, names: list[str], question: str, shared: Any, number: int, size: int) -> dict[str, Told]:
        """Questions of the fit: a whole answer comes here where the chain is cut, else what is told."""
        with ExitStack() as exchange:
            for name in names:
                exchange.enter_context(self._memories[name].during(number))
            asked = {
                name: self._submit(name, answer, self._sites[name], self._before(name, number), question, shared)
                for name in names
            }
            come = {name: one if self._is_cut(name, size) else self._first_of(one) for name, one in asked.items()}
            found = self._dask.client.gather(come)
            told = {name: one.told if isinstance(one, Answer) else one for name, one in found.items()}
            _raise_faults(told)
            for name, one in found.items():
                self._follow(name, one.kept if isinstance(one, Answer) else None, asked[name], number)
                self._n_kept[name] = told[name].n_kept
        return told

    def _is_cut(self, name: str, size: int) -> bool:
        """Whether the site's memory comes here with its reply."""
        self._weights[name] += size
        return self._always or self._n_kept[name] <= max(self._weights[name], _ONE_TASK)

    def _follow(self, name: str, kept: Kept | None, asked: Any, number: int) -> None:
        """What the next question of a site goes on from."""
        if kept is None:
            self._chains[name] = asked
            return
        self._chains.pop(name, None)
        self._memories[name].put(number, kept)
        self._weights[name] = 0

    def _before(self, name: str, number: int) -> Any:
        """What a site kept: an answer on a worker, or arrays that are here."""
        if name in self._chains:
            return self._chains[name]
        self._memories[name].go_to(number)
        return dict(self._memories[name])

    def _submit(self, name: str, function: Any, *arguments: Any) -> Any:
        """A task of one site, on the worker of that site; on any other one if that worker is gone."""
        where = {"workers": [self._homes[name]], "allow_other_workers": True}
        return self._dask.client.submit(_alone, function, *arguments, pure=False, **where)

    def _first_of(self, answered: Any) -> Any:
        return self._dask.client.submit(itemgetter(0), answered, pure=False)


def _raise_faults(told: Mapping[str, Told]) -> None:
    failed = {name: one.fault for name, one in told.items() if one.fault}
    if failed:
        raise SiteError(failed)


def _large_graphs() -> Any:
    """Messages of more than 10 MB are meant: without this Dask would warn of each."""
    import dask

    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"})
