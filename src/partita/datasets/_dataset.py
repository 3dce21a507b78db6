"""A data set as it is handed out: features, classes, and what was done to them."""

from typing import Any, NamedTuple

import pandas as pd


class Dataset(NamedTuple):
    """Features of objects with their classes."""

    name: str
    features: Any  # DataFrame, one row per object; for texts a sparse matrix of counts, documents x terms
    target: "pd.Series[str] | None"  # class of each object, missing for noise points; None: no classes are known
    n_classes: int  # number of classes, noise not counted; 0 where no classes are known
    preparation: str  # what was done to the stored rows
    description: str
    terms: "pd.Index[str] | None" = None  # of texts: the word of each column of the features


def prepared(stored: Dataset, *, missing: str, noise: str) -> Dataset:
    """Leave out the rows that were not asked for, and say so."""
    made, steps = stored, [stored.preparation] if stored.preparation else []
    if missing == "drop" and isinstance(made.features, pd.DataFrame):
        complete = made.features.notna().all(axis=1).to_numpy()
        if not complete.all():
            made = _rows(made, complete)
            steps.append(f"complete rows only: {complete.sum()} of {complete.size} objects")
    target = made.target
    if target is not None and target.isna().any():
        known = target.notna().to_numpy()
        if noise == "drop":
            made = _rows(made, known)
            steps.append(f"{(~known).sum()} noise points left out")
        elif noise == "class":
            made = made._replace(target=target.fillna("noise"))
            steps.append(f"{(~known).sum()} noise points are a class of their own")
        else:
            steps.append(f"{(~known).sum()} noise points have no class")
    n_classes = 0 if made.target is None else int(made.target.nunique())
    return made._replace(n_classes=n_classes, preparation="; ".join(steps) or "as stored")


def _rows(made: Dataset, kept: Any) -> Dataset:
    """Some of the objects; those of tables are numbered anew, documents keep their names."""
    features, target = made.features[kept], made.target
    target = None if target is None else target[kept]
    if isinstance(features, pd.DataFrame):
        features = features.reset_index(drop=True)
        target = None if target is None else target.reset_index(drop=True)
    return made._replace(features=features, target=target)
