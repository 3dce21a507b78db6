"""What the sections are written from: the result, what was asked for, and what several sections share."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import partita.exceptions
from partita._runs import warn
from partita.consensus import LWGP
from partita.exceptions import Stopped
from partita.metrics._agreement_matrix import agreement_matrix
from partita.report._parts import Words, clean, sentence
from partita.results import Choice, ConsensusResult
from partita.results._choice import choice_of
from partita.results._rows import sample_of
from partita.results._words import summary_of

_COMPARED = 100  # clusterings that are compared with each other for a caution: more say the same
RULED = 2000  # objects on which a number of clusters is looked for, where none was chosen


@dataclass
class Material:
    """The result and the options of the report."""

    result: ConsensusResult
    compare: bool | list[str] | None = None
    annotations: pd.DataFrame | None = None
    n_resamples: int = 30
    random_state: Any = 0
    n_jobs: int | None = None
    verbose: bool = False
    calls: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # of each section, in order
    files: dict[str, str] = field(default_factory=dict)  # names of the tables beside the report
    tables: dict[str, pd.DataFrame] = field(default_factory=dict)  # what those files hold

    @cached_property
    def clusters(self) -> pd.DataFrame:
        """One row per cluster, with its stability where it is known."""
        table = self.result.clusters
        stability, _ = self.stability
        return table if stability is None else table.merge(stability.clusters[["cluster", "stability"]], how="left")

    @cached_property
    def stability(self) -> tuple[Any, str]:
        """How stable the result is, or None and why that is not known; computed once for all sections."""
        if not self.n_resamples:
            return None, "Stability was not asked for (n_resamples=0)."
        try:
            return self.result.stability(self.n_resamples, **self.run), ""
        except Stopped:
            raise
        except Exception as error:
            return None, failed("The stability", error).text

    @property
    def summary(self) -> str:
        """The sentence of the result; where its number was not chosen by the rule, with what the rule finds."""
        result = self.result
        if result.choice.verdict != "given":
            return result.summary
        try:
            rule = self.rule
        except (ValueError, MemoryError):
            return result.summary
        return summary_of(result.choice, len(result.labels), len(result._names), result.confidence, rule)

    @cached_property
    def rule(self) -> Choice:
        """The number that the rule of the default method finds in the same labels, for results that did not choose."""
        sample = sample_of(self.result._judged, self.result.labels, RULED)
        weights = self.result._judged.ensemble.clustering_weights
        return choice_of(LWGP(weights=weights, random_state=self.random_state).fit(sample.codes), "lwgp")

    @cached_property
    def agreements(self) -> tuple[float, float]:
        """Mean adjusted Rand index between two clusterings, and between a clustering and the result."""
        sample = sample_of(self.result._judged, self.result.labels, RULED)
        codes = np.column_stack([sample.labels, sample.codes]).astype(np.int32)
        matrix = agreement_matrix(codes[:, : _COMPARED + 1], np.ones(len(codes)))
        if len(matrix) < 3:
            return np.nan, np.nan
        others = matrix[1:, 1:][np.triu_indices(len(matrix) - 1, 1)]
        return float(np.mean(others[~np.isnan(others)])), float(np.nanmean(matrix[0, 1:]))

    @property
    def run(self) -> dict[str, Any]:
        """How resamples and other methods are run."""
        return {"random_state": self.random_state, "n_jobs": self.n_jobs, "verbose": self.verbose}

    @property
    def n_missing(self) -> int:
        """Labels that are missing in the clusterings that were used."""
        judged = self.result._judged
        of_row = np.append((judged.all_codes < 0).sum(axis=1), judged.all_codes.shape[1])
        return int(of_row[judged.row_of_object].sum())


def failed(what: str, error: BaseException) -> Words:
    """A sentence in place of what could not be made."""
    why = clean(error, 400).rstrip(".") or "no reason was given"
    kind = "" if isinstance(error, ValueError) else f" ({type(error).__name__})"  # a ValueError says all in words
    return Words(sentence(f"{what} could not be made: {why}{kind}"), "failed")


def attempt(what: str, make: Callable[[], Any]) -> list[Any]:
    """The part that ``make`` gives, or a sentence that says why there is none."""
    try:
        return [make()]
    except Stopped:
        raise
    except Exception as error:
        return [failed(what, error)]


@contextmanager
def collecting() -> Iterator[list[str]]:
    """Collect what partita warns of, to be written in the section; other warnings go on their way."""
    ours = [kind for kind in vars(partita.exceptions).values() if isinstance(kind, type) and issubclass(kind, Warning)]
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        for kind in ours:
            warnings.simplefilter("always", kind)
        warnings.filterwarnings("ignore", r"Glyph \d+ .*missing from")  # the reader's browser has other fonts
        yield said
    for one in caught:
        if isinstance(one.message, tuple(ours)):
            said.append(sentence(one.message))
        else:
            warn(str(one.message), one.category)
