"""The questions that a site answers, and by which function; nothing else can be called from outside."""

from collections.abc import Callable, Mapping
from typing import Any

from partita.federated.columns import _bce_steps as _column_bce_steps
from partita.federated.columns import _fit as _columns
from partita.federated.columns import _mixture as _column_mixture
from partita.federated.columns import _nbce as _column_nbce
from partita.federated.columns import _paper as _column_paper
from partita.federated.columns import _starts as _column_starts
from partita.federated.rows import _bce as _row_bce
from partita.federated.rows import _embedding as _row_embedding
from partita.federated.rows import _hbgf as _row_hbgf
from partita.federated.rows import _heuristic as _row_heuristic
from partita.federated.rows import _label_kmeans as _row_kmeans
from partita.federated.rows import _lloyd as _row_lloyd
from partita.federated.rows import _mixture as _row_mixture
from partita.federated.rows import _nbce as _row_nbce
from partita.federated.rows import _number as _row_number
from partita.federated.rows import _starts as _row_starts
from partita.federated.rows import _tables as _row_tables

Answer = Callable[[Any, Mapping[str, Any]], dict[str, Any]]  # (site, values) -> arrays that are added up

ANSWERS: dict[str, Answer] = {
    **_row_tables.ANSWERS,
    **_row_embedding.ANSWERS,
    **_row_lloyd.ANSWERS,
    **_row_hbgf.ANSWERS,
    **_row_number.ANSWERS,
    **_row_starts.ANSWERS,
    **_row_bce.ANSWERS,
    **_row_heuristic.ANSWERS,
    **_row_kmeans.ANSWERS,
    **_row_mixture.ANSWERS,
    **_row_nbce.ANSWERS,
}

COLUMN_ANSWERS: dict[str, Answer] = {
    **_columns.ANSWERS,
    **_column_starts.ANSWERS,
    **_column_bce_steps.ANSWERS,
    **_column_mixture.ANSWERS,
    **_column_nbce.ANSWERS,
}
PAPER_ANSWERS: dict[str, Answer] = {**_column_paper.ANSWERS}  # replies that are not added up
