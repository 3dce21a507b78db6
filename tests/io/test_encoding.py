"""Encodings of text files: marked, recognised, given; a guess is told."""

import pytest

from partita.exceptions import FileContentWarning, FileFormatError
from partita.io import read_feature_table, read_labels

TEXT = "id,a,b\nM\u00fcller,1,\u00fc\nB\u00e4r,2,x\nZo\u00eb,2,x\n"
IDS = ["M\u00fcller", "B\u00e4r", "Zo\u00eb"]


def write(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_text_is_read_without_a_word(tmp_path, encoding):
    table = read_labels(write(tmp_path / "a.csv", TEXT.encode(encoding)))
    assert list(table.ids) == IDS
    assert table.labels["b"].tolist() == ["\u00fc", "x", "x"]
    assert table.id_name == "id"


@pytest.mark.parametrize(
    ("encoding", "told"),
    [("utf-16-le", "UTF-16-LE"), ("utf-16-be", "UTF-16-BE"), ("latin-1", "Windows-1252"), ("cp1252", "Windows-1252")],
)
def test_recognised_text_is_told(tmp_path, encoding, told):
    path = write(tmp_path / "a.csv", TEXT.encode(encoding))
    with pytest.warns(FileContentWarning, match=f"'a.csv' is .*read as {told}.*pass encoding="):
        assert list(read_labels(path).ids) == IDS


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "latin-1", "cp1250", "mac-roman"])
def test_given_encodings_are_used_without_a_word(tmp_path, encoding):
    path = write(tmp_path / "a.csv", TEXT.encode(encoding))
    assert list(read_labels(path, encoding=encoding).ids) == IDS


def test_the_encoding_of_features_is_given_too(tmp_path):
    path = write(tmp_path / "a.csv", "id,gr\u00f6\u00dfe\nx,1.5\ny,2.5\nz,2\n".encode("latin-1"))
    assert read_feature_table(path, encoding="latin-1").features.columns.tolist() == ["gr\u00f6\u00dfe"]


REFUSED = {
    "damaged UTF-8": (TEXT.encode() + b"x\xff,1,2\n", "UTF-8 text with damaged characters, the first on line 5"),
    "zero bytes": (b"a,b\n1,\x002\n", "not a text file .it holds zero bytes"),
    "control characters": (b"a,b\n\x01\xff,2\n", "not a text file .it holds control characters"),
    "no character of Windows": (b"a,b\nx\x81,2\n", "encoding cp1252: line 2"),
    "half a character": (TEXT.encode("utf-16")[:-1], "not text in the encoding utf-16"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_text_is_refused(tmp_path, case):
    content, message = REFUSED[case]
    with pytest.raises(FileFormatError, match=message):
        read_labels(write(tmp_path / "a.csv", content))


@pytest.mark.parametrize(("encoding", "message"), [("nope", "is not known"), ("zip", "not an encoding of text")])
def test_unknown_encodings_are_refused(tmp_path, encoding, message):
    with pytest.raises(ValueError, match=message):
        read_labels(write(tmp_path / "a.csv", TEXT.encode()), encoding=encoding)
    with pytest.raises(FileFormatError, match="not text in the encoding utf-8: line 2"):
        read_labels(write(tmp_path / "b.csv", TEXT.encode("latin-1")), encoding="utf-8")
