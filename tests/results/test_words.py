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
        "20 clusterings of 1,200 objects lead to 3 clusters (method lwgp): two halves of them find nearly the same "
        "clusters (adjusted Rand index 0.94), and no object is in doubt."
    )
    assert "find clusters that differ much (adjusted Rand index 0.30)" in sentence("clusters", k=2)
    assert sentence("agreed", k=1, m=1).startswith("1 clustering of 1,200 objects leads to 1 cluster (method lwgp): ")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("weak", ": take them with care, since clusterings of one cloud"),
        ("agreed", ": they do not contradict each other, and no object"),
        ("given", ": their number was given, whether there are clusters was not tested, and no object"),
    ],
)
def test_other_verdicts(verdict, words):
    assert words in sentence(verdict, table=_table(None) if verdict != "weak" else TABLE)


def test_chance():
    words = "No clusters were found among 1,200 objects: the 20 clusterings agree no more than by chance (p = 0.4)."
    assert sentence("chance", k=1) == words


def test_doubt():
    assert sentence("clusters", confidence=np.array([1.0, 0.0, -2.0, np.nan])).endswith(
        ", and 2 objects (66.7%) are in doubt."
    )
    assert sentence("clusters", confidence=np.array([1.0, 0.0])).endswith(", and 1 object (50.0%) is in doubt.")
    assert "1 object (less than 0.1%) is in doubt" in sentence("clusters", confidence=np.r_[-1, np.ones(5000)])
    assert sentence("given", k=1, confidence=np.full(3, np.inf)).endswith(
        "no second cluster for an object to be in doubt about."
    )


@pytest.mark.parametrize(
    ("verdict", "k", "words"),
    [
        ("chance", 1, "was given, but the 20 clusterings agree no more than by chance (p = 0.4), and no object"),
        ("weak", 3, "was given, to be taken with care, since clusterings of one cloud"),
        ("clusters", 3, "was given, and halves of the clusterings agree best on the same number, and no"),
        ("clusters", 5, "was given, but halves of the clusterings agree best on 5, and no"),
    ],
)
def test_a_given_number_beside_what_the_rule_finds(verdict, k, words):
    given = Choice("mm", 3, None, ["n_clusters=3 was given"], _table(None))
    rule = Choice("lwgp", k, None, [], TABLE, 0.4, verdict)
    assert words in summary_of(given, 1200, 20, SURE, rule)


def test_a_given_partition_is_not_what_the_clusterings_lead_to():
    given = Choice("given", 3, None, ["the partition was given"], _table(None))
    begin = "A given partition of 1,200 objects into 3 clusters, judged by 20 clusterings: the partition was given, "
    assert summary_of(given, 1200, 20, SURE).startswith(begin)
