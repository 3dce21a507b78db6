"""The papers' own preparations of data sets: a name for each, made from a stored set.

``PAPER_SETS`` is the one table; where a paper does not say what it did, ``Dataset.preparation`` says "open". Draws have
fixed seeds and keep the order of the file.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from partita._typing import IntArray
from partita.datasets._dataset import Dataset, rows_of, standardised
from partita.exceptions import FileFormatError


class PaperSet(NamedTuple):
    """A data set of a paper: the stored sets of which one is taken, the best first, and what is done to it."""

    sources: tuple[str, ...]
    make: Callable[[Dataset], Dataset]


def with_classes(stored: Dataset, classes: Sequence[str], *, note: str = "") -> Dataset:
    """The objects of some classes."""
    made = rows_of(stored, _classes_of(stored).isin(list(classes)).to_numpy())
    shown = f"{classes[0]} to {classes[-1]}" if len(classes) > 6 else ", ".join(classes)
    said = f"class{'es' if len(classes) > 1 else ''} {shown}: {made.features.shape[0]} of {stored.features.shape[0]}"
    return _done(made, f"{said} objects{note}")


def drawn(stored: Dataset, classes: Sequence[str], n_each: int) -> Dataset:
    """The same number of objects of each class, at random."""
    rng = np.random.default_rng(0)
    target = _classes_of(stored)
    rows = [
        rng.choice(_at_least(stored.name, np.flatnonzero(target == name), n_each, name), n_each, replace=False)
        for name in classes
    ]
    made = rows_of(stored, np.sort(np.concatenate(rows)))
    return _done(
        made, f"{n_each} objects of each class from {classes[0]} to {classes[-1]}, at random (open: which objects)"
    )


def first_of_each(stored: Dataset, n_each: int, among: int) -> Dataset:
    """The first objects of each class among the first rows."""
    target = _classes_of(stored).iloc[:among]
    place = target.groupby(target).cumcount().to_numpy()
    for name in sorted(target.unique()):
        _at_least(stored.name, np.flatnonzero(target == name), n_each, name)
    made = rows_of(stored, np.flatnonzero(place < n_each))
    return _done(made, f"the first {n_each} objects of each class among the first {among} rows (open: which objects)")


# the usual groups of the attacks of kddcup99
_ATTACKS = {
    "normal": ("normal",),
    "dos": ("back", "land", "neptune", "pod", "smurf", "teardrop"),
    "probe": ("ipsweep", "nmap", "portsweep", "satan"),
    "r2l": ("ftp_write", "guess_passwd", "imap", "multihop", "phf", "spy", "warezclient", "warezmaster"),
}
_CODING = "categories coded by their place in the alphabet, every feature standardised"


def kddcup99_of_pcc(stored: Dataset, n_objects: int = 120_000) -> Dataset:
    """The PCC paper's set: objects of the three largest classes, without the two constant features."""
    varying = stored.features.drop(columns=["f20", "f21"])
    rows = np.flatnonzero(_classes_of(stored).isin(["smurf", "neptune", "normal"]))
    _at_least(stored.name, rows, n_objects, "smurf, neptune or normal")
    rows = np.sort(np.random.default_rng(0).choice(rows, n_objects, replace=False))
    made = rows_of(stored._replace(features=_places(varying)), rows)
    return _done(
        made._replace(features=made.features.apply(_standardised_column)),
        f"{n_objects} objects of smurf, neptune and normal at random; constant features f20, f21 left out; {_CODING} "
        "over these objects (open: which objects, coding)",
    )


def kddcup99_of_bce(stored: Dataset) -> Dataset:
    """The BCE paper's four classes; the paper drew a million objects of the whole file, of which this is a tenth."""
    groups = {attack: group for group, attacks in _ATTACKS.items() for attack in attacks}
    target = _classes_of(stored).map(groups)
    known = target.notna().to_numpy()
    made = rows_of(stored._replace(features=_places(stored.features), target=target), known)
    return _done(
        made._replace(features=made.features.apply(_standardised_column)),
        f"attacks in the groups normal, dos, probe and r2l, {(~known).sum()} objects of u2r left out; {_CODING} (open: "
        "the paper's two sets of 1,000,000 objects are from the whole file)",
    )


