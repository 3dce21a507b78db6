"""What all tests share: an ensemble with structure, noise and holes; compiled kernels; no deadlines."""

import numpy as np
import pytest
from hypothesis import settings

import partita
from tests.ensembles import noisy_ensemble

settings.register_profile("partita", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("partita")


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels():
    partita.warm_up()


@pytest.fixture
def rng():
    return np.random.default_rng(20261115)


@pytest.fixture
def truth():
    return noisy_ensemble().truth


@pytest.fixture
def X():
    return noisy_ensemble().X
