"""``python -m benchmarks from_features``: ways from features to a consensus, with and without the number of clusters.

Tables of the development half with at most 5,000 objects, and clouds without clusters. All ways share one ensemble per
table, by ``KMeansEnsemble`` as it is. What is stored is not run again; ``--table`` writes the page.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

import partita
from benchmarks._answer_summary import paired
from benchmarks._frozen_recipes import TEXTS, prepared
from benchmarks.ensembles import table_names
from partita.consensus._method_tables import markdown_table
from partita.datasets import load
from partita.exceptions import WeakStructureWarning
from partita.experiments import half_of

MOST_OBJECTS = 5000
SEED = 0
RULE, CHOOSE, WIDE, EAC, TRUE_PCC, TRUE_LWGP = (
    "LWGP finds k",
    "choose_n_clusters (2 to 10), LWGP",
    "choose_n_clusters (2 to 30), LWGP",
    "EAC finds k",
    "PCC l2, k given",
    "LWGP, k given",
)
FOUND, GIVEN = (RULE, CHOOSE, WIDE, EAC), (TRUE_LWGP, TRUE_PCC)


# --------------------------------------------------------------------------------------------------------- the ways
def by_rule(features, labels, classes):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = partita.LWGP(random_state=SEED).fit(labels)
    return model.labels_, {"warned": any(issubclass(one.category, WeakStructureWarning) for one in caught)}


def by_choice(features, labels, numbers):
    choice = partita.choose_n_clusters(features, numbers, kind="features", random_state=SEED)
    found = partita.LWGP(choice.n_clusters, random_state=SEED).fit(labels).labels_
    return found, {"p_value": choice.p_value, "warned": False}


def by_narrow_choice(features, labels, classes):
    return by_choice(features, labels, None)


def by_wide_choice(features, labels, classes):
    return by_choice(features, labels, (2, max(2, min(30, int(np.sqrt(len(features)))))))


def by_eac(features, labels, classes):
    return partita.EAC().fit(labels).labels_, {"warned": False}


def by_true_pcc(features, labels, classes):
    return partita.PCC(classes, divergence="l2", random_state=SEED).fit(labels).labels_, {}


def by_true_lwgp(features, labels, classes):
    return partita.LWGP(classes, random_state=SEED).fit(labels).labels_, {}


WAYS = {
    RULE: by_rule,
    EAC: by_eac,
    TRUE_LWGP: by_true_lwgp,
    TRUE_PCC: by_true_pcc,
    CHOOSE: by_narrow_choice,
    WIDE: by_wide_choice,
}


# --------------------------------------------------------------------------------------------------------- the data
def development_names():
    """Tables of the development half, small ones first; their sizes are looked at when they are loaded."""
    return [name for name in table_names() if name not in TEXTS and half_of(name) == "development"]


def clouds():
    """Names of clouds without clusters, 20 in all, and how to draw them."""
    return {
        f"{shape} cloud, {d} features, {n} objects, seed {seed}": (shape, n, d, seed)
        for n, seeds in ((200, range(3)), (1000, range(2)))
        for d in (2, 5)
        for shape in ("Gaussian", "uniform")
        for seed in seeds
    }


def cloud(shape, n, d, seed):
    rng = np.random.default_rng([n, d, seed])
    return rng.standard_normal((n, d)) if shape == "Gaussian" else rng.random((n, d))


def inputs(name):
    """Features and classes; no classes for a cloud, None for a table that is too large."""
    if name in clouds():
        return cloud(*clouds()[name]), None
    data = load(name)
    if data.features.shape[0] > MOST_OBJECTS:
        return None
    return prepared(data)[0], data.target.to_numpy(dtype=object, na_value=None)


# ------------------------------------------------------------------------------------------------------------ to run
def main(words):
    """Parse the command line and run, or render."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks from_features", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/results/from_features.json"))
    parser.add_argument("--page", type=Path, default=Path("docs/leaderboard-features.md"), help="what --table writes")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--names", nargs="+", help="data sets or clouds; default all")
    parser.add_argument("--table", action="store_true", help="write the page, and run nothing")
    arguments = parser.parse_args(words)
    cells = read(arguments.output)
    if arguments.table:
        arguments.page.write_text(page(cells), encoding="utf-8")
        print(f"written: {arguments.page}")
        return
    partita.warm_up()
    for name in arguments.names or [*clouds(), *development_names()]:
        missing = [way for way in arguments.ways if (name, way) not in {(c["data"], c["method"]) for c in cells}]
        cells += run(name, missing) if missing else []
        write(cells, arguments.output)


