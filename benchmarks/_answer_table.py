"""The leaderboard as a page of Markdown, from the stored results."""

from benchmarks._answer_contestants import CUT, DEFAULT, FOUND, GIVEN, MOST_ROWS, REFERENCE, REFERENCE_CUT
from benchmarks._answer_figure import HALVES, MOST_OBJECTS, TITLES, diagram, left_out, picture_name, short_table, small
from benchmarks._answer_summary import finished, lines, paired, select
from partita.consensus._method_tables import markdown_table

PICTURES = "images"  # folder of the diagrams, beside the page
_HEAD = ["method", "rank", "ARI", "NMI", "seconds", "ensembles", "default there"]
_OF_K = ["right k", "within 1", "above twice"]
_SHORT = ["method", "mean rank", "ARI", "ARI, test half", "ARI, development half"]

_INTRODUCTION = """# Leaderboard

Every method on the same frozen ensembles, with the number of clusters found by the method or given (the number of
classes): {n_ensembles} ensembles of {n_datasets} data sets. Written by `python -m benchmarks answer --table` from
`{source}`; do not edit.
"""

_IN_ONE_LOOK = """## In one look

Data sets of both halves with at most {most:,} objects ({n_ensembles} ensembles of {n_datasets} data sets): on larger
ones slow methods exceed the time limit, and would have no rank. The tables further down have all data sets. **mean
rank**: methods are ranked by their mean ARI on each data set, 1 is best; methods that gave the same ARI on every
ensemble are one line. In the diagrams, bars join methods whose mean ranks are less than the critical difference of the
test of Nemenyi apart: they are not shown to differ. The tests take data sets as independent; some are near relatives
(iris and iris_fisher), so that p-values and critical differences are somewhat too small.
"""

_HOW_TO_READ = """## What was run, and how to read the tables

- **Data**: the data sets of the papers behind the methods, the synthetic ones among them, and the planes and spaces of
  clustbench. Features are standardised, except coordinates, pixels and features that come prepared; texts are tf-idf.
- **Ensembles**: `kmeans-2-20`: 20 k-means with 2 to 20 clusters; `kmeans-k-sqrt`: 20 k-means with k to sqrt(n)
  clusters, k the number of classes; `pcc-2`: four linkages, k-means and spectral clustering with 4 to 20 clusters, up
  to 2,500 objects. Texts have spherical k-means, and no `pcc-2`.
- **Halves**: data sets are in the development or the test half by the MD5 of their names. The constants of
  the score were chosen on the development half. The test half was looked at before the default had its present form
  (number of splits, how objects are sampled, theta), so that its figures are not quite those of unseen data.
  Some data sets have a near relative in the other half (parts or versions of the same measurements, such as iris and
  iris_fisher).
- **ARI, NMI** to the classes; objects without a class do not count. Means over data sets: the ensembles of a data set
  are averaged first, and so are shares and ranks.
- **rank** among the methods that ran on all ensembles of the table, by ARI on each ensemble. A method that did not
  (time limit of {limit:g} s in the last run and perhaps less in earlier ones, memory, an error;
  {bounded})
  has no rank: compare its ARI with **default there**, the ARI of the default (of `reference-rule`, where there is no
  default) on the same ensembles, if the default ran on all of them.
- **right k, within 1, above twice**: shares of ensembles where the number of clusters is that of the classes, differs
  by at most one, is more than twice as large. **seconds**: median, one thread.
- `default` is `combine(labels)`; `reference-rule` is a plain rule for the number of clusters with `reference-lwgp`, the
  weighted bipartite cut, as its partition: both are in `benchmarks/_reference_rule.py` and share no code with the
  library.

Versions: {versions}.
"""


def page(cells, about, source):
    """The whole page."""
    recipes = sorted({cell["recipe"] for cell in cells})
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    parts = [
        _INTRODUCTION.format(source=source, **_counted(cells)),
        _in_one_look(cells),
        _HOW_TO_READ.format(limit=about["limit"], versions=versions, bounded=_bounded()),
    ]
    for half in HALVES:
        of_half = select(cells, half=half)
        if not of_half:
            continue
        parts.append(f"## The {half} half\n")
        parts += [_titled("k found by the method", of_half, FOUND), _titled("k given", of_half, GIVEN)]
        parts.append(_differences(of_half))
        parts.append(_failures(of_half))
    parts.append("## By recipe, both halves\n")
    for recipe in recipes:
        of_recipe = select(cells, recipe=recipe)
        parts += [_titled(f"{recipe}, k found", of_recipe, FOUND), _titled(f"{recipe}, k given", of_recipe, GIVEN)]
    return "\n".join(part for part in parts if part)


