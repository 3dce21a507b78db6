"""The course's slides: tables of critical values of the test of Mann and Whitney, counted exactly."""

from functools import partial

from partita.experiments._cells import Cell, Experiment, Measured
from partita.experiments._claims import FAILS, HOLDS, Claim, Verdict
from partita.experiments._critical_values import mann_whitney_critical_table
from partita.experiments._items import Item, Table, as_table
from partita.experiments._stored import Stored

# cells of the slides' tables that differ from the exact count: (n1, n2) -> what is printed
MISPRINTS = {
    0.05: {(4, 20): 13, (9, 10): 21, (14, 17): 67, (17, 14): 67},
    0.01: {(11, 20): 46, (20, 11): 46, (13, 19): 56, (19, 13): 56},
}


def critical_values(*, alpha: float) -> Measured:
    """All values for series of up to 20 results."""
    table = mann_whitney_critical_table(20, alpha).astype(object)
    return Measured(
        [
            {"alpha": alpha, "n1": n1, "n2": n2, "U": None if value is None else int(value)}
            for n1, row in enumerate(table.where(table.notna(), None).to_numpy(), start=1)
            for n2, value in enumerate(row, start=1)
        ]
    )


def _cells(quick: bool) -> list[Cell]:
    return [Cell(f"alpha {alpha}", critical_values, {"alpha": alpha}) for alpha in (0.05, 0.01)]


TABLES = Experiment("slides-u", "critical values of U, two-sided, for series of up to 20", _cells)


def _table(alpha: float, stored: Stored) -> list[Table]:
    known = stored.table[stored.table["alpha"] == alpha].astype({"n1": int, "n2": int})
    frame = known.pivot_table(index="n1", columns="n2", values="U", dropna=False)
    frame = frame.dropna(how="all").dropna(how="all", axis=1).astype("Int64").astype(object)
    return [as_table(frame.where(frame.notna(), None))]


def _misprints(alpha: float, stored: Stored) -> Verdict:
    known = stored.table[stored.table["alpha"] == alpha].set_index(["n1", "n2"])["U"]
    wrong = {pair: u for pair, u in MISPRINTS[alpha].items() if known[pair] != u}
    told = "; ".join(f"({n1}, {n2}): printed {u}, exact {known[n1, n2]:g}" for (n1, n2), u in wrong.items())
    return Verdict(FAILS if wrong else HOLDS, f"{len(wrong)} cells differ: {told}; the other printed cells are right")


def items() -> list[Item]:
    """The two tables."""
    return [
        Item(
            f"slides-table-u-{alpha:.2f}".replace("0.", ""),
            f"critical values of U at the level {alpha:g}, two-sided",
            TABLES,
            partial(_table, alpha),
            (Claim("every printed critical value is right", partial(_misprints, alpha)),),
            ("Reject if U is at most the value; an empty cell: the test never rejects.",),
        )
        for alpha in (0.05, 0.01)
    ]
