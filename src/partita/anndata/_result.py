"""A consensus that was written into an AnnData, as a result with all its tables, plots and the report."""

from typing import Any

import numpy as np
import pandas as pd

from partita._typing import IntArray
from partita.anndata._cells import CONSENSUS, are_facts, check_cells, listed
from partita.anndata._consensus import MEMBERSHIP
from partita.anndata._keys import label_table
from partita.exceptions import LabelMatrixError
from partita.results import Choice, ConsensusResult


def result(adata: Any, key: str = "consensus") -> ConsensusResult:
    """The result behind a consensus in an AnnData, also after the object was written to a file and read back.

    Parameters
    ----------
    adata : AnnData
        Cells with a consensus and the clusterings that it was made from.
    key : str, default="consensus"
        The ``key_added`` of :func:`consensus`.

    Returns
    -------
    ConsensusResult
        Its objects are the cells, ``ids`` their names: ``result(adata).report("report.html")``,
        ``result(adata).plot.coassociation()``, ``result(adata).clusters``.

    Notes
    -----
    The labels are those of ``adata.obs[key]``, judged by the clusterings in ``adata``. Of a part of the cells, clusters
    are numbered by their size in that part, and the membership is that of the votes. ``predict`` places new cells in
    the cluster for which their labels speak, whatever the method was.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from partita.anndata import consensus, result
    >>> adata = anndata.AnnData(np.zeros((6, 1), dtype=np.float32))
    >>> adata.obsm["ensemble"] = np.array([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2], [1, 2]])
    >>> consensus(adata, "ensemble", n_clusters=2)
    >>> result(adata).clusters["size"].tolist()
    [3, 3]
    """
    check_cells(adata)
    facts = stored_facts(adata, key)
    params, kept = facts["params"], facts["choice"]
    table = _clusterings_behind(adata, key, params)
    labels = cluster_numbers(adata.obs[key])
    if not (labels >= 0).any():
        raise LabelMatrixError(f"no cell has a cluster in obs[{key!r}]; a result needs at least one.")
    found = ConsensusResult.from_labels(table, labels, weights=params.get("weights"))
    membership = adata.obsm.get(key + MEMBERSHIP)
    is_whole = np.array_equal(found.labels, labels)
    if facts["membership_kind"] == "probabilities" and membership is not None and is_whole:
        found.estimator.membership_ = np.asarray(membership, dtype=np.float64)
    return ConsensusResult(found.estimator, _choice(kept, found.n_clusters))


def _clusterings_behind(adata: Any, key: str, params: Any) -> pd.DataFrame:
    """Labels of the clusterings from which a consensus was made."""
    names, why = list(params["clusterings"]), ""
    try:
        table = label_table(adata, list(params["keys"]), (key,), list(params["missing"]))
    except KeyError as error:
        why = error.args[0]
    else:
        gone = [name for name in names if name not in table.columns]
        if not gone:
            return table[names]
        why = f"there is no {listed(gone)}"
    raise KeyError(
        f"the clusterings behind {key!r} are no longer in adata ({why}); a result is judged by them. "
        "Labels, confidence and membership are in obs and obsm."
    )


def stored_facts(adata: Any, key: str) -> Any:
    """What ``consensus`` has written into uns."""
    facts = adata.uns.get(key)
    if are_facts(facts, CONSENSUS) and key in adata.obs:
        return facts
    there = [name for name in adata.uns if are_facts(adata.uns[name], CONSENSUS) and name in adata.obs]
    say = f"consensus is there under {listed(there)}" if there else "run partita.anndata.consensus first"
    raise KeyError(f"adata has no consensus {key!r}; {say}.")


def cluster_numbers(column: pd.Series) -> IntArray:
    """Cluster of each cell as a number, -1 for none; clusters of other names are numbered in their order."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype("category")
    names = [str(name) for name in column.cat.categories]
    numbers = [int(name) for name in names] if all(map(str.isdecimal, names)) else list(range(len(names)))
    return np.array([*numbers, -1], dtype=np.int64)[column.cat.codes.to_numpy()]


def _choice(kept: Any, n_clusters: int) -> Choice:
    runner_up, p_value = kept.get("runner_up"), kept.get("p_value")
    return Choice(
        method=str(kept["method"]),
        n_clusters=n_clusters,
        runner_up=None if runner_up is None else int(runner_up),
        reasons=[str(reason) for reason in kept["reasons"]],
        table=kept["table"].reset_index(drop=True),
        p_value=None if p_value is None else float(p_value),
        verdict=str(kept["verdict"]),
    )
