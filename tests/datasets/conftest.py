"""What the tests of data sets share: no network, and a folder to fill."""

import gzip
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from scipy.sparse import csr_matrix, save_npz

FETCHERS = ("fetch_openml", "fetch_kddcup99", "fetch_20newsgroups")


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """No test downloads anything, wherever it runs."""

    def refuse(*_, **__):
        raise URLError("no network in tests")

    for fetcher in FETCHERS:
        monkeypatch.setattr(sklearn.datasets, fetcher, refuse)


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("PARTITA_DATA", raising=False)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder that PARTITA_DATA names."""
    monkeypatch.setenv("PARTITA_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def write_table(folder):
    """Write rows, classes last, as a table of the folder."""

    def write(name, rows):
        header = ",".join([*(f"f{place}" for place in range(1, len(rows[0]))), "label"])
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    return write


@pytest.fixture
def write_texts(folder):
    """Write counts, classes and terms as texts of the folder."""

    def write(name, counts, labels, terms):
        save_npz(folder / f"{name}.counts.npz", csr_matrix(np.asarray(counts, dtype=np.int32)))
        documents = [f"{place},{label}" for place, label in enumerate(labels)]
        for ending, lines in (("labels.csv.gz", ["doc,label", *documents]), ("vocab.txt.gz", terms)):
            with gzip.open(folder / f"{name}.{ending}", "wt", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")

    return write
