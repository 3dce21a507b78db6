"""Features that many tests of the room use."""

import numpy as np
import pytest

from tests.generation.cases import blobs


@pytest.fixture
def F():
    return blobs()[0]


@pytest.fixture
def text():
    """Rows of counts, most of them zero."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(30, 0.1), size=3)
    return np.array([rng.multinomial(20, topics[i % 3]) for i in range(60)], dtype=float)
