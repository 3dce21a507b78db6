"""How to get the same result without the page: a Python script, and a command."""

import json
import shlex
from typing import Any

from partita.app._fitting import AUTO, DEFAULT, Asked
from partita.app._reading import Understood
from partita.consensus._registered import find_method

_READING = ("header", "missing", "missing_words", "encoding", "separator")


def python_of(found: Understood, asked: Asked, k: int | None, name: str) -> str:
    """Lines of Python that read the file and find the same labels; ``k`` if another number is looked at."""
    lines = _label_lines(found, name) if found.kind == "labels" else _feature_lines(found, asked, name)
    number = asked.n_clusters if k is None else k
    names, last = _combining(asked, number)
    annotated, frame = found.having("annotation"), "result.to_frame()"
    names += ["KMeansEnsemble"] if found.kind == "features" else []
    if found.noise != "missing" and found.kind == "labels":
        names += ["check_label_matrix", "ConsensusResult"]
        named = "result = ConsensusResult(result.estimator, result.choice, ids=table.object_ids())"
        last = [f"X = check_label_matrix(X, noise={found.noise!r})", *last, named]
        frame += ".set_index(table.object_ids())"  # a label matrix knows no names of objects
    report = ", annotations=A" if annotated else ""
    if annotated:
        how = {**_reading(found), "columns": annotated}
        last.append(f"A = {_call('read_labels', repr(name), how)}.labels")
    return "\n".join(
        [
            f"from partita import {', '.join(sorted(set(names), key=str.lower))}",
            *_io_imports(found, annotated),
            "",
            *lines,
            *last,
            "print(result.summary)",
            f'{frame}.to_csv("consensus.csv")',
            f'result.report("report.html"{report})  # needs partita[report]',
            "",
        ]
    )


def _io_imports(found: Understood, annotated: list[str]) -> list[str]:
    if found.kind == "labels":
        return ["from partita.io import read_labels"]
    more = ", read_labels" if annotated else ""
    return [
        f"from partita.io import read_feature_table{more}",
        "from sklearn.preprocessing import StandardScaler",
        "import pandas as pd",
    ]


def _label_lines(found: Understood, name: str) -> list[str]:
    how = _reading(found)
    used, left_out = found.having("clustering"), _left_out(found)
    how |= {"columns": used} if len(left_out) > len(used) else {}
    without = f".drop(columns={left_out!r})" if 0 < len(left_out) <= len(used) else ""
    read = _call("read_labels", repr(name), how)
    return [f"table = {read}", f"X = table.labels{without}.set_index(table.object_ids())"]


def _feature_lines(found: Understood, asked: Asked, name: str) -> list[str]:
    how = _reading(found)
    used, left_out = found.having("feature"), _left_out(found)
    how |= {} if not left_out else {"columns": used} if len(left_out) > len(used) else {"drop": left_out}
    how |= ({"impute": "median"} if found.imputed else {}) | ({"encode": True} if found.encoded else {})
    base = {"n_clusterings": asked.n_clusterings, "n_clusters": asked.base_clusters, "random_state": asked.seed}
    given = {key: value for key, value in base.items() if value is not None}
    return [
        f"table = {_call('read_feature_table', repr(name), how)}",
        f"ensemble = {_call('KMeansEnsemble', '', given)}",
        "X = ensemble.fit_transform(StandardScaler().fit_transform(table.features.to_numpy()))",
        "X = pd.DataFrame(X, index=table.object_ids(), columns=ensemble.get_feature_names_out())",
    ]


def _combining(asked: Asked, number: int | str) -> tuple[list[str], list[str]]:
    """Names to import, and the lines from X to a result."""
    given: dict[str, Any] = {} if number == AUTO else {"n_clusters": number}
    seed = {"random_state": asked.seed}
    if not asked.settings:
        method = {} if asked.method == AUTO else {"method": asked.method}
        return ["combine"], [f"result = {_call('combine', 'X', method | given | seed)}"]
    estimator = find_method(asked.name).estimator
    call, names = _call(estimator, "", asked.settings), ["combine", estimator]
    if number == AUTO and asked.name != DEFAULT and asked.takes_number:
        rule = find_method(DEFAULT).estimator
        found = f"k = {_call(rule, '', seed)}.fit(X).choice_.n_clusters"
        return [*names, rule], [found, f"result = combine(X, method={call}, n_clusters=k, random_state={asked.seed})"]
    return names, [f"result = {_call('combine', f'X, method={call}', given | seed)}"]


def _left_out(found: Understood) -> list[str]:
    """Columns that are not clustered."""
    own = "clustering" if found.kind == "labels" else "feature"
    return [name for name, role in found.roles.items() if role != own]


def _reading(found: Understood) -> dict[str, Any]:
    """Arguments of the readers, only what the user has corrected."""
    how = {name: found.corrections[name] for name in _READING if name in found.corrections}
    if "id_column" in found.corrections:
        given = found.corrections["id_column"]
        how = {"id_column": False if given is None else given, **how}
    return how


def _call(function: str, first: str, given: dict[str, Any]) -> str:
    parts = [first] if first else []
    return f"{function}({', '.join([*parts, *(f'{name}={value!r}' for name, value in given.items())])})"


# -------------------------------------------------------------------------------------------------------- the command
def command_of(found: Understood, asked: Asked, k: int | None, name: str) -> str:
    """A command that writes the same labels."""
    labels = found.kind == "labels"
    number = asked.n_clusters if k is None else k
    file = f"./{name}" if name.startswith("-") else name  # which would be taken for an option
    words = ["partita", "consensus" if labels else "cluster", file, "-o", "consensus.csv"]
    words += [] if asked.method == AUTO else ["--method", asked.method]
    if number != AUTO or (asked.method != AUTO and asked.name != DEFAULT and asked.takes_number):
        words += ["--n-clusters", str(number)]
    words += [word for key, value in asked.settings.items() for word in ("--set", f"{key}={_json(value)}")]
    words += ["--seed", str(asked.seed)] if asked.seed else []
    words += ["--n-clusterings", str(asked.n_clusterings)] if asked.n_clusterings and not labels else []
    if asked.base_clusters is not None and not labels:
        numbers = asked.base_clusters
        words += ["--base-clusters", str(numbers) if isinstance(numbers, int) else f"{numbers[0]}-{numbers[1]}"]
    words += _words_of_reading(found)
    words += ["--force"] if labels and "kind" in found.corrections else []
    return shlex.join(words)


def _words_of_reading(found: Understood) -> list[str]:
    how, words = _reading(found), []
    used, left_out = [name for name in found.roles if name not in _left_out(found)], _left_out(found)
    if left_out:
        option, names = ("--columns", used) if len(left_out) > len(used) else ("--drop", left_out)
        words += [option, ",".join(f'"{name}"' if "," in name else name for name in names)]
    if "id_column" in how:
        words += ["--no-ids"] if how["id_column"] is False else ["--id-column", str(how["id_column"])]
    if "header" in how:
        words.append("--header" if how["header"] else "--no-header")
    words += [word for value in how.get("missing", ()) for word in ("--missing", value)]
    words += ["--no-missing-words"] if how.get("missing_words") is False else []
    words += ["--encoding", how["encoding"]] if "encoding" in how else []
    if "separator" in how:
        words += ["--separator", "tab" if how["separator"] == "\t" else how["separator"]]
    words += ["--noise", found.noise] if found.noise != "missing" and found.kind == "labels" else []
    words += (["--impute", "median"] if found.imputed else []) + (["--encode"] if found.encoded else [])
    return words


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
