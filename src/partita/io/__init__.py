"""Read label matrices and features from files, and write results; a failure to write leaves the old file as it was.

CSV and TSV (also gzipped; the separator, the header, the encoding and a column of ids are recognised), Parquet, Excel,
NPY and NPZ; "-" is standard input or output.
"""

from partita.io._label_table import LabelTable
from partita.io._read_features import FeatureTable, read_feature_table, read_features
from partita.io._read_labels import read_labels
from partita.io._replacing import replacing
from partita.io._write import check_file, check_output, write_book, write_matrix, write_table

__all__ = [
    "FeatureTable",
    "LabelTable",
    "check_file",
    "check_output",
    "read_feature_table",
    "read_features",
    "read_labels",
    "replacing",
    "write_book",
    "write_matrix",
    "write_table",
]
