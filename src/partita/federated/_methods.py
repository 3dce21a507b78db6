"""The one list of methods that can be fitted without pooling, by rows and by columns."""

from partita.federated.columns import _bce as _column_bce
from partita.federated.columns import _mixture as _column_mixture
from partita.federated.columns import _nbce as _column_nbce
from partita.federated.columns._fit import ColumnMethod
from partita.federated.rows import _bce as _row_bce
from partita.federated.rows import _embedding as _row_embedding
from partita.federated.rows import _hbgf as _row_hbgf
from partita.federated.rows import _heuristic as _row_heuristic
from partita.federated.rows import _label_kmeans as _row_kmeans
from partita.federated.rows import _mixture as _row_mixture
from partita.federated.rows import _nbce as _row_nbce
from partita.federated.rows import _tables as _row_tables
from partita.federated.rows._fit import RowMethod

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
