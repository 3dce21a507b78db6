"""The page of the benchmark of optima."""

import numpy as np

from benchmarks._optima_cells import NEAR, gaps
from benchmarks._optima_methods import METHODS

HEAD = """# How near to the optimum

How often the default fit of each method reaches the best value of what it optimises.

`python -m benchmarks optima` fits every method with starts or chains, with its default parameters and the number of
classes as the number of clusters, from 20 seeds on frozen ensembles: k-means of iris, wine, glass, E. coli, digits,
image segments, blobs and unbalanced blobs, with 10 or 100 clusterings, some with 30 % of the labels missing. The *gap*
of a seed is the distance of its objective from the best value ever found for that ensemble, by any run of any version.

- gap: mean and largest over the seeds, in per cent of the best value (NBCE: in nats);
- near: share of the seeds within 0.1 % of the best value (NBCE: within 1 nat);
- ARI: mean adjusted Rand index between the partitions of every two seeds; same: share of the seeds whose partition is
  that of the best seed (ARI of at least 0.99);
- s: CPU seconds per fit, on one core. The machine was busy: times are a guide. Fewer than 20 seeds were run where a
  method takes long.

`before` is the version before starts competed and moves were added, `after` the present one. The search constants were
chosen on these ensembles, mostly with other seeds. R-hat is the largest of all seeds, of the log joint and of the
number of clusters. The earlier `NMFConsensus` minimised another objective, so that its values cannot be compared; its
seeds agreed with their best one (*same*) in 0.05 to 0.35 of the cases on nine of the twelve ensembles.

The best values and the values of all seeds are in [results/optima.json](results/optima.json). An objective is what the
method improves, not how well its partition agrees with known classes; for that see the [leaderboard](leaderboard.md).
"""


def figures(cell, best):
    """Mean and largest gap, the share of seeds that are near, agreement, and time."""
    in_nats = METHODS[cell["method"]].for_nbce
    gap = gaps(cell, best)
    near = float(np.mean(gap <= (1.0 if in_nats else NEAR)))
    return {
        "mean": float(gap.mean()) * (1 if in_nats else 100),
        "max": float(gap.max()) * (1 if in_nats else 100),
        "near": near,
        "n": len(gap),
        "self_ari": cell["self_ari"],
        "same": cell["share_same"],
        "seconds": cell["seconds"],
        "r_hat": max(cell["r_hats"]) if "r_hats" in cell else None,
    }


def _row(name, cell, best):
    f = figures(cell, best)
    ari = "" if f["self_ari"] is None else f"{f['self_ari']:.3f}"
    words = [name, cell["run"], str(f["n"]), f"{f['mean']:.3f}", f"{f['max']:.3f}", f"{f['near']:.2f}", ari]
    words += [f"{f['same']:.2f}", f"{f['seconds']:.3g}", "" if f["r_hat"] is None else f"{f['r_hat']:.2f}"]
    return "| " + " | ".join(words) + " |"


def table(results, run=None):
    """One table per method, one row per ensemble and run."""
    parts = []
    for method in METHODS:
        cells = [c for c in results["cells"] if c["method"] == method and run in (None, c["run"])]
        if not cells:
            continue
        unit = "nats" if METHODS[method].for_nbce else "%"
        head = f"## {method}\n\n| ensemble | run | seeds | gap, mean {unit} | max | near | ARI | same | s | R-hat |\n"
        head += "|---|---|---|---|---|---|---|---|---|---|\n"
        ordered = sorted(cells, key=lambda cell: (cell["ensemble"], cell["run"] != "before"))
        parts.append(head + "\n".join(_row(c["ensemble"].split(".")[0], c, results["best"]) for c in ordered))
    return "\n\n".join(parts)


def page(results):
    """The whole page."""
    return f"{HEAD}\n{table(results)}\n"
