"""The leaderboard in one look: mean ranks over data sets, as a short table and as a critical-difference diagram.

Both take the data sets of both halves with few objects: on large ones slow methods exceed the time limit, and a method
that did not run everywhere has no rank. Ranks are those of the means per data set, as the test of Nemenyi needs them:
data sets are independent of each other, ensembles of one data set are not.
"""

from collections import defaultdict

import pandas as pd

from benchmarks._answer_contestants import FOUND, GIVEN
from benchmarks._answer_summary import by_method, dataset_means, finished, select
from benchmarks._frozen_recipes import MOST_FOR_PCC

MOST_OBJECTS = MOST_FOR_PCC  # of these data sets all three recipes are there, texts excepted
HALVES = ("test", "development")
TITLES = {FOUND: "k found by the method", GIVEN: "k given"}


def small(cells):
    """Cells of the data sets with few objects."""
    return [cell for cell in cells if cell["n"] <= MOST_OBJECTS]


def complete_methods(cells):
    """For each method that ran on every ensemble of these cells, its cells by hash."""
    n_ensembles = len({cell["hash"] for cell in cells})
    return {method: of for method, of in by_method(finished(cells)).items() if len(of) == n_ensembles}


def entries(complete):
    """Methods by the name that is shown; those with the same ARI on every ensemble are one, such as "default = lwgp".

    Each of them would take a rank from the others, and add to the number of comparisons.
    """
    alike = defaultdict(list)
    for method in sorted(complete):
        alike[tuple(complete[method][code]["ari"] for code in sorted(complete[method]))].append(method)
    return {" = ".join(methods): complete[methods[0]] for methods in alike.values()}


def scores(cells, mode):
    """Mean ARI, one row per data set, one column per entry; data sets with few objects, of one mode."""
    chosen = entries(complete_methods(small(select(cells, mode=mode))))
    return pd.DataFrame({name: dataset_means(of.values(), lambda cell: cell["ari"]) for name, of in chosen.items()})


def left_out(cells, mode):
    """Methods that have no rank here, because they did not run on every ensemble."""
    chosen = small(select(cells, mode=mode))
    return sorted({cell["method"] for cell in chosen} - set(complete_methods(chosen)))


def diagram(cells, mode):
    """The display of mean ranks; None with fewer than two methods or data sets."""
    from partita.plotting import RankDisplay

    frame = scores(cells, mode)
    if min(frame.shape) < 2:
        return None
    display = RankDisplay.from_scores(frame)
    notes = [TITLES[mode], f"data sets with at most {MOST_OBJECTS:,} objects"]
    without = left_out(cells, mode)
    notes += [f"not on all of them: {', '.join(without)}"] if without else []
    display.note = "; ".join(notes)
    return display


def picture_name(mode):
    return f"leaderboard-{mode}.svg"


def write_pictures(cells, folder):
    """Write the diagrams as SVG, the same bytes for the same results; return their paths."""
    written = []
    for mode in TITLES:
        display = diagram(cells, mode)
        if display is not None:
            folder.mkdir(parents=True, exist_ok=True)
            written.append(folder / picture_name(mode))
            _save(display, written[-1])
    return written


def _save(display, path):
    import matplotlib
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.hashsalt": path.stem}):
        figure = display.plot().figure_
        figure.savefig(path, facecolor="white", metadata={"Date": None})  # white: pages may be dark
    pyplot.close(figure)
    # matplotlib ends lines of paths with blanks, which checks of the repository refuse
    kept = [line.rstrip() for line in path.read_text(encoding="utf-8").splitlines()]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")


def short_table(cells, mode):
    """Name, mean rank, and ARI of all, of the test and of the development half; best rank first."""
    frame = scores(cells, mode)
    ranks = frame.rank(axis=1, ascending=False).mean()
    half_of = {cell["data"]: cell["half"] for cell in cells}
    means = [frame, *(frame[[half_of[data] == half for data in frame.index]] for half in HALVES)]
    return [
        [name, f"{ranks[name]:.2f}", *("" if part.empty else f"{part[name].mean():.3f}" for part in means)]
        for name in ranks.sort_values(kind="stable").index
    ]
