"""The command that makes the frozen ensembles of the leaderboard."""

import gzip

import numpy as np
import pandas as pd
import pytest
from benchmarks import ensembles
from benchmarks._frozen_recipes import AS_THEY_ARE, COUNTS, OF_PAPERS, SYNTHETIC, TEXTS, made, prepared, recipes_for
from scipy.sparse import csr_matrix

from partita.datasets import Dataset, dataset_names
from partita.experiments import load_frozen


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder with one table of thirty objects in three groups, a noise point and a category."""
    folder = tmp_path / "data"
    (folder / "clustbench").mkdir(parents=True)
    rng = np.random.default_rng(0)
    rows = [f"{rng.normal() + 9 * (i % 3):.4f},{rng.normal():.4f},{1 + i % 3}" for i in range(30)]
    with gzip.open(folder / "clustbench" / "groups.csv.gz", "wt") as file:
        file.write("\n".join(["f1,f2,label", *rows, "99,99,0"]) + "\n")
    monkeypatch.setenv("PARTITA_DATA", str(folder))
    return folder


def test_ensembles_are_made_once(tmp_path, data, capsys):
    words = ["--output", str(tmp_path / "out"), "--data", str(data), "--names", "groups"]
    words += ["--recipes", "kmeans-2-20", "kmeans-k-sqrt"]
    ensembles.main(words)
    files = sorted((tmp_path / "out").iterdir())
    assert [file.name.split(".")[:2] for file in files] == [["groups", "kmeans-2-20"], ["groups", "kmeans-k-sqrt"]]
    frozen = load_frozen(files[1])
    assert frozen.labels.shape == (31, 20)
    assert set(frozen.labels.max(axis=0) + 1) <= {3, 4, 5}  # k to the root of 31
    assert frozen.truth.tolist() == [0, 1, 2] * 10 + [-1]
    assert frozen.about["preparation"] == "1 noise points have no class"
    assert capsys.readouterr().out.count(" made, ") == 2

    files[0].write_bytes(files[0].read_bytes()[:-30])  # a damaged file is made again, the other one is not
    ensembles.main(words)
    assert sorted((tmp_path / "out").iterdir()) == files
    assert load_frozen(files[0]).labels.shape == (31, 20)
    out = capsys.readouterr().out
    assert (out.count(" made, "), out.count(" there, ")) == (1, 1)


@pytest.mark.usefixtures("data")
def test_the_papers_recipe_gives_six_algorithms():
    frozen = made("groups", "pcc-2")
    assert frozen.labels.shape[1] == 6 * 9
    assert frozen.hash == made("groups", "pcc-2", n_jobs=2).hash


def test_two_ensembles_of_one_name_are_refused(tmp_path, data):
    ensembles.main(["--output", str(tmp_path), "--names", "groups", "--recipes", "kmeans-2-20"])
    (file,) = tmp_path.glob("*.npz")
    with np.load(file) as stored:
        parts = dict(stored)
    from partita.experiments import freeze, save_frozen

    save_frozen(freeze(parts["labels"][:, 1:], parts["truth"], data="groups", recipe="kmeans-2-20", seed=0), tmp_path)
    with pytest.raises(SystemExit, match="is there 2 times"):
        ensembles.existing(tmp_path, "groups", "kmeans-2-20")


def test_a_folder_is_needed(tmp_path, monkeypatch):
    monkeypatch.delenv("PARTITA_DATA", raising=False)
    with pytest.raises(SystemExit, match="set PARTITA_DATA"):
        ensembles.main(["--output", str(tmp_path)])


def test_numbers_are_standardised_and_categories_coded():
    table = pd.DataFrame({"a": [1.0, 2, 3], "b": ["y", "n", "y"], "c": ["r", "s", "t"], "d": [5.0, 5, 5]})
    features, words = prepared(Dataset("toy", table, None, 0, "", ""))
    root = np.sqrt(1.5)
    expected = [[-root, 1, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [root, 1, 0, 0, 1, 0]]
    np.testing.assert_allclose(features, expected, atol=1e-12)
    assert words == "standardised; 2 categorical features coded 0/1"


def test_pixels_and_planes_stay_as_they_are():
    table = pd.DataFrame(np.arange(8.0).reshape(2, 4))
    whole = [Dataset(name, table, None, 0, "", "") for name in AS_THEY_ARE]
    for data in (*whole, Dataset("toy", table.iloc[:, :2], None, 0, "", "")):
        features, words = prepared(data)
        np.testing.assert_array_equal(features, data.features)
        assert words == ""


def test_texts_are_weighted_once():
    counts = csr_matrix(np.array([[2.0, 0], [1, 1]]))
    for name in TEXTS:
        features, words = prepared(Dataset(name, counts, None, 0, "", ""))
        assert words == ("tf-idf" if name in COUNTS else "")
        weighted = 1 + np.log([[3 / 3, 3 / 2]])  # smooth: one more document with every term
        rows = counts.toarray() * weighted
        expected = rows / np.linalg.norm(rows, axis=1, keepdims=True) if name in COUNTS else counts.toarray()
        np.testing.assert_allclose(features.toarray(), expected)


def test_the_names_are_what_load_knows_without_near_copies(data):
    for name in ("wine_quality_white", "letter_recognition"):
        with gzip.open(data / f"{name}.csv.gz", "wt") as file:
            file.write("f1,f2,label\n1,2,5\n")
    (data / "mini_newsgroups.counts.npz").touch()
    expected = [*SYNTHETIC, "groups", "letter_recognition", "letter_700", "mini_newsgroups_17", "wine_quality_567"]
    found = ensembles.leaderboard_names()
    assert sorted(found) == sorted(expected)
    assert set(found) <= set(dataset_names())
    assert set(OF_PAPERS) <= set(dataset_names(fetched=True)) | set(TEXTS)
    assert ensembles.table_names()[-1] == "groups"  # small files first


@pytest.mark.usefixtures("data")
def test_drawn_data_are_frozen_unscaled():
    frozen = made("two_clusters_outliers", "kmeans-2-20")
    assert frozen.labels.shape == (220, 20)
    assert (frozen.n_classes, frozen.about["preparation"].count("standardised")) == (2, 0)


def test_the_papers_recipe_is_for_few_objects():
    assert recipes_for("toy", 2500) == ("kmeans-2-20", "kmeans-k-sqrt", "pcc-2")
    assert recipes_for("toy", 2501) == recipes_for("webkb", 1041) == ("kmeans-2-20", "kmeans-k-sqrt")
