"""One owner of clusterings of objects that all sites have: it answers by sums over its columns, and keeps the columns.

Labels, their number and their probabilities never leave it.
"""

import hashlib
import hmac
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from partita._labels.ensemble import Ensemble
from partita._labels.validation import LabelMatrix, RowEncoder, check_label_matrix, row_encoder
from partita._typing import FloatArray, IntArray
from partita.consensus.models._em import by_clustering
from partita.federated._engine import Values
from partita.federated._incoming import LAST_PLACE, array_of, kept, number_of, whole_numbers_of
from partita.federated._memory import SiteMemory
from partita.federated._messages import pack
from partita.federated.columns._disclosure import check_disclosure
from partita.federated.rows._dictionary import check_key
from partita.federated.rows._site import estimator_of


class ColumnSite:
    """Clusterings of one owner, for federation by columns.

    Parameters
    ----------
    X : label matrix of shape (n_objects, n_clusterings)
        Clusterings of the same objects, in the same order, as at the other sites.
    name : str
        Name of the site, as the others know it.
    ids : sequence of length n_objects, optional
        Names of the objects. Their digest is compared with that of the other sites.
    secret_key : str or bytes, optional
        Known to all sites and to nobody else: the digest is then keyed, so that nobody else can try out names.
    accept_disclosure : bool, default=False
        Whether the site answers although its replies show a partition of the objects: see ``_disclosure.py``.
    encrypted : bool, default=False
        Whether replies leave the site encrypted. Whoever puts the site behind ``SealedSite`` says so.
    folder : path, optional
        Where the site keeps its state, so that a fit can be resumed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Consensus cluster of each object, after the fit.
    membership_ : ndarray of shape (n_objects, n_components)
        Probabilities of the clusters.
    tables_ : list of ndarray of shape (n_components, k_j)
        Probability of each label of the site's own clusterings in each cluster.
    """

    def __init__(
        self,
        X: Any,
        *,
        name: str,
        ids: Iterable[Any] | None = None,
        secret_key: Any = None,
        accept_disclosure: bool = False,
        encrypted: bool = False,
        folder: str | Path | None = None,
    ) -> None:
        self.name = name
        self.matrix: LabelMatrix = check_label_matrix(X, allow_unlabelled=True)
        self.digest = "" if ids is None else digest_of(list(ids), len(self.matrix.codes), check_key(secret_key))
        self._accepted, self._encrypted, self._paper = accept_disclosure, encrypted, False
        self._folder = folder
        self.memory = SiteMemory(folder)
        self.index = 0  # place among the sites
        self.encoder: RowEncoder  # after "open": the clusterings with a positive weight
        self.ensemble: Ensemble  # after "open": one row per object; after "objects": per object with a label anywhere
        self.estimator: Any  # after "open": with its parameters
        self.labels_: IntArray  # these after "close"
        self.membership_: FloatArray
        self.tables_: list[FloatArray]

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one question."""
        from partita.federated._answers import COLUMN_ANSWERS, PAPER_ANSWERS

        own = {"describe": self._describe, "open": self._open, "objects": self._objects, "close": self._close}
        if question in own:
            return own[question](values)
        if not hasattr(self, "ensemble"):
            raise ValueError(f"{question!r:.60} was asked before the fit was opened; no answer.")
        if question in PAPER_ANSWERS and not self._paper:
            raise ValueError(
                "does not send its clusterings one by one: the fit was not opened with the paper's messages"
            )
        if question in PAPER_ANSWERS:  # not sums: nothing to resume from
            return PAPER_ANSWERS[question](self, values)
        if question not in COLUMN_ANSWERS:
            raise ValueError(f"there is no question {question!r:.60}; the other side may run another version.")
        with self.memory.during(int(values["exchange"])):
            return COLUMN_ANSWERS[question](self, values)

    # ---------------------------------------------------------------------------------------- the same for all methods
    def _describe(self, values: Values) -> dict[str, Any]:
        """What the coordinator compares and needs to split the weights; nothing without consent."""
        check_disclosure([self.name], encrypted=self._encrypted, paper=False, accepted=self._accepted)
        return {"n_objects": len(self.matrix.codes), "n_columns": self.matrix.n_columns_in, "ids": self.digest}

    def _open(self, values: Values) -> dict[str, Any]:
        """Get ready for a method with its parameters; the site itself refuses what it does not accept."""
        from partita.federated._methods import COLUMN_METHODS

        names = list(values["names"])
        check_disclosure(names, encrypted=self._encrypted, paper=bool(values["paper"]), accepted=self._accepted)
        self.index = names.index(self.name)
        self.memory = SiteMemory(self._folder)
        self.memory.begin(self._digest_of_fit(values))
        self._paper = bool(values["paper"])
        self.estimator = estimator_of(values, COLUMN_METHODS)
        given = array_of(values, "weights", self.matrix.n_columns_in)[self.matrix.kept]
        if not (given > 0).any():
            raise ValueError("this site has no clustering with both labels and a positive weight; leave it out.")
        self.encoder = row_encoder(self.matrix, given)
        codes = np.ascontiguousarray(self.matrix.codes[:, given > 0])
        self.ensemble = self.encoder.ensemble(codes)
        return {"ready": True}

    def _digest_of_fit(self, values: Values) -> str:
        """SHA-256 of the site's labels and of what is fitted to them, by which stored states are recognised."""
        about = {name: values[name] for name in ("method", "parameters", "names", "weights")}
        return hashlib.sha256(self.matrix.codes.tobytes() + pack(about)).hexdigest()

    def _objects(self, values: Values) -> dict[str, Any]:
        """Which objects have a label at some site: the others take no part."""
        labelled = whole_numbers_of(values, "labelled", 0, self.ensemble.n_rows - 1, None)
        self.ensemble = self.ensemble.with_rows(self.ensemble.codes[labelled])
        return {"ready": True}

    def _close(self, values: Values) -> dict[str, Any]:
        """The consensus of the common objects; the clusters of the site's own tables get the same numbers."""
        table, n = self.table(number_of(values, "place", 0, LAST_PLACE)), len(self.matrix.codes)
        order = whole_numbers_of(values, "order", 0, table.shape[1] - 1, None)
        labels = whole_numbers_of(values, "labels", -1, len(order) - 1, n)
        self.labels_, self.membership_ = labels, array_of(values, "membership", n, len(order))
        shares = by_clustering(table, self.ensemble, order)
        self.tables_ = self.encoder.by_column([one / one.sum(axis=1, keepdims=True) for one in shares], len(order))
        return {"ready": True}

    # -------------------------------------------------------------------------------------- tables of the site's labels
    def table(self, place: int) -> FloatArray:
        """Parameters of the site's labels, (n_cells, k); every run has a place of its own."""
        return kept(self.memory, f"table-{place}")

    def set_table(self, place: int, table: FloatArray) -> None:
        """Keep new parameters."""
        self.memory[f"table-{place}"] = table


def digest_of(ids: list[Any], n_objects: int, key: bytes | None) -> str:
    """SHA-256 of the names of the objects in their order; keyed, if there is a key."""
    if len(ids) != n_objects:
        raise ValueError(f"ids has {len(ids)} names, and X has {n_objects} objects; pass one name per object.")
    text = b"".join(len(one).to_bytes(8, "big") + one for one in (str(name).encode() for name in ids))
    return hashlib.sha256(text).hexdigest() if key is None else hmac.new(key, text, hashlib.sha256).hexdigest()
