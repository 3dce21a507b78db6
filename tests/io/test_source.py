"""Where bytes come from: files, standard input, pipes that are read once; and what cannot be opened."""

import gzip
import io
import os
import threading

import numpy as np
import pytest

from partita.io import read_feature_table, read_labels
from partita.io._source import PipedFile, keep_piped
from tests.io.damage import whole_files

TEXT = b"id,a,b\nu,1,2\nv,1,2\nw,2,2\n"


class Input:
    def __init__(self, content):
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("name", whole_files())
def test_standard_input_is_read_in_any_format(monkeypatch, name):
    monkeypatch.setattr("sys.stdin", Input(whole_files()[name]))
    assert len(read_labels("-").labels) == 40


def test_an_empty_standard_input_is_refused_by_name(monkeypatch):
    monkeypatch.setattr("sys.stdin", Input(b""))
    with pytest.raises(ValueError, match="'standard input' is empty"):
        read_labels("-")
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(FileNotFoundError, match="no standard input"):
        read_labels("-")


def feed(path, content):
    thread = threading.Thread(target=lambda: path.write_bytes(content))
    thread.start()
    return thread


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
@pytest.mark.parametrize("read", [read_labels, read_feature_table])
@pytest.mark.parametrize("content", [TEXT, gzip.compress(TEXT)], ids=["plain", "gzip"])
def test_a_pipe_is_read_once(tmp_path, read, content):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = feed(pipe, content)
    table = read(pipe)  # a second look at the pipe would wait for ever
    writer.join()
    assert table.ids.tolist() == ["u", "v", "w"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_what_came_through_a_pipe_can_be_looked_at_again(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = feed(tmp_path / "pipe", TEXT)
    kept = keep_piped(str(tmp_path / "pipe"))
    writer.join()
    assert isinstance(kept, PipedFile)
    assert kept == str(tmp_path / "pipe")
    assert len(read_labels(kept).labels) == len(read_labels(kept).labels) == 3
    assert keep_piped(kept) is kept
    assert keep_piped("no-file.csv") == "no-file.csv"


def test_a_file_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT)

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(PermissionError, match=r"no permission to read '.*a\.csv'"):
        read_labels(path)


def test_a_device_that_fails_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT)

    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("pathlib.Path.read_bytes", fail)
    with pytest.raises(OSError, match=r"'.*a\.csv' cannot be read \(Input/output error\)"):
        read_labels(path)


def test_a_link_to_nothing_is_told(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "none.csv")
    with pytest.raises(FileNotFoundError, match="is a link to a file that does not exist"):
        read_labels(tmp_path / "a.csv")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".npy", ".npz", ".parquet", ".xlsx"])
def test_empty_files_folders_and_junk_are_refused_in_every_format(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"")
    with pytest.raises(ValueError, match=r"'a.* is empty"):
        read_labels(path)
    path.write_bytes(np.random.default_rng(0).bytes(3000))
    with pytest.raises(ValueError, match=r"'a.*(cannot be read as|is not a text file)"):
        read_labels(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder"):
        read_labels(path)
