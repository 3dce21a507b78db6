"""The papers' preparations, on small folders and on the real one."""

import os

import numpy as np
import pytest
from scipy.sparse import issparse

from partita.datasets import dataset_names, load
from partita.datasets._fetch import _check
from partita.datasets._load import _stored
from partita.datasets._paper_sets import PAPER_SETS, kddcup99_of_pcc, newsgroups_of_peace, tf_idf
from partita.datasets._sources import SOURCES
from partita.exceptions import FileFormatError


def test_wines_of_three_qualities(write_table):
    write_table("wine_quality_white", [[1, "3"], [2, "5"], [3, "7"], [4, "6"], [5, "8"], [6, "5"]])
    data = load("wine-quality")
    assert (data.name, data.n_classes) == ("wine_quality_567", 3)
    assert data.features["f1"].tolist() == [2, 3, 4, 6]
    assert data.target.tolist() == ["5", "7", "6", "5"]
    assert data.features.index.tolist() == data.target.index.tolist() == [0, 1, 2, 3]
    assert data.preparation == "classes 5, 6, 7: 4 of 6 objects"
    with pytest.raises(ValueError, match="wine_quality_567 has one labelling"):
        load("wine_quality_567", labelling=1)


@pytest.fixture
def letters(write_table):
    rng = np.random.default_rng(0)
    rows = [[place, "ABCDEFGHIJKL"[label]] for place, label in enumerate(rng.integers(12, size=1500))]
    write_table("letter_recognition", rows)
    return rows


def test_letters_a_to_j(letters):
    data = load("letter_a_to_j")
    assert data.features["f1"].tolist() == [place for place, letter in letters if letter <= "J"]
    assert data.preparation.startswith("classes A to J: ")


def test_seventy_of_each_letter_at_random_in_the_order_of_the_file(letters):
    data = load("letter_700")
    assert data.target.value_counts().to_dict() == dict.fromkeys("ABCDEFGHIJ", 70)
    assert data.features["f1"].is_monotonic_increasing
    assert data.target.tolist() == [letters[int(place)][1] for place in data.features["f1"]]
    assert data.features["f1"].gt(1000).any()  # not the first ones
    assert data.features.equals(load("letter_700").features)
    assert "open" in data.preparation


def test_too_few_objects_are_refused(write_table):
    write_table("letter_recognition", [[1, letter] for letter in "ABCDEFGHIJ"])
    with pytest.raises(FileFormatError, match="letter_recognition has 1 objects of A, not 70"):
        load("letter_700")


def test_digit_2_is_one_class(write_table):
    write_table("pendigits", [[1, 2], [2, 3], [3, 2]])
    data = load("pendigits_2")
    assert (data.features["f1"].tolist(), data.target.tolist(), data.n_classes) == ([1, 3], ["2", "2"], 1)
    assert data.preparation == "class 2: 2 of 3 objects"


def test_the_first_hundred_of_each_digit_of_the_training_part(write_table):
    rows = [[place, place % 10] for place in range(3823)] + [[place, 0] for place in range(3823, 3900)]
    write_table("optdigits", rows)
    data = load("optdigits_1000")
    assert data.features["f1"].tolist() == list(range(1000))
    assert data.name == "optdigits_1000"
    write_table("optdigits_1000", [[7, 1], [8, 2]])  # the folder's own file comes first
    assert load("optdigits_1000").features["f1"].tolist() == [7, 8]
    assert load("optdigits_1000").preparation == "as stored"


def test_isolet6_is_made_from_the_best_set_of_the_folder(write_table):
    rows = [[place, letter] for place, letter in enumerate("ABCDEFGHABC")]
    write_table("isolet6_groups_1_5", rows[:5])
    assert load("isolet6").features["f1"].tolist() == [0, 1, 2, 3, 4]
    write_table("isolet", rows)
    data = load("isolet6")
    assert data.features["f1"].tolist() == [0, 1, 2, 3, 4, 6, 8, 9, 10]
    assert "9 of 11 objects" in data.preparation
    assert "1800" in data.preparation


@pytest.fixture
def connections(write_table):
    rng = np.random.default_rng(1)
    labels = ["smurf", "neptune", "normal", "satan", "phf", "rootkit"]
    rows = [[*np.round(rng.uniform(size=41), 3), labels[place % 6]] for place in range(60)]
    for place, row in enumerate(rows):
        row[0] = place
        row[1:4] = ("tcp", "udp", "icmp")[place % 3], ("http", "auth")[place % 2], "SF"
        row[19] = row[20] = 0
    write_table("kddcup99_10pct", rows)
    return rows


@pytest.mark.usefixtures("connections")
def test_connections_of_the_pcc_paper():
    stored = load("kddcup99")
    data = kddcup99_of_pcc(stored, n_objects=20)
    assert data.features.shape == (20, 39)
    assert not {"f20", "f21"} & set(data.features.columns)
    assert set(data.target) == {"smurf", "neptune", "normal"}
    np.testing.assert_allclose(data.features.mean(), 0, atol=1e-12)
    deviations = data.features.std(ddof=0)
    assert deviations["f4"] == 0  # the same everywhere
    np.testing.assert_allclose(deviations.drop("f4"), 1)
    assert "open" in data.preparation
    assert data.features["f1"].is_monotonic_increasing  # the order of the file
    with pytest.raises(FileFormatError, match="30 objects of smurf, neptune or normal, not 120000"):
        load("kddcup99_pcc")


