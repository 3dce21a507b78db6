"""Downloads: fetchers of the real shape in place of the network, wrong content, no network."""

from http.client import IncompleteRead
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.utils import Bunch

from partita.datasets import dataset_names, load
from partita.datasets._paper_sets import PAPER_SETS
from partita.datasets._sources import FOLDER_ONLY, SOURCES, Facts
from partita.exceptions import FileFormatError

pytestmark = pytest.mark.usefixtures("no_folder")


def openml(monkeypatch, data, target, calls=None):
    """A fetch_openml that answers with this table, as scikit-learn gives it with as_frame=True."""

    def fetch_openml(**asked):
        if calls is not None:
            calls.append(asked)
        return Bunch(data=data, target=target, frame=pd.concat([data, target], axis=1))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)


def expect(monkeypatch, name, **facts):
    """Other facts for a small table in place of a data set."""
    monkeypatch.setitem(SOURCES, name, SOURCES[name]._replace(facts=Facts(**facts)))


def column(values, name="class"):
    return pd.Series(values, dtype="category", name=name)


def made_of_classes(name):
    """Classes of the right sizes, and numbers with the right sum."""
    facts = SOURCES[name].facts
    target = np.repeat(list(facts.classes), list(facts.classes.values()))
    values = np.full((facts.n_objects, facts.n_features), facts.total / facts.n_objects / facts.n_features)
    return pd.DataFrame(values, columns=[f"a{place}" for place in range(facts.n_features)]), target


def test_a_downloaded_table_has_the_form_of_a_table_of_the_folder(monkeypatch):
    data, target = made_of_classes("ionosphere")
    calls = []
    openml(monkeypatch, data, column(target), calls)
    made = load("ionosphere")
    assert list(made.features.columns) == [f"f{place}" for place in range(1, 35)]
    assert set(made.features.dtypes) == {np.dtype(float)}
    assert made.target.dtype == pd.Series(["g"], dtype="str").dtype
    assert made.target.tolist() == target.tolist()
    assert (made.name, made.n_classes, made.preparation) == ("ionosphere", 2, "as stored")
    assert "OpenML, data set 59" in made.description
    (asked,) = calls
    assert (asked["data_id"], asked["as_frame"], asked["n_retries"]) == (59, True, 1)


def test_categories_are_text_and_missing_values_stay_missing(monkeypatch):
    expect(
        monkeypatch,
        "house_votes_84",
        n_objects=3,
        n_features=2,
        classes={"democrat": 2, "republican": 1},
        words={"y": 3, "n": 2},
    )
    data = pd.DataFrame({"infants": column(["'y'", "'n'", None]), "budget": column(["y", "n", "y"])})
    openml(monkeypatch, data, column(["democrat", "republican", "democrat"]))
    kept = load("votes", missing="keep")
    assert kept.features["f1"].isna().tolist() == [False, False, True]
    assert kept.features["f2"].tolist() == ["y", "n", "y"]
    assert kept.target.tolist() == ["democrat", "republican", "democrat"]
    complete = load("votes")
    assert complete.features["f1"].tolist() == ["y", "n"]
    np.testing.assert_array_equal(complete.numbers(), [[1, 1], [0, 0]])


@pytest.mark.parametrize(
    ("name", "theirs", "ours"),
    [
        ("glass", ["'build wind non-float'", "headlamps"], ["2", "7"]),
        ("pima", ["tested_positive", "tested_negative"], ["1", "0"]),
        ("wine_quality_white", ["1", "7"], ["3", "9"]),
        ("isolet", ["1", "'26'"], ["A", "Z"]),
        ("synthetic_control", ["Normal", "Decreasing trend"], ["normal", "decreasing_trend"]),
        ("segmentation_2310", ["BRICKFACE", "grass"], ["brickface", "grass"]),
        ("ecoli", ["imU", "om"], ["imU", "om"]),
        ("optdigits", [3, 9], ["3", "9"]),
        ("pendigits", [3.0, 9.0], ["3", "9"]),
    ],
)
def test_classes_are_spelled_as_in_the_folder(monkeypatch, name, theirs, ours):
    classes = SOURCES[name].facts.classes
    known = dict.fromkeys([label for label in classes if label not in ours], 0) | dict.fromkeys(ours, 1)
    expect(monkeypatch, name, n_objects=2, n_features=1, classes=known)
    openml(monkeypatch, pd.DataFrame({"a": [1, 2]}), column(theirs))
    assert load(name).target.tolist() == ours