def _places(features: pd.DataFrame) -> pd.DataFrame:
    """Each category as one number, its place in alphabetical order."""
    columns = {
        name: column if pd.api.types.is_numeric_dtype(column.dtype) else pd.factorize(column, sort=True)[0]
        for name, column in features.items()
    }
    return pd.DataFrame(columns, dtype="float64")


def _standardised_column(column: "pd.Series[float]") -> "pd.Series[float]":
    return pd.Series(standardised(np.asarray(column, dtype=np.float64)), index=column.index)


_LEFT_OUT = ("talk.politics.misc", "talk.religion.misc", "comp.os.ms-windows.misc")


def newsgroups_of_peace(stored: Dataset, n_terms: int = 500, min_documents: int = 40) -> Dataset:
    """17 newsgroups in 7 classes, the first part of their names."""
    groups = _classes_of(stored)
    made = rows_of(stored, ~groups.isin(_LEFT_OUT).to_numpy())
    made = made._replace(target=_classes_of(made).str.partition(".")[0].rename("label"))
    made = _done(made, f"without {', '.join(_LEFT_OUT)}; the first part of a group's name is the class")
    return tf_idf(made, n_terms, min_documents)


def tf_idf(stored: Dataset, n_terms: int, min_documents: int = 40) -> Dataset:
    """Weights of stems in place of counts of words, as in the PEACE paper (eq. R23)."""
    from partita.text import make_text_features

    # counts say all about a document that the features use: a text with each word as often has the same features
    assert stored.terms is not None  # texts have terms
    words, counts = stored.terms.to_numpy(dtype=object), stored.features.tocsr()
    ends = zip(counts.indptr[:-1], counts.indptr[1:], strict=True)
    documents = [" ".join(np.repeat(words[counts.indices[i:j]], counts.data[i:j])) for i, j in ends]
    features = make_text_features(n_terms, min_documents=min_documents)
    weights = features.fit_transform(documents).tocsr().astype(np.float64)
    terms = pd.Index(features.get_feature_names_out(), dtype="str")
    said = f"Porter stems in {min_documents} documents or more, tf-idf, the {len(terms)} terms of the largest variance"
    return _done(stored._replace(features=weights, terms=terms), said)


def _classes_of(stored: Dataset) -> "pd.Series[str]":
    assert stored.target is not None  # the sources of the table below have classes
    return stored.target


def _at_least(name: str, rows: IntArray, n: int, what: str) -> IntArray:
    if len(rows) < n:
        raise FileFormatError(f"{name} has {len(rows)} objects of {what}, not {n} or more; copy the file again.")
    return rows


def _done(made: Dataset, step: str) -> Dataset:
    return made._replace(preparation="; ".join(part for part in (made.preparation, step) if part))


_A_TO_J = tuple("ABCDEFGHIJ")

PAPER_SETS: dict[str, PaperSet] = {
    "wine_quality_567": PaperSet(("wine_quality_white",), partial(with_classes, classes=("5", "6", "7"))),
    "letter_a_to_j": PaperSet(("letter_recognition",), partial(with_classes, classes=_A_TO_J)),
    "letter_700": PaperSet(("letter_recognition",), partial(drawn, classes=_A_TO_J, n_each=70)),
    "pendigits_2": PaperSet(("pendigits",), partial(with_classes, classes=("2",))),
    # the first 3823 rows are the training part
    "optdigits_1000": PaperSet(("optdigits",), partial(first_of_each, n_each=100, among=3823)),
    "isolet6": PaperSet(
        ("isolet", "isolet6_groups_1_5", "isolet_groups_1_5"),
        partial(
            with_classes,
            classes=tuple("ABCDEG"),
            note=" (all speakers would be 1800 objects, those of isolet1 to isolet4 1440; open: which the paper used)",
        ),
    ),
    "kddcup99_pcc": PaperSet(("kddcup99_10pct",), kddcup99_of_pcc),
    "kddcup99_bce": PaperSet(("kddcup99_10pct",), kddcup99_of_bce),
    "mini_newsgroups_17": PaperSet(("mini_newsgroups",), newsgroups_of_peace),
    "webkb": PaperSet(("webkb_1041",), partial(tf_idf, n_terms=335)),
}
