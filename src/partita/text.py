"""Documents to features, as in the text experiments of the PEACE paper: scikit-learn and a stemmer (eq. R23)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import Pipeline
from sklearn.utils.sparsefuncs import mean_variance_axis

from partita._checks import check_count
from partita._optional import require
from partita._runs import warn
from partita._typing import FloatArray

_TOKEN = re.compile(r"[^\W\d_]{2,}")  # letters of any alphabet, at least two


def make_text_features(
    n_terms: int | None = 500, *, min_documents: int = 40, stem: bool = True, stop_words: Any = "english"
) -> Pipeline:
    """A pipeline from documents to tf-idf features.

    Tokens in lower case, without stop words, stemmed by Porter's algorithm, weighted by tf-idf with rows of length 1;
    terms of few documents are dropped, then those of low variance.

    Parameters
    ----------
    n_terms : int, optional, default=500
        Largest number of terms to keep, those of the largest variance; None keeps all.
    min_documents : int, default=40
        Smallest number of documents with a term.
    stem : bool, default=True
        Whether tokens are stemmed; needs the extra ``text``.
    stop_words : "english", collection of str or None, default="english"
        Tokens to leave out, before stemming.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Its ``fit_transform(documents)`` gives a sparse (n_documents, n_terms) matrix, for instance for
        ``KMeansEnsemble(metric="cosine")``; ``get_feature_names_out()`` the terms.

    References
    ----------
    A. Lourenço, S. Rota Bulò, N. Rebagliati, A. Fred, M. Figueiredo, M. Pelillo, Probabilistic evidence accumulation
    for clustering ensembles, ICPRAM 2013. M. F. Porter, An algorithm for suffix stripping, Program 14 (1980) 130-137.

    Examples
    --------
    >>> from partita import make_text_features
    >>> documents = ["Clusters of clusters", "a cluster of stars", "the stars are bright"]
    >>> features = make_text_features(n_terms=2, min_documents=1)
    >>> features.fit_transform(documents).shape
    (3, 2)
    >>> features.get_feature_names_out()
    array(['bright', 'cluster'], dtype=object)
    """
    check_count(min_documents, "min_documents")
    if not isinstance(stem, bool | np.bool_):
        raise ValueError(f"stem={stem!r:.60} is not allowed; pass True or False.")
    if n_terms is not None:
        check_count(n_terms, "n_terms")
    words = _stop_words(stop_words)
    if stem:
        require("snowballstemmer", extra="text", purpose="stemming")
    vectorizer = _DocumentTerms(analyzer=_Analyzer(words, stem), min_df=min_documents)
    return Pipeline(
        [("tfidf", vectorizer), ("variance", _LargestVariance(_variance, k="all" if n_terms is None else n_terms))]
    )


def _stop_words(given: Any) -> frozenset[str]:
    if isinstance(given, str) and given == "english":
        return frozenset(ENGLISH_STOP_WORDS)
    words = [] if given is None else _as_list(given)
    if words is None or not all(isinstance(word, str) for word in words):
        raise ValueError(f"stop_words={given!r:.60} is not known; pass 'english', a collection of words or None.")
    return frozenset(words)


def _as_list(values: Any) -> list[Any] | None:
    """Items of a collection; None for text, and for what has no items."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        return None
    return list(values)


class _DocumentTerms(TfidfVectorizer):  # type: ignore[misc]
    """Scikit-learn's terms of documents, which says what is wrong with the documents in words of this function."""

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the terms, and give the weights of the documents."""
        documents = _check_documents(raw_documents)
        if len(documents) < self.min_df:
            raise ValueError(
                f"{len(documents)} documents are fewer than min_documents={self.min_df}, so no term can be kept; pass "
                "more documents or a smaller min_documents."
            )
        try:
            return super().fit_transform(documents, y)
        except ValueError as error:  # scikit-learn's words are about its own parameters
            raise ValueError(
                f"no term of the {len(documents)} documents is left: terms are words of two letters or more that are "
                f"not stop words, in at least min_documents={self.min_df} documents."
            ) from error

    def fit(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the terms."""
        self.fit_transform(raw_documents)
        return self

    def transform(self, raw_documents: Any) -> Any:
        """The weights of documents."""
        return super().transform(_check_documents(raw_documents))


def _check_documents(documents: Any) -> list[str]:
    """A list of texts."""
    texts = _as_list(documents)
    if texts is None:
        raise TypeError(f"documents are {documents!r:.60}; pass a list of texts, one per document.")
    place = next((place for place, text in enumerate(texts) if not isinstance(text, str)), None)
    if place is not None:
        raise TypeError(f"document {place} is {texts[place]!r:.60}, which is not text; pass '' for an empty document.")
    return texts


class _LargestVariance(SelectKBest):  # type: ignore[misc]
    """The terms of the largest variance, with a warning in words of this function if there are no more."""

    def _check_params(self, X: Any, y: Any) -> None:
        if self.k != "all" and self.k > X.shape[1]:
            warn(f"the documents have {X.shape[1]} terms, fewer than n_terms={self.k}; they are all kept.", UserWarning)


class _Analyzer:
    """Tokens of a document; a class, because a fitted pipeline with a closure could not be pickled."""

    def __init__(self, stop_words: frozenset[str], stem: bool) -> None:
        self.stop_words = stop_words
        self.stem = stem

    def __call__(self, document: str) -> list[str]:
        tokens = [token for token in _TOKEN.findall(document.lower()) if token not in self.stop_words]
        return [_stem(token) for token in tokens] if self.stem else tokens


@lru_cache(maxsize=100_000)
def _stem(token: str) -> str:
    return str(_stemmer().stemWord(token))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("porter")


def _variance(X: Any, y: Any = None) -> FloatArray:
    return np.asarray(mean_variance_axis(X, axis=0)[1])