def test_the_class_of_bupa_is_the_selector(monkeypatch):
    expect(monkeypatch, "bupa", n_objects=2, n_features=2, classes={"1": 1, "2": 1}, total=10)
    calls = []
    openml(
        monkeypatch, pd.DataFrame({"mcv": [1, 2], "drinks": [3.0, 4.0]}), pd.Series(["2", "1"], name="selector"), calls
    )
    assert load("liver-disorders").target.tolist() == ["2", "1"]
    assert calls[0]["target_column"] == "selector"


def test_columns_that_number_the_rows_are_left_out(monkeypatch):
    expect(monkeypatch, "magic04", n_objects=2, n_features=1, classes={"g": 1, "h": 1}, total=0.75)
    openml(monkeypatch, pd.DataFrame({"ID": [0, 1], "fLength:": [0.5, 0.25]}), column(["g", "h"], "class:"))
    assert load("magic04").features.to_dict("list") == {"f1": [0.5, 0.25]}


def test_warnings_of_the_fetchers_are_not_passed_on(monkeypatch):
    expect(monkeypatch, "bupa", n_objects=1, n_features=1, classes={"1": 1})

    def warns(**_):
        import warnings

        warnings.warn("target_column='selector' has flag is_ignore.", stacklevel=1)
        return Bunch(data=pd.DataFrame({"mcv": [1]}), target=column(["1"]))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", warns)
    assert load("bupa").n_classes == 1


WRONG = {
    "rows": (
        lambda data, target: (data.iloc[1:], target[1:]),
        r"350 objects, not 351; 224 objects of class 'g', not 225",
    ),
    "columns": (lambda data, target: (data.iloc[:, 1:], target), r"33 features, not 34"),
    "classes": (lambda data, target: (data, np.roll(np.where(target == "g", "b", "g"), 3)), r"126 .*'g', not 225"),
    "names": (lambda data, target: (data, np.where(target == "g", "good", "b")), r"0 objects of class 'g', not 225"),
    "values": (lambda data, target: (data * 1.001, target), r"2958\.97\S* as the sum of all numbers, not 2956\.01597"),
    "text": (lambda data, target: (data.astype(object).replace(data.iloc[0, 0], "?"), target), "cannot be read"),
}


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_other_content_is_refused(monkeypatch, change, said):
    data, target = change(*made_of_classes("ionosphere"))
    openml(monkeypatch, data, column(target))
    with pytest.raises(FileFormatError, match=said) as refused:
        load("ionosphere")
    assert "ionosphere" in str(refused.value)
    assert "data home" in str(refused.value)


def test_other_words_are_refused(monkeypatch):
    data = pd.DataFrame({f"a{place}": ["y"] * 435 for place in range(16)}, dtype="category")
    openml(monkeypatch, data, column(["democrat"] * 267 + ["republican"] * 168))
    with pytest.raises(FileFormatError, match="6960 cells 'y', not 3421; 0 cells 'n', not 3147"):
        load("house_votes_84")


def test_a_small_difference_of_rounding_is_none(monkeypatch):
    data, target = made_of_classes("ionosphere")
    openml(monkeypatch, data * (1 + 1e-8), column(target))
    assert load("ionosphere").n_classes == 2


def test_a_checksum_that_differs_is_one_error(monkeypatch):
    def damaged(**_):
        raise ValueError("md5 checksum of local file does not match description")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", damaged)
    with pytest.raises(FileFormatError, match=r"'glass' cannot be read \(md5 checksum"):
        load("glass")


def kddcup(**_):
    """Objects of bytes and numbers, as scikit-learn gives them."""
    rows = [[0, b"tcp", b"http", b"SF", *range(37)], [1, b"udp", b"auth", b"S0", *([0.5] * 37)]]
    data = pd.DataFrame(np.array(rows, dtype=object), columns=[f"n{place}" for place in range(41)])
    return Bunch(data=data, target=pd.Series(np.array([b"normal.", b"smurf."], dtype=object), name="labels"))


