"""Load a data set by its name."""

from collections.abc import Iterable
from numbers import Integral
from pathlib import Path
from typing import Any

from partita._checks import check_choice
from partita.datasets._dataset import Dataset, prepared
from partita.datasets._fetch import fetch
from partita.datasets._folder import VARIABLE, data_folder, load_stored, stored_files
from partita.datasets._paper_sets import PAPER_SETS
from partita.datasets._shipped import SHIPPED, load_shipped
from partita.datasets._sources import FOLDER_ONLY, SOURCES
from partita.datasets._synthetic import SYNTHETIC, load_synthetic

# other names of the same data
_ALIASES = {
    "iris_uci": "iris",
    "breast_cancer_diagnostic": "wdbc",
    "breast_w": "breast_cancer_wisconsin",
    "optdigits_test": "digits",
    "house_votes": "house_votes_84",
    "vote": "house_votes_84",
    "votes": "house_votes_84",
    "segmentation": "segmentation_2310",
    "image_segmentation": "segmentation_2310",
    "segmentation_2100": "segmentation_2100_test",
    "letter": "letter_recognition",
    "magic": "magic04",
    "yeast": "yeast_cellcycle_384_std",
    "std_yeast_cell": "yeast_cellcycle_384_std",
    "chess": "kr_vs_kp",
    "balance": "balance_scale",
    "liver_disorders": "bupa",
    "wine_quality": "wine_quality_567",
    "kdd99": "kddcup99_10pct",
    "kddcup99": "kddcup99_10pct",
    "control_chart": "synthetic_control",
    "controlchart": "synthetic_control",
    "tracedata": "trace",
    "mininewsgroups": "mini_newsgroups",
    "20newsgroups": "newsgroups20_bydate",
    "webkd": "webkb",  # a misspelling that is met
    "spirals": "spiral",
}
# names that stand for two data sets
_AMBIGUOUS = {"breast_cancer": ("wdbc", "breast_cancer_wisconsin")}


