"""What is printed fits in a terminal of 80 columns, but for Python lines and paths."""

import pytest

from partita.cli.main import app
from tests.cli.plants import SMALL

CALLS = {
    "check": ["check", "labels.csv"],
    "check features": ["check", "customers.csv"],
    "consensus": ["consensus", "labels.csv", "-m", "pcc", "-o", "o.csv", "--membership", "m.csv"],
    "cluster": ["cluster", "table.csv", "--drop", "class", *SMALL, "-o", "o.csv"],
    "generate": ["generate", "table.csv", "--drop", "class", *SMALL, "-o", "o.csv"],
    "compare": ["compare", "labels.csv", "--matrix"],
    "choose": ["choose", "labels.csv", "--resamples", 3, "-k", "2-4"],
    "choose features": ["choose", "table.csv", "--drop", "class", "--resamples", 3, "-k", "2-4"],
    "ensemble": ["ensemble", "labels.csv", "--select", "jc", "-o", "o.csv"],
    "methods": ["methods"],
    "long methods": ["methods", "--long"],
    "demo": ["demo"],
    "help": ["--help"],
    **{f"help of {name}": [name, "--help"] for name in app.commands},
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.nightly if case == "demo" else ()) for case in CALLS]
)
def test_output_fits_in_eighty_columns(call, labels, table, customers, monkeypatch, case):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = call(*CALLS[case])
    assert code == 0
    said = out.split("in Python:")[0] + "\n".join(line for line in err.splitlines() if "warning: " not in line)
    assert not [line for line in said.splitlines() if len(line) > 80 and not line.startswith("next:")]
