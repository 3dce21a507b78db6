"""The Python lines that do the same as a command."""

from typing import Any

from partita.cli._generators import Generator
from partita.cli._methods import AUTO, DEFAULT, Task
from partita.cli._model_file import NewLabels
from partita.cli._options import parse_names
from partita.cli._pages import Page
from partita.cli._part_options import PartOptions
from partita.cli._say import say
from partita.consensus._methods import METHODS


def call_of(name: str, parameters: dict[str, Any]) -> str:
    """A call with keyword arguments."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in parameters.items())})"


def import_lines(names: list[str]) -> list[str]:
    """Imports of names of partita, and of "module:name" of other packages."""
    ours = [name for name in names if ":" not in name]
    others = [name.split(":") for name in names if ":" in name]
    return [f"from partita import {', '.join(ours)}", *(f"from {module} import {name}" for module, name in others)]


def consensus_lines(
    task: Task,
    file: str,
    reading: dict[str, Any],
    noise: str,
    features: str | None,
    feature_reading: dict[str, Any],
    page: Page | None = None,
    annotate: tuple[str, ...] = (),
    annotations: str | None = None,
) -> str:
    """Labels from a file, to their consensus and, if there is a page, its report."""
    names, last = _combining(task, "" if features is None else ", features=F", report=page is not None)
    lines = import_lines(names if noise == "missing" else [*names, "check_label_matrix"])
    if features is None and page is None:
        lines += ["from partita.io import read_labels", f"X = {_labels(file, reading)}"]
    else:
        more = "read_features, " if features is not None or annotations is not None else ""
        lines += [f"from partita.io import {more}read_labels", f"table = {_label_table(file, reading)}"]
        if features is not None:
            lines.append(f"F = {_read('read_features', features, feature_reading, 'table')}")
        by_name = "" if page is None else ".set_index(table.object_ids())"
        lines.append(f"X = table.labels{_without(reading)}{by_name}")
    if noise != "missing":
        lines.append(f"X = check_label_matrix(X, noise={noise!r})")
    return "\n".join([*lines, *last, *_page_lines(page, file, reading, annotate, annotations)])


def part_lines(task: Task, file: str, reading: dict[str, Any], noise: str, options: PartOptions) -> str:
    """Labels from a folder of files, to their consensus; on a Dask cluster if there is one."""
    names, last = _combining(task)
    given = reading | {"rows": options.block_rows, "resume": options.resume}
    given |= {"noise": None if noise == "missing" else noise}
    how = {name: value for name, value in given.items() if value is not None}
    imports, client = _dask_lines(options)
    return "\n".join(
        [
            *imports,
            *import_lines(sorted(["LabelBlocks", *names])),
            *client,
            f"X = {_read('LabelBlocks.from_files', file, how, *(['client=client'] if client else []))}",
            *last,
        ]
    )


def _dask_lines(options: PartOptions) -> tuple[list[str], list[str]]:
    """Imports, and the client of a cluster."""
    if options.dask is None:
        return [], []
    if options.certificates is None:
        return ["from distributed import Client"], [f"client = Client({options.dask!r})"]
    ca, cert, key = options.certificates
    files = {"tls_ca_file": ca, "tls_client_cert": cert, "tls_client_key": key, "require_encryption": True}
    client = f"client = Client({options.dask!r}, security={call_of('Security', files)})"
    return ["from distributed import Client, Security"], [client]


def _combining(task: Task, beside: str = "", *, report: bool = False) -> tuple[list[str], list[str]]:
    """Names to import (``import_lines``), and the lines from X to labels; for a report, to a result."""
    plain = set(task.parameters) <= {"n_clusters", "random_state", "n_jobs"} and not beside
    given = {} if task.asked == AUTO else {"method": task.asked}
    if plain and (task.asked == AUTO or task.rule is not None):
        call = call_of("combine", given | task.parameters).replace("(", "(X, ", 1)
        return ["combine"], [f"result = {call}", "labels = result.labels"]
    call = call_of(task.estimator, task.parameters)
    if task.asked == AUTO:
        return [task.estimator, "combine"], [f"result = combine(X, method={call})", "labels = result.labels"]
    own = task.estimator if task.home == "partita" else f"{task.home}:{task.estimator}"
    names, found = [own], []
    if task.rule is not None:
        rule = METHODS[DEFAULT].estimator
        call = call.replace("(", "(n_clusters=k, ", 1).replace(", )", ")")
        names, found = [rule, own], [f"k = {call_of(rule, task.rule)}.fit(X).choice_.n_clusters"]
    if own != task.estimator:  # combine gives it the labels in the form that it takes
        return ["combine", *names], [*found, f"result = combine(X, method={call})", "labels = result.labels"]
    if not report:
        return names, [*found, f"labels = {call}.fit_predict(X{beside})"]
    result = f"result = ConsensusResult.from_estimator({call}.fit(X{beside}))"
    return ["ConsensusResult", *names], [*found, result, "labels = result.labels"]


def result_lines(task: Task) -> tuple[list[str], list[str]]:
    """Names to import, and the lines from X to a result."""
    names, lines = _combining(task, report=True)
    return names, lines[:-1]


def _page_lines(
    page: Page | None, file: str, reading: dict[str, Any], annotate: tuple[str, ...], annotations: str | None
) -> list[str]:
    """The lines from a result to its report."""
    if page is None:
        return []
    lines, options, names = [], dict(page.options), parse_names(*annotate)
    given = ", ".join([repr(page.path), *(f"{name}={value!r}" for name, value in options.items())])
    if names:
        how = {key: value for key, value in reading.items() if key not in ("columns", "drop", "impute", "encode")}
        lines.append(f"A = {_read('read_labels', file, {'columns': names, **how})}.labels")
    if annotations is not None:
        more = _read("read_features", annotations, {}, "table")
        lines.append(f"A = A.join({more})" if names else f"A = {more}")
    return [*lines, f"result.report({given}{', annotations=A' if lines else ''})"]


def generator_lines(generator: Generator, file: str, reading: dict[str, Any], scale: bool) -> str:
    """Features from a file, to an ensemble."""
    call = call_of(generator.name, generator.parameters)
    scaled = "StandardScaler().fit_transform(F)" if scale else "F"
    lines = [f"from partita import {generator.name}", *_feature_lines(file, reading, scale)]
    return "\n".join([*lines, f"labels = {call}.fit_transform({scaled})"])


def cluster_lines(
    task: Task,
    generator: Generator,
    file: str,
    reading: dict[str, Any],
    scale: bool,
    page: Page | None = None,
    annotate: tuple[str, ...] = (),
) -> str:
    """Features from a file, to one clustering and, if there is a page, its report."""
    ensemble = call_of(generator.name, generator.parameters)
    if task.asked == AUTO or task.rule is not None or page is not None or task.home != "partita":
        names, last = _combining(task, report=page is not None)
        scaled = "StandardScaler().fit_transform(F)" if scale else "F"
        if page is not None:
            return _reported_cluster(generator, names, last, file, reading, scale, page, annotate)
        return "\n".join(
            [
                *import_lines([generator.name, *names]),
                *_feature_lines(file, reading, scale),
                f"X = {ensemble}.fit_transform({scaled})",
                *last,
            ]
        )
    pipeline = ", ".join((["StandardScaler()"] if scale else []) + [ensemble, call_of(task.estimator, task.parameters)])
    return "\n".join(
        [
            f"from partita import {task.estimator}, {generator.name}",
            *_feature_lines(file, reading, scale, "from sklearn.pipeline import make_pipeline"),
            f"labels = make_pipeline({pipeline}).fit_predict(F)",
        ]
    )


def _reported_cluster(
    generator: Generator,
    names: list[str],
    last: list[str],
    file: str,
    reading: dict[str, Any],
    scale: bool,
    page: Page,
    annotate: tuple[str, ...],
) -> str:
    """Features from a file, to a report that names objects and clusterings as the command does."""
    scaled = "StandardScaler().fit_transform(F)" if scale else "F"
    return "\n".join(
        [
            "import pandas as pd",
            *import_lines([generator.name, *names]),
            f"from partita.io import read_feature_table{', read_labels' if annotate else ''}",
            *(["from sklearn.preprocessing import StandardScaler"] if scale else []),
            f"table = {_read('read_feature_table', file, reading)}",
            "F = table.features",
            f"ensemble = {call_of(generator.name, generator.parameters)}",
            f"X = ensemble.fit_transform({scaled})",
            "X = pd.DataFrame(X, index=table.object_ids(), columns=ensemble.get_feature_names_out())",
            *last,
            *_page_lines(page, file, reading, annotate, None),
        ]
    )


def predict_lines(
    model: str, file: str, reading: dict[str, Any], new: NewLabels, features: str | None, noise: str
) -> str:
    """A model and labels of new objects from files, to their clusters."""
    reads = ["load_model", *(["check_label_matrix"] if noise == "cluster" else [])]
    more = "" if features is None else "read_features, "
    lines = [f"from partita import {', '.join(sorted(reads))}", f"from partita.io import {more}read_labels"]
    names = [str(name) for name in new.frame.columns]
    lines += [
        f"model = load_model({model!r})",
        f"table = {_label_table(file, reading)}",
        f"X = table.labels[{names!r}].copy()",
        *(f"X[{name!r}] = X[{name!r}].map(lambda label: {own!r}.get(label, label))" for name, own in new.swaps.items()),
    ]
    if noise == "cluster":
        lines.append("X = check_label_matrix(X, noise='cluster', allow_unlabelled=True)")
    if features is not None:
        lines.append(f"F = {_read('read_features', features, {}, 'table')}[model._features.names]")
    return "\n".join([*lines, f"labels = model.predict(X{'' if features is None else ', features=F'})"])


def recipe_lines(
    recipe: str, options: dict[str, Any], file: str | None, reading: dict[str, Any], scale: bool, takes: str
) -> str:
    """An ensemble of the papers, from the features or the first clustering of a file, or from nothing."""
    lines, data = ["from partita import ensemble_recipe"], []
    if file is not None and takes == "features":
        lines += _feature_lines(file, reading, scale)
        data = ["StandardScaler().fit_transform(F)" if scale else "F"]
    elif file is not None:
        lines += ["from partita.io import read_labels", f"X = {_labels(file, reading)}"]
        data = ["X.iloc[:, 0]"]
    given = [repr(recipe), *data, *(f"{name}={value!r}" for name, value in options.items())]
    return "\n".join([*lines, f"labels = ensemble_recipe({', '.join(given)}).labels"])


def print_python(lines: str, *, err: bool) -> None:
    """Write the lines for people."""
    say("in Python:", err=err)
    for line in lines.splitlines():
        say(f"    {line}", err=err)


def _read(function: str, file: str, reading: dict[str, Any], *more: str) -> str:
    given = [repr(file), *more, *(f"{name}={value!r}" for name, value in reading.items())]
    return f"{function}({', '.join(given)})"


def _labels(file: str, reading: dict[str, Any]) -> str:
    return f"{_label_table(file, reading)}.labels{_without(reading)}"


def _label_table(file: str, reading: dict[str, Any]) -> str:
    return _read("read_labels", file, {name: value for name, value in reading.items() if name != "drop"})


def _without(reading: dict[str, Any]) -> str:
    """Columns of labels are left out after they were read."""
    return f".drop(columns={reading['drop']!r})" if "drop" in reading else ""


def _feature_lines(file: str, reading: dict[str, Any], scale: bool, *imports: str) -> list[str]:
    """Imports, and the features as F."""
    return [
        "from partita.io import read_feature_table",
        *imports,
        *(["from sklearn.preprocessing import StandardScaler"] if scale else []),
        f"F = {_read('read_feature_table', file, reading)}.features",
    ]
