"""The sentence of a result, for every verdict."""

import numpy as np
import pandas as pd
import pytest

from partita.results._choice import Choice, _table
from partita.results._words import summary_of

TABLE = pd.DataFrame({"n_clusters": [2, 3], "agreement": [0.3, 0.94]})
SURE = np.array([3.0, 2.0, 1.0, np.nan])


def sentence(verdict, k=3, table=TABLE, confidence=SURE, m=20, reasons=("n_clusters=3 was given",), p=0.4):
    return summary_of(Choice("lwgp", k, None, list(reasons), table, p, verdict), 1200, m, confidence)


def test_clusters_that_are_there():
    assert sentence("clusters") == (
        "3 clusters of 1,200 objects, from 20 clusterings by lwgp: halves of the clusterings agree nearly completely "
        "on them (adjusted Rand index 0.94); no object is in doubt."
    )
    assert "agree poorly on them (adjusted Rand index 0.30)" in sentence("clusters", k=2)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("weak", "but no more than those of one cloud without clusters would"),
        ("agreed", "the clusterings do not contradict each other"),
        ("given", ": n_clusters=3 was given;"),
    ],
)
def test_other_verdicts(verdict, words):
    assert words in sentence(verdict, table=_table(None) if verdict != "weak" else TABLE)


def test_chance():
    words = "No clusters were found among 1,200 objects: the 20 clusterings agree no more than by chance (p = 0.4)."
    assert sentence("chance", k=1) == words


def test_doubt():
    assert sentence("clusters", confidence=np.array([1.0, 0.0, -2.0, np.nan])).endswith(
        "; 2 objects (66.7%) are in doubt."
    )
    assert sentence("clusters", confidence=np.array([1.0, 0.0])).endswith("; 1 object (50.0%) is in doubt.")
    assert sentence("given", k=1, confidence=np.full(3, np.inf)).endswith("no other cluster to doubt between.")
