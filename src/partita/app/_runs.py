"""Runs: fits of a file that go on when nobody looks, and their results for every number of clusters asked for."""

import secrets
import threading
import time
from typing import Any

import numpy as np

from partita._labels.validation import LabelMatrix
from partita._runs import progress
from partita._typing import IntArray
from partita.app._datasets import Dataset
from partita.app._errors import NotFoundError, RequestError
from partita.app._fitting import AUTO, Asked, fit, fit_within
from partita.app._jobs import OPEN, Job, Jobs
from partita.app._prepared import Prepared
from partita.app._words import in_page_words
from partita.results import ConsensusResult, MethodComparison

_MOST, _MOST_NUMBERS, _MOST_SELECTIONS = 100, 8, 200  # runs, other numbers of clusters of a run, selections of a run
_LEAST_TOP, _MORE = 15, 5  # numbers of clusters that can be looked at: up to 15, or five more than were found


class NotReadyError(Exception):
    """A result for a number of clusters that is being fitted."""

    def __init__(self, job: Job) -> None:
        super().__init__("not ready")
        self.job = job


class Run:
    """A fit of a file."""

    def __init__(self, dataset: Dataset, asked: Asked, jobs: Jobs) -> None:
        self.id = secrets.token_hex(6)
        self.dataset_id, self.dataset_name, self.file = dataset.id, dataset.name, dataset.file
        self.found, self.asked, self.created = dataset.understood, asked, time.time()
        self.selections: dict[str, IntArray] = {}
        self.comparison: Job | None = None
        self._jobs, self._lock = jobs, threading.Lock()
        self._matrix: LabelMatrix | None = None
        self._others: dict[int, Job] = {}  # by number of clusters, those looked at last at the end
        self.job = jobs.start(self._first)

    # ----------------------------------------------------------------------------------------------------------- fits
    def _first(self) -> Prepared:
        began = time.monotonic()
        self._matrix, result = fit_within(self.found, None, self.asked)
        return self._prepare(self._matrix, result, time.monotonic() - began)

    def _prepare(self, matrix: LabelMatrix, result: ConsensusResult, seconds: float) -> Prepared:
        prepared = Prepared(self.found, matrix, result, seconds)
        with progress(None, "preparing tables and pictures", show=False):
            prepared.warm_up()
        return prepared

    def _fit_with(self, k: int) -> Prepared:
        assert self._matrix is not None
        began = time.monotonic()
        result = fit(self.found, self._matrix, self.asked, k)
        return self._prepare(self._matrix, result, time.monotonic() - began)

    @property
    def own(self) -> Prepared:
        """The result of the run itself."""
        if self.job.state != "done":
            words = {"failed": f"This run failed: {self.job.error}", "cancelled": "This run was cancelled."}
            raise RequestError(words.get(self.job.state, "This run has no result yet."), 409)
        prepared: Prepared = self.job.result
        return prepared

    @property
    def numbers(self) -> list[int]:
        """Numbers of clusters that can be asked for."""
        own, n = self.own.result.n_clusters, len(self.own.labels)
        if not self.asked.takes_number:
            return [own]
        return sorted({own, *range(2, min(max(_LEAST_TOP, own + _MORE), n - 1) + 1)})

    def with_number(self, k: int | None) -> Prepared:
        """The result for a number of clusters; the first question starts its fit."""
        own = self.own
        if k is None or k == own.result.n_clusters:
            return own
        if k not in self.numbers:
            raise RequestError(f"{k} clusters cannot be asked for here; there are {', '.join(map(str, self.numbers))}.")
        with self._lock:
            job = self._others.pop(k, None)
            if job is None or job.state in ("cancelled", "stopped"):
                job = self._jobs.start(lambda: self._fit_with(k))
            self._others[k] = job
            for old in [number for number, one in self._others.items() if one.state not in OPEN][:-_MOST_NUMBERS]:
                del self._others[old]
        if job.state in OPEN:
            raise NotReadyError(job)
        if job.state != "done":
            raise RequestError(f"The fit with {k} clusters failed: {job.error}", 409)
        prepared: Prepared = job.result
        return prepared

    def compare(self, methods: Any) -> Job:
        """Start other methods on the same labels."""
        result, seed = self.own.result, self.asked.seed
        with self._lock:
            if self.comparison is not None and self.comparison.state in OPEN:
                raise RequestError("Methods are being compared already; wait, or cancel that first.", 409)
            self.comparison = self._jobs.start(lambda: result.compare(methods, random_state=seed))
            return self.comparison

    @property
    def compared(self) -> MethodComparison | None:
        """The last comparison that came to its end."""
        done = self.comparison is not None and self.comparison.state == "done"
        return self.comparison.result if done and self.comparison is not None else None

    def cancel(self) -> None:
        """Stop all that goes on for this run."""
        for job in [self.job, *self._others.values(), *([self.comparison] if self.comparison else [])]:
            job.cancel()

    # ----------------------------------------------------------------------------------------------------- selections
    def keep(self, rows: IntArray) -> str:
        """Keep a selection; the oldest ones are forgotten."""
        key = secrets.token_hex(4)
        with self._lock:
            self.selections[key] = rows
            while len(self.selections) > _MOST_SELECTIONS:
                del self.selections[next(iter(self.selections))]
        return key

    def selected(self, key: str) -> IntArray:
        """Rows of a selection."""
        if key not in self.selections:
            raise NotFoundError("This selection")
        return self.selections[key]

    def mask(self, key: str) -> Any:
        """Which rows are in a selection."""
        inside = np.zeros(len(self.own.labels), dtype=bool)
        inside[self.selected(key)] = True
        return inside

    def told(self) -> dict[str, Any]:
        """The run as plain values."""
        done = [k for k, job in self._others.items() if job.state == "done"]
        job = self.job
        ready = job.state == "done"
        return {
            "id": self.id,
            "dataset": self.dataset_id,
            "dataset_name": self.dataset_name,
            "method": self.asked.method,
            "n_clusters": self.asked.n_clusters,
            "seed": self.asked.seed,
            "max_time": self.asked.max_time,
            "state": job.state,
            "progress": job.progress(),
            "error": None if job.error is None else in_page_words(job.error),
            "warnings": [in_page_words(text) for text in job.warnings],
            "created": self.created,
            "k_done": sorted([*done, self.own.result.n_clusters]) if ready else [],
            "result_ready": ready,
        }


class Runs:
    """All runs."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self._known: dict[str, Run] = {}

    def start(self, dataset: Dataset, asked: Asked) -> Run:
        """Begin a run."""
        if len(self._known) >= _MOST:
            raise RequestError(f"There are {_MOST} runs already; remove one first.", 409)
        if asked.n_clusters != AUTO and int(asked.n_clusters) > len(dataset.understood.frame):
            raise RequestError(
                f"{asked.n_clusters} clusters are more than the {len(dataset.understood.frame)} objects."
            )
        run = Run(dataset, asked, self.jobs)
        self._known[run.id] = run
        return run

    def get(self, key: str) -> Run:
        """One of them."""
        if key not in self._known:
            raise NotFoundError("This run")
        return self._known[key]

    def remove(self, key: str) -> None:
        """Stop and forget one."""
        self.get(key).cancel()
        self._known.pop(key, None)

    def list(self) -> list[dict[str, Any]]:
        """All of them, in the order in which they began."""
        return [run.told() for run in list(self._known.values())]