def _counted(cells):
    return {"n_ensembles": len({cell["hash"] for cell in cells}), "n_datasets": len({cell["data"] for cell in cells})}


def _bounded():
    """Which methods are not tried on many rows, in words."""
    return "not tried above so many distinct rows: " + ", ".join(f"{name} {rows:,}" for name, rows in MOST_ROWS.items())


def _in_one_look(cells):
    """For each mode a diagram and a short table; nothing where there is nothing to compare."""
    parts = [part for mode in TITLES for part in _look(cells, mode)]
    return "\n".join([_IN_ONE_LOOK.format(most=MOST_OBJECTS, **_counted(small(cells))), *parts]) if parts else ""


def _look(cells, mode):
    display = diagram(cells, mode)
    if display is None:
        return []
    title = f"Mean ranks of the methods, {TITLES[mode]}"
    p_value = "p < 0.001" if display.p_value < 0.001 else f"p = {display.p_value:.3f}"
    words = f"Test of Friedman, that all are equally good: {p_value}; critical difference of mean ranks: "
    words += f"{display.critical_difference:.2f}."
    without = left_out(cells, mode)
    words += f" Not ranked, because some of these ensembles gave no answer: {', '.join(without)}." if without else ""
    return [
        f"### In one look: {TITLES[mode]}\n\n![{title}]({PICTURES}/{picture_name(mode)})\n",
        f"{words}\n\n{markdown_table(_SHORT, short_table(cells, mode))}\n",
    ]


def _titled(title, cells, mode):
    of_mode = select(cells, mode=mode)
    if not finished(of_mode):
        return ""
    return f"### {title}\n\n{table(lines(of_mode), with_k=mode == FOUND)}\n"


def table(made, *, with_k):
    """Lines as Markdown."""
    header = [*_HEAD[:3], *(_OF_K if with_k else []), *_HEAD[3:]]
    rows = []
    for line in made:
        of_k = [_share(line.right), _share(line.within_one), _share(line.above_twice)] if with_k else []
        rank = "" if line.rank is None else f"{line.rank:.1f}"
        beside = "" if line.beside is None or line.rank is not None else f"{line.beside:.3f}"
        scores = [f"{line.ari:.3f}", *of_k, f"{line.nmi:.3f}", f"{line.seconds:.2f}"]
        rows.append([line.method, rank, *scores, str(line.n_ensembles), beside])
    return markdown_table(header, rows)


def _share(value):
    return f"{value:.2f}"


def _differences(cells):
    """The default (or the plain rule) minus others, in pairs."""
    found, given = (select(cells, mode=mode) for mode in (FOUND, GIVEN))
    methods = {cell["method"] for cell in finished(found)}
    ours = DEFAULT if DEFAULT in methods else REFERENCE
    cut = CUT if any(cell["method"] == CUT for cell in finished(given)) else REFERENCE_CUT
    others = [(name, found, "found") for name in sorted(methods - {ours})] + [(cut, given, "given")]
    rows = []
    for name, of_mode, word in others:
        made = paired(*([c for c in of if c["method"] == m] for of, m in ((found, ours), (of_mode, name))))
        if made is not None:
            interval = f"{made.low:+.3f} to {made.high:+.3f}"
            rows.append([f"{name}, k {word}", f"{made.mean:+.3f}", interval, str(made.n_datasets)])
    if not rows:
        return ""
    header = ["minus", "mean difference of ARI", "95 % interval", "data sets"]
    title = f"### {ours} with k found, minus others\n"
    why = "On the ensembles that both ran; the interval is a bootstrap over data sets.\n"
    return f"{title}\n{why}\n{markdown_table(header, rows)}\n"


def _failures(cells):
    """What did not run, counted."""
    failed = [cell for cell in cells if cell.get("error")]
    if not failed:
        return ""
    counted = {}
    for cell in failed:
        name = f"{cell['method']} (k {cell['mode']})"
        counted.setdefault(name, []).append(bool(cell.get("timeout")))
    words = [f"{name}: {len(of)}, {sum(of)} of them by time" for name, of in sorted(counted.items())]
    return (
        f"Cells that gave no answer (ensembles with more rows and objects were then not tried): {'; '.join(words)}.\n"
    )
