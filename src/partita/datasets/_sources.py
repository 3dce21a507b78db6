"""Where data sets can be downloaded, and facts by which the right ones are known.

The totals are sums of all numbers of a table, missing ones left out, and do not depend on the order of rows or columns;
``words`` counts cells of categorical values. Both were computed once from copies of the UCI files that were compared
with a second copy, ``np.nansum(features.select_dtypes("number"))`` and ``value_counts()`` over the other columns.
"""

from typing import NamedTuple


class Facts(NamedTuple):
    """What must be true of a data set."""

    n_objects: int
    n_features: int | None  # None: terms of texts, whose number depends on how words are found
    classes: dict[str, int]  # sizes of these classes
    total: float | None = None  # sum of all numbers; None: not known
    tolerance: float = 1e-6  # relative, of the total
    words: dict[str, int] | None = None  # number of cells with these values


class Source(NamedTuple):
    """How scikit-learn fetches a data set, and how its table becomes ours."""

    facts: Facts
    data_id: int | None = None  # of OpenML; None: a fetcher of its own
    target: str = "default-target"  # the column of the classes
    left_out: tuple[str, ...] = ("id", "index")  # columns that number the rows, in small letters, where they are there
    renamed: dict[str, str] | None = None  # their names of classes: ours, where they differ by more than capitals
    categorical: tuple[int, ...] = ()  # columns, numbered from 0


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LETTER_SIZES = (
    789, 766, 736, 805, 768, 775, 773, 734, 755, 747, 739, 761, 792, 783, 753, 803, 783, 758, 748, 796, 813, 764, 752,
    787, 786, 734,
)  # fmt: skip
_GLASS = {
    "build wind float": "1",
    "build wind non-float": "2",
    "vehic wind float": "3",
    "containers": "5",
    "tableware": "6",
    "headlamps": "7",
}
_SEGMENTS = ("brickface", "sky", "foliage", "cement", "window", "path", "grass")
_CHARTS = ("normal", "cyclic", "increasing_trend", "decreasing_trend", "upward_shift", "downward_shift")
_ATTACKS = {
    "smurf": 280790, "neptune": 107201, "normal": 97278, "back": 2203, "satan": 1589, "ipsweep": 1247,
    "portsweep": 1040, "warezclient": 1020, "teardrop": 979, "pod": 264, "nmap": 231, "guess_passwd": 53,
    "buffer_overflow": 30, "land": 21, "warezmaster": 20, "imap": 12, "rootkit": 10, "loadmodule": 9, "ftp_write": 8,
    "multihop": 7, "phf": 4, "perl": 3, "spy": 2,
}  # fmt: skip
_NEWSGROUPS = {
    "alt.atheism": 799, "comp.graphics": 973, "comp.os.ms-windows.misc": 985, "comp.sys.ibm.pc.hardware": 982,
    "comp.sys.mac.hardware": 963, "comp.windows.x": 988, "misc.forsale": 975, "rec.autos": 990, "rec.motorcycles": 996,
    "rec.sport.baseball": 994, "rec.sport.hockey": 999, "sci.crypt": 991, "sci.electronics": 984, "sci.med": 990,
    "sci.space": 987, "soc.religion.christian": 997, "talk.politics.guns": 910, "talk.politics.mideast": 940,
    "talk.politics.misc": 775, "talk.religion.misc": 628,
}  # fmt: skip


def _digits(*sizes: int) -> dict[str, int]:
    return {str(digit): size for digit, size in enumerate(sizes)}


