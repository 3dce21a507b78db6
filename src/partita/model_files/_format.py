"""What a model file is: a ZIP archive that NumPy opens as NPZ, with one JSON document beside plain arrays.

The arrays are not compressed. So a file never asks for more memory than it has bytes, and that is looked at before
anything is read.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from partita._typing import Array
from partita.exceptions import FileFormatError

FORMAT = "partita model"
VERSION = 1  # raised when the meaning of a document changes; the readers of older ones stay: _load.py
DOCUMENT = "model.json"
KINDS = "biufMm"  # of arrays: truth values, numbers, dates; text is in the document
INDICES = ("object", "str", "string", "bool", "int64", "int32", "uint64", "uint32", "float64", "float32")
_NPY = (1, 0)
_LONGEST_HEADER = 10_000  # bytes; that of a plain array has about 120
_MANY = 1_000_000  # entries; a model has some dozens


def write_archive(file: Path, document: dict[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write the document and the arrays; the same model gives the same bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        text = json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False)
        archive.writestr(_entry(DOCUMENT), text.encode("utf-8", errors="surrogatepass"))
        for name, array in arrays.items():
            with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, array, version=_NPY, allow_pickle=False)


def _entry(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))


def read_archive(content: BinaryIO, size: int) -> tuple[Any, dict[str, Array]]:
    """The document and the arrays, if the entries are what they claim to be."""
    with zipfile.ZipFile(content) as archive:
        entries = {entry.filename: entry for entry in _checked_entries(archive, size)}
        if DOCUMENT not in entries:
            raise FileFormatError(f"it has no entry {DOCUMENT!r}")
        text = archive.read(DOCUMENT)
        document = json.loads(text.decode("utf-8", errors="surrogatepass"), parse_constant=_refuse_constant)
        arrays = {
            name.removesuffix(".npy"): _read_array(archive, entry)
            for name, entry in entries.items()
            if name != DOCUMENT
        }
    return document, arrays


def _checked_entries(archive: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """The entries, if they are stored as they are and together are no larger than the file."""
    entries = archive.infolist()
    if len(entries) > _MANY or len({entry.filename for entry in entries}) < len(entries):
        raise FileFormatError("its entries are too many, or two have one name")
    for entry in entries:
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise FileFormatError(f"its entry {entry.filename[:60]!r} is compressed, which model files are not")
        if entry.filename != DOCUMENT and not entry.filename.endswith(".npy"):
            raise FileFormatError(f"its entry {entry.filename[:60]!r} is no array")
    if sum(entry.file_size for entry in entries) > size:
        raise FileFormatError("its entries claim to be larger than the file")
    return entries


def _read_array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Array:
    """One array, after its header has been compared with the bytes that are there."""
    with archive.open(entry) as file:
        content = file.read()  # not more than the file has, and the checksum is compared
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != _NPY:
        raise FileFormatError(f"its entry {entry.filename[:60]!r} is no array of version 1.0")
    shape, _, dtype = np.lib.format.read_array_header_1_0(stream, max_header_size=_LONGEST_HEADER)
    if dtype.kind not in KINDS or dtype.subdtype is not None:
        raise FileFormatError(f"its array {entry.filename[:60]!r} has the type {dtype}; numbers are allowed")
    n_values = 1
    for length in shape:
        n_values *= int(length)
    if any(length < 0 for length in shape) or n_values * dtype.itemsize != len(content) - stream.tell():
        raise FileFormatError(f"its array {entry.filename[:60]!r} has not the {n_values} values that it claims")
    stream.seek(0)
    array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _refuse_constant(word: str) -> Any:
    raise FileFormatError(f"its document has {word}, which is no JSON")
