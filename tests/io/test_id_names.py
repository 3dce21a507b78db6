"""Which names say that a column holds the names of objects."""

import pytest

from partita.io._id_names import ends_in_id, is_certain_id_name, is_id_name


@pytest.mark.parametrize(
    "name", ["id", "ID", "customer_id", "customerId", "Customer ID", "cell.barcode", "", "Unnamed: 0", "Name", "index"]
)
def test_names_of_objects(name):
    assert is_id_name(name)


@pytest.mark.parametrize("name", ["width", "cluster_id", "label id", "body_mass_index", "humid", "grid", "cells", "c0"])
def test_other_names(name):
    assert not is_id_name(name)


def test_codes_are_no_measurements_even_if_they_are_no_names():
    assert ends_in_id("cluster_id")
    assert not ends_in_id("humid")


def test_only_some_names_are_certain():
    assert is_certain_id_name("ID")
    assert not is_certain_id_name("sample")
    assert not is_certain_id_name("customer_id")
