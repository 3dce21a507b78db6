"""Recorded choices, made once."""

import pytest

from tests.selection.recorded import FAST, Recorded, blobs, copies


@pytest.fixture(scope="session")
def of_features():
    return Recorded(blobs(), (2, 4), **FAST)


@pytest.fixture(scope="session")
def of_labels():
    return Recorded(copies(missing=0.1), (2, 6), n_resamples=8, random_state=0)


@pytest.fixture(params=["of_features", "of_labels"])
def recorded(request):
    return request.getfixturevalue(request.param)
