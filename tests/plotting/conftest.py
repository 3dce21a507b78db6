"""Drawing without a screen; figures are closed after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")
