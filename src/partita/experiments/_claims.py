"""What a paper says, as something that can be checked: it holds, does not hold, or cannot be decided.

"Cannot be decided" is said where the measurements are too few or too near: a difference needs a paired t-test with
p <= 0.05, an equality a 90 % interval of the mean difference within a margin. A count ("best on 7 of 9") is compared as
it is.
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from partita.experiments._contestants import ONE_CLUSTER
from partita.experiments._stored import Stored
from partita.metrics import paired_t_test

LEVEL = 0.05
_FEWEST = 3  # pairs: with two, a test says more about chance than about methods
Word = Literal["holds", "does not hold", "cannot be decided"]
HOLDS: Word = "holds"
FAILS: Word = "does not hold"
OPEN: Word = "cannot be decided"


class Verdict(NamedTuple):
    """What the measurements say about a claim."""

    word: Word
    figure: str  # the measured values
    p_value: float | None = None


class Claim(NamedTuple):
    """A statement and its check."""

    text: str
    check: Callable[[Stored], Verdict]
    source: Literal["paper", "us"] = "paper"  # whose statement it is: the paper's, or one that we add beside it

    def verdict(self, stored: Stored) -> Verdict:
        """The verdict; what cannot be computed cannot be decided."""
        try:
            return self.check(stored)
        except (KeyError, ValueError, IndexError, TypeError, ZeroDivisionError) as error:
            return Verdict(OPEN, f"not measured ({type(error).__name__}: {error!s:.80})")


def p_words(p_value: float | None) -> str:
    """A p-value as it is printed."""
    if p_value is None:
        return ""
    return "< 0.0001" if p_value < 1e-4 else "> 0.9999" if p_value > 1 - 1e-4 else f"{p_value:.2g}"


def select(stored: Stored, **where: Any) -> pd.DataFrame:
    """The measurements that have these values; a list allows several."""
    table = stored.table
    for name, wanted in where.items():
        allowed = wanted if isinstance(wanted, list | tuple | set) else [wanted]
        table = table[table[name].isin(list(allowed))]
    return table


def means(table: pd.DataFrame, metric: str, over: str | Sequence[str] = "data") -> pd.DataFrame:
    """Mean of a metric: one row per value of ``over``, in the order of the table, one column per method."""
    keys = [over] if isinstance(over, str) else list(over)
    known = table[table[metric].notna()]
    made = known.pivot_table(index=keys, columns="method", values=metric, aggfunc="mean", sort=False)
    return made.rename_axis(columns=None)


# --------------------------------------------------------------------------------------------------------------- checks
def higher(
    first: str,
    second: str,
    metric: str,
    *,
    over: str | Sequence[str] = "data",
    sign: int = 1,
    **where: Any,
) -> Callable[[Stored], Verdict]:
    """Whether one method has a higher mean than another over data sets, or what ``over`` names; sign -1: a lower."""

    def check(stored: Stored) -> Verdict:
        table = means(select(stored, **where), metric, over)[[first, second]].dropna()
        unit = "data sets" if over == "data" else f"values of {over}"
        return compare(table[first].to_numpy(), table[second].to_numpy(), first, second, metric, sign, unit=unit)

    return check


def compare(a: Any, b: Any, first: str, second: str, metric: str, sign: int = 1, *, unit: str = "data sets") -> Verdict:
    """The verdict on "a is higher than b" (lower, with sign -1), from paired values, one per ``unit``."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    test = paired_t_test(sign * a, sign * b, alternative="greater")
    figure = _both(a, b, first, second, metric, sign, unit)
    if len(a) < _FEWEST:
        return Verdict(OPEN, f"{figure}; too few for a test")
    if test.mean_difference > 0 and test.p_value <= LEVEL:
        return Verdict(HOLDS, figure, test.p_value)
    if test.mean_difference < 0 and 1 - test.p_value <= LEVEL:
        return Verdict(FAILS, figure, test.p_value)
    return Verdict(OPEN, figure, test.p_value)


def _both(a: Any, b: Any, first: str, second: str, metric: str, sign: int, unit: str) -> str:
    """Two means, and how often the first is the better one."""
    word, wins = "higher" if sign > 0 else "lower", int((sign * (a - b) > 0).sum())
    return f"mean {metric} of {first} {a.mean():.4f}, of {second} {b.mean():.4f}; {word} in {wins} of {len(a)} {unit}"


