"""Cells of the benchmark of optima: one method on one frozen ensemble, from many seeds.

Beside the cells stands the best value ever found for each method and ensemble. It never gets worse: a run that finds a
better one replaces it, and all gaps are to it.
"""

import json
import time
import warnings

import numpy as np

from benchmarks._optima_methods import METHODS
from partita.metrics import adjusted_rand_score

NEAR = 1e-3  # relative gap of a seed that counts as at the best
SAME = 0.99  # adjusted Rand index of two partitions that count as the same


def run_cell(frozen, method, n_seeds, budget):
    """Values, labels and CPU seconds of the seeds; the first one always, more while the budget of seconds lasts."""
    searched = METHODS[method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        searched.make(2, 0).fit(frozen.labels[:40])  # compiles
        fits, spent = [], 0.0
        for seed in range(n_seeds):
            begun = time.process_time()
            model = searched.make(frozen.n_classes, seed).fit(frozen.labels)
            seconds = time.process_time() - begun
            fits.append((float(getattr(model, searched.value)), model.labels_, seconds, worst_r_hat(model)))
            spent += seconds
            if spent > budget:
                break
    values, labels, seconds, r_hats = zip(*fits, strict=True)
    return {
        "values": [float(f"{value:.12g}") for value in values],
        "seconds": float(f"{np.mean(seconds):.3g}"),
        **agreement(values, labels, searched.rises),
        **({} if r_hats[0] is None else {"r_hats": [round(r_hat, 3) for r_hat in r_hats]}),
    }


def worst_r_hat(model):
    """The largest R-hat of a sampler, else None."""
    try:
        return max(model.r_hat_.values())
    except (AttributeError, ValueError):
        return None


def agreement(values, labels, rises):
    """How far the seeds give one partition: mean ARI of all pairs, and the share that is the best seed's."""
    best = labels[int(np.argmax(values) if rises else np.argmin(values))]
    to_best = [adjusted_rand_score(best, other) for other in labels]
    pairs = [adjusted_rand_score(a, b) for i, a in enumerate(labels) for b in labels[:i]]
    return {
        "self_ari": round(float(np.mean(pairs)), 4) if pairs else None,
        "share_same": round(float(np.mean(np.array(to_best) >= SAME)), 3),
    }


# ------------------------------------------------------------------------------------------------------ best and gaps
def better(method, one, other):
    """The better of two values of a method; either may be None."""
    known = [value for value in (one, other) if value is not None]
    return (max if METHODS[method].rises else min)(known) if known else None


def best_values(cells, known):
    """The best value of every method and ensemble in the cells and among the known ones."""
    best = {ensemble: dict(values) for ensemble, values in known.items()}
    for cell in cells:
        of_ensemble = best.setdefault(cell["ensemble"], {})
        for value in cell.get("values", ()):
            of_ensemble[cell["method"]] = better(cell["method"], value, of_ensemble.get(cell["method"]))
    return best


def gaps(cell, best):
    """Distance of each seed from the best value: relative, or in nats for NBCE."""
    searched = METHODS[cell["method"]]
    target = best[cell["ensemble"]][cell["method"]]
    gap = (target - np.array(cell["values"])) * (1 if searched.rises else -1)
    gap = np.maximum(gap, 0.0) + 0.0  # stored values are rounded
    return gap if searched.for_nbce else gap / max(abs(target), np.finfo(float).tiny)


# --------------------------------------------------------------------------------------------------------- one file
def read_results(path):
    """Cells and best values that are stored."""
    if not path.exists():
        return {"cells": [], "best": {}}
    return json.loads(path.read_text(encoding="utf-8"))


def write_results(path, results):
    """Write beside, then rename."""
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = sorted(results["cells"], key=lambda cell: (cell["ensemble"], cell["method"], cell["run"]))
    rows = ",\n".join(json.dumps(cell, separators=(",", ":")) for cell in cells)
    best = json.dumps(results["best"], indent=1, sort_keys=True)
    beside = path.with_suffix(".part")
    beside.write_text(f'{{\n"best": {best},\n"cells": [\n{rows}\n]\n}}\n', encoding="utf-8")
    beside.replace(path)


def with_cell(results, cell):
    """The results with one more cell, which replaces an older one of the same run."""
    head = ("run", "ensemble", "method")
    others = [old for old in results["cells"] if any(old[name] != cell[name] for name in head)]
    return {"cells": [*others, cell], "best": best_values([cell], results["best"])}
