"""Documents to features: every step by hand."""

import pickle
import sys

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from partita import KMeansEnsemble, make_text_features
from partita.exceptions import MissingExtraError

pytest.importorskip("snowballstemmer")

DOCUMENTS = [
    "Cats are chasing the cat; 3 cats!",
    "A dog chases a cat.",
    "Dogs bark, and the barking dog chased birds",
    "birds_sing and x birds sing",
]
# tokens of at least two letters, in lower case, without stop words, stemmed: by hand
STEMMED = ["cat chase cat cat", "dog chase cat", "dog bark bark dog chase bird", "bird sing bird sing"]


def terms(documents, **options):
    features = make_text_features(None, min_documents=1, **options).fit(documents)
    return features.get_feature_names_out().tolist()


def test_tokens_are_words_in_lower_case_without_stop_words():
    found = terms(["The CAT'S 2nd life, a b2b tale of_x Über"], stem=False)
    assert found == ["cat", "life", "nd", "tale", "über"]


# Porter's paper and the examples of its author
PORTER = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "cats": "cat", "feed": "feed", "agreed": "agre",
    "plastered": "plaster", "motoring": "motor", "sing": "sing", "conflated": "conflat", "hopping": "hop",
    "falling": "fall", "filing": "file", "happy": "happi", "relational": "relat", "conditional": "condit",
    "digitizer": "digit", "operator": "oper", "formaliti": "formal", "triplicate": "triplic", "electrical": "electr",
    "hopefulness": "hope", "goodness": "good", "revival": "reviv", "adjustable": "adjust", "replacement": "replac",
    "adoption": "adopt", "probate": "probat", "rate": "rate", "controll": "control", "roll": "roll",
}  # fmt: skip


@pytest.mark.parametrize("word", PORTER)
def test_stems_are_porters(word):
    assert terms([word], stop_words=None) == [PORTER[word]]


def test_stop_words_go_before_stemming():
    assert terms(["being doing things"]) == ["do", "thing"]  # "doing" is not a stop word, "do" is
    assert terms(["cats cat"], stop_words=["cats"]) == ["cat"]
    assert terms(["cats cat"], stop_words=["cat"]) == ["cat"]
    assert terms(["the cat"], stop_words=None) == ["cat", "the"]


def test_weights_are_tf_idf_by_hand():
    F = make_text_features(None, min_documents=1).fit_transform(["cats dog", "cat"]).toarray()
    cat, dog = 1.0, np.log(3 / 2) + 1  # log((1 + n) / (1 + n_documents)) + 1
    assert np.allclose(F, [np.array([cat, dog]) / np.hypot(cat, dog), [1, 0]])


def test_features_are_scikit_learns_of_the_stemmed_documents():
    features = make_text_features(None, min_documents=2)
    F = features.fit_transform(DOCUMENTS)
    plain = TfidfVectorizer(analyzer=str.split, min_df=2)
    expected = plain.fit_transform(STEMMED)
    assert features.get_feature_names_out().tolist() == plain.get_feature_names_out().tolist()
    assert features.get_feature_names_out().tolist() == ["bird", "cat", "chase", "dog"]
    assert np.allclose(F.toarray(), expected.toarray())


@pytest.mark.parametrize(("least", "expected"), [(1, 6), (2, 4), (3, 1)])
def test_terms_of_few_documents_are_dropped(least, expected):
    assert make_text_features(None, min_documents=least).fit_transform(DOCUMENTS).shape == (4, expected)


@pytest.mark.parametrize("n_terms", [1, 2, 4])
def test_terms_of_the_largest_variance_are_kept(n_terms):
    F = make_text_features(None, min_documents=1)
    variance = F.fit_transform(DOCUMENTS).toarray().var(axis=0)
    best = set(F.get_feature_names_out()[np.argsort(-variance)[:n_terms]])
    few = make_text_features(n_terms, min_documents=1).fit(DOCUMENTS)
    assert set(few.get_feature_names_out()) == best


def test_new_documents_have_the_same_terms():
    features = make_text_features(3, min_documents=1).fit(DOCUMENTS)
    F = features.transform(["an unknown zebra", "Cats!"])
    assert F.shape == (2, 3)
    assert F[[0]].nnz == 0


def test_a_fitted_pipeline_can_be_pickled():
    features = make_text_features(3, min_documents=1).fit(DOCUMENTS)
    again = pickle.loads(pickle.dumps(features))
    assert (again.transform(DOCUMENTS) != features.transform(DOCUMENTS)).nnz == 0


def test_the_paper_keeps_500_terms_of_40_documents():
    parameters = make_text_features().get_params()
    assert parameters["variance__k"] == 500
    assert parameters["tfidf__min_df"] == 40


def test_documents_of_two_topics_are_told_apart():
    documents = ["cats and dogs play", "a dog plays with cats", "stars and planets shine", "planets circle stars"] * 5
    F = make_text_features(None, min_documents=2).fit_transform(documents)
    X = KMeansEnsemble(10, 2, metric="cosine", random_state=0).fit_transform(F)
    assert max((column.reshape(5, 4) == column[0]).tolist() == [[True, True, False, False]] * 5 for column in X.T)


def test_without_the_stemmer_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingExtraError, match=r'pip install "partita\[text\]"'):
        make_text_features()
    assert make_text_features(None, min_documents=1, stem=False).fit_transform(DOCUMENTS).shape[0] == 4


def test_fewer_terms_than_requested_are_all_kept_with_a_warning():
    with pytest.warns(UserWarning, match="are all kept"):
        assert make_text_features(500, min_documents=2).fit_transform(DOCUMENTS).shape == (4, 4)


def test_an_unknown_list_of_stop_words_is_refused():
    with pytest.raises(ValueError, match="german"):
        make_text_features(stop_words="german")


WRONG_DOCUMENTS = {
    "none": (None, TypeError, "documents are None; pass a list of texts"),
    "one text": ("some words", TypeError, "documents are 'some words'; pass a list of texts"),
    "a missing one": (["some words", None], TypeError, "document 1 is None, which is not text"),
    "numbers": ([1, 2], TypeError, "document 0 is 1, which is not text"),
    "no documents": ([], ValueError, "0 documents are fewer than min_documents=1"),
    "no words": (["1 2 3", "the a"], ValueError, "no term of the 2 documents is left"),
}


@pytest.mark.parametrize("case", WRONG_DOCUMENTS)
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_wrong_documents_are_refused(case, method):
    documents, kind, message = WRONG_DOCUMENTS[case]
    with pytest.raises(kind, match=message):
        getattr(make_text_features(None, min_documents=1), method)(documents)


def test_few_documents_are_refused_by_the_name_of_the_parameter():
    with pytest.raises(ValueError, match="4 documents are fewer than min_documents=40, so no term can be kept"):
        make_text_features().fit_transform(DOCUMENTS)
    with pytest.raises(ValueError, match="in at least min_documents=4 documents"):
        make_text_features(None, min_documents=4).fit_transform(DOCUMENTS)
    with pytest.raises(TypeError, match="document 0 is None"):
        make_text_features(None, min_documents=1).fit(DOCUMENTS).transform([None])


@pytest.mark.parametrize(
    "options",
    [{"n_terms": 0}, {"n_terms": "x"}, {"n_terms": 2.5}, {"min_documents": 0}, {"min_documents": True}]
    + [{"stem": "yes"}, {"stop_words": 3}, {"stop_words": [1]}],
    ids=str,
)
def test_wrong_parameters_are_refused(options):
    with pytest.raises(ValueError, match=f"{next(iter(options))}="):
        make_text_features(**options)
