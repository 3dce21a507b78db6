"""Files of every format, whole and damaged: what is read is a table or refused in one line that names the file."""

import gzip
import warnings
from io import BytesIO

import numpy as np
import pandas as pd

from partita.exceptions import FileFormatError, NotEnoughMemoryError

FRAME = pd.DataFrame(
    {
        "cell": [f"cell-{i:02d}" for i in range(40)],
        "p": np.arange(40) % 3,
        "q": [["x", "y", "z\u00e9", None][i % 4] for i in range(40)],
        "r": [[0.0, 1.0, np.nan][i % 3] for i in range(40)],
    }
)


def _bytes(write):
    buffer = BytesIO()
    write(buffer)
    return buffer.getvalue()


def whole_files():
    """One small file of each format, by its name."""
    labels = FRAME[["p", "r"]].fillna(-1).astype(int).to_numpy()
    text = FRAME.to_csv(index=False).encode()
    return {
        "a.csv": text,
        "a.tsv": FRAME.to_csv(index=False, sep="\t").encode("utf-16"),
        "a.csv.gz": gzip.compress(text, mtime=0),
        "a.npy": _bytes(lambda file: np.save(file, labels)),
        "a.npz": _bytes(lambda file: np.savez(file, labels=labels)),
        "b.npz": _bytes(lambda file: np.savez_compressed(file, labels=labels.astype(str))),
        "a.parquet": _bytes(lambda file: FRAME.to_parquet(file)),
        "b.parquet": _bytes(lambda file: FRAME.to_parquet(file, compression=None)),
        "a.xlsx": _bytes(lambda file: FRAME.to_excel(file, index=False)),
    }


def damaged(content, rng):
    """The content cut off, or with changed, lost, repeated or added bytes."""
    data = bytearray(content)
    kind = rng.integers(5)
    place = int(rng.integers(len(data)))
    if kind == 0:
        return bytes(data[:place])
    if kind == 1:
        for where in rng.integers(len(data), size=rng.integers(1, 9)):
            data[where] ^= 1 << int(rng.integers(8))
    elif kind == 2:
        data[place : place + int(rng.integers(1, 40))] = rng.bytes(int(rng.integers(0, 40)))
    elif kind == 3:
        end = place + int(rng.integers(1, 200))
        data[place:end] = data[place:end] * 2
    else:
        data[place : place + int(rng.integers(1, 400))] = bytes(int(rng.integers(0, 400)))
    return bytes(data)


def read_or_refuse(read, path):
    """Read a file; anything but a table or a refusal in one line with the file's name is raised.

    Returns what the refusal says, or None.
    """
    said = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of blanks, words and encodings
        try:
            read(path)
        except (FileFormatError, NotEnoughMemoryError, OSError) as error:
            said = str(error)
    assert said is None or (path.name in said and "\n" not in said), said
    return said
