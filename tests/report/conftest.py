import warnings

import pandas as pd
import pytest

import partita
from partita.report import write_report
from tests.report.pages import HOSTILE, Page, hostile_labels


@pytest.fixture(scope="session")
def result():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", partita.exceptions.WeakStructureWarning)  # five clusterings are few
        return partita.combine(hostile_labels(), random_state=0)


@pytest.fixture(scope="session")
def full_report(result, tmp_path_factory):
    """A report with everything in it, all of its text hostile."""
    path = tmp_path_factory.mktemp("report") / "full.html"
    annotations = pd.DataFrame({HOSTILE: [HOSTILE, "b", "c", "d"] * 15, "age": range(60)}, index=hostile_labels().index)
    write_report(
        result, path, title=HOSTILE, compare=["eac", "mcla"], annotations=annotations, n_resamples=3, tables=True,
        calls={"python": f"print('{HOSTILE}')", "shell": "partita consensus <in >out\n"},
    )  # fmt: skip
    return path


@pytest.fixture(scope="session")
def page(full_report):
    return Page(full_report)
