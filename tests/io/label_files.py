"""Small files of labels."""

import gzip

ROWS = [["cell-01", "0", "x"], ["cell-02", "0", ""], ["cell-03", "1", "y"], ["cell-04", "", "y"]]

CODES = [[0, 0], [0, -1], [1, 1], [-1, 1]]


def write(path, rows, separator=","):
    text = "\n".join(separator.join(row) for row in rows) + "\n"
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text)
    return path
