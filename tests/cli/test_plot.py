"""``partita plot``: every kind of picture from a file, its Python lines, formats, options that do not fit."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from partita.plotting._kinds import KINDS

CURVE = ["--methods", "lwgp", "-k", 3, "--over", "missing"]
OPTIONS = {"rank": ["--methods", "eac,mcla,lwgp"], "convergence": ["--methods", "mm", "-k", 3], "curve": CURVE}


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    from matplotlib import pyplot

    assert not pyplot.get_fignums()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_from_a_file_and_by_its_python_lines(call, labels, tmp_path, kind):
    code, out, err = call("plot", kind, labels, "-o", "one.svg", *OPTIONS.get(kind, []), "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["picture"] == kind
    assert (tmp_path / "one.svg").read_text(encoding="utf-8").startswith("<?xml")
    import matplotlib

    matplotlib.use("Agg")
    scope = {}
    exec(facts["python"], scope)
    assert type(scope["display"]).__name__ == KINDS[kind].display
    from matplotlib import pyplot

    pyplot.close("all")


def test_formats_and_the_same_call_gives_the_same_file(call, labels, tmp_path):
    for suffix, begin in [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]:
        assert call("plot", "scatter", labels, "-o", f"a.{suffix}")[0] == 0
        assert call("plot", "scatter", labels, "-o", f"b.{suffix}")[0] == 0
        first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab")
        assert first.startswith(begin)
        assert first == second


def test_columns_beside_the_labels(call, labels, tmp_path):
    frame = pd.read_csv(tmp_path / labels)
    frame["u"], frame["v"] = np.arange(45.0), np.arange(45.0) ** 0.5
    frame["site"], frame["mine"] = ["x", "y", "z"] * 15, [0, 0, 1] * 15
    frame.to_csv(tmp_path / "more.csv", index=False)
    argv = ["--partition", "mine", "--drop", "site"]
    facts = json.loads(call("plot", "scatter", "more.csv", "-o", "a.svg", "--coordinates", "u,v", *argv, "--json")[1])
    assert (facts["n_clusterings"], facts["n_clusters"]) == (8, 2)
    argv = ["--annotate", "site", "--drop", "u,v,mine", "--order", "vat"]
    assert call("plot", "coassociation", "more.csv", "-o", "b.svg", *argv)[0] == 0
    assert "site" in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_tables_of_results(call, tmp_path, rng):
    scores = pd.DataFrame(rng.random((12, 4)), columns=["EAC", "PCC", "BCE", "MCLA"])
    scores.insert(0, "data", [f"set {i}" for i in range(12)])
    scores.to_csv(tmp_path / "scores.csv", index=False)
    code, out, _ = call("plot", "rank", "scores.csv", "-o", "rank.svg", "--table")
    assert code == 0
    assert "RankDisplay.from_scores(frame)" in out
    assert "MCLA" in (tmp_path / "rank.svg").read_text(encoding="utf-8")
    assert call("plot", "rank", "scores.csv", "-o", "r.svg", "--table", "--drop", "BCE")[0] == 0
    assert "BCE" not in (tmp_path / "r.svg").read_text(encoding="utf-8")
    assert "has no column 'magic'" in call("plot", "rank", "scores.csv", "-o", "r.svg", "--table", "--drop", "magic")[2]
    rows = pd.DataFrame({"share": np.repeat([0.1, 0.2, 0.3], 4), "ari": rng.random(12), "who": ["a", "b"] * 6})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    argv = ["--table", "--x", "share", "--y", "ari", "--by", "who"]
    assert call("plot", "curve", "rows.csv", "-o", "curve.svg", *argv)[0] == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["scatter", "-o", "a.gif"], "let its name end in .svg, .png or .pdf"),
        (["scatter", "-o", "a.svg", "--over", "columns"], "--over is not for scatter; it is for curve"),
        (["rank", "-o", "a.svg", "-m", "eac"], "--method is not for rank"),
        (["uncertainty", "-o", "a.svg", "--max-drawn", 5], "--max-drawn is not for uncertainty"),
        (["scatter", "-o", "a.svg", "--coordinates", "c0"], "must name two columns"),
        (["scatter", "-o", "a.svg", "--coordinates", "u,v"], "has no column"),
        (["scatter", "-o", "a.svg", "--partition", "c0", "-k", 3], "leave out --method, --n-clusters and --set"),
        (["coassociation", "-o", "a.svg", "--order", "magic"], "magic"),
        (["curve", "-o", "a.svg", "--x", "u"], "pass --table too"),
        (["curve", "-o", "a.svg", "--table", "--x", "u"], "needs --y"),
        (["curve", "-o", "a.svg", "--table", "--x", "u", "--y", "v"], "has no column 'u'"),
        (["dendrogram", "-o", "a.svg", "-m", "mcla", "-k", 3], "has no tree"),
        (["convergence", "-o", "a.svg", "-m", "mcla", "-k", 3], "MCLA keeps no history"),
        (["convergence", "-o", "a.svg", "-m", "mm", "-k", 3, "--methods", "mm,bce"], "--methods names all methods"),
        (["scatter", "-o", "a.svg", "--partition", "c0", "--set", "theta=0.2"], "leave out --method"),
        (["rank", "-o", "a.svg", "--jobs", 2], "--jobs is not for rank"),
        (["scatter"], "Missing option '-o'"),
        (["magic", "-o", "a.svg"], "'magic' is not one of"),
    ],
)
def test_wrong_calls_are_refused_in_one_line(call, labels, tmp_path, argv, message):
    code, _, err = call("plot", argv[0], labels, *argv[1:])
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.glob("*.svg"))


def test_a_missing_extra_is_named_before_any_work(call, labels, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = call("plot", "scatter", labels, "-o", "a.svg")
    assert code == 2
    assert 'pip install "partita[plot]"' in err
