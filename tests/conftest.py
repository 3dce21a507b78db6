"""What all tests share: an ensemble with structure, noise and holes; compiled kernels; what is left to the night."""

import os
import warnings

import numpy as np
import pytest
from hypothesis import settings

from partita._kernels import _warm_up
from partita.consensus import _registered
from tests.ensembles import noisy_ensemble
from tests.nightly import NIGHTLY

settings.register_profile("partita", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("partita")


def pytest_collection_modifyitems(config, items):
    """Leave what is nightly to ``make nightly``."""
    if not NIGHTLY:
        left_out = [item for item in items if item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels():
    """Compile once: workers share a cache, and every second one begins at the other end."""
    backwards = os.environ.get("PYTEST_XDIST_WORKER", "gw0")[-1] in "13579"
    for part in reversed(_warm_up.PARTS) if backwards else _warm_up.PARTS:
        part(_warm_up.CODES)


@pytest.fixture(autouse=True)
def no_registered_methods():
    """No test sees the methods that another one, or a doctest, has registered."""
    with pytest.MonkeyPatch.context() as patch:  # one of its own, so that those of tests end before other fixtures do
        patch.setattr(_registered, "_registered", {})
        patch.setattr(_registered, "_classes", {})
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


@pytest.fixture
def truth():
    return noisy_ensemble().truth


@pytest.fixture
def X():
    return noisy_ensemble().X


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """Run the command line in an empty folder; gives exit code, stdout and stderr."""
    from partita.cli.main import main

    monkeypatch.chdir(tmp_path)
    before = warnings.showwarning

    def run(*argv):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            with pytest.raises(SystemExit) as stop:
                main([str(word) for word in argv])
        out, err = capsys.readouterr()
        return stop.value.code, out, err

    yield run
    warnings.showwarning = before
