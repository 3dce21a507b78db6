import gzip
import os
import warnings

import numpy as np
import pandas as pd
import pytest

from partita import LWGP, LabelBlocks
from partita.blocks import _label_blocks
from partita.exceptions import BlockError, FileContentWarning
from partita.io import _label_parts
from tests.blocks.ensembles import noisy_labels


@pytest.fixture(scope="module")
def frame():
    X, _ = noisy_labels(240, m=4)
    words = np.array(["ash", "birch", "cedar", 'da vi, "D"', "elm"])
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    table["d"] = [None if np.isnan(value) else words[int(value)] for value in table["d"]]
    return table


@pytest.fixture(scope="module")
def expected(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LWGP(3, random_state=0).fit(frame)


def write_parts(frame, folder, suffix, n_parts=4):
    for number, part in enumerate(np.array_split(np.arange(len(frame)), n_parts)):
        table = frame.iloc[part].reset_index(drop=True)
        table.insert(0, "cell", [f"cell-{i}" for i in part])
        path = folder / f"part-{number * 4}{suffix}"  # part-0, part-4, part-8, part-12: not in the order of their text
        if suffix == ".parquet":
            pytest.importorskip("pyarrow")
            table.to_parquet(path, row_group_size=11)
        else:
            table.to_csv(path, index=False, sep="\t" if suffix == ".tsv" else ",")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".parquet"])
