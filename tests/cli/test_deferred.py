"""A module that is deferred is loaded when something in it is used, in whatever way it is imported."""

import subprocess
import sys

import pytest

DEFER = "import sys; from partita.cli._deferred import defer; defer('scipy.stats'); "


@pytest.mark.parametrize(
    ("use", "loaded"),
    [
        ("import scipy.stats", False),
        ("import sklearn.base", False),
        ("import scipy.stats; print(scipy.stats.mode.__name__)", True),
        ("from scipy.stats import mode; print(mode.__name__)", True),
        ("import scipy.stats as stats; print(stats.mode.__name__)", True),
        ("import scipy.stats.distributions; print(scipy.stats.mode.__name__)", True),
    ],
)
def test_deferred_modules_are_loaded_on_use(use, loaded):
    code = f"{DEFER}{use}; print('scipy.stats._stats_py' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == (["mode", "True"] if loaded else ["False"])


def test_a_module_that_is_there_stays():
    from partita.cli._deferred import defer

    before = sys.modules["json"]
    defer("json")
    assert sys.modules["json"] is before
