"""Load a data set by its name."""

from numbers import Integral
from typing import Any

from partita._checks import check_choice
from partita.datasets._dataset import Dataset, prepared
from partita.datasets._folder import VARIABLE, data_folder, load_stored, stored_files
from partita.datasets._shipped import SHIPPED, load_shipped

# other names of the same data
_ALIASES = {
    "iris_uci": "iris",
    "breast_cancer_diagnostic": "wdbc",
    "optdigits_test": "digits",
    "house_votes": "house_votes_84",
    "votes": "house_votes_84",
    "segmentation": "segmentation_2310",
    "letter": "letter_recognition",
    "magic": "magic04",
    "yeast": "yeast_cellcycle_384_std",
}
# names that stand for two data sets
_AMBIGUOUS = {"breast_cancer": ("wdbc", "breast_cancer_wisconsin")}


def load(name: str, *, missing: str = "drop", noise: str = "missing", labelling: int = 0) -> Dataset:
    """Load a data set: one that scikit-learn ships, or one in the folder of the environment variable PARTITA_DATA.

    | name          | objects | features | classes |                                                       |
    |---------------|---------|----------|---------|-------------------------------------------------------|
    | iris          | 150     | 4        | 3       | with the two misprints of the UCI file, as in papers  |
    | iris_fisher   | 150     | 4        | 3       | the values of Fisher's paper                          |
    | wine          | 178     | 13       | 3       |                                                       |
    | wdbc          | 569     | 30       | 2       | breast cancer, diagnostic                             |
    | digits        | 1797    | 64       | 10      | the test part of optdigits                            |
    | others        |         |          |         | every table and every set of texts of the folder      |

    Parameters
    ----------
    name : str
        Name of the data set; `dataset_names` lists them. Hyphens count as underscores, capitals as small letters.
    missing : {"drop", "keep"}, default="drop"
        Rows with a missing feature: left out, as the papers do, or kept with NaN.
    noise : {"missing", "drop", "class"}, default="missing"
        Noise points, which belong to no class: they have a missing target, are left out, or are the class "noise".
    labelling : int, default=0
        Which labelling to use as the target, for data sets that come with several.

    Returns
    -------
    Dataset
        ``name``, ``features`` (DataFrame; for texts a sparse matrix of counts), ``target`` (classes as text),
        ``n_classes``, ``preparation`` (what was done), ``description``, ``terms`` (words of the columns of texts).

    Notes
    -----
    Names of the table above give the same values with and without the folder.

    Examples
    --------
    >>> from partita.datasets import load
    >>> wine = load("wine")
    >>> wine.features.shape, wine.n_classes, wine.preparation
    ((178, 13), 3, 'as stored')
    """
    check_choice("missing", missing, ("drop", "keep"))
    check_choice("noise", noise, ("missing", "drop", "class"))
    if isinstance(labelling, bool) or not isinstance(labelling, Integral) or labelling < 0:
        raise ValueError(f"labelling={labelling!r:.60} is not allowed; pass a whole number, at least 0.")
    return prepared(_stored(_known_name(name), int(labelling)), missing=missing, noise=noise)


def dataset_names() -> list[str]:
    """The names that `load` can load now.

    Examples
    --------
    >>> from partita.datasets import dataset_names
    >>> "wine" in dataset_names()
    True
    """
    folder = data_folder()
    return sorted({*SHIPPED, *(stored_files(folder) if folder else ())})


def _known_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name={name!r:.60} is not a name; pass a text such as 'wine'.")
    plain = name.strip().lower().replace("-", "_").removeprefix("clustbench/")
    if plain in _AMBIGUOUS:
        raise ValueError(f"{name!r:.60} may be {' or '.join(map(repr, _AMBIGUOUS[plain]))}; pass one of these.")
    return _ALIASES.get(plain, plain)


def _stored(name: str, labelling: int) -> Dataset:
    if name in SHIPPED:
        if labelling:
            raise ValueError(f"labelling={labelling} is not there; {name} has one labelling, number 0.")
        return load_shipped(name)
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            f"{name!r:.60} is not one of {', '.join(SHIPPED)}, which need no files; every other data set is read from "
            f"a folder of <name>.csv.gz files: set the environment variable {VARIABLE} to it."
        )
    files = stored_files(folder)
    if name not in files:
        names = sorted({*SHIPPED, *files})
        raise FileNotFoundError(
            f"there is no data set {name!r:.60} in {VARIABLE}={str(folder)!r}; choose from {', '.join(names)}."
        )
    return load_stored(name, files[name], folder, labelling)
