"""The one list of methods that can be fitted without pooling, by rows and by columns."""

from partita.federated import (
    _column_bce,
    _column_mixture,
    _column_nbce,
    _row_bce,
    _row_embedding,
    _row_hbgf,
    _row_heuristic,
    _row_kmeans,
    _row_mixture,
    _row_nbce,
    _row_tables,
)
from partita.federated._columns import ColumnMethod
from partita.federated._rows import RowMethod

HEURISTIC = {"BCE": _row_heuristic.METHOD}

ROW_METHODS: dict[str, RowMethod] = {
    "BCE": _row_bce.METHOD,
    "MultinomialMixture": _row_mixture.METHOD,
    "NBCE": _row_nbce.METHOD,
    "ECPCS": _row_tables.ECPCS,
    "LabelKMeans": _row_kmeans.METHOD,
    "MCLA": _row_tables.MCLA,
    "HBGF": _row_hbgf.METHOD,
    "USENC": _row_embedding.USENC,
    "LWGP": _row_embedding.LWGP,
}

NOISY = {name: ROW_METHODS[name] for name in ("ECPCS", "MCLA")}  # which need the tables of labels and nothing else

COLUMN_METHODS: dict[str, ColumnMethod] = {
    "BCE": _column_bce.METHOD,
    "MultinomialMixture": _column_mixture.METHOD,
    "NBCE": _column_nbce.METHOD,
}