def test_kddcup99_has_text_and_numbers(monkeypatch):
    total = 1 + sum(range(37)) + 0.5 * 37
    expect(monkeypatch, "kddcup99_10pct", n_objects=2, n_features=41, classes={"normal": 1, "smurf": 1}, total=total)
    monkeypatch.setattr(sklearn.datasets, "fetch_kddcup99", kddcup)
    data = load("kdd99")
    assert data.target.tolist() == ["normal", "smurf"]
    assert data.features[["f2", "f3", "f4"]].to_numpy().tolist() == [["tcp", "http", "SF"], ["udp", "auth", "S0"]]
    assert data.features.dtypes.eq(float).sum() == 38
    assert "fetch_kddcup99" in data.description


def test_newsgroups_are_counts_of_subject_and_text(monkeypatch):
    message = "From: someone\nSubject: Re: Rockets\n\nThe rockets of 1969, see x-ray\n\nbye"

    def newsgroups(**asked):
        assert (asked["subset"], asked["remove"], asked["shuffle"]) == ("all", (), False)
        files = [f"/home/20news-bydate-{part}/sci.space/{place}" for part in ("train", "test") for place in range(6)]
        return Bunch(data=[message] * 12, target=np.zeros(12, int), target_names=["sci.space"], filenames=files)

    expect(monkeypatch, "newsgroups20_bydate", n_objects=12, n_features=None, classes={"sci.space": 12}, total=48)
    monkeypatch.setattr(sklearn.datasets, "fetch_20newsgroups", newsgroups)
    data = load("20newsgroups")
    assert data.terms.tolist() == ["bye", "ray", "rockets"]
    assert data.features.toarray()[0].tolist() == [1, 1, 2]
    assert data.target.index[0] == "train/sci.space/0"
    assert data.target.index[-1] == "test/sci.space/5"
    assert data.numbers() is data.features


def test_without_network_and_folder_one_error_names_both_ways():
    with pytest.raises(FileNotFoundError) as refused:
        load("glass")
    said = str(refused.value)
    assert "URLError: <urlopen error no network in tests>" in said
    assert "set the environment variable PARTITA_DATA to a folder with glass.csv.gz" in said
    assert "network connection" in said
    assert isinstance(refused.value.__cause__, URLError)


def test_a_connection_that_breaks_off_is_the_same_error(monkeypatch):
    def broken(**_):
        raise IncompleteRead(b"half")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", broken)
    with pytest.raises(FileNotFoundError, match=r"IncompleteRead.*network connection"):
        load("glass")


def test_without_network_a_folder_without_the_file_says_so(folder):
    with pytest.raises(FileNotFoundError, match=r"copy newsgroups20_bydate\.counts\.npz into it, or run again"):
        load("newsgroups20_bydate")


@pytest.mark.parametrize("name", FOLDER_ONLY)
def test_what_no_fetcher_has_says_so(name):
    with pytest.raises(FileNotFoundError, match=rf"{name}.*cannot be downloaded.*PARTITA_DATA") as refused:
        load(name)
    assert "network" not in str(refused.value)


def test_preparations_name_the_set_that_they_are_made_from():
    with pytest.raises(FileNotFoundError, match=r"'letter_700' is made from 'letter_recognition': .*no network"):
        load("letter_700")
    with pytest.raises(FileNotFoundError, match=r"'webkb' is made from 'webkb_1041': .*cannot be downloaded"):
        load("webkd")
    with pytest.raises(FileNotFoundError, match="'isolet6' is made from 'isolet': "):
        load("isolet6")


def test_preparations_are_made_from_downloads(monkeypatch):
    data, target = made_of_classes("pendigits")
    openml(monkeypatch, data, column(target))
    data = load("pendigits_2")
    assert (data.name, data.features.shape, data.n_classes) == ("pendigits_2", (1144, 16), 1)


def test_names_that_need_the_network_are_listed_if_asked_for():
    names = dataset_names(fetched=True)
    assert {*SOURCES, "letter_700", "kddcup99_bce", "isolet6"} <= set(names)
    assert not {"webkb", "mini_newsgroups_17", *FOLDER_ONLY} & set(names)
    assert not {*SOURCES, *PAPER_SETS} & set(dataset_names())


def test_sizes_of_classes_add_up():
    for name, source in SOURCES.items():
        if name != "isolet":
            assert sum(source.facts.classes.values()) == source.facts.n_objects, name