def not_below(
    first: str, second: str, metric: str, *, margin: float = 0.01, **where: Any
) -> Callable[[Stored], Verdict]:
    """Whether one method is at least as good as another, up to a margin: by the one-sided 95 % bound of the mean."""

    def check(stored: Stored) -> Verdict:
        table = means(select(stored, **where), metric)[[first, second]].dropna()
        a, b = table[first].to_numpy(), table[second].to_numpy()
        figure = _both(a, b, first, second, metric, 1, "data sets")
        if len(a) < _FEWEST:
            return Verdict(OPEN, f"{figure}; too few for a test")
        p_value = paired_t_test(a + margin, b, alternative="greater").p_value
        if p_value <= LEVEL:
            return Verdict(HOLDS, f"{figure}; margin {margin:g}", p_value)
        reverse = paired_t_test(a, b, alternative="less").p_value
        return Verdict(FAILS if reverse <= LEVEL else OPEN, f"{figure}; margin {margin:g}", p_value)

    return check


def on_stand_in(check: Callable[[Stored], Verdict], why: str) -> Callable[[Stored], Verdict]:
    """A check that shows what is measured, but cannot decide, as something of the paper is not at hand."""

    def shown(stored: Stored) -> Verdict:
        verdict = check(stored)
        return Verdict(OPEN, f"{verdict.figure}; here it {verdict.word}, but {why}", verdict.p_value)

    return shown


def above_all(first: str, others: Sequence[str], metric: str, **options: Any) -> Callable[[Stored], Verdict]:
    """Whether one method has a higher mean than each of the others; the worst of the verdicts counts."""

    def check(stored: Stored) -> Verdict:
        found = [(other, higher(first, other, metric, **options)(stored)) for other in others]
        worst = min(found, key=lambda one: ([FAILS, OPEN, HOLDS].index(one[1].word), -(one[1].p_value or 0)))
        counted = ", ".join(f"{sum(v.word == word for _, v in found)} {word}" for word in (HOLDS, FAILS, OPEN))
        return Verdict(worst[1].word, f"against {len(others)} methods: {counted}; {worst[1].figure}", worst[1].p_value)

    return check


def equal(
    first: str, second: str, metric: str, margin: float, *, over: str | Sequence[str] = "data", **where: Any
) -> Callable[[Stored], Verdict]:
    """Whether two methods have the same mean, up to a margin."""

    def check(stored: Stored) -> Verdict:
        table = means(select(stored, **where), metric, over)[[first, second]].dropna()
        return within(table[first].to_numpy() - table[second].to_numpy(), margin, f"{metric}, {first} minus {second}")

    return check


def within(differences: Any, margin: float, words: str) -> Verdict:
    """Whether the mean of differences is zero up to a margin: by the 90 % interval of their mean."""
    values = np.asarray(differences, dtype=np.float64)
    mean, error = float(values.mean()), float(stats.sem(values)) if len(values) > 1 else np.inf
    half = error * float(stats.t.ppf(0.95, len(values) - 1)) if 0 < error < np.inf else (0.0 if error == 0 else np.inf)
    figure = f"{words}: mean {mean:+.3f}, 90 % interval {mean - half:+.3f} to {mean + half:+.3f}, margin {margin:g}"
    p_value = None
    if 0 < error < np.inf:  # the larger of two one-sided tests
        p_value = float(stats.t.sf((margin - abs(mean)) / error, len(values) - 1))
    if abs(mean) + half <= margin:
        return Verdict(HOLDS, figure, p_value)
    if abs(mean) - half > margin:
        return Verdict(FAILS, figure, p_value)
    return Verdict(OPEN, figure, p_value)


def best_on(
    method: str,
    metric: str,
    at_least: int,
    of: int,
    *,
    rivals: Sequence[str] | None = None,
    decimals: int = 2,
    **where: Any,
) -> Callable[[Stored], Verdict]:
    """On how many data sets a method is best, or shares the first place when rounded as the paper rounds."""

    def check(stored: Stored) -> Verdict:
        table = means(select(stored, **where), metric).drop(columns=ONE_CLUSTER, errors="ignore")
        table = table[[*rivals, method]] if rivals is not None else table
        rounded = table.round(decimals)
        best = rounded[method] >= rounded.max(axis=1)
        rest = table.drop(columns=method)
        runner_up = str(rest.mean().idxmax())
        p_value = paired_t_test(table[method], table[runner_up], alternative="greater").p_value
        figure = (
            f"best or tied on {int(best.sum())} of {len(table)} ({', '.join(table.index[best]) or 'none'}); the claim"
            f" is {at_least}; test against {runner_up}, the best of the others on average"
        )
        if len(table) < of:
            return Verdict(OPEN, f"{figure}; only {len(table)} of {of} data sets were measured", p_value)
        return Verdict(HOLDS if best.sum() >= at_least else FAILS, figure, p_value)

    return check
