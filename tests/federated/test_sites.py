"""Faults of sites: each is named, and none is left out of a sum."""

import numpy as np
import pytest

from partita import ECPCS, MultinomialMixture
from partita.exceptions import SiteError
from partita.federated._engine import InProcess, size_of
from partita.federated._methods import ROW_METHODS
from partita.federated._sites import PlainSites, fault_of
from partita.federated.rows._fit import fit_rows, open_rows
from partita.federated.rows._tables import ask_tables
from tests.federated.parts import Spoiled, ask, labels_with_holes, share_out


def spoiled(question, change):
    """Three sites, of which the second changes its reply to one question."""
    _, owners = ask(share_out(labels_with_holes(), 3))
    sites = {owner.name: owner for owner in owners}
    sites["s1"] = Spoiled(owners[1], question, change)
    return PlainSites(InProcess(sites))


CHANGES = {
    "nothing": (lambda reply: None, "sent nothing"),
    "no array": (lambda reply: {}, "sent no 'together'"),
    "another shape": (lambda reply: {"together": reply["together"][:-1]}, "of shape"),
    "not a number": (lambda reply: {"together": reply["together"] * np.nan}, "not finite"),
    "infinite": (lambda reply: {"together": reply["together"] + np.inf}, "not finite"),
    "text": (lambda reply: {"together": "none of your business"}, "not an array of numbers"),
    "another kind": (lambda reply: [1, 2], "sent list"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_reply_that_is_not_what_was_asked_for_is_named(name):
    change, words = CHANGES[name]
    sites = spoiled("tables", change)
    layout = open_rows(sites, ECPCS(3))
    with pytest.raises(SiteError, match=words) as caught:
        ask_tables(sites, layout)
    assert list(caught.value.sites) == ["s1"]
    assert "site 's1'" in str(caught.value)


def test_all_sites_that_fail_are_named():
    _, owners = ask(share_out(labels_with_holes(), 3))
    sites = {owner.name: Spoiled(owner, "tables", lambda reply: None) for owner in owners}
    sites["s1"] = owners[1]
    asked = PlainSites(InProcess(sites))
    layout = open_rows(asked, ECPCS(3))
    with pytest.raises(SiteError) as caught:
        ask_tables(asked, layout)
    assert sorted(caught.value.sites) == ["s0", "s2"]


def test_a_site_that_raises_is_named_in_the_middle_of_a_fit():
    calls = []

    def fail_late(reply):
        calls.append(1)
        if len(calls) == 3:
            raise OSError("disk full")
        return reply

    sites = spoiled("mixture.expect", fail_late)
    with pytest.raises(SiteError, match="raised OSError: disk full"):
        fit_rows(sites, MultinomialMixture(3, random_state=0), ROW_METHODS["MultinomialMixture"])
    assert len(calls) == 3


def test_small_counts_are_not_sent_if_a_site_says_so():
    sites, _ = ask(share_out(labels_with_holes(), 2), min_count=5)
    layout = open_rows(sites, ECPCS(3))
    with pytest.raises(SiteError, match="below min_count=5"):
        ask_tables(sites, layout)


def test_a_site_with_few_objects_does_not_take_part():
    from partita.federated import Site

    with pytest.raises(ValueError, match="this site has 3 objects with a label, and min_objects=10"):
        Site(labels_with_holes()[:3], name="small")
    assert Site(labels_with_holes()[:10], name="enough")


def test_unknown_questions_are_refused():
    _, (site,) = ask([labels_with_holes()])
    for question in ("rows", "__class__", "memory"):
        with pytest.raises(ValueError, match="there is no question"):
            site.answer(question, {"exchange": 0})


def test_what_leaves_a_site_has_no_place_for_rows():
    """Every reply of every method by rows is a sum of cells and clusters: its size does not grow with the objects."""
    sizes = []
    for n in (1, 3):
        X = np.vstack([labels_with_holes()] * n)
        for name in ("ECPCS", "MultinomialMixture"):
            fresh, _ = ask([X[::2], X[1::2]])
            estimator = ECPCS(3) if name == "ECPCS" else MultinomialMixture(3, random_state=0, max_iter=5, tol=0.5)
            fit_rows(fresh, estimator, ROW_METHODS[name])
            sizes.append(max(exchange.bytes_received for exchange in fresh.exchanges))
    assert sizes[:2] == sizes[2:]


def test_sizes_of_messages():
    assert size_of({"a": np.zeros(3), "b": "four", "c": [1, 2.0], "d": b"xy", "e": None}) == 5 + 24 + 4 + 16 + 2 + 8


def test_fault_of_a_right_reply():
    assert fault_of({"a": [1.0, 2.0], "more": None}, {"a": (2,)}) is None