def run(name, ways):
    """The cells of a data set or a cloud."""
    found = inputs(name)
    if found is None:
        return []
    features, target = found
    start = time.perf_counter()
    labels = partita.KMeansEnsemble(random_state=SEED).fit_transform(features)
    head = {"data": name, "n": len(features), "ensemble_seconds": round(time.perf_counter() - start, 3)}
    counted = None if target is None else np.array([value is not None for value in target])
    truth = None if target is None else np.unique(target[counted].astype(str), return_inverse=True)[1]
    classes = 1 if truth is None else len(np.unique(truth))
    cells = []
    for way in ways if truth is not None else [way for way in ways if way in FOUND]:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer, more = WAYS[way](features, labels, classes)
        seconds = time.perf_counter() - start
        ari = None if truth is None else round(float(adjusted_rand_score(truth, answer[counted])), 4)
        scores = {"ari": ari, "k": len(np.unique(answer)), "classes": classes, "seconds": round(seconds, 3)}
        cells.append({**head, "hash": name, "method": way, **scores, **more})
        print(f"{name}: {way}: k {scores['k']} of {classes}, ARI {ari}, {seconds:.2f} s", flush=True)
    return cells


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else []


def write(cells, path):
    """One cell per line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(cell) for cell in sorted(cells, key=lambda cell: (cell["data"], cell["method"])))
    head = json.dumps({"partita": partita.__version__, "seed": SEED})[1:-1]
    path.write_text(f'{{{head}, "cells": [\n{lines}\n]}}\n', encoding="utf-8")


# ---------------------------------------------------------------------------------------------------------- the page
def page(cells):
    """The figures as a page."""
    tables = [cell for cell in cells if cell["ari"] is not None]
    names = {cell["data"] for cell in tables}
    null = [cell for cell in cells if cell["ari"] is None]
    return "\n".join(
        [
            "# From features to a consensus: which way is the default",
            "",
            "How well `ConsensusClustering` (the first way) finds clusters and their number, beside other ways.",
            "",
            f"{len(names)} tables of the development half (the leaderboard reports the other one) with at most 5,000",
            "objects; 100 k-means clusterings of each, by `KMeansEnsemble(random_state=0)`, which all ways combine.",
            "Seconds, the median, are without the ensemble, which takes "
            f"{np.median(list({c['data']: c['ensemble_seconds'] for c in tables}.values())):.2f}.",
            "Made by `python -m benchmarks from_features`, then with `--table`; the figures are in",
            "[results/from_features.json](results/from_features.json). A way with fewer data sets",
            "was not run on the others, which take it many minutes; differences are on what both ran. Times are of a",
            "machine that did other work too.",
            "",
            table_lines(tables, FOUND + GIVEN),
            "",
            "## Differences of ARI, in pairs",
            "",
            "The interval is a bootstrap over data sets.",
            "",
            difference_lines(tables),
            "",
            f"## {len({cell['data'] for cell in null})} clouds without clusters",
            "",
            "Gaussian and uniform, with 2 or 5 features and 200 or 1,000 objects. These are among the clouds on which",
            "the limits of the warning were chosen.",
            "",
            null_lines(null),
            "",
        ]
    )


def of(cells, way):
    return [cell for cell in cells if cell["method"] == way]


def table_lines(cells, ways):
    header = ["way", "ARI", "right k", "within 1", "more than twice", "one cluster", "seconds", "data sets"]
    rows = []
    for way in ways:
        mine = of(cells, way)
        if mine:
            k, true = (np.array([cell[name] for cell in mine]) for name in ("k", "classes"))
            shares = [k == true, abs(k - true) <= 1, k > 2 * true, k == 1]
            seconds = np.median([cell["seconds"] for cell in mine])
            ari = np.mean([cell["ari"] for cell in mine])
            of_k = [f"{share.mean():.2f}" for share in shares] if way in FOUND else [""] * 4
            rows.append([way, f"{ari:.3f}", *of_k, f"{seconds:.2f}", str(len(mine))])
    return markdown_table(header, rows)


def difference_lines(cells):
    pairs = [(RULE, CHOOSE), (RULE, WIDE), (RULE, EAC), (TRUE_LWGP, TRUE_PCC), (TRUE_LWGP, RULE)]
    rows = []
    for first, second in pairs:
        made = paired(of(cells, first), of(cells, second))
        if made is not None:
            interval = f"{made.low:+.3f} to {made.high:+.3f}"
            rows.append([first, second, f"{made.mean:+.3f}", interval, str(made.n_datasets)])
    return markdown_table(["way", "minus", "mean difference", "95 % interval", "data sets"], rows)


def null_lines(cells):
    rows = []
    for way in FOUND:
        mine = of(cells, way)
        if mine:
            one, warned = (sum(bool(test(cell)) for cell in mine) for test in (_is_one, _is_warned))
            rows.append([way, f"{one} of {len(mine)}", f"{warned} of {len(mine)}"])
    return markdown_table(["way", "says one cluster", "finds more, but warns"], rows)


def _is_one(cell):
    return cell["k"] == 1


def _is_warned(cell):
    return cell["k"] > 1 and cell["warned"]
