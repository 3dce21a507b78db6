import datetime

import numpy as np
import pytest

from partita import BCE, LWGP, LabelBlocks, combine
from partita.blocks import _journal
from partita.blocks._journal import load_rows, save_rows
from partita.blocks._reduction import BlockRows
from partita.exceptions import BlockError
from tests.blocks.ensembles import kmeans_labels


@pytest.fixture(scope="module")
def labels():
    return kmeans_labels(3000, 6)[0]


@pytest.fixture
def files(labels, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, part in enumerate(np.array_split(labels, 6)):
        np.save(folder / f"part-{number}.npy", part)
    return folder


class InterruptedFitError(Exception):
    pass


def interrupt(monkeypatch, name, after):
    """Let a function of the journal fail after so many calls."""
    calls, original = [0], getattr(_journal.Journal, name, None) or getattr(_journal, name)

    def failing(*arguments, **named):
        calls[0] += 1
        if calls[0] > after:
            raise InterruptedFitError
        return original(*arguments, **named)

    monkeypatch.setattr(_journal.Journal if hasattr(_journal.Journal, name) else _journal, name, failing)


@pytest.mark.parametrize("limit", [None, 1 << 40])
@pytest.mark.parametrize(("place", "after"), [("save_rows", 3), ("ask", 4)])
def test_an_interrupted_fit_goes_on_to_the_same_bits(files, tmp_path, monkeypatch, limit, place, after):
    if limit is not None:
        monkeypatch.setattr("partita.blocks._reduction._BYTES_OF_ROW", (limit, 0))
        monkeypatch.setattr("partita.blocks.beyond._fit.SAMPLE", 1000)
    elif place == "ask":
        pytest.skip("rows that fit in memory need no further pass")
    expected = BCE(4, random_state=0).fit(LabelBlocks.from_files(files))
    folder = tmp_path / "journal"
    with monkeypatch.context() as broken:
        interrupt(broken, place, after)
        with pytest.raises(InterruptedFitError):
            BCE(4, random_state=0).fit(LabelBlocks.from_files(files, resume=folder))
    folder = folder / "BCE"
    kept = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert any(name.startswith("block-" if place == "save_rows" else "pass-") for name in kept)
    model = BCE(4, random_state=0, n_jobs=2).fit(LabelBlocks.from_files(files, resume=folder.parent))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    np.testing.assert_array_equal(model.alpha_, expected.alpha_)
    assert model.history_ == expected.history_
    for name, written in kept.items():  # what was there was not made again
        assert (folder / name).stat().st_mtime_ns == written
    assert not list(folder.glob(".partita-*"))


def test_blocks_of_a_function_can_be_resumed(labels, tmp_path, monkeypatch):
    def parts():
        return np.array_split(labels, 5)

    expected = LWGP(4, random_state=0).fit(LabelBlocks.from_iterable(parts)).labels_
    with monkeypatch.context() as broken:
        interrupt(broken, "save_rows", 2)
        with pytest.raises(InterruptedFitError):
            LWGP(4, random_state=0).fit(LabelBlocks.from_iterable(parts, resume=tmp_path / "j"))
    for _ in range(2):  # goes on, and is then complete
        model = LWGP(4, random_state=0).fit(LabelBlocks.from_iterable(parts, resume=tmp_path / "j"))
        np.testing.assert_array_equal(model.labels_, expected)


def test_a_folder_of_another_fit_is_refused(files, tmp_path):
    folder = tmp_path / "journal"
    LWGP(4, random_state=0).fit(LabelBlocks.from_files(files, resume=folder))
    with pytest.raises(ValueError, match=r"holds another fit .*differs in: parameters"):
        LWGP(4, random_state=1).fit(LabelBlocks.from_files(files, resume=folder))
    blocks = LabelBlocks.from_files(files, resume=tmp_path / "two")  # a second method has a place of its own
    result = combine(blocks, method="bce", random_state=0)
    np.testing.assert_array_equal(
        result.labels, combine(LabelBlocks.from_files(files), method="bce", random_state=0).labels
    )
    np.save(files / "part-3.npy", np.zeros((9, 6), dtype=int))
    with pytest.raises(ValueError, match="differs in: blocks"):
        LWGP(4, random_state=0).fit(LabelBlocks.from_files(files, resume=folder))
    with pytest.raises(ValueError, match="holds other files"):
        LWGP(4, random_state=0).fit(LabelBlocks.from_files(files, resume=files))
    with pytest.raises(ValueError, match="draws the same numbers again"):
        LWGP(4).fit(LabelBlocks.from_files(files, resume=tmp_path / "other"))


def test_rows_of_a_block_in_a_file(tmp_path):
    labels = [np.array([1, 5]), np.array(["a", "b", 3], dtype=object), np.array([0.5, 2.0]), np.array([], dtype=object)]
    codes = np.array([[0, 1, -1, -1], [1, 2, 1, -1]], dtype=np.int32)
    rows = BlockRows("x", list("abcd"), labels, codes, np.array([3, 1]), np.array([0, 0, 1, 0], dtype=np.uint8))
    save_rows(tmp_path / "rows.npz", rows)
    again = load_rows(tmp_path / "rows.npz")
    assert again.name == "x"
    assert again.names == list("abcd")
    assert [found.tolist() for found in again.labels] == [found.tolist() for found in labels]
    for ours, theirs in zip(again[3:], rows[3:], strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_other_labels_or_other_columns_are_not_taken_for_the_stored_ones(labels, files, tmp_path):
    model = LWGP(4, random_state=0)
    model.fit(LabelBlocks.from_array(labels, rows=500, resume=tmp_path / "a"))
    with pytest.raises(ValueError, match="differs in: blocks"):
        model.fit(LabelBlocks.from_array(labels[::-1].copy(), rows=500, resume=tmp_path / "a"))
    model.fit(LabelBlocks.from_iterable(lambda: [labels[:500], labels[500:]], resume=tmp_path / "b"))
    with pytest.raises(ValueError, match="differs in: blocks"):
        model.fit(LabelBlocks.from_iterable(lambda: [labels[1:500], labels[500:]], resume=tmp_path / "b"))
    model.fit(LabelBlocks.from_files(files, resume=tmp_path / "c"))
    with pytest.raises(ValueError, match="differs in: blocks"):
        model.fit(LabelBlocks.from_files(files, columns=["c0", "c1", "c2"], resume=tmp_path / "c"))


def test_the_way_of_a_fit_does_not_change_with_the_memory(files, tmp_path, monkeypatch):
    def fit(resume=None):
        return BCE(4, random_state=0).fit(LabelBlocks.from_files(files, resume=resume))

    in_memory = fit(tmp_path / "a")
    with monkeypatch.context() as less:
        less.setattr("partita.blocks._reduction._BYTES_OF_ROW", (1 << 40, 0))
        beyond = fit(tmp_path / "b")
        assert fit(tmp_path / "a").history_ == in_memory.history_
    assert fit(tmp_path / "b").history_ == beyond.history_ != in_memory.history_


def test_damaged_files_are_named(files, tmp_path):
    model, folder = LWGP(4, random_state=0), tmp_path / "journal"
    model.fit(LabelBlocks.from_files(files, resume=folder))
    (folder / "LWGP" / "block-000002.npz").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"block-000002.npz', kept to resume a fit, is damaged"):
        model.fit(LabelBlocks.from_files(files, resume=folder))
    (folder / "LWGP" / "fit.json").write_text("{")
    with pytest.raises(ValueError, match=r"fit.json', kept to resume a fit, is damaged"):
        model.fit(LabelBlocks.from_files(files, resume=folder))


def test_labels_that_cannot_be_written_are_told(tmp_path):
    days = [datetime.date(2026, 1, day) for day in (1, 2, 1, 2)]
    blocks = LabelBlocks.from_iterable(lambda: [{"a": days, "b": [1, 2, 1, 2]}], resume=tmp_path / "j")
    with pytest.raises(ValueError, match="labels cannot be kept to resume"):
        LWGP(2, random_state=0).fit(blocks)


def test_a_second_fit_looks_at_the_files_again(files):
    blocks = LabelBlocks.from_files(files)
    LWGP(4, random_state=0).fit(blocks)
    (files / "part-2.npy").unlink()
    with pytest.raises(BlockError, match=r"'part-2.npy': the file is gone"):
        LWGP(4, random_state=0).fit(blocks)
