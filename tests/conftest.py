"""What all tests share: an ensemble with structure, noise and holes; compiled kernels; no deadlines."""

import warnings

import numpy as np
import pytest
from hypothesis import settings

import partita
from partita.consensus import _registered
from tests.ensembles import noisy_ensemble

settings.register_profile("partita", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("partita")


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels():
    partita.warm_up()


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
