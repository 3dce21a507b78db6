"""Copies of partitions in which some labels are changed or lost: noise of known strength (eqs. R20, R21)."""

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from partita._labels.validation import check_label_matrix, check_labels
from partita._parameters import Interval, common
from partita._runs import draw_seeds
from partita._stopping import check_stop, whole_or_nothing
from partita._typing import Array, Codes, FloatArray, IntArray
from partita.base import remember_columns
from partita.generation._base_clusterings import ensure_labels_fit


class NoisyEnsemble(TransformerMixin, BaseEstimator):
    """Copies of a partition in which a share of the labels is changed, and a share is lost.

    Parameters
    ----------
    n_clusterings : int, optional
        Number of copies; several clusterings are copied in turns. Default: 10 copies of a single partition, or one
        copy of each of several clusterings.
    noise : float or list, default=0.1
        Share of the labels of each copy that is changed to another label, uniformly; a list is used in turns.
    missing : float, default=0.0
        Share of all labels that is lost afterwards, uniformly over the whole matrix.
    random_state : int, RandomState, Generator or None
        Seed of the copies.

    Attributes
    ----------
    noise_ : ndarray of shape (n_clusterings,)
        Share of changed labels of each copy; 0 for copies of a clustering with a single label, which has no other.
    manifest_ : DataFrame
        One row per copy: name, algorithm, number of labels, noise, seed.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Exactly ``round(noise * n)`` of the ``n`` labels of a copy are changed, and a share ``missing`` of the labels of all
    copies together is lost, also rounded (eqs. R20, R21 of the theory page about ensembles). The synthetic data of the
    NBCE paper (changed labels) and the missing labels of the BCE paper are made in this way.

    Examples
    --------
    >>> from partita import NoisyEnsemble
    >>> X = NoisyEnsemble(n_clusterings=4, noise=0.25, random_state=0).fit_transform([0, 0, 0, 0, 1, 1, 1, 1])
    >>> (X != [[0]] * 4 + [[1]] * 4).sum(axis=0)
    array([2, 2, 2, 2])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusterings": [Interval("int", 1, None), None],
        "noise": [Interval("real", 0, 1), list, tuple],
        "missing": [Interval("real", 0, 1)],
        **common("random_state"),
    }

    def __init__(
        self, n_clusterings: int | None = None, *, noise: Any = 0.1, missing: float = 0.0, random_state: Any = None
    ) -> None:
        self.n_clusterings = n_clusterings
        self.noise = noise
        self.missing = missing
        self.random_state = random_state

    @whole_or_nothing
    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the seeds.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or label matrix of shape (n_samples, n_clusterings)
            Labels to copy.
        y : Ignored
            Present by convention.

        Returns
        -------
        self
        """
        codes = self._codes(X, reset=True)
        n_copies = self.n_clusterings or (codes.shape[1] if codes.shape[1] > 1 else 10)
        ensure_labels_fit(len(codes), n_copies)
        n_labels = [int(column.max()) + 1 for column in codes.T]
        several = np.resize([number > 1 for number in n_labels], n_copies)
        self.noise_ = np.where(several, np.resize(self._shares(), n_copies), 0.0)
        self._seeds = draw_seeds(self.random_state, n_copies + 1)
        self.manifest_ = self._manifest(n_labels)
        return self

    def _shares(self) -> FloatArray:
        """The noise of the copies, to be used in turns."""
        try:
            noise = np.atleast_1d(np.asarray(self.noise, dtype=np.float64))
        except (TypeError, ValueError):
            noise = np.empty(0)
        if noise.ndim != 1 or len(noise) == 0 or not ((noise >= 0) & (noise <= 1)).all():
            raise ValueError(f"noise={self.noise!r:.60} is not allowed; pass a share from 0 to 1, or a list of them.")
        return noise

    def _manifest(self, n_labels: list[int]) -> pd.DataFrame:
        numbers = [n_labels[j % len(n_labels)] for j in range(len(self.noise_))]
        seeds = self._seeds[:-1].tolist()
        rows = zip(self.noise_, numbers, seeds, strict=True)
        names = [f"copy{j}_noise{noise:g}_k{k}_seed{seed}" for j, (noise, k, seed) in enumerate(rows)]
        columns = {"algorithm": "changed labels", "n_clusters": numbers, "noise": self.noise_, "seed": seeds}
        return pd.DataFrame({"name": names, **columns})

    def transform(self, X: Any) -> IntArray:
        """Copies of the labels of X, with noise.

        Parameters
        ----------
        X : array-like of shape (n_samples,) or label matrix of shape (n_samples, n_clusterings)
            Labels to copy.

        Returns
        -------
        ndarray of shape (n_samples, n_clusterings)
            Labels 0, 1, ..., and -1 where they are missing.
        """
        check_is_fitted(self, "_seeds")
        codes = self._codes(X, reset=False)
        copies = np.column_stack([self._copy(codes[:, j % codes.shape[1]], j) for j in range(len(self.noise_))])
        return lose_labels(copies, self.missing, int(self._seeds[-1]))

    def _copy(self, labels: Codes, j: int) -> IntArray:
        check_stop()
        return change_labels(labels, self.noise_[j], int(self._seeds[j]))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Name of each copy: its number, noise, number of labels and seed.

        Parameters
        ----------
        input_features : Ignored
            Present by convention.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "_seeds")
        return self.manifest_["name"].to_numpy(dtype=object)

    def _codes(self, X: Any, *, reset: bool) -> Codes:
        if _is_one_partition(X):
            codes = check_labels(X, "X")[:, None]
            if reset:
                self.n_features_in_ = 1
            elif self.n_features_in_ != 1:
                raise ValueError(
                    f"X is one partition, but {self.n_features_in_} clusterings were fitted; pass as many columns."
                )
            return codes
        matrix = check_label_matrix(X)
        remember_columns(self, X, matrix, reset=reset)
        return matrix.codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def change_labels(labels: Array, share: float, seed: int) -> IntArray:
    """Change a share of the labels, each to one of the other labels with equal probability (eq. R20)."""
    noisy = labels.astype(np.int64)
    observed = np.flatnonzero(labels >= 0)
    n_labels = int(labels.max(initial=-1)) + 1
    if n_labels < 2:  # there is no other label
        return noisy
    rng = np.random.default_rng(seed)
    chosen = rng.choice(observed, round(share * len(observed)), replace=False)
    noisy[chosen] = (noisy[chosen] + rng.integers(1, n_labels, size=len(chosen))) % n_labels
    return noisy


def lose_labels(labels: IntArray, share: float, seed: int) -> IntArray:
    """Make a share of all labels missing (eq. R21)."""
    observed = np.flatnonzero(labels.ravel() >= 0)
    lost = np.random.default_rng(seed).choice(observed, round(share * len(observed)), replace=False)
    with_missing = labels.copy()
    with_missing.ravel()[lost] = -1
    return with_missing


def _is_one_partition(X: Any) -> bool:
    """Whether X holds one label per object; columns of different lengths are left to the door to refuse."""
    if hasattr(X, "ndim"):
        return bool(X.ndim == 1)
    try:
        return np.asarray(X).ndim == 1
    except ValueError:
        return False
