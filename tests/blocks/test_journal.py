import numpy as np
import pytest

from partita import BCE, LWGP, LabelBlocks, combine
from partita.blocks import _journal
from partita.blocks._journal import load_rows, save_rows
from partita.blocks._reduction import BlockRows
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
