"""All methods in one table: what was measured on the leaderboard beside what each gives, needs and costs.

The figures come from the stored results of the leaderboard, those of the data sets with few objects, on which every
method was run. docs/methods.md shows the table; ``make tables`` writes it.
"""

import numpy as np
from benchmarks._answer_cells import read_compact
from benchmarks._answer_contestants import FOUND, GIVEN
from benchmarks._answer_figure import MOST_OBJECTS, small
from benchmarks._answer_summary import by_method, finished, mean_over_datasets, select

from partita.consensus._method_tables import markdown_table
from partita.consensus._methods import METHODS, Method

HEADER = [
    *("method", "ARI, k given", "k found", "seconds, k given", "k found"),
    *("output", "clusters", "missing label", "cost"),
]


def counted(path):
    """Ensembles and data sets of all results, and of those in the table, with its limit of objects."""
    cells = read_compact(path)[0]
    return *_numbers(cells), *_numbers(small(cells)), MOST_OBJECTS


def measured_table(path):
    """One row per method, best ARI with the number of clusters given first; methods that were not measured last."""
    cells = small(read_compact(path)[0])
    given, found = (by_method(finished(select(cells, mode=mode))) for mode in (GIVEN, FOUND))
    total = _numbers(cells)[0]
    scores = {name: _score(given.get(name), total) for name in METHODS}
    names = sorted(METHODS, key=lambda name: (scores[name] is None, -(scores[name] or 0.0), name))
    rows = [_row(METHODS[name], given.get(name), found.get(name), total) for name in names]
    return markdown_table(HEADER, rows)


def _numbers(cells):
    return len({cell["hash"] for cell in cells}), len({cell["data"] for cell in cells})


def _score(of, total):
    """Mean ARI over data sets, if the method has an answer for every ensemble."""
    if not of or len(of) < total:
        return None
    return mean_over_datasets(list(of.values()), lambda cell: cell["ari"])


def _row(method: Method, given, found, total):
    scores = ["" if (score := _score(of, total)) is None else f"{score:.3f}" for of in (given, found)]
    times = [f"{np.median([cell['seconds'] for cell in of.values()]):.2f}" if of else "" for of in (given, found)]
    what = [method.output, method.number_of_clusters, method.missing, method.cost]
    return [f"`{method.estimator}`", *scores, *times, *what]
