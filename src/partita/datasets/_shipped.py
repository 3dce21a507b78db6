"""The data sets that scikit-learn ships, under the names that they have in the literature."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from partita.datasets._dataset import Dataset


class Shipped(NamedTuple):
    """A data set of scikit-learn, and what makes it the one of that name."""

    loader: str  # of sklearn.datasets
    classes: tuple[str, ...]  # as the original files write them
    description: str
    change: Callable[[Any], Any] | None = None  # of the features
    preparation: str = ""


def _with_misprints(features: Any) -> Any:
    """Rows 35 and 38 as the UCI file prints them: (4.9, 3.1, 1.5, 0.1) both."""
    changed = np.array(features)
    changed[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return changed


_IRIS = "150 irises of three species, four lengths in cm. Fisher 1936; UCI machine learning repository (CC BY 4.0)"

SHIPPED: dict[str, Shipped] = {
    "iris": Shipped(
        loader="load_iris",
        classes=("setosa", "versicolor", "virginica"),
        description=f"{_IRIS}, with the two misprints of the UCI file, which most papers use.",
        change=_with_misprints,
        preparation="rows 35 and 38 as the UCI file prints them",
    ),
    "iris_fisher": Shipped(
        loader="load_iris",
        classes=("setosa", "versicolor", "virginica"),
        description=f"{_IRIS}, with the values of Fisher's paper: two rows differ from the UCI file.",
    ),
    "wine": Shipped(
        loader="load_wine",
        classes=("1", "2", "3"),
        description="178 wines of three cultivars, 13 measurements. Forina et al.; UCI repository (CC BY 4.0).",
    ),
    "wdbc": Shipped(
        loader="load_breast_cancer",
        classes=("M", "B"),
        description="569 breast masses, malignant or benign, 30 measurements of cell nuclei. Wolberg, Street and "
        "Mangasarian 1995; UCI repository (CC BY 4.0).",
    ),
    "digits": Shipped(
        loader="load_digits",
        classes=tuple("0123456789"),
        description="1797 handwritten digits, 8 x 8 pixels: the test part of optdigits. Alpaydin and Kaynak 1998; UCI "
        "repository (CC BY 4.0).",
    ),
}


def load_shipped(name: str) -> Dataset:
    """A data set of scikit-learn in the form of the tables of a folder: columns f1, f2, ..., classes as text."""
    import sklearn.datasets

    shipped = SHIPPED[name]
    bunch = getattr(sklearn.datasets, shipped.loader)()
    values = bunch.data if shipped.change is None else shipped.change(bunch.data)
    features = pd.DataFrame(values, columns=[f"f{place}" for place in range(1, values.shape[1] + 1)])
    target = pd.Series(np.array(shipped.classes)[bunch.target], dtype="str", name="label")
    return Dataset(name, features, target, len(shipped.classes), shipped.preparation, shipped.description)
