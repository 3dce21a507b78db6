"""A data set as it is handed out: features, classes, and what was done to them."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita._typing import FloatArray


class Dataset(NamedTuple):
    """Features of objects with their classes."""

    name: str
    features: Any  # DataFrame, one row per object; for texts a sparse matrix, documents x terms
    target: "pd.Series[str] | None"  # class of each object, missing for noise points; None: no classes are known
    n_classes: int  # number of classes, noise not counted; 0 where no classes are known
    preparation: str  # what was done to the stored rows
    description: str
    terms: "pd.Index[str] | None" = None  # of texts: the word of each column of the features

    def numbers(self, standardise: bool = False) -> Any:
        """The features as numbers.

        Parameters
        ----------
        standardise : bool, default=False
            Whether columns of numbers get mean 0 and standard deviation 1; a constant column becomes 0.

        Returns
        -------
        ndarray of float
            One row per object. A category of two values is one column of 0/1, one of more values a column of 0/1 for
            each value, in alphabetical order; these are never standardised, which would give a rare value the weight
            of many common ones. The sparse matrix of texts is returned as it is.

        Raises
        ------
        ValueError
            If values are missing.

        Examples
        --------
        >>> from partita.datasets import load
        >>> load("wine").numbers(standardise=True).shape
        (178, 13)
        """
        if not isinstance(standardise, bool | np.bool_):
            raise ValueError(f"standardise={standardise!r:.60} is not allowed; pass True or False.")
        if not isinstance(self.features, pd.DataFrame):
            return self.features
        _check_complete(self.name, self.features)
        columns = [made for _, column in self.features.items() for made in _as_numbers(column, bool(standardise))]
        return np.column_stack(columns)


def _check_complete(name: str, features: pd.DataFrame) -> None:
    lost = features.isna().sum()
    if lost.any():
        shown = ", ".join(str(column) for column in lost.index[lost > 0][:5])
        raise ValueError(
            f"{name} has {int(lost.sum())} missing values (in {shown}{', ...' if (lost > 0).sum() > 5 else ''}); load "
            "it with missing='drop', or fill them in first."
        )


def _as_numbers(column: "pd.Series[Any]", standardise: bool) -> list[FloatArray]:
    """One column of numbers, or the 0/1 columns of a category."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        numbers = column.to_numpy(dtype=np.float64)
        return [standardised(numbers) if standardise else numbers]
    values = sorted(column.unique())
    return [(column == value).to_numpy(dtype=np.float64) for value in (values[1:] if len(values) == 2 else values)]


def standardised(values: FloatArray) -> FloatArray:
    """A column with mean 0 and standard deviation 1; a constant one becomes 0."""
    if values.min() == values.max():  # its computed deviation may differ from 0 by rounding
        return np.zeros_like(values)
    return np.asarray((values - values.mean()) / values.std())


def prepared(stored: Dataset, *, missing: str, noise: str) -> Dataset:
    """Leave out the rows that were not asked for, and say so."""
    made, steps = stored, [stored.preparation] if stored.preparation else []
    if missing == "drop" and isinstance(made.features, pd.DataFrame):
        complete = made.features.notna().all(axis=1).to_numpy()
        if not complete.all():
            made = rows_of(made, complete)
            steps.append(f"complete rows only: {complete.sum()} of {complete.size} objects")
    target = made.target
    if target is not None and target.isna().any():
        known = target.notna().to_numpy()
        if noise == "drop":
            made = rows_of(made, known)
            steps.append(f"{(~known).sum()} noise points left out")
        elif noise == "class":
            made = made._replace(target=target.fillna("noise"))
            steps.append(f"{(~known).sum()} noise points are a class of their own")
        else:
            steps.append(f"{(~known).sum()} noise points have no class")
    n_classes = 0 if made.target is None else int(made.target.nunique())
    return made._replace(n_classes=n_classes, preparation="; ".join(steps) or "as stored")


def rows_of(made: Dataset, kept: Any) -> Dataset:
    """Some of the objects, by a mask or by positions; those of tables are numbered anew, documents keep their names."""
    positions = np.flatnonzero(kept) if np.asarray(kept).dtype == bool else np.asarray(kept)
    target = None if made.target is None else made.target.iloc[positions]
    if not isinstance(made.features, pd.DataFrame):
        return made._replace(features=made.features[positions], target=target)
    features = made.features.iloc[positions].reset_index(drop=True)
    return made._replace(features=features, target=None if target is None else target.reset_index(drop=True))
