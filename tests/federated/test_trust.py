"""Statements of docs/federation-trust.md that are not on the page of another test: attacks that succeed, and limits."""

import re
from pathlib import Path

import numpy as np
import pytest

from partita import BCE, ECPCS
from partita.exceptions import SiteError
from partita.federated import simulate
from partita.federated.rows._tables import ask_tables
from tests.federated.parts import labels_with_holes, opened

X = labels_with_holes()
PAGE = (Path(__file__).parents[2] / "docs" / "federation-trust.md").read_text(encoding="utf-8")


class Listener:
    """An engine that keeps what the coordinator receives."""

    def __init__(self, engine):
        self.engine, self.names, self.heard = engine, engine.names, []

    def send(self, question, values, to=None):
        replies = self.engine.send(question, values, to)
        self.heard.append((question, replies))
        return replies


def test_tables_of_one_object_are_its_row():
    """The reason for min_objects: the server reads the labels of a single object off."""
    sites, _, layout = opened(ECPCS(3), [X[:-1], X[-1:]])
    listener = Listener(sites._engine)
    sites._engine = listener
    ask_tables(sites, layout)
    reply = dict(listener.heard)["tables"]["s1"]["together"]
    cells = np.flatnonzero(np.diag(reply))
    read = np.full(X.shape[1], -1)
    read[layout.cell_clustering[cells]] = cells - layout.first_cell[layout.cell_clustering[cells]]
    assert np.array_equal(read, X[-1])


def test_a_site_of_few_objects_stays_out_by_default():
    from partita.federated import Site

    with pytest.raises(ValueError, match="min_objects=10"):
        Site(X[:9], name="small")


@pytest.mark.parametrize("encrypted", [False, True])
def test_two_sites_know_each_others_tables(encrypted):
    """A sum of two is no secret to either, whoever adds it up."""
    sites, owners, layout = opened(ECPCS(3), [X[:50], X[50:]])
    if encrypted:
        pytest.importorskip("tenseal")
        from partita.federated.encryption._sealed_sites import sealed_sites

        sites = sealed_sites({owner.name: owner for owner in owners})
    total = ask_tables(sites, layout).together
    from partita._labels.tables import cluster_tables

    mine = cluster_tables(owners[0].rows.ensemble).together
    assert np.array_equal(total - mine, cluster_tables(owners[1].rows.ensemble).together)


@pytest.mark.parametrize("estimator", [ECPCS(3), BCE(3, random_state=0, max_iter=5, tol=1e-2)])
def test_no_reply_by_rows_holds_a_row_per_object(estimator):
    """No array that leaves a site has as many rows as the site has objects, or distinct rows."""
    parts = [X[:53], X[53:]]
    heard = []
    from partita.federated import _engine

    real = _engine.InProcess.send

    def send(self, question, values, to=None):
        replies = real(self, question, values, to)
        heard.extend(replies.values())
        return replies

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_engine.InProcess, "send", send)
        simulate(estimator, parts)
    lengths = {53, len(X) - 53} | {len(np.unique(part, axis=0)) for part in parts}
    shapes = {np.shape(value) for reply in heard for value in reply.values() if isinstance(value, np.ndarray)}
    assert shapes
    assert not any(lengths & set(shape) for shape in shapes)


def test_a_count_that_is_too_small_stays_at_the_site():
    """min_count holds for tables and for the clusters that a site proposes."""
    sites, _, layout = opened(ECPCS(3), [X[:60], X[60:]], min_count=3)
    with pytest.raises(SiteError, match="below min_count=3"):
        ask_tables(sites, layout)


def test_the_page_names_tests_that_exist():
    folder = Path(__file__).parent
    named = set(re.findall(r"`((?:\w+/)?test_\w+)(?:::(\w+))?`", PAGE))
    assert len(named) >= 8
    for file, name in named:
        source = folder / f"{file}.py"
        assert source.exists(), file
        assert not name or f"def {name}(" in source.read_text(encoding="utf-8")
