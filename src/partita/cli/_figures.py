"""Pictures on the command line: from a file to a display, from a display to a file, and the Python lines for both."""

from pathlib import Path
from typing import Any, NamedTuple

from partita.cli._file_options import standard_file
from partita.cli._label_file import read_label_file
from partita.cli._methods import AUTO, Named, build, check_usage, fit, plan
from partita.cli._stages import stage
from partita.plotting._kinds import KINDS

OVER = ("columns", "missing", "n_clusters", "pairs")
_TREE = "eac"  # the method of a dendrogram, unless another one is asked for
_DPI = 200  # of PNG, and of what is rasterised in SVG and PDF


class Drawing(NamedTuple):
    """What is to be drawn."""

    kind: str
    method: str
    parameters: dict[str, Any]
    reading: dict[str, Any]
    noise: Any
    seed: int
    jobs: int
    force: bool


class Drawn(NamedTuple):
    """A display with its data, and how it is made in Python."""

    display: Any
    facts: dict[str, Any]
    before: list[str]  # lines of Python
    call: str

    def lines(self, output: str) -> str:
        """The Python lines that make the same picture."""
        name = type(self.display).__name__
        return "\n".join(
            [f"from partita.plotting import {name}", *self.before, f"display = {name}.{self.call}.plot()",
             f"display.figure_.savefig({output!r}, dpi={_DPI}, bbox_inches='tight')"]
        )  # fmt: skip


def draw_table(kind: str, file: str, reading: dict[str, Any], x: Any, y: Any, by: str | None) -> Drawn:
    """A curve or ranks of a table of results."""
    from partita import plotting
    from partita.io import read_labels
    from partita.io._read_labels import select_columns

    how = {name: value for name, value in reading.items() if name != "drop"}
    if kind == "curve" and "id_column" not in how:
        how["id_column"] = False
    with stage(f"reading {file}"):
        frame = read_labels(file, **how).labels
    given = ", ".join([repr(file), *(f"{name}={value!r}" for name, value in how.items())])
    before = ["from partita.io import read_labels", f"frame = read_labels({given}).labels"]
    if "drop" in reading:
        select_columns(frame, reading["drop"], Path(file))  # refuses unknown names
        frame = frame.drop(columns=reading["drop"])
        before[-1] += f".drop(columns={reading['drop']!r})"
    if kind == "rank":
        return Drawn(plotting.RankDisplay.from_scores(frame), {}, before, "from_scores(frame)")
    named = {"x": x, "y": y, "by": by}
    call = f"from_table(frame, {', '.join(f'{key}={value!r}' for key, value in named.items() if value is not None)})"
    unknown = [name for name in named.values() if name is not None and name not in frame.columns]
    if unknown:
        raise ValueError(f"{file!r} has no column {unknown[0]!r}; it has {', '.join(map(repr, frame.columns[:20]))}.")
    return Drawn(plotting.CurveDisplay.from_table(frame, x=x, y=y, by=by), {}, before, call)


def draw_labels(
    task: Drawing,
    file: str,
    annotate: list[str],
    coordinates: list[str],
    partition: str | None,
    options: dict[str, Any],
) -> Drawn:
    """A picture of labels: columns that are no clusterings are read apart, and left out of the others."""
    import partita

    beside = list(dict.fromkeys([*annotate, *coordinates, *([] if partition is None else [partition])]))
    columns = _read_beside(file, beside, task.reading)
    left = task.reading.get("columns", beside)
    drop = [*task.reading.get("drop", []), *(name for name in beside if name in left)]
    reading = {**task.reading, **({"drop": list(dict.fromkeys(drop))} if drop else {})}
    table, reading, _ = read_label_file(file, reading, force=task.force)
    X = partita.check_label_matrix(table.labels, task.noise)
    before = _reading_lines(file, reading, task.noise, beside)
    facts = {"n_objects": X.shape[0], "n_clusterings": X.shape[1]}
    if task.kind == "resolutions":
        return _show_levels(X, options, facts, before)
    if task.kind in ("curve", "rank") or (task.kind == "convergence" and task.method == AUTO):
        return _compare(task, X, options, facts, before)
    if annotate:
        options = {**options, "annotations": columns[annotate]}
    if coordinates:
        options = {**options, "coordinates": columns[coordinates]}
    named = Named(table.object_ids(), table.id_name, [str(name) for name in table.labels.columns])
    return _show(task, X, named, None if partition is None else columns[partition], options, facts, before)


def _read_beside(file: str, names: list[str], reading: dict[str, Any]) -> Any:
    from partita.io import read_labels

    if not names:
        return None
    how = {key: value for key, value in reading.items() if key not in ("columns", "drop")}
    return read_labels(file, columns=names, **how).labels