def load(name: str, *, missing: str = "drop", noise: str = "missing", labelling: int = 0) -> Dataset:
    """Load a data set by name.

    It is taken from scikit-learn, drawn, read from the folder of the environment variable PARTITA_DATA, or downloaded,
    in this order.

    | name                    | objects | features | classes |                                                        |
    |-------------------------|---------|----------|---------|--------------------------------------------------------|
    | **scikit-learn**        |         |          |         |                                                        |
    | iris                    | 150     | 4        | 3       | with the two misprints of the UCI file, as in papers   |
    | iris_fisher             | 150     | 4        | 3       | the values of Fisher's paper                           |
    | wine                    | 178     | 13       | 3       |                                                        |
    | wdbc                    | 569     | 30       | 2       | breast cancer, diagnostic                              |
    | digits                  | 1797    | 64       | 10      | the test part of optdigits                             |
    | **drawn**               |         |          |         |                                                        |
    | rings                   | 450     | 2        | 3       | rings around one centre                                |
    | spiral                  | 200     | 2        | 2       | interleaved spirals                                    |
    | image_1, image_c        | 1000, 739 | 2      | 8, 7    | shapes of different form and density                   |
    | four_gaussians          | 800     | 2        | 4       | the PCC paper's simulation                             |
    | two_clusters_outliers   | 220     | 2        | 2       | the NBCE paper's simulation                            |
    | **folder or download**  |         |          |         |                                                        |
    | house_votes_84          | 232     | 16       | 2       | complete rows of 435                                   |
    | breast_cancer_wisconsin | 683     | 9        | 2       | complete rows of 699                                   |
    | ionosphere              | 351     | 34       | 2       |                                                        |
    | pima                    | 768     | 8        | 2       |                                                        |
    | balance_scale           | 625     | 4        | 3       |                                                        |
    | glass                   | 214     | 9        | 6       |                                                        |
    | bupa                    | 345     | 6        | 2       | the class is the column "selector"                     |
    | magic04                 | 19020   | 10       | 2       |                                                        |
    | ecoli                   | 336     | 7        | 8       |                                                        |
    | kr_vs_kp                | 3196    | 36       | 2       | chess                                                  |
    | wine_quality_white      | 4898    | 11       | 7       | wine_quality_567: qualities 5, 6, 7, 4535 objects      |
    | segmentation_2310       | 2310    | 19       | 7       |                                                        |
    | optdigits               | 5620    | 64       | 10      | optdigits_1000: 100 objects of each digit              |
    | pendigits               | 10992   | 16       | 10      | pendigits_2: digit 2, 1144 objects                     |
    | letter_recognition      | 20000   | 16       | 26      | letter_a_to_j: 7648 objects; letter_700: 70 of each    |
    | isolet                  | 7797    | 617      | 26      | isolet6: letters A to E and G; 720 objects in a folder |
    |                         |         |          |         | that holds isolet6_groups_1_5 only                     |
    | synthetic_control       | 600     | 60       | 6       | control charts                                         |
    | kddcup99_10pct          | 494021  | 41       | 23      | kddcup99_pcc: 120000 x 39, 3 classes; kddcup99_bce:    |
    |                         |         |          |         | 493969 x 41, 4 classes; both coded and standardised    |
    | newsgroups20_bydate     | 18846   | terms    | 20      | counts of words                                        |
    | **folder only**         |         |          |         |                                                        |
    | segmentation_2100_test  | 2100    | 19       | 7       |                                                        |
    | trace                   | 200     | 275      | 4       |                                                        |
    | yeast_cellcycle_384_std | 384     | 17       | 5       |                                                        |
    | synthetic_control_ucr   | 600     | 60       | 6       | rows standardised                                      |
    | mini_newsgroups         | 2000    | terms    | 20      | mini_newsgroups_17: 1700 documents, tf-idf of 500      |
    |                         |         |          |         | terms, 7 classes (extra ``text``)                      |
    | webkb_1041              | 1041    | terms    | 4       | webkb: tf-idf of 335 terms (extra ``text``)            |
    | others                  |         |          |         | every table and every set of texts of the folder       |

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
        ``name``, ``features`` (DataFrame; for texts a sparse matrix), ``target`` (classes as text), ``n_classes``,
        ``preparation`` (what was done), ``description``, ``terms`` (words of the columns of texts). Its method
        ``numbers(standardise=False)`` gives the features as one array of numbers.

    Notes
    -----
    Names under "scikit-learn" and "drawn" give the same values with and without the folder. Downloads come through
    scikit-learn's fetchers, mostly from OpenML, are kept in its data home, and are refused if numbers of objects,
    features and classes or the sum of all values are not those of the original files; rows may be in another order.

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


def dataset_names(*, fetched: bool = False) -> list[str]:
    """The names that `load` can load now.

    Parameters
    ----------
    fetched : bool, default=False
        Whether names are listed that `load` would download.

    Examples
    --------
    >>> from partita.datasets import dataset_names
    >>> "wine" in dataset_names()
    True
    >>> "letter_700" in dataset_names(fetched=True)
    True
    """
    folder = data_folder()
    known = {*SHIPPED, *SYNTHETIC, *(stored_files(folder) if folder else ()), *(SOURCES if fetched else ())}
    return sorted(known | {name for name, paper in PAPER_SETS.items() if known.intersection(paper.sources)})


def _known_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name={name!r:.60} is not a name; pass a text such as 'wine'.")
    plain = name.strip().lower().replace("-", "_").removeprefix("clustbench/")
    if plain in _AMBIGUOUS:
        raise ValueError(f"{name!r:.60} may be {' or '.join(map(repr, _AMBIGUOUS[plain]))}; pass one of these.")
    return _ALIASES.get(plain, plain)


def _stored(name: str, labelling: int) -> Dataset:
    """The data set before rows are left out, from the first place that has it."""
    folder = None if name in SHIPPED or name in SYNTHETIC else data_folder()
    files = stored_files(folder) if folder else {}
    if folder and name in files:
        return load_stored(name, files[name], folder, labelling)
    if labelling and name in {*SHIPPED, *SYNTHETIC, *PAPER_SETS, *SOURCES}:
        raise ValueError(f"labelling={labelling} is not there; {name} has one labelling, number 0.")
    if name in SHIPPED:
        return load_shipped(name)
    if name in SYNTHETIC:
        return load_synthetic(name)
    if name in PAPER_SETS:
        return _paper_set(name, files)
    return _fetched(name, folder, files)


def _paper_set(name: str, files: Iterable[str]) -> Dataset:
    """A paper's preparation of a set, preferably of one in the folder."""
    paper = PAPER_SETS[name]
    places: tuple[Iterable[str], ...] = (files, SOURCES, paper.sources)
    source = next(source for place in places for source in paper.sources if source in place)
    try:
        stored = _stored(source, 0)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"{name!r} is made from {source!r}: {error}") from error
    return paper.make(stored)._replace(name=name)


def _fetched(name: str, folder: Path | None, files: Iterable[str]) -> Dataset:
    if name not in SOURCES:
        raise FileNotFoundError(_not_there(name, folder, files))
    try:
        return fetch(name)
    except OSError as error:
        reason = f"{type(error).__name__}: {str(error).strip():.200}"
        raise FileNotFoundError(_not_there(name, folder, files, reason)) from error


def _not_there(name: str, folder: Path | None, files: Iterable[str], reason: str = "") -> str:
    """The error for a name that no place has, and what can be done."""
    place = f"in {VARIABLE}={str(folder)!r}"
    if name not in SOURCES and name not in FOLDER_ONLY:
        names = ", ".join(dataset_names(fetched=True))
        if folder:
            return f"there is no data set {name!r:.60} {place}, and none to download; choose from {names}."
        return (
            f"{name!r:.60} is not one of {names}; other data sets are read from a folder of <name>.csv.gz files: set "
            f"the environment variable {VARIABLE} to it."
        )
    file = name + (".counts.npz" if name in _TEXTS else ".csv.gz")
    give = f"copy {file} into it" if folder else f"set the environment variable {VARIABLE} to a folder with {file}"
    why = f"cannot be downloaded ({FOLDER_ONLY[name]}): {give}" if name in FOLDER_ONLY else ""
    why = why or f"could not be downloaded ({reason}): either {give}, or run again with a network connection"
    if folder:
        return f"there is no data set {name!r} {place}, which holds {', '.join(files) or 'none'}, and it {why}."
    return f"{name!r} is not one of {', '.join([*SHIPPED, *SYNTHETIC])}, which need no files, and {why}."


_TEXTS = ("mini_newsgroups", "newsgroups20_bydate", "webkb_1041")  # two more files beside them
