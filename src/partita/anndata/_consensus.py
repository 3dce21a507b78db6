"""The consensus of clusterings that are in an AnnData, written beside them."""

from typing import Any

import numpy as np
import pandas as pd

from partita.anndata._cells import CONSENSUS, check_cells, check_key_added
from partita.anndata._keys import label_table
from partita.plotting._colors import cluster_colors
from partita.results import ConsensusResult, combine
from partita.results._choice import Choice

CONFIDENCE, MEMBERSHIP = "_confidence", "_membership"  # what is appended to key_added


def consensus(
    adata: Any,
    keys: Any,
    key_added: str = "consensus",
    *,
    method: Any = "auto",
    n_clusters: Any = "auto",
    weights: Any = None,
    missing: Any = (),
    random_state: Any = 0,
    n_jobs: int | None = None,
    verbose: bool = False,
    copy: bool = False,
) -> Any:
    """Combine clusterings of the cells into one, and write it into the AnnData as scanpy does.

    Parameters
    ----------
    adata : AnnData
        Cells with their clusterings. In backed mode obs, obsm and uns change in memory, not in the file.
    keys : str or list of str
        Names of columns of ``adata.obs``, a pattern over them such as ``"leiden_*"``, or the key of an ensemble in
        ``adata.obsm`` (:func:`ensemble` writes one). Labels are categories, text, whole numbers or booleans; missing
        where a clustering has not seen a cell (NaN, None, pd.NA or -1).
    key_added : str, default="consensus"
        Name under which the consensus is written. What is there already is replaced; the clusterings that are
        combined never are, and neither is what others, such as scanpy, keep in ``adata.uns`` under this name.
    method, n_clusters, weights
        As in :func:`partita.combine`.
    missing : str or list of str, default=()
        Labels that stand for none, such as ``"unassigned"``.
    random_state : int, RandomState, Generator or None, default=0
        Seed of all that is random.
    n_jobs : int, optional
        Number of threads; -1 uses all cores. The result does not depend on it.
    verbose : bool, default=False
        Show a progress bar for what takes more than two seconds.
    copy : bool, default=False
        Leave ``adata`` as it is and return a copy with the consensus.

    Returns
    -------
    None, or AnnData with ``copy=True``. These fields are set:

    ``adata.obs[key_added]`` : categories "0", "1", ...
        Cluster of each cell, the largest being "0"; NaN for cells without any label.
    ``adata.obs[key_added + "_confidence"]`` : float
        Log-odds of the cell's cluster against the best other one. It ranks the cells and is not a probability of being
        right. Infinite if there is one cluster.
    ``adata.obsm[key_added + "_membership"]`` : float32 array of shape (n_cells, k)
        Probabilities of the clusters, or votes of the clusterings for them.
    ``adata.uns[key_added]`` : dict
        ``params`` (what was passed), ``choice`` (method, number of clusters, reasons in words, the numbers that were
        compared) and ``membership_kind`` ("probabilities" or "votes").
    ``adata.uns[key_added + "_colors"]`` : list of str
        Colours of the clusters, which readers with any colour vision can tell apart; scanpy's plots use them.

    See Also
    --------
    result : Tables, plots and the report of a consensus that was written.
    partita.combine : The same for labels outside an AnnData.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from partita.anndata import consensus
    >>> adata = anndata.AnnData(np.zeros((6, 1), dtype=np.float32))
    >>> adata.obs["leiden_0.5"] = ["a", "a", "a", "b", "b", "b"]
    >>> adata.obs["leiden_1.0"] = ["a", "a", "a", "b", "b", "b"]
    >>> adata.obs["leiden_1.5"] = ["a", "a", "c", "b", "b", "b"]
    >>> consensus(adata, "leiden_*", n_clusters=2)
    >>> adata.obs["consensus"].tolist()
    ['0', '0', '0', '1', '1', '1']
    """
    check_cells(adata, copy=copy)
    check_key_added(adata, key_added, CONSENSUS)
    table = label_table(adata, keys, (key_added, key_added + CONFIDENCE), missing)
    found = combine(
        table,
        method=method,
        n_clusters=n_clusters,
        weights=weights,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    params = {
        "keys": _text([keys] if isinstance(keys, str) else keys),
        "missing": _text([missing] if isinstance(missing, str | int | float) else missing),
        "method": method if isinstance(method, str) else repr(method),
        "n_clusters": "None" if n_clusters is None else n_clusters,
    }
    if isinstance(random_state, int | np.integer):
        params["random_state"] = int(random_state)
    if weights is not None:
        params["weights"] = np.asarray(weights, dtype=np.float64)
    written = adata.copy() if copy else adata
    _write(written, key_added, found, params | {"clusterings": _text(table.columns)})
    return written if copy else None


def _write(adata: Any, key: str, found: ConsensusResult, params: dict[str, Any]) -> None:
    """All fields of a consensus; every value is made before the first is written."""
    labels = pd.Categorical.from_codes(
        found.labels, categories=pd.Index([str(cluster) for cluster in range(found.n_clusters)])
    )
    confidence = np.array(found.confidence)
    membership = np.asarray(found.membership, dtype=np.float32)
    facts = {"params": params, "choice": stored_choice(found.choice), "membership_kind": found.membership_kind}
    adata.obs[key] = labels
    adata.obs[key + CONFIDENCE] = confidence
    adata.obsm[key + MEMBERSHIP] = membership
    adata.uns[key] = facts
    adata.uns[key + "_colors"] = cluster_colors(found.n_clusters)


def stored_choice(choice: Choice) -> dict[str, Any]:
    """A choice as a file can hold it; what is None is left out."""
    facts: dict[str, Any] = {
        "method": choice.method,
        "n_clusters": choice.n_clusters,
        "runner_up": choice.runner_up,
        "p_value": choice.p_value,
        "verdict": choice.verdict,
        "reasons": _text(choice.reasons),
        "table": choice.table.set_axis(choice.table.index.astype(str), axis="index"),
    }
    return {name: value for name, value in facts.items() if value is not None}


def _text(words: Any) -> Any:
    """Words as an array, the form in which they come back from a file."""
    return np.array([str(word) for word in words], dtype=object)
