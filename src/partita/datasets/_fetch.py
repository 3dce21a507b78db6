"""Download data sets by scikit-learn's fetchers, check them, and give them the form of the tables of a folder.

The fetchers keep what they downloaded in scikit-learn's data home and compare it with the checksum of its publisher.
On top of that, `_sources` lists facts of each set: what has the right name but other content is refused.
"""

import re
import warnings
from http.client import HTTPException
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from partita.datasets._dataset import Dataset
from partita.datasets._sources import SOURCES, Facts, Source
from partita.exceptions import FileFormatError

# the least that the fetchers accept: without a network the answer should come soon. OpenML's fetcher does not pass it
# on where it asks for the description of a set, and tries that for 3 seconds.
_TRIES: dict[str, Any] = {"n_retries": 1, "delay": 0.1}


def fetch(name: str) -> Dataset:
    """Download a data set, or take it from scikit-learn's data home; OSError where that is not possible."""
    source = SOURCES[name]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a second try; a class column that OpenML sets aside
            made = _newsgroups(name) if name == "newsgroups20_bydate" else _table(name, source)
    except HTTPException as error:  # a connection that broke off
        raise ConnectionError(f"{type(error).__name__}: {error}") from error
    except (ValueError, KeyError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(
            f"what was downloaded for {name!r} cannot be read ({str(error).strip():.200}); {_AGAIN}"
        ) from error
    _check(made, source.facts)
    return made


_AGAIN = "delete it from scikit-learn's data home (sklearn.datasets.get_data_home()) and load it again."


def _table(name: str, source: Source) -> Dataset:
    import sklearn.datasets

    if source.data_id is None:
        bunch = sklearn.datasets.fetch_kddcup99(percent10=True, shuffle=False, as_frame=True, **_TRIES)
        origin = "scikit-learn's fetch_kddcup99"
    else:
        bunch = sklearn.datasets.fetch_openml(
            data_id=source.data_id, target_column=source.target, as_frame=True, parser="auto", **_TRIES
        )
        origin = f"OpenML, data set {source.data_id}"
    kept = [column for column in bunch.data.columns if str(column).lower() not in source.left_out]
    columns = {
        f"f{place + 1}": _column(bunch.data[column], place in source.categorical) for place, column in enumerate(kept)
    }
    features = pd.DataFrame(columns).reset_index(drop=True)
    target = _classes(bunch.target, source)
    said = f"{name}: {features.shape[0]} objects, {features.shape[1]} features, from {origin}."
    return Dataset(name, features, target, 0, "", said)


def _column(column: "pd.Series[Any]", categorical: bool) -> Any:
    """Text, or float numbers, whatever type the fetcher chose."""
    if not categorical:
        return pd.to_numeric(column.astype(object) if column.dtype == "category" else column).to_numpy(np.float64)
    return _text(column).array


def _text(column: "pd.Series[Any]") -> "pd.Series[str]":
    """Values as text: bytes decoded, whole numbers without a point, quotes of ARFF files removed."""
    names = {value: _plain(value) for value in column.dropna().unique()}
    texts = column.astype(object).map(names)
    return texts.astype("str").where(texts.notna()).reset_index(drop=True)  # pandas 2 would write "nan"


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip().strip("'\"")


def _classes(column: "pd.Series[Any]", source: Source) -> "pd.Series[str]":
    """Classes spelled as in the original files."""
    theirs = _text(column)
    ours = {_letters(known): known for known in source.facts.classes}
    renamed = {_letters(given): known for given, known in (source.renamed or {}).items()} or ours
    names = {given: renamed.get(_letters(given), given) for given in theirs.dropna().unique()}
    return theirs.map(names).astype("str").rename("label")


def _letters(name: str) -> str:
    """A name without capitals, blanks and signs, in which copies differ; the names of kddcup99 end with a dot."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _newsgroups(name: str) -> Dataset:
    """Counts of the words of subject and text; the rest of the header would give the group away."""
    import sklearn.datasets
    from sklearn.feature_extraction.text import CountVectorizer

    bunch = sklearn.datasets.fetch_20newsgroups(subset="all", remove=(), shuffle=False, **_TRIES)
    words = CountVectorizer(token_pattern=r"[a-z]{3,}", stop_words="english", min_df=10, dtype=np.int32)
    counts = words.fit_transform([_subject_and_text(message) for message in bunch.data])
    names = pd.Index([_document(file) for file in bunch.filenames], name="doc")
    target = pd.Series(np.array(bunch.target_names)[bunch.target], index=names, dtype="str", name="label")
    said = f"{name}: counts of {counts.shape[1]} terms in {counts.shape[0]} documents, from fetch_20newsgroups."
    terms = pd.Index(words.get_feature_names_out(), dtype="str")
    return Dataset(name, counts, target, 0, "words of three letters or more in 10 documents", said, terms)


def _subject_and_text(message: str) -> str:
    header, _, text = message.partition("\n\n")
    subject = [line.partition(":")[2] for line in header.splitlines() if line.lower().startswith("subject:")]
    return "\n".join([*subject, text])


def _document(file: str) -> str:
    """The name of a message: part, group, number."""
    part, group, number = PurePath(file).parts[-3:]
    return f"{part.rpartition('-')[2]}/{group}/{number}"


def _check(made: Dataset, facts: Facts) -> None:
    """Refuse what is not the data set of that name."""
    assert made.target is not None  # every source has classes
    sizes = made.target.value_counts()
    found: list[tuple[str, Any, Any]] = [
        ("objects", facts.n_objects, made.features.shape[0]),
        ("features", facts.n_features or made.features.shape[1], made.features.shape[1]),
        *((f"objects of class {name!r}", size, int(sizes.get(name, 0))) for name, size in facts.classes.items()),
    ]
    found += [(f"cells {word!r}", count, _cells(made.features, word)) for word, count in (facts.words or {}).items()]
    if facts.total is not None:
        total = _total(made.features)
        near = abs(total - facts.total) <= facts.tolerance * abs(facts.total)
        found.append(("as the sum of all numbers", facts.total, facts.total if near else total))
    wrong = [f"{came:.12g} {what}, not {expected:.12g}" for what, expected, came in found if came != expected]
    if wrong:
        raise FileFormatError(
            f"what was downloaded is not the data set {made.name!r}: it has {'; '.join(wrong[:4])}. Use a folder with "
            f"{made.name}.csv.gz (PARTITA_DATA), or {_AGAIN}"
        )


def _cells(features: pd.DataFrame, word: str) -> int:
    texts = features.select_dtypes(exclude="number")
    return int(sum((texts[column] == word).sum() for column in texts))


def _total(features: Any) -> float:
    if isinstance(features, pd.DataFrame):
        return float(np.nansum(features.select_dtypes("number").to_numpy(np.float64)))
    return float(features.sum())
