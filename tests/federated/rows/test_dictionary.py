"""The numbering of labels that sites agree upon."""

import numpy as np
import pandas as pd
import pytest

from partita import BCE, ECPCS
from partita._labels.validation import check_label_matrix
from partita.exceptions import SiteError
from partita.federated import simulate
from partita.federated.rows._dictionary import agree, hash_label, labels_of, with_labels
from tests.ensembles import same_partition
from tests.federated.parts import ask, labels_with_holes

KEY = "a key of the sites alone"


def dictionaries(parts, key=None):
    return {f"s{i}": labels_of(check_label_matrix(part), key) for i, part in enumerate(parts)}


def test_the_numbering_is_that_of_the_pooled_labels():
    one = pd.DataFrame({"a": [3, 1, 3], "b": ["x", "y", None], "c": [2.5, 1, np.nan]})
    two = pd.DataFrame({"a": [2, 9], "b": ["w", "y"], "c": [1, 7]})
    agreed = agree(dictionaries([one, two]))
    pooled = check_label_matrix(pd.concat([one, two]))
    assert agreed == [labels.tolist() for labels in pooled.labels]
    codes = np.vstack([with_labels(check_label_matrix(part), agreed, None).codes for part in (one, two)])
    assert np.array_equal(codes, pooled.codes)


def test_a_column_that_a_site_does_not_label():
    one, two = pd.DataFrame({"a": [0, 1], "b": [0, 1]}), pd.DataFrame({"a": [1, 2], "b": [None, None]})
    with pytest.warns(UserWarning, match="no label"):
        parts = [check_label_matrix(one), check_label_matrix(two)]
    agreed = agree({f"s{i}": labels_of(part, None) for i, part in enumerate(parts)})
    assert agreed == [[0, 1, 2], [0, 1]]
    assert np.array_equal(with_labels(parts[1], agreed, None).codes, [[1, -1], [2, -1]])


def test_sites_with_other_columns_are_named():
    one = pd.DataFrame({"a": [0, 1], "b": [0, 1]})
    with pytest.raises(SiteError, match="site 's1' has 1 clusterings, and site 's0' has 2"):
        agree(dictionaries([one, one[["a"]]]))
    with pytest.raises(SiteError, match="calls column 2 'c', and site 's0' calls it 'b'"):
        agree(dictionaries([one, one.rename(columns={"b": "c"})]))


def test_numbers_at_one_site_and_text_at_another_are_refused():
    one, two = pd.DataFrame({"a": [0, 1]}), pd.DataFrame({"a": ["0", "1"]})
    with pytest.raises(SiteError, match="has text labels in clustering 'a', and site 's0' has numbers"):
        agree(dictionaries([one, two]))


def test_hashed_labels_show_neither_labels_nor_names():
    part = pd.DataFrame({"hospital": ["tumour", "healthy"], "b": ["healthy", "healthy"]})
    said = labels_of(check_label_matrix(part), KEY.encode())
    text = str(said)
    assert all(word not in text for word in ("tumour", "healthy", "hospital"))
    assert said["labels"][0][0] not in said["labels"][1]  # the same label of two columns has two hashes
    assert hash_label("x", 0, b"k" * 16) != hash_label("x", 0, b"l" * 16)
    assert hash_label(1, 0, b"k" * 16) != hash_label("1", 0, b"k" * 16)


def test_equal_labels_have_equal_hashes():
    key = KEY.encode()
    assert hash_label(1, 0, key) == hash_label(1.0, 0, key) == hash_label(True, 0, key)
    assert hash_label(2.5, 0, key) != hash_label(2, 0, key)


def test_a_column_without_labels_has_no_name_to_compare():
    one, two = pd.DataFrame({"a": [0, 1], "b": [0, 1]}), pd.DataFrame({"a": [1, 2], "b": [None, None]})
    parts = [check_label_matrix(one), check_label_matrix(two, allow_unlabelled=True)]
    said = {f"s{i}": labels_of(part, KEY.encode()) for i, part in enumerate(parts)}
    assert [len(labels) for labels in agree(said)] == [3, 2]


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"names": None, "kinds": [], "labels": []},
        {"names": ["a"], "kinds": [["text"]], "labels": []},
        {"names": ["a"], "kinds": [["text"]], "labels": [[None]]},
        {"names": ["a"], "kinds": [["text"]], "labels": [[float("nan")]]},
        {"names": [1], "kinds": [["text"]], "labels": [["x"]]},
    ],
)
def test_what_is_no_dictionary_is_named(reply):
    good = labels_of(check_label_matrix(pd.DataFrame({"a": ["x"]})), None)
    with pytest.raises(SiteError) as caught:
        agree({"good": good, "bad": reply})
    assert list(caught.value.sites) == ["bad"]


def test_a_fit_with_hashed_labels_is_the_same():
    X = labels_with_holes()
    parts = [X[:50], X[50:]]
    plain, hashed = simulate(ECPCS(3), parts), simulate(ECPCS(3), parts, secret_key=KEY)
    assert same_partition(plain.labels_, hashed.labels_)
    assert same_partition(hashed.predict(X), plain.predict(X))
    assert np.allclose(plain.confidence_, hashed.confidence_)


@pytest.mark.parametrize("key", ["short", b"short", 5, ["k" * 20]])
def test_keys_that_can_be_guessed_are_refused(key):
    with pytest.raises(ValueError, match="at least 16 characters"):
        ask([labels_with_holes()], secret_key=key)


def test_sites_with_different_keys_share_no_label():
    """Nothing is joined by mistake: the hashes of the columns' names differ, too."""
    X = labels_with_holes()
    from partita.federated._engine import InProcess
    from partita.federated._sites import PlainSites
    from partita.federated.rows._fit import open_rows
    from partita.federated.rows._site import Site

    sites = {
        "a": Site(X[:60], name="a", secret_key=KEY),
        "b": Site(X[60:], name="b", secret_key=KEY + "!"),
    }
    with pytest.raises(SiteError, match="calls column 1"):
        open_rows(PlainSites(InProcess(sites)), BCE(3))