@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_files_of_a_folder_give_the_fit_of_the_whole_table(frame, expected, tmp_path, suffix):
    write_parts(frame, tmp_path, suffix)
    blocks = LabelBlocks.from_files(tmp_path, rows=25)
    assert blocks.names == ["a", "b", "c", "d"]
    model = LWGP(3, random_state=0).fit(blocks)
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(model.predict(frame), expected.predict(frame))
    ids = np.concatenate([piece.ids for block in blocks.blocks() for piece in block.pieces()])
    assert ids.tolist() == [f"cell-{i}" for i in range(len(frame))]
    if suffix == ".parquet":
        assert blocks.n_blocks > 4  # files are cut between their groups of rows


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_a_text_file_is_read_in_parts(frame, expected, tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(_label_parts, "_TEXT", 500)
    path = tmp_path / f"all{suffix}"
    text = "# made by hand\n" + frame.to_csv(index=False)
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    blocks = LabelBlocks.from_files(path)
    assert sum(1 for _ in blocks) > 4
    np.testing.assert_array_equal(LWGP(3, random_state=0).fit(blocks).labels_, expected.labels_)


def test_quoted_line_breaks_are_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(_label_parts, "_TEXT", 40)
    table = pd.DataFrame({"a": ["one\ntwo", "three"] * 20, "b": list(range(4)) * 10})
    table.to_csv(tmp_path / "all.csv", index=False)
    pieces = list(LabelBlocks.from_files(tmp_path / "all.csv"))
    assert len(pieces) > 5
    assert pd.concat(pieces)["a"].tolist() == table["a"].tolist()


def test_arrays_in_memory_on_disk_and_in_npy_files(tmp_path):
    X, _ = noisy_labels(200)
    X[7] = 0
    np.save(tmp_path / "x.npy", X)
    expected = LWGP(3, random_state=0).fit(X).labels_
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    fortran = np.asfortranarray(X)
    np.save(tmp_path / "f.npy", fortran)
    for array in (X, mapped, mapped[:], np.load(tmp_path / "f.npy", mmap_mode="r"), fortran):
        model = LWGP(3, random_state=0).fit(LabelBlocks.from_array(array, rows=30))
        np.testing.assert_array_equal(model.labels_, expected)
    changed = np.load(tmp_path / "x.npy", mmap_mode="c")
    changed[:] = 1.0  # in memory, not in the file
    assert LWGP(random_state=0).fit(LabelBlocks.from_array(changed, rows=30)).n_clusters_ == 1
    by_path = LabelBlocks.from_files(tmp_path / "x.npy", rows=30)
    assert by_path.n_blocks == 7
    np.testing.assert_array_equal(LWGP(3, random_state=0).fit(by_path).labels_, expected)
    assert not hasattr(LWGP(3, random_state=0).fit(by_path), "feature_names_in_")


def test_paths_patterns_and_lists(tmp_path):
    for name in ("p-10.csv", "p-9.csv", "other.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "notes.md").write_text("not labels")
    (tmp_path / "_SUCCESS").write_text("")
    with pytest.warns(FileContentWarning, match=r"'notes.md' holds no labels"):
        found = _label_blocks.find_files(tmp_path)
    assert [path.name for path in found] == ["other.csv", "p-9.csv", "p-10.csv"]
    assert [path.name for path in _label_blocks.find_files(str(tmp_path / "p-*.csv"))] == ["p-9.csv", "p-10.csv"]
    listed = [tmp_path / "p-10.csv", tmp_path / "other.csv"]
    assert _label_blocks.find_files(listed) == listed
    with pytest.raises(BlockError, match="no file matches"):
        LabelBlocks.from_files(str(tmp_path / "q-*.csv"))
    with pytest.raises(BlockError, match="the list of files is empty"):
        LabelBlocks.from_files([])
    with pytest.raises(BlockError, match=r"block 'gone.csv': there is no file"):
        LabelBlocks.from_files([tmp_path / "p-9.csv", tmp_path / "gone.csv"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BlockError, match="holds no file that can be read in blocks"):
        LabelBlocks.from_files(tmp_path / "empty")


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("a,c\n1,2\n3,4\n", "'2.csv' has the columns 'a', 'c', but the first block has 'a', 'b'"),
        ("a,b,c\n1,2,3\n3,4,3\n", "'2.csv' has 3 clusterings"),
        ("a,b\n1,x\n3,y\n", "'2.csv': the labels of column 'b' are text, but earlier ones are numbers"),
        ("", "'2.csv' is empty"),
        ("a,b\n", "'2.csv'.* no rows"),
    ],
)
def test_a_file_that_is_not_like_the_others_is_refused_before_any_work(tmp_path, second, message):
    (tmp_path / "1.csv").write_text("a,b\n1,2\n3,4\n")
    (tmp_path / "2.csv").write_text(second)
    with pytest.raises(BlockError, match=message):
        LabelBlocks.from_files(tmp_path)


@pytest.mark.filterwarnings("ignore::partita.exceptions.UnlabelledObjectsWarning")
def test_a_block_that_changes_or_vanishes_is_named(tmp_path):
    X, _ = noisy_labels(90)
    for number in range(3):
        np.save(tmp_path / f"part-{number}.npy", X[30 * number : 30 * number + 30])
    blocks = LabelBlocks.from_files(tmp_path)
    model = LWGP(3, random_state=0).fit(blocks)
    np.save(tmp_path / "part-1.npy", X[:31])
    with pytest.raises(BlockError, match=r"block 'part-1.npy': the file changed while it was used"):
        model.predict(blocks)
    (tmp_path / "part-1.npy").unlink()
    with pytest.raises(BlockError, match=r"block 'part-1.npy': the file is gone"):
        model.predict(blocks)
    mapped = np.load(tmp_path / "part-2.npy", mmap_mode="r")
    later = LabelBlocks.from_array(mapped, rows=10)
    os.utime(tmp_path / "part-2.npy", ns=(1, 1))
    with pytest.raises(BlockError, match=r"'part-2.npy': the file changed"):
        LWGP(3).fit(later)


def test_damaged_files_are_named(tmp_path):
    np.save(tmp_path / "1.npy", np.zeros((3, 2), dtype=int))
    (tmp_path / "2.npy").write_bytes(b"\x93NUMPY garbage")
    with pytest.raises(BlockError, match=r"block '2.npy'"):
        LabelBlocks.from_files(tmp_path)
    np.save(tmp_path / "2.npy", np.array([[object()]]), allow_pickle=True)
    with pytest.raises(BlockError, match=r"block '2.npy'"):
        LabelBlocks.from_files(tmp_path)


def test_wrong_calls():
    for rows in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="is no number of objects"):
            LabelBlocks.from_array(np.zeros((2, 2)), rows=rows)
    for array in (np.zeros(3), np.zeros((0, 2)), np.zeros((2, 0))):
        with pytest.raises(BlockError, match="labels are a 2-D array"):
            LabelBlocks.from_array(array)
    assert repr(LabelBlocks.from_array(np.zeros((4, 2)), rows=2)) == "<LabelBlocks: 2 blocks>"
    assert repr(LabelBlocks.from_iterable(list)) == "<LabelBlocks: blocks of a function>"
