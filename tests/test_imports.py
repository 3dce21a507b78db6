"""`import partita` is fast and loads nothing heavy; the names it promises are there."""

import subprocess
import sys

import pytest

import partita

HEAVY = ("numba", "sklearn", "scipy", "pandas", "numpy", "matplotlib", "click", "tqdm", "polars", "narwhals", "joblib")


def alone(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_loads_nothing_heavy():
    loaded = alone("import sys, partita; print(*sorted({name.split('.')[0] for name in sys.modules}))").split()
    assert not set(HEAVY) & set(loaded)


def test_help_loads_nothing_heavy_but_click():
    code = "import sys, partita.cli.main; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    assert set(HEAVY) & set(alone(code).split()) == {"click"}


def test_listing_the_methods_loads_nothing_heavy_but_click():
    code = (
        "import sys; from partita.cli.main import app; app(['methods'], standalone_mode=False); "
        "print(*sorted({name.split('.')[0] for name in sys.modules}))"
    )
    assert set(HEAVY) & set(alone(code).splitlines()[-1].split()) == {"click"}


def test_optional_libraries_stay_unloaded_until_used():
    code = "import sys, partita; partita.EAC().fit({'a': [0, 0, 1]}); print(*sys.modules)"
    assert not {"polars", "pyarrow.parquet", "matplotlib"} & set(alone(code).split())


@pytest.mark.parametrize("name", partita.__all__)
def test_every_public_name_is_there_and_listed(name):
    assert getattr(partita, name) is not None
    assert name in dir(partita)


def test_the_function_is_not_hidden_by_its_module():
    assert callable(partita.coassociation)
    assert alone("import partita; partita.EAC; print(callable(partita.coassociation))") == "True"


def test_unknown_names_are_refused():
    with pytest.raises(AttributeError, match="No partita attribute magic"):
        _ = partita.magic
