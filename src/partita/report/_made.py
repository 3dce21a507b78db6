"""The last section: calls, versions, seeds, times, and what the numbers mean."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import partita
from partita.report._material import Material
from partita.report._parts import Code, Fact, Facts, Points, Words, clean, clean_lines

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "numba", "matplotlib")
_LONG = 0.1  # seconds from which a step is named
_CALLS = {"python": "In Python", "shell": "On the command line"}
_MEANING = [
    "Confidence is the log-odds of an object's cluster against the best other one, computed from its labels. It ranks "
    "the objects: those with low values are in the wrong cluster more often. It is not a probability of being right.",
    "Votes are shares: each label of an object votes for the clusters in which this label is found. They sum to 1 for "
    "each object, and are not probabilities of being right either.",
    "An object is in doubt if its confidence is 0 or less: its labels speak for another cluster at least as much.",
    "The consensus cannot be better than what the clusterings share. If all of them make the same mistake, it makes "
    "this mistake too, with high confidence.",
]


def what_was_done(material: Material) -> list[Any]:
    """How the result and the report can be made again."""
    calls = [Code(title, clean_lines(material.calls[key])) for key, title in _CALLS.items() if material.calls.get(key)]
    return [
        *calls,
        Facts([*_facts(material), Fact("Versions", _versions())]),
        Words("What the numbers mean:"),
        Points(_MEANING),
    ]


def _facts(material: Material) -> list[Fact]:
    estimator = material.result.estimator
    facts = [Fact("Method", clean(f"{material.result.method} ({type(estimator).__name__})"))]
    settings = _settings(estimator)
    if settings:
        facts.append(Fact("Its parameters", settings))
    facts.append(Fact("Seed of the report", clean(repr(material.random_state), 60)))
    if material.n_resamples:
        facts.append(Fact("Resamples", f"{material.n_resamples:,}"))
    facts.append(Fact("Time for the report", f"{sum(material.seconds.values()):.1f} s", _times(material.seconds)))
    beside = [name for key, name in material.files.items() if key in material.tables]
    if beside:
        facts.append(Fact("Tables beside it", ", ".join(beside)))
    return facts


def _times(seconds: dict[str, float]) -> str:
    """The steps that took long enough to be named, the longest first."""
    longest = sorted(((spent, step) for step, spent in seconds.items() if spent >= _LONG), reverse=True)
    return ", ".join(f"{step}: {spent:.1f} s" for spent, step in longest)


def _settings(estimator: Any) -> str:
    """Parameters of the estimator, each cut where it is long, as an array of weights is."""
    parameters = estimator.get_params(deep=False)
    return ", ".join(f"{name}={clean(repr(value), 60)}" for name, value in parameters.items())


def _versions() -> str:
    found = [f"Python {platform.python_version()}", f"partita {partita.__version__}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return ", ".join(found)