def _compare(task: Drawing, X: Any, options: dict[str, Any], facts: dict[str, Any], before: list[str]) -> Drawn:
    """Pictures that fit several methods themselves."""
    from partita import plotting

    given = dict(options)
    if "n_clusters" in task.parameters:
        given["n_clusters"] = task.parameters["n_clusters"]
    given["random_state"] = task.seed
    if task.kind == "curve" and task.jobs != 1:
        given["n_jobs"] = task.jobs
    call = f"from_labels({', '.join(['X', *(f'{name}={value!r}' for name, value in given.items())])})"
    with stage("fitting the methods"):
        display = getattr(plotting, KINDS[task.kind].display).from_labels(X, **given)
    return Drawn(display, facts, before, call)


def _show(
    task: Drawing,
    X: Any,
    named: Named,
    partition: Any,
    options: dict[str, Any],
    facts: dict[str, Any],
    before: list[str],
) -> Drawn:
    """Pictures of one result."""
    from partita import ConsensusResult, plotting

    display = getattr(plotting, KINDS[task.kind].display)
    if task.kind == "dendrogram" and set(task.parameters) <= {"n_clusters"}:
        return _show_tree(task, X, named, facts, before)
    if partition is not None:
        result = ConsensusResult.from_labels(X, partition.to_numpy())
        made = [
            "from partita import ConsensusResult",
            f"result = ConsensusResult.from_labels(X, beside[{partition.name!r}])",
        ]
    else:
        method = _TREE if task.kind == "dendrogram" and task.method == AUTO else task.method
        check_usage(method, task.parameters)
        planned = plan(method, task.parameters, seed=task.seed, jobs=task.jobs)
        result = fit(planned, build(planned.asked, planned.parameters), X, named)
        from partita.cli._python_lines import import_lines, result_lines

        names, lines = result_lines(planned)
        made = [*import_lines(names), *lines]
        facts = {**facts, "method": planned.method}
    words = [
        f"{name}=beside[{list(value.columns)!r}]" if hasattr(value, "columns") else f"{name}={value!r}"
        for name, value in options.items()
    ]
    call = f"from_result({', '.join(['result', *words])})"
    with stage("computing the picture"):
        drawn = display.from_result(result, **options)
    return Drawn(drawn, {**facts, "n_clusters": result.n_clusters}, [*before, *made], call)


def _show_levels(X: Any, options: dict[str, Any], facts: dict[str, Any], before: list[str]) -> Drawn:
    """The clusterings themselves, without a consensus."""
    from partita.plotting import ResolutionTreeDisplay

    call = f"from_labels({', '.join(['X', *(f'{name}={value!r}' for name, value in options.items())])})"
    with stage("comparing the clusterings"):
        display = ResolutionTreeDisplay.from_labels(X, **options)
    return Drawn(display, facts, before, call)


def _show_tree(task: Drawing, X: Any, named: Named, facts: dict[str, Any], before: list[str]) -> Drawn:
    """The tree of a method; of many objects that of a sample."""
    import pandas as pd

    from partita.plotting import DendrogramDisplay

    given: dict[str, Any] = {"method": task.method} if task.method != AUTO else {}
    check_usage(task.method if given else _TREE, task.parameters)
    given = {**given, **task.parameters, "random_state": task.seed}
    call = f"from_labels({', '.join(['X', *(f'{name}={value!r}' for name, value in given.items())])})"
    with stage("making the tree"):
        display = DendrogramDisplay.from_labels(pd.DataFrame(X.codes, index=named.ids), **given)
    return Drawn(display, {**facts, "method": task.method if "method" in given else _TREE}, before, call)


def _reading_lines(file: str, reading: dict[str, Any], noise: str, beside: list[str]) -> list[str]:
    """Python lines that read the labels, and the columns beside them."""
    how = [f"{name}={value!r}" for name, value in reading.items() if name != "drop"]
    call = f"read_labels({', '.join([repr(file), *how])})"
    without = f".drop(columns={reading['drop']!r})" if "drop" in reading else ""
    lines = ["from partita.io import read_labels", f"table = {call}"]
    lines.append(f"X = table.labels{without}.set_index(table.object_ids())")
    if noise != "missing":
        lines += ["from partita import check_label_matrix", f"X = check_label_matrix(X, noise={noise!r})"]
    if beside:
        lines.append(f"beside = read_labels({', '.join([repr(file), f'columns={beside!r}'])}).labels")
    return lines


def save_figure(drawn: Drawn, output: str) -> None:
    """Draw and write: beside the old file, and then in its place."""
    import matplotlib

    matplotlib.use("Agg")  # no window, whatever the machine has
    from matplotlib import pyplot

    from partita.io import replacing

    suffix = Path(output).suffix.lower()[1:] or "svg"
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # the same picture is the same file
    with stage("drawing"), matplotlib.rc_context({"svg.hashsalt": "partita", "svg.fonttype": "none"}):
        figure = drawn.display.plot().figure_
        with standard_file(output, ".svg") as target, replacing(target) as beside:
            figure.savefig(beside, format=suffix, dpi=_DPI, bbox_inches="tight", metadata=dates.get(suffix))
        pyplot.close(figure)
