"""The data of displays are computed without matplotlib; drawing without it names the extra."""

import subprocess
import sys

CODE = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.pyplot"] = None  # as if it were not installed
from partita.plotting import (
    AgreementDisplay, CoassociationDisplay, ConsensusCDFDisplay, DendrogramDisplay, TrackingDisplay
)
X = [[0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2]]
displays = [
    CoassociationDisplay.from_labels(X, X[0]), AgreementDisplay.from_labels(X, X[0]),
    DendrogramDisplay.from_labels(X, n_clusters=2), TrackingDisplay.from_labels(X),
    ConsensusCDFDisplay.from_labels(X, [2], n_resamples=2),
]
for display in displays:
    try:
        display.plot()
    except ImportError as error:
        print(error)
"""


def test_only_plot_needs_matplotlib():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.count('pip install "partita[plot]"') == 5
