"""From the table of criteria to a recommendation with reasons (eqs. I63, I68)."""

import numpy as np
import pandas as pd

_CLEAR = 0.01  # largest PAC of clear clusters: one pair in a hundred is ambiguous
_GROWTH = 0.1  # relative growth of the area under the CDF that counts as growth (eq. I68); less is taken for noise


def recommend(table: pd.DataFrame, p_value: float, alpha: float, kind: str) -> tuple[int, list[str]]:
    """The recommended number, and the reasons for it."""
    like = "clusterings that share nothing" if kind == "labels" else "data without clusters"
    reached = table[table["n_found"] == table["n_clusters"]]
    if p_value > alpha or reached.empty:
        return 1, [f"one cluster: the data do not stand out among {like} (p = {p_value:.2g})"]
    better = reached[reached["p_value"] <= alpha]
    better = reached if better.empty else better  # clusters are shown over all numbers together, but at none alone
    clear = better[better["pac"] <= _CLEAR]
    row = better.iloc[int(better["rcsi"].argmax())] if clear.empty else clear.iloc[-1]
    chosen = int(row["n_clusters"])
    why = "is furthest below the references" if clear.empty else "is the largest number with almost no ambiguous pairs"
    against = f"PAC {row['pac']:.3f} against {row['reference_pac']:.3f} in {like}"
    return chosen, [f"there are clusters (p = {p_value:.2g})", f"{chosen} {why}: {against}"]


def supporting_criteria(chosen: int, proposed: dict[str, int]) -> list[str]:
    """Which criteria propose the same number, and what others propose."""
    same = [name for name, number in proposed.items() if number == chosen]
    others = [f"{name} {number}" for name, number in proposed.items() if number != chosen]
    reasons = [f"also proposed by {', '.join(same)}"] if same else []
    return reasons + ([f"other proposals: {', '.join(others)}"] if others else [])


def proposals(table: pd.DataFrame) -> dict[str, int]:
    """The number that each criterion proposes by itself, of those that are reached; the smaller among equals."""
    reached = table[table["n_found"] == table["n_clusters"]]
    table = table if reached.empty else reached
    highest = [name for name in ("rcsi", "gap", "stability", "lifetime", "lower_bound") if name in table]
    best = {name: int(np.argmax(table[name].fillna(-np.inf))) for name in highest}
    best |= {name: int(np.argmin(table[name].fillna(np.inf))) for name in ("pac", "bic")}
    best["delta_area"] = int(np.flatnonzero(table["delta_area"] >= _GROWTH).max(initial=0))
    return {name: int(table["n_clusters"].iloc[place]) for name, place in best.items()}
