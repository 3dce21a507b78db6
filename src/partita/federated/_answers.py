"""The questions that a site answers, and by which function; nothing else can be called from outside."""

from collections.abc import Callable, Mapping
from typing import Any

from partita.federated import (
    _column_bce_steps,
    _column_mixture,
    _column_nbce,
    _column_paper,
    _column_starts,
    _columns,
    _row_bce,
    _row_embedding,
    _row_hbgf,
    _row_heuristic,
    _row_kmeans,
    _row_lloyd,
    _row_mixture,
    _row_nbce,
    _row_number,
    _row_starts,
    _row_tables,
)

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
