"""Data sets by name: those of scikit-learn, and those of a folder."""

import gzip
import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy.sparse import csr_matrix, save_npz

from partita.datasets import dataset_names, load
from partita.datasets._shipped import SHIPPED
from partita.datasets._synthetic import SYNTHETIC
from partita.exceptions import FileFormatError


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(text)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the layout that PARTITA_DATA names."""
    write(tmp_path / "votes_small.csv.gz", "f1,f2,label\ny,0.1,rep\n,2,dem\nn,3e-05,dem\nNA,4,rep\n")
    write(tmp_path / "clustbench" / "plane.csv.gz", "f1,f2,label\n1,2,1\n3,4,2\n5,6,0\n7,8,1\n")
    write(tmp_path / "clustbench" / "plane.labels.csv.gz", "labels0,labels1\n1,1\n2,1\n0,1\n1,2\n")
    save_npz(tmp_path / "texts.counts.npz", csr_matrix([[1, 0, 2], [0, 3, 0]], dtype=np.int32))
    write(tmp_path / "texts.labels.csv.gz", "doc,label\nfirst,news\nsecond,web\n")
    write(tmp_path / "texts.vocab.txt.gz", "alpha\nbeta\ngamma\n")
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.usefixtures("no_folder")
@pytest.mark.parametrize(("name", "shape", "n_classes"), [("wine", (178, 13), 3), ("wdbc", (569, 30), 2)])
def test_what_scikit_learn_ships_needs_no_folder(name, shape, n_classes):
    data = load(name)
    assert (data.name, data.features.shape, data.n_classes, data.preparation) == (name, shape, n_classes, "as stored")
    bunch = {"wine": sklearn.datasets.load_wine, "wdbc": sklearn.datasets.load_breast_cancer}[name]()
    np.testing.assert_array_equal(data.features, bunch.data)
    assert (pd.crosstab(data.target, bunch.target) > 0).sum().eq(1).all()
    assert list(data.features.columns[:2]) == ["f1", "f2"]


@pytest.mark.usefixtures("no_folder")
def test_the_iris_of_uci_differs_from_fishers_in_two_rows():
    uci, fisher = load("iris").features, load("iris_fisher").features
    np.testing.assert_array_equal(fisher, sklearn.datasets.load_iris().data)
    assert np.flatnonzero((uci != fisher).any(axis=1)).tolist() == [34, 37]
    assert uci.iloc[[34, 37]].to_numpy().tolist() == [[4.9, 3.1, 1.5, 0.1]] * 2
    assert load("Iris-UCI").features.equals(uci)


@pytest.mark.usefixtures("no_folder")
def test_names_without_the_folder():
    assert dataset_names() == sorted([*SHIPPED, *SYNTHETIC])
    with pytest.raises(FileNotFoundError, match=r"'glass' is not one of iris, .*PARTITA_DATA"):
        load("glass")
    with pytest.raises(FileNotFoundError, match=r"'glas' is not one of .*, glass, .*PARTITA_DATA"):
        load("glas")
    with pytest.raises(ValueError, match="may be 'wdbc' or 'breast_cancer_wisconsin'"):
        load("breast-cancer")
    with pytest.raises(ValueError, match="has one labelling"):
        load("wine", labelling=1)


def test_names_with_the_folder(folder):
    assert dataset_names() == sorted([*SHIPPED, *SYNTHETIC, "plane", "texts", "votes_small"])
    with pytest.raises(FileNotFoundError, match=r"there is no data set 'glass' in PARTITA_DATA=.*votes_small"):
        load("glass")
    with pytest.raises(FileNotFoundError, match=r"there is no data set 'plain' in PARTITA_DATA=.*plane.*votes_small"):
        load("plain")


def test_a_folder_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="is not a folder"):
        load("glass")
    assert load("wine").n_classes == 3


@pytest.mark.usefixtures("folder")
def test_rows_with_missing_features_are_dropped_or_kept():
    complete, kept = load("votes-small"), load("votes_small", missing="keep")
    assert complete.features["f1"].tolist() == ["y", "n", "NA"]  # an empty field alone is missing
    assert complete.features["f2"].tolist() == [0.1, 3e-05, 4.0]
    assert complete.target.tolist() == ["rep", "dem", "rep"]
    assert complete.features.index.equals(complete.target.index)
    assert complete.preparation == "complete rows only: 3 of 4 objects"
    assert len(kept.features) == 4
    assert kept.features["f1"].isna().tolist() == [False, True, False, False]
    assert kept.preparation == "as stored"


@pytest.mark.usefixtures("folder")
def test_noise_points_have_no_class_are_dropped_or_are_a_class():
    data = load("clustbench/plane")
    assert data.target.isna().tolist() == [False, False, True, False]
    assert (data.n_classes, len(data.features)) == (2, 4)
    assert "1 noise points have no class" in data.preparation
    dropped = load("plane", noise="drop")
    assert dropped.features.to_numpy().tolist() == [[1, 2], [3, 4], [7, 8]]
    assert dropped.target.tolist() == ["1", "2", "1"]
    assert load("plane", noise="class").target.tolist() == ["1", "2", "noise", "1"]
    assert load("plane", noise="class").n_classes == 3


@pytest.mark.usefixtures("folder")
def test_other_labellings():
    assert load("plane", labelling=1).target.tolist() == ["1", "1", "1", "2"]
    with pytest.raises(ValueError, match="labelling=2 is not there; plane has 2"):
        load("plane", labelling=2)
    with pytest.raises(ValueError, match="labelling=1 is not there; votes_small has 1"):
        load("votes_small", labelling=1)


@pytest.mark.usefixtures("folder")
def test_texts_are_sparse_counts_with_their_terms():
    data = load("texts")
    assert data.features.toarray().tolist() == [[1, 0, 2], [0, 3, 0]]
    assert data.terms.tolist() == ["alpha", "beta", "gamma"]
    assert data.target.to_dict() == {"first": "news", "second": "web"}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "wrong", [{"missing": "impute"}, {"noise": True}, {"labelling": -1}, {"labelling": 0.5}, {"labelling": True}]
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        load("plane", **wrong)


def test_a_name_is_text():
    with pytest.raises(TypeError, match="is not a name"):
        load(3)


DAMAGE = {
    "no gzip": ("votes_small.csv.gz", b"not gzip"),
    "empty": ("votes_small.csv.gz", b""),
    "cut off": ("votes_small.csv.gz", gzip.compress(b"f1,f2,label\n1,2,a\n" * 50)[:-20]),
    "ragged": ("votes_small.csv.gz", gzip.compress(b"f1,label\n1,2\n1,2,3,4,5\n")),
    "few names": ("votes_small.csv.gz", gzip.compress(b"f1,label\n1,2,3,4\n1,2,3,4\n")),
    "no rows": ("votes_small.csv.gz", gzip.compress(b"f1,f2,label\n")),
    "no label": ("votes_small.csv.gz", gzip.compress(b"f1,f2,f3\n1,2,3\n")),
    "no text": ("votes_small.csv.gz", gzip.compress(b"f1,label\n\xff\xfe,a\n")),
    "no zip": ("texts.counts.npz", b"PK not a zip"),
    "few terms": ("texts.vocab.txt.gz", gzip.compress(b"alpha\n")),
}


@pytest.mark.parametrize(("file", "content"), DAMAGE.values(), ids=DAMAGE)
def test_damaged_files_give_one_clear_error(folder, file, content):
    (folder / file).write_bytes(content)
    with pytest.raises(FileFormatError, match=rf"{file.split('.')[0]}.*copy the file again"):
        load(file.split(".")[0])


def test_a_missing_part_is_named(folder):
    (folder / "texts.vocab.txt.gz").unlink()
    with pytest.raises(FileNotFoundError, match=r"texts\.vocab\.txt\.gz' is missing"):
        load("texts")


def test_listed_hashes_are_checked(folder):
    table = folder / "clustbench" / "plane.csv.gz"
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    (folder / "SHA256SUMS").write_text(f"{digest}  ./clustbench/plane.csv.gz\n{digest}  ./votes_small.csv.gz\n")
    assert load("plane").n_classes == 2
    with pytest.raises(FileFormatError, match="not the file that SHA256SUMS"):
        load("votes_small")


@pytest.mark.skipif(not os.environ.get("PARTITA_DATA"), reason="PARTITA_DATA is not set")
@pytest.mark.parametrize("name", sorted(set(SHIPPED) - {"digits"}))
def test_the_real_folder_has_the_same_values(name):
    path = Path(os.environ["PARTITA_DATA"]) / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not in PARTITA_DATA")
    with gzip.open(path, "rt") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    data = load(name)
    assert data.features.to_numpy().tolist() == [[float(cell) for cell in row[:-1]] for row in rows]
    assert data.target.tolist() == [row[-1] for row in rows]
