"""Files of labels and of features in every format, whole and damaged."""

import gzip
import io
import re
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd

from tests.fuzz.draws import Rng, chance, draw_table, pick

Drawn = tuple[dict[str, str], list[str]]
_CELLS = (
    "",
    "NA",
    "nan",
    "?",
    "-",
    " ",
    "x ",
    "é",
    "1,5",
    '"q"',
    "=1+1",
    "1e400",
    "-1",
    "2024-01-01",
    "inf",
    "\t",
    "'",
    "None",
    "0x1F",
)


def _frame(rng: Rng, *, features: bool) -> pd.DataFrame:
    """A small table; some cells are unusual."""
    n, m = int(rng.integers(1, 13)), int(rng.integers(1, 6))
    values = rng.normal(size=(n, m)).round(3) if features else draw_table(rng, n, m)
    frame = pd.DataFrame(values, columns=[f"c{j}" for j in range(m)])
    if chance(rng, 0.5):
        frame.insert(0, pick(rng, "id", "name", "customer_id", "x"), [f"o{i}" for i in range(n)])
    return frame


def _text(separator: str, encoding: str = "utf-8") -> Callable[[Rng, pd.DataFrame], bytes]:
    def write(rng: Rng, frame: pd.DataFrame) -> bytes:
        rows = [[str(name) for name in frame.columns]] * chance(rng, 0.8) + frame.astype(str).to_numpy().tolist()
        rows = [list(row) for row in rows]
        while chance(rng, 0.4):
            row = rows[int(rng.integers(len(rows)))]
            row[int(rng.integers(len(row)))] = pick(rng, *_CELLS)
        end = pick(rng, "\n", "\n", "\r\n", "\r")
        chosen = pick(rng, encoding, encoding, encoding, "utf-8-sig", "utf-16", "latin-1", "utf-32")
        return (end.join(separator.join(row) for row in rows) + end).encode(chosen, errors="replace")

    return write


def _numpy(rng: Rng, frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    array = frame.to_numpy(dtype=pick(rng, "U", object)) if frame.dtypes.iloc[0].kind == "O" else frame.to_numpy()
    np.save(buffer, array.ravel() if chance(rng, 0.1) else array, allow_pickle=True)
    return buffer.getvalue()


def _npz(rng: Rng, frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    numbers = frame.select_dtypes("number").to_numpy()
    arrays = {pick(rng, "labels", "X"): numbers, **({"more": numbers} if chance(rng, 0.2) else {})}
    (np.savez_compressed if chance(rng, 0.5) else np.savez)(buffer, **arrays)
    return _undated(buffer.getvalue())


def _parquet(rng: Rng, frame: pd.DataFrame) -> bytes:
    if chance(rng, 0.1):
        frame = frame.assign(nested=[[1, 2]] * len(frame))
    if chance(rng, 0.1):
        frame = frame.assign(when=pd.Timestamp("2024-01-01"), part=b"x")
    if chance(rng, 0.1):
        frame = frame.assign(struct=[{"a": 1}] * len(frame))
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def _excel(rng: Rng, frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=chance(rng, 0.2), header=chance(rng, 0.8))
    return _undated(buffer.getvalue())


def _undated(content: bytes) -> bytes:
    """The same archive without times, so that a seed gives the same bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for info in old.infolist():
            member = re.sub(rb"\d{4}-\d\d-\d\dT[\d:]{8}Z", b"2000-01-01T00:00:00Z", old.read(info))
            undated = zipfile.ZipInfo(info.filename)
            undated.compress_type = info.compress_type
            new.writestr(undated, member)
    return buffer.getvalue()


def _zipped(write: Callable[[Rng, pd.DataFrame], bytes]) -> Callable[[Rng, pd.DataFrame], bytes]:
    return lambda rng, frame: gzip.compress(write(rng, frame), mtime=0)


def _formats() -> dict[str, Callable[[Rng, pd.DataFrame], bytes]]:
    from importlib.util import find_spec

    found = {
        "csv": _text(","),
        "tsv": _text("\t"),
        "txt": _text(" "),
        "csv.gz": _zipped(_text(",")),
        "tsv.gz": _zipped(_text("\t")),
        "npy": _numpy,
        "npz": _npz,
        "parquet": _parquet,
    }
    return found | ({"xlsx": _excel} if find_spec("openpyxl") else {})


FORMATS = _formats()


# ------------------------------------------------------------------------------------------------------------- damages
def _flip(rng: Rng, content: bytearray) -> bytes:
    for _ in range(int(pick(rng, 1, 1, 3, 20))):
        content[int(rng.integers(len(content)))] = int(rng.integers(256))
    return bytes(content)


def _cut(rng: Rng, content: bytearray) -> bytes:
    return bytes(content[: int(rng.integers(len(content)))])


def _insert(rng: Rng, content: bytearray) -> bytes:
    place = int(rng.integers(len(content) + 1))
    junk = pick(rng, b"\x00", b"\xff\xfe", b'"', b"\n\n", b"PK\x03\x04", rng.bytes(8), b",", b"#", b"\r")
    return bytes(content[:place]) + junk + bytes(content[place:])


def _drop(rng: Rng, content: bytearray) -> bytes:
    """Without some bytes in the middle; of a text file, without a line."""
    lines = bytes(content).split(b"\n")
    if len(lines) > 2 and chance(rng, 0.5):
        del lines[int(rng.integers(len(lines)))]
        return b"\n".join(lines)
    start = int(rng.integers(len(content)))
    return bytes(content[:start]) + bytes(content[start + int(rng.integers(1, 20)) :])


def _twice(rng: Rng, content: bytearray) -> bytes:
    return bytes(content) * 2


_DAMAGES = (_flip, _cut, _insert, _drop, _twice, lambda rng, content: bytes(content), lambda rng, content: b"")


def damaged(rng: Rng, content: bytes) -> bytes:
    """The content with one or two damages; sometimes none."""
    for _ in range(int(pick(rng, 1, 1, 2))):
        content = pick(rng, _flip, *_DAMAGES)(rng, bytearray(content)) if content else content
    return content


def _file(extension: str, *, features: bool) -> Callable[[Rng], Drawn]:
    def draw(rng: Rng) -> Drawn:
        content = damaged(rng, FORMATS[extension](rng, _frame(rng, features=features)))
        shown = pick(rng, *FORMATS, "dat") if chance(rng, 0.08) else extension
        reader = "read_feature_table" if features else "read_labels"
        options = str(
            pick(
                rng,
                "",
                "",
                "",
                ", id_column=False",
                ", id_column=True",
                ", header=True",
                ", header=False",
                ", id_column='id'",
            )
        )
        steps = [
            f"path = folder / 'table.{shown}'",
            "path.write_bytes(content)",
            f"result = partita.io.{reader}(path{options})",
        ]
        if not features and chance(rng, 0.5):
            steps.append("features = partita.io.read_features(path, result)")
        return {"content": repr(content)}, steps

    return draw


FILES: dict[str, Callable[[Rng], Drawn]] = {
    **{f"labels.{extension}": _file(extension, features=False) for extension in FORMATS},
    **{f"features.{extension}": _file(extension, features=True) for extension in FORMATS},
}