@pytest.mark.usefixtures("connections")
def test_connections_of_the_bce_paper():
    data = load("kddcup99_bce")
    assert data.features.shape == (50, 41)
    assert data.target.value_counts().to_dict() == {"dos": 20, "normal": 10, "probe": 10, "r2l": 10}
    assert data.target.tolist()[:5] == ["dos", "dos", "normal", "probe", "r2l"]
    assert "10 objects of u2r left out" in data.preparation
    # icmp, tcp, udp are 0, 1, 2; row 0 is tcp, row 1 udp, row 2 icmp
    protocol = data.features["f2"].to_numpy()
    assert protocol[2] < protocol[0] < protocol[1]
    np.testing.assert_allclose(protocol[1] - protocol[0], protocol[0] - protocol[2])
    np.testing.assert_allclose(data.features.std(ddof=0).drop(["f4", "f20", "f21"]), 1)
    assert set(data.features.dtypes) == {np.dtype(float)}


GROUPS = ["sci.space", "sci.med", "rec.autos", "talk.politics.misc", "comp.graphics"]
TERMS = ["cluster", "clustering", "clusters", "rocket", "rockets", "engine"]
COUNTS = [[1, 2, 0, 0, 1, 0], [0, 0, 3, 1, 0, 0], [0, 0, 0, 0, 0, 2], [5, 5, 5, 5, 5, 5], [0, 1, 0, 0, 0, 1]]


def test_newsgroups_of_the_peace_paper(write_texts):
    pytest.importorskip("snowballstemmer")
    write_texts("mini_newsgroups", COUNTS, GROUPS, TERMS)
    data = newsgroups_of_peace(load("mini-newsgroups"), n_terms=2, min_documents=2)
    assert data.target.tolist() == ["sci", "sci", "rec", "comp"]
    assert data.target.index.tolist() == ["0", "1", "2", "4"]
    assert data.features.shape == (4, 2)
    assert data.terms.isin(["cluster", "rocket", "engin"]).all()
    assert "talk.politics.misc" in data.preparation


def test_stems_are_added_up_before_tf_idf(write_texts):
    pytest.importorskip("snowballstemmer")
    from sklearn.feature_extraction.text import TfidfTransformer

    write_texts("webkb_1041", COUNTS, list("abcde"), TERMS)
    data = tf_idf(load("webkb_1041"), n_terms=3, min_documents=1)
    assert data.terms.tolist() == ["cluster", "engin", "rocket"]
    added = np.array(COUNTS) @ np.array([[1, 0, 0]] * 3 + [[0, 0, 1]] * 2 + [[0, 1, 0]])
    np.testing.assert_allclose(data.features.toarray(), TfidfTransformer().fit_transform(added).toarray())
    assert issparse(data.features)
    assert data.features.dtype == float


def test_preparations_are_listed_with_the_sets_that_they_need(write_table):
    write_table("pendigits", [[1, 2], [2, 3]])
    assert set(PAPER_SETS) & set(dataset_names()) == {"pendigits_2"}


real = pytest.mark.skipif(not os.environ.get("PARTITA_DATA"), reason="PARTITA_DATA is not set")
# objects, features, classes, as the papers give them; of isolet6 as the folder has it
SHAPES = {
    "house_votes_84": (232, 16, 2),
    "breast_cancer_wisconsin": (683, 9, 2),
    "wine_quality_567": (4535, 11, 3),
    "letter_a_to_j": (7648, 16, 10),
    "letter_700": (700, 16, 10),
    "pendigits_2": (1144, 16, 1),
    "optdigits_1000": (1000, 64, 10),
    "isolet6": (720, 617, 6),
    "kddcup99_pcc": (120_000, 39, 3),
    "kddcup99_bce": (493_969, 41, 4),
    "mini_newsgroups_17": (1700, 500, 7),
    "webkb": (1041, 335, 4),
    "std-yeast-cell": (384, 17, 5),
    "chess": (3196, 36, 2),
    "balance": (625, 4, 3),
    "control-chart": (600, 60, 6),
    "tracedata": (200, 275, 4),
}


def loaded(name):
    try:
        return load(name)
    except FileNotFoundError as error:
        pytest.skip(str(error)[:80])


@real
@pytest.mark.parametrize("name", SHAPES)
def test_the_real_folder_gives_the_papers_sets(name):
    data = loaded(name)
    assert (*data.features.shape, data.n_classes) == SHAPES[name]


@real
def test_the_rule_for_optdigits_1000_gives_the_file_of_the_real_folder():
    data = loaded("optdigits_1000")
    made = PAPER_SETS["optdigits_1000"].make(loaded("optdigits"))
    assert made.features.equals(data.features)
    assert made.target.equals(data.target)


@real
@pytest.mark.parametrize("name", sorted(set(SOURCES) - {"isolet"}))
def test_the_real_folder_agrees_with_the_facts_of_downloads(name):
    if name not in dataset_names():
        pytest.skip(f"{name} is not in PARTITA_DATA")
    _check(_stored(name, 0), SOURCES[name].facts)