SOURCES: dict[str, Source] = {
    "house_votes_84": Source(
        Facts(435, 16, {"democrat": 267, "republican": 168}, words={"y": 3421, "n": 3147}),
        data_id=56,
        categorical=tuple(range(16)),
    ),
    "ionosphere": Source(Facts(351, 34, {"g": 225, "b": 126}, 2956.01597), data_id=59),
    "breast_cancer_wisconsin": Source(Facts(699, 9, {"benign": 458, "malignant": 241}, 19670), data_id=15),
    "pima": Source(
        Facts(768, 8, {"0": 500, "1": 268}, 276392.701),
        data_id=37,
        renamed={"tested_negative": "0", "tested_positive": "1"},
    ),
    "balance_scale": Source(Facts(625, 4, {"L": 288, "B": 49, "R": 288}, 7500), data_id=11),
    "glass": Source(
        Facts(214, 9, {"1": 70, "2": 76, "3": 17, "5": 13, "6": 9, "7": 29}, 21698.0302), data_id=41, renamed=_GLASS
    ),
    # the papers take as class the column that OpenML sets aside, because it was meant to split the data
    "bupa": Source(Facts(345, 6, {"1": 145, "2": 200}, 88602), data_id=8, target="selector"),
    "magic04": Source(Facts(19020, 10, {"g": 12332, "h": 6688}, 5834924.789), data_id=1120),
    "ecoli": Source(
        Facts(336, 7, {"cp": 143, "im": 77, "pp": 52, "imU": 35, "om": 20, "omL": 5, "imS": 2, "imL": 2}, 1174.98),
        data_id=39,
    ),
    "wine_quality_white": Source(
        Facts(4898, 11, {"3": 20, "4": 163, "5": 1457, "6": 2198, "7": 880, "8": 175, "9": 5}, 993116.31409),
        data_id=40498,
        renamed={str(number): str(number + 2) for number in range(1, 8)},  # OpenML numbers the qualities from 1
    ),
    "kr_vs_kp": Source(
        Facts(
            3196,
            36,
            {"won": 1669, "nowin": 1527},
            words={"f": 81645, "t": 24612, "n": 4933, "l": 2205, "g": 991, "w": 446, "b": 224},
        ),
        data_id=3,
        categorical=tuple(range(36)),
    ),
    # OpenML's copy has six digits
    "segmentation_2310": Source(
        Facts(2310, 19, dict.fromkeys(_SEGMENTS, 330), 1081148.699, tolerance=1e-5), data_id=36
    ),
    "optdigits": Source(
        Facts(5620, 64, _digits(554, 571, 557, 572, 568, 558, 558, 566, 554, 562), 1766476), data_id=28
    ),
    "pendigits": Source(
        Facts(10992, 16, _digits(1143, 1143, 1144, 1055, 1144, 1055, 1056, 1142, 1055, 1055), 8918653), data_id=32
    ),
    "letter_recognition": Source(Facts(20000, 16, dict(zip(_LETTERS, _LETTER_SIZES, strict=True)), 1896149), data_id=6),
    # no whole copy was at hand for a total; of the 26 letters three recordings are missing, none of these six
    "isolet": Source(
        Facts(7797, 617, dict.fromkeys("ABCDEG", 300)),
        data_id=300,
        renamed={str(number): letter for number, letter in enumerate(_LETTERS, start=1)},
    ),
    "synthetic_control": Source(Facts(600, 60, dict.fromkeys(_CHARTS, 100), 1083317.9569347), data_id=377),
    "kddcup99_10pct": Source(
        Facts(494021, 41, _ATTACKS, 2466072518.54, words={"icmp": 283602, "tcp": 190065, "udp": 20354, "SF": 378440}),
        categorical=(1, 2, 3),
    ),
    # the total is the number of words, which depends a little on how letters of old messages are read
    "newsgroups20_bydate": Source(Facts(18846, None, _NEWSGROUPS, 2198830, tolerance=0.02)),
}

# data sets of the papers that no fetcher of scikit-learn has
FOLDER_ONLY: dict[str, str] = {
    "isolet6_groups_1_5": "it is a part of isolet; load('isolet6') takes the whole set",
    "isolet_groups_1_5": "it is a part of isolet; load('isolet') takes the whole set",
    "mini_newsgroups": "scikit-learn and OpenML do not have this selection of the newsgroups",
    "segmentation_2100_test": "OpenML does not say which of the 2310 objects of segmentation_2310 are the 2100",
    "synthetic_control_ucr": "the UCR archive has no fetcher; synthetic_control has the raw values",
    "trace": "the UCR archive has no fetcher",
    "webkb_1041": "scikit-learn and OpenML do not have it",
    "yeast_cellcycle_384_std": "scikit-learn and OpenML do not have it",
}
