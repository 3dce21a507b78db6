"""Every example of the gallery runs without a warning and draws at least one picture."""

import os

import matplotlib as mpl
import pytest

from tests.docs.pages import ROOT

NIGHTLY = os.environ.get("PARTITA_NIGHTLY") == "1"
EXAMPLES = sorted((ROOT / "docs" / "gallery").glob("*.py"))
QUICK = ("plot_01", "plot_03", "plot_09")  # about a second each; the others run at night


def test_there_are_about_fifteen_examples():
    assert 12 <= len(EXAMPLES) <= 20
    assert all(path.name.startswith(f"plot_{number:02d}_") for number, path in enumerate(EXAMPLES, 1))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(path, tmp_path, monkeypatch):
    if not (NIGHTLY or path.name.startswith(QUICK)):
        pytest.skip("at night: PARTITA_NIGHTLY=1")
    monkeypatch.chdir(tmp_path)
    with mpl.rc_context({"backend": "agg"}):
        from matplotlib import pyplot

        pyplot.close("all")
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "__main__"})
        drawn = pyplot.get_fignums()
        pyplot.close("all")
    assert drawn
