"""The commands that begin with features: generate, cluster and choose, and how a table of features is read."""

import json
import os
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from partita import KMeansEnsemble
from partita._optional import available
from partita.exceptions import FileFormatError
from partita.experiments import RECIPES
from partita.io import read_feature_table, read_labels
from tests.ensembles import same_partition

SMALL = ["--n-clusterings", 8, "--base-clusters", "3-5"]
TRUTH = np.repeat([0, 1, 2], [20, 15, 10])
IDS = [f"p{i:03d}" for i in range(45)]


def frame():
    F = 6 * np.eye(3, 2)[TRUTH] + np.random.default_rng(0).standard_normal((45, 2))
    return pd.DataFrame(
        {"plant": IDS, "width": F[:, 0], "height": 100 * F[:, 1], "class": np.array(["u", "v", "w"])[TRUTH]}
    )


@pytest.fixture
def table(tmp_path):
    """Ids, two features, and a class in text."""
    frame().to_csv(tmp_path / "table.csv", index=False)
    return "table.csv"


@pytest.fixture
def plain(tmp_path):
    """Two features and nothing else."""
    frame()[["width", "height"]].to_csv(tmp_path / "plain.csv", index=False)
    return "plain.csv"


@pytest.fixture
def labels(tmp_path):
    rng = np.random.default_rng(0)
    columns = {f"c{j}": np.where(rng.random(45) < 0.1, rng.integers(3, size=45), TRUTH) for j in range(8)}
    pd.DataFrame({"plant": IDS, **columns}).to_csv(tmp_path / "labels.csv", index=False)
    return "labels.csv"


def scaled():
    F = frame()[["width", "height"]].to_numpy()
    return (F - F.mean(axis=0)) / F.std(axis=0)


def read(path):
    return pd.read_csv(path, dtype={"plant": str})


def run_lines(out):
    """What the printed Python lines give."""
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec("\n".join(line.strip() for line in out.split("in Python:")[1].splitlines()), namespace)
    return namespace["labels"]


# ---------------------------------------------------------------------------------------------------------
# generate


def test_generate_writes_ids_and_what_the_generator_gives(call, table):
    code, out, err = call("generate", table, "--drop", "class", "-o", "x.csv", *SMALL)
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        "45 objects, 8 clusterings", "written to x.csv; next: partita consensus x.csv -o consensus.csv", "in Python:",
    ]  # fmt: skip
    lines = "\n".join(line.strip() for line in out.splitlines()[3:])
    names = {}
    exec(lines, names)
    written = read("x.csv")
    generator = KMeansEnsemble(8, (3, 5), random_state=0)
    assert (written.iloc[:, 1:].to_numpy() == generator.fit_transform(scaled())).all()
    assert (written.iloc[:, 1:].to_numpy() == names["labels"]).all()
    assert written.columns.tolist() == ["plant", *generator.get_feature_names_out()]
    assert written["plant"].tolist() == IDS


def test_what_is_generated_goes_to_consensus(call, table):
    call("generate", table, "--drop", "class", "-o", "x.csv", *SMALL)
    assert call("consensus", "x.csv", "-o", "y.csv", "-k", 3)[0] == 0
    assert same_partition(read("y.csv")["label"], TRUTH)
    assert read("y.csv")["plant"].tolist() == IDS


def test_objects_outside_a_sample_are_empty(call, table):
    call("generate", table, "--drop", "class", "-o", "x.csv", *SMALL, "--sample-fraction", 0.6)
    assert (read("x.csv").isna().sum().iloc[1:] == 18).all()
    assert read_labels("x.csv").labels.shape == (45, 8)


def test_generate_to_stdout(call, table):
    code, out, err = call("generate", table, "--columns", "width,height", *SMALL)
    assert code == 0
    assert len(out.splitlines()) == 46
    assert out.startswith("plant,kmeans_k")
    assert err.startswith("45 objects, 8 clusterings\nin Python:\n")


def test_generate_as_json(call, table):
    facts = json.loads(call("generate", table, "--drop", "class", "--json", *SMALL, "--sample-fraction", 0.6)[1])
    assert "KMeansEnsemble(" in facts.pop("python")
    assert facts == {"n_objects": 45, "n_clusterings": 8, "share_missing": 0.4, "output": None, "manifest": None}


def test_columns_are_chosen_and_scaled_or_not(call, table, plain):
    call("generate", table, "--columns", "width", "-o", "one.csv", *SMALL)
    one = KMeansEnsemble(8, (3, 5), random_state=0).fit_transform(scaled()[:, :1])
    assert (read("one.csv").iloc[:, 1:].to_numpy() == one).all()
    call("generate", plain, "--no-scale", "-o", "raw.csv", *SMALL)
    raw = KMeansEnsemble(8, (3, 5), random_state=0).fit_transform(frame()[["width", "height"]].to_numpy())
    assert (read("raw.csv").iloc[:, 1:].to_numpy() == raw).all()
    assert read("raw.csv")["object"].tolist() == list(range(45))


def test_the_manifest_tells_what_was_run(call, plain):
    call("generate", plain, "-o", "x.csv", "--manifest", "m.csv", "--base", "ward,kmeans", "--base-clusters", "2,4",
         "--n-clusterings", 2)  # fmt: skip
    manifest = pd.read_csv("m.csv")
    assert manifest["algorithm"].tolist() == ["ward"] * 2 + ["kmeans"] * 4
    assert manifest["n_clusters"].tolist() == [2, 4, 2, 2, 4, 4]
    assert manifest["name"].tolist() == read("x.csv").columns[1:].tolist()
    assert (manifest["status"] == "ok").all()


def test_seeds_and_threads(call, plain):
    outs = [call("generate", plain, *SMALL, *more)[1] for more in ([], ["--jobs", 3], ["--seed", 0], ["--seed", 1])]
    assert outs[0] == outs[1] == outs[2]
    assert outs[0] != outs[3]


def test_mixed_is_the_six_algorithms(call, plain):
    call("generate", plain, "-o", "x.csv", "--base", "mixed", "--base-clusters", "3", "--n-clusterings", 1)
    algorithms = [name.split("_")[0] for name in read("x.csv").columns[1:]]
    assert algorithms == ["single", "average", "ward", "centroid", "kmeans", "spectral"]


def test_a_recipe_of_features(call, table):
    code, out, _ = call("generate", table, "--drop", "class", "--recipe", "nbce", "--set", "n_classes=3", "-o", "x.csv")
    assert code == 0
    assert "45 objects, 10 clusterings" in out
    assert read("x.csv")["plant"].tolist() == IDS
    assert sorted(int(re.search(r"_k(\d+)_", name)[1]) for name in read("x.csv").columns[1:]) == [
        2,
        2,
        2,
        2,
        3,
        3,
        5,
        5,
        6,
        6,
    ]


def test_a_recipe_of_labels_is_for_python(call, labels):
    code, _, err = call("generate", labels, "--recipe", "bce-rows", "-o", "x.csv")
    assert code == 2
    assert "in Python: ensemble_recipe('bce-rows', labels).ensembles()" in err


def test_a_recipe_of_nothing_or_of_a_partition(call, labels):
    code, out, _ = call("generate", "--recipe", "E-06", "--set", "n_clusterings=5", "--set", "n_per_cluster=4")
    assert code == 0
    assert len(out.splitlines()) == 17
    assert out.splitlines()[0].startswith("object,draw0_k4_seed")
    assert call("generate", labels, "--recipe", "nbce-synthetic", "--set", "n_clusterings=2", "-o", "x.csv")[0] == 0
    X = read("x.csv")
    assert X["plant"].tolist() == IDS
    changed = (X.iloc[:, 1:].to_numpy() != read(labels)[["c0"]].to_numpy()).sum(axis=0)
    assert changed.tolist() == [round(share * 45) for share in (0.05, 0.1, 0.15, 0.2) for _ in range(2)]


@pytest.mark.skipif(not available("pymetis"), reason="pymetis is not installed")
def test_a_recipe_with_repeated_clusterings_has_different_names(call, plain):
    options = ["n_classes=3", "n_clusterings=20", "n_ensembles=2", "size=5"]
    sets = [word for option in options for word in ("--set", option)]
    assert call("generate", plain, "--recipe", "bce-mixed", *sets, "-o", "x.csv")[0] == 0
    assert read_labels("x.csv").labels.shape == (45, 20)


# ---------------------------------------------------------------------------------------------------------
# cluster


def test_cluster_writes_ids_and_clusters(call, table):
    code, out, err = call("cluster", table, "--drop", "class", "-o", "y.csv", "-k", 3, *SMALL)
    assert (code, err) == (0, "")
    result = read("y.csv")
    assert result.columns.tolist() == ["plant", "label"]
    assert result["plant"].tolist() == IDS
    assert same_partition(result["label"], TRUTH)
    assert result["label"].tolist() == sorted(result["label"].tolist())  # the largest cluster is 0
    assert "45 objects, 2 features, 8 clusterings, method eac" in out
    assert "clusters     3, of sizes 20, 15, 10" in out


LINES = {
    "eac": ["--drop", "class"],
    "one column": ["--columns", "width", "-k", 2],
    "pcc": ["--drop", "class", "-m", "pcc", "-k", 3, "--set", "divergence=l2", "--seed", 3],
    "not scaled": ["--drop", "class", "--no-scale", "-k", 3],
    "ids": ["--drop", "class", "--id-column", "plant", "-k", 3],
    "no ids": ["--columns", "width,height", "--no-ids", "-k", 3],
    "mixed": ["--drop", "class", "--base", "ward,kmeans", "-m", "mm", "-k", 3, "--sample-fraction", 0.8],
}


@pytest.mark.parametrize("case", LINES)
def test_the_printed_lines_give_the_same_clusters(call, table, case):
    small = ["--n-clusterings", 3] if case == "mixed" else SMALL
    code, out, err = call("cluster", table, "-o", "y.csv", *small, *LINES[case])
    assert (code, err) == (0, "")
    assert run_lines(out).tolist() == read("y.csv")["label"].tolist()


def test_cluster_to_stdout(call, table):
    code, out, err = call("cluster", table, "--drop", "class", "-k", 3, *SMALL)
    assert code == 0
    assert out.splitlines()[:2] == ["plant,label", "p000,0"]
    assert len(out.splitlines()) == 46
    assert "in Python:" in err


def test_cluster_as_json(call, table):
    facts = json.loads(call("cluster", table, "--drop", "class", "-k", 3, "--json", *SMALL)[1])
    assert facts["n_clusters"] == 3
    assert facts["cluster_sizes"] == [20, 15, 10]
    assert facts["n_features"] == 2
    assert facts["n_clusterings"] == 8
    assert facts["ids"] == IDS
    assert same_partition(facts["labels_of_objects"], TRUTH)
    to_file = json.loads(call("cluster", table, "--drop", "class", "-o", "y.csv", "--json", *SMALL)[1])
    assert to_file["output"] == "y.csv"
    assert "ids" not in to_file


def test_cluster_writes_all_labels_and_the_probabilities(call, table):
    code, out, _ = call(
        "cluster", table, "--drop", "class", "-o", "y.csv", "-m", "pcc", "-k", 3, "--labels", "x.csv", "--membership",
        "m.csv", *SMALL,
    )  # fmt: skip
    assert code == 0
    call("generate", table, "--drop", "class", "-o", "again.csv", *SMALL)
    assert read("x.csv").equals(read("again.csv"))
    membership = read("m.csv")
    assert membership.columns.tolist() == ["plant", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(membership.iloc[:, 2:].sum(axis=1), 1)
    assert (membership["label"] == read("y.csv")["label"]).all()
    assert "labels       x.csv" in out
    assert "probabilities m.csv" in out


def test_ids_called_label_are_kept(call, tmp_path):
    frame().drop(columns="class").rename(columns={"plant": "label"}).to_csv(tmp_path / "t.csv", index=False)
    assert call("cluster", "t.csv", "-o", "y.csv", "-k", 3, *SMALL)[0] == 0
    assert pd.read_csv("y.csv", dtype=str).columns.tolist() == ["label_id", "label"]


@pytest.mark.parametrize("kind", ["tsv", "csv.gz", "parquet"])
def test_other_formats_in_and_out(call, tmp_path, kind):
    numbers = frame().drop(columns="class")
    if kind == "parquet":
        pytest.importorskip("pyarrow")
        numbers.to_parquet(tmp_path / "t.parquet")
    else:
        numbers.to_csv(tmp_path / f"t.{kind}", index=False, sep="\t" if kind == "tsv" else ",")
    assert call("cluster", f"t.{kind}", "-o", f"y.{kind}", "-k", 3, *SMALL)[0] == 0
    written = read_labels(f"y.{kind}", id_column="plant")
    assert list(written.ids) == IDS
    assert same_partition(written.labels["label"], TRUTH)


# ---------------------------------------------------------------------------------------------------------
# choose

QUICK = ["--resamples", 6, "-k", "2-4"]


def test_choose_on_labels(call, labels):
    code, out, err = call("choose", labels, "-o", "t.csv", *QUICK)
    assert (code, err) == (0, "")
    assert out.startswith("n_clusters = 3, from labels of 45 objects\n  - there are clusters (p = 0.05")
    assert out.endswith("written to t.csv\n")
    assert pd.read_csv("t.csv")["n_clusters"].tolist() == [2, 3, 4]


def test_choose_as_json_and_with_a_list(call, labels):
    facts = json.loads(call("choose", labels, "--json", "--resamples", 6, "-k", "3,2")[1])
    assert facts["n_clusters"] == 3
    assert facts["p_value"] == pytest.approx(0.05)
    assert [row["n_clusters"] for row in facts["table"]] == [2, 3]
    assert facts["proposals"]["pac"] == 3
    assert len(facts["reasons"]) >= 2


def test_choose_on_features(call, table):
    code, out, _ = call("choose", table, "--features", "--drop", "class", "--max-objects", 40, *QUICK)
    assert code == 0
    assert out.startswith("n_clusters = 3")
    assert out.endswith("from 40 of 45 objects (--max-objects)\n")


def test_choose_is_what_the_function_gives(call, labels):
    from partita import choose_n_clusters

    facts = json.loads(call("choose", labels, "--json", "--seed", 5, "--columns", "c0,c1,c2,c3", *QUICK)[1])
    choice = choose_n_clusters(read_labels(labels).labels.iloc[:, :4], (2, 4), n_resamples=6, random_state=5)
    assert facts["reasons"] == choice.reasons
    assert [row["pac"] for row in facts["table"]] == pytest.approx(choice.table["pac"].tolist())


# ---------------------------------------------------------------------------------------------------------
# wrong calls

WRONG = {
    "text": (["generate", "table.csv"], "row 0, column 'class' is 'u', no number; .* Leave the column out"),
    "text to cluster": (["cluster", "table.csv"], "row 0, column 'class' is 'u', no number"),
    "text to choose": (["choose", "table.csv", "--features"], "row 0, column 'class' is 'u', no number"),
    "hole": (["cluster", "holes.csv"], "'holes.csv': row 1, column 'b' is missing; features are numbers without holes"),
    "hole in generate": (["generate", "holes.csv"], "row 1, column 'b' is missing"),
    "unknown file": (["cluster", "none.csv"], "there is no file 'none.csv'"),
    "unknown drop": (["cluster", "table.csv", "--drop", "zz"], "has no column 'zz'; it has 'width', 'height', 'class'"),
    "unknown column": (["generate", "table.csv", "--columns", "zz"], "has no column 'zz'"),
    "nothing left": (["cluster", "plain.csv", "--drop", "width,height"], "has no column of features"),
    "output is input": (["generate", "plain.csv", "-o", "plain.csv"], "the output 'plain.csv' is the input"),
    "clusters over input": (["cluster", "plain.csv", "-o", "plain.csv"], "is the input"),
    "labels over input": (["cluster", "plain.csv", "--labels", "plain.csv"], "is the input"),
    "manifest over input": (["generate", "plain.csv", "--manifest", "plain.csv"], "is the input"),
    "one file twice": (["cluster", "plain.csv", "-o", "y.csv", "--labels", "y.csv"], "results cannot go to one file"),
    "manifest is output": (["generate", "plain.csv", "-o", "y.csv", "--manifest", "y.csv"], "cannot go to one file"),
    "no folder": (["cluster", "plain.csv", "-o", "none/y.csv"], "there is no folder 'none'"),
    "unknown kind of file": (["generate", "plain.csv", "-o", "y.doc"], "the format of 'y.doc' is not known"),
    "unknown option": (["generate", "plain.csv", "--colour", "red"], "No such option:? '?--colour"),
    "unknown algorithm": (["generate", "plain.csv", "--base", "ward,wrad"], "there is no clusterer 'wrad'"),
    "no number": (["generate", "plain.csv", "--base-clusters", "few"], "'few' is no number of clusters; write 8"),
    "range backwards": (["generate", "plain.csv", "--base-clusters", "5-2"], "is not a range"),
    "too many": (["cluster", "plain.csv", "--base-clusters", "46"], "n_clusters=46 exceeds the 45 objects"),
    "no sample": (["cluster", "plain.csv", "--sample-fraction", "0"], "0.0 is not in the range 0<x<=1"),
    "needs a number": (["cluster", "plain.csv", "-m", "pcc"], "needs the number of clusters; pass --n-clusters"),
    "unknown setting": (["cluster", "plain.csv", "--set", "power=9"], "has no parameter 'power'"),
    "no probabilities": (["cluster", "plain.csv", "--membership", "m.csv"], "gives no probabilities"),
    "no file": (["generate"], "name a FILE of features"),
    "setting without recipe": (["generate", "plain.csv", "--set", "n_classes=3"], "--set is for --recipe"),
    "unknown recipe": (["generate", "plain.csv", "--recipe", "soup"], "there is no recipe 'soup'; choose from eac"),
    "recipe needs": (["generate", "plain.csv", "--recipe", "nbce"], "recipe 'nbce' needs n_classes"),
    "recipe has not": (["generate", "plain.csv", "--recipe", "eac", "--set", "salt=1"], "has no option 'salt'"),
    "recipe of features": (["generate", "--recipe", "pcc-2"], "recipe 'pcc-2' needs features"),
    "drop from labels": (["choose", "labels.csv", "--drop", "c0"], "--drop is for --features"),
    "exclusive": (["cluster", "table.csv", "--no-ids", "--id-column", "plant"], "exclude each other"),
    "few samples": (["choose", "labels.csv", "--resamples", "1"], "1 is not in the range x>=2"),
    "few references": (["choose", "labels.csv", "--references", "5"], "n_references=5 cannot show p <= 0.05"),
    "numbers out of reach": (["choose", "labels.csv", "-k", "2-40"], "must be numbers from 2 to 35"),
}  # fmt: skip
WITH_LABELS = {
    "choice over input": (["choose", "labels.csv", "-o", "labels.csv", *map(str, QUICK)], "is the input"),
    "table to npy": (["choose", "labels.csv", "-o", "x.npy", *map(str, QUICK)], "npy cannot hold"),
    "options beside a recipe": (["generate", "plain.csv", "--recipe", "eac", "--base", "ward"], "by --set"),
}


def check_refusal(call, tmp_path, argv, message):
    (tmp_path / "holes.csv").write_text("a,b\n1,2\n3,\n5,6\n")
    files = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    code, out, err = call(*argv)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("partita: error: ")
    assert re.search(message, err), err
    assert files == {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls_get_one_clear_line(call, table, plain, labels, tmp_path, case):
    check_refusal(call, tmp_path, *WRONG[case])


@pytest.mark.parametrize("case", WITH_LABELS)
def test_wrong_calls_with_labels_get_one_clear_line(call, plain, labels, tmp_path, case):
    check_refusal(call, tmp_path, *WITH_LABELS[case])


def test_a_recipe_takes_one_share_of_noise(call):
    code, out, _ = call("generate", "--recipe", "nbce-synthetic", "--set", "noise=0.1")
    assert code == 0
    assert len(out.splitlines()[0].split(",")) == 11


def test_labels_in_npy_go_to_consensus(call, plain):
    call("generate", plain, "-o", "x.npy", *SMALL)
    assert np.load("x.npy").shape[0] == 45
    assert call("consensus", "x.npy", "-k", 3)[0] == 0


def test_labels_in_npz_go_to_consensus(call, plain):
    call("generate", plain, "-o", "x.npz", *SMALL)
    assert call("consensus", "x.npz", "-k", 3)[0] == 0


def test_probabilities_in_npy_are_probabilities(call, plain):
    code = call("cluster", plain, "-o", "y.csv", "-m", "pcc", "-k", 3, "--membership", "m.npy", *SMALL)[0]
    assert code == 2 or np.load("m.npy").shape == (45, 3)


def test_help_names_the_commands_and_their_options(call):
    shown = call("--help")[1]
    assert all(name in shown for name in ("generate", "cluster", "choose"))
    for command, option in [("generate", "--recipe"), ("cluster", "--membership"), ("choose", "--features")]:
        assert option in call(command, "--help")[1]


def test_every_recipe_can_be_asked_for(call):
    _, _, err = call("generate", "--recipe", "soup")
    assert all(name in err for name in RECIPES)


# ---------------------------------------------------------------------------------------------------------
# how features are read


def write(path, header, rows, separator=","):
    lines = ([header] if header else []) + rows
    path.write_text("\n".join(separator.join(map(str, line)) for line in lines) + "\n")
    return path


ROWS = [["u", 1.5, 2], ["v", 0.5, -3], ["w", 1.5, 4e2]]
NUMBERS = [[1.5, 2], [0.5, -3], [1.5, 400]]


@pytest.mark.parametrize(("name", "separator"), [("a.csv", ","), ("a.csv", ";"), ("a.tsv", "\t"), ("a.txt", " ")])
@pytest.mark.parametrize("header", [["plant", "x", "y"], ["", "x", "y"], None])
def test_text_with_ids(tmp_path, name, separator, header):
    table = read_feature_table(write(tmp_path / name, header, ROWS, separator))
    assert table.features.to_numpy().tolist() == NUMBERS
    assert (table.features.dtypes == np.float64).all()
    assert list(table.ids) == ["u", "v", "w"]
    assert table.features.columns.tolist() == (["x", "y"] if header else ["c0", "c1"])


def test_a_first_column_of_different_numbers_is_a_feature(tmp_path):
    rows = [[0.25 * i, i % 3] for i in range(20)]
    table = read_feature_table(write(tmp_path / "a.csv", ["width", "height"], rows))
    assert table.ids is None
    assert table.features.columns.tolist() == ["width", "height"]
    assert table.object_ids().tolist() == list(range(20))
    whole = read_feature_table(write(tmp_path / "b.csv", ["year", "height"], [[1900 + i, i % 3] for i in range(20)]))
    assert whole.ids is None


@pytest.mark.parametrize("name", ["id", "ID", "cell", "sample_id", "index", "barcode"])
def test_different_numbers_under_the_name_of_an_id_are_ids(tmp_path, name):
    table = read_feature_table(write(tmp_path / "a.csv", [name, "x"], [["007", 1], ["008", 2], ["010", 2]]))
    assert list(table.ids) == ["007", "008", "010"]
    assert table.id_name == name
    assert table.features.columns.tolist() == ["x"]


def test_ids_by_name_recur_at_most_in_part(tmp_path):
    table = read_feature_table(write(tmp_path / "a.csv", ["sample", "x"], [[1, 1], [1, 2], [2, 2]]))
    assert table.ids.tolist() == ["1", "1", "2"]
    table = read_feature_table(write(tmp_path / "b.csv", ["sample", "x"], [[1, 1], [1, 2], [1, 2], [2, 2]]))
    assert table.ids is None
    assert table.features.shape == (4, 2)


def test_an_id_that_is_dropped_or_chosen_is_a_column_like_others(tmp_path):
    path = write(tmp_path / "a.csv", ["id", "x"], [[1, 1], [2, 2], [3, 2]])
    assert read_feature_table(path, drop=["id"]).features.columns.tolist() == ["x"]
    assert read_feature_table(path, columns=["id", "x"]).features.columns.tolist() == ["id", "x"]


def test_text_that_recurs_is_no_id(tmp_path):
    with pytest.raises(FileFormatError, match="row 0, column 'kind' is 'a', no number"):
        read_feature_table(write(tmp_path / "a.csv", ["kind", "x"], [["a", 1], ["a", 2], ["b", 2]]))


def test_ids_are_where_the_caller_says(tmp_path):
    path = write(tmp_path / "a.csv", ["x", "y", "tag"], [[1, 2, "p"], [3, 4, "q"]])
    table = read_feature_table(path, id_column="tag")
    assert list(table.ids) == ["p", "q"]
    assert table.features.columns.tolist() == ["x", "y"]
    first = read_feature_table(write(tmp_path / "b.csv", ["x", "y"], [[1, 2], [3, 4]]), id_column=True)
    assert list(first.ids) == ["1", "3"]
    none = read_feature_table(write(tmp_path / "c.csv", ["id", "y"], [[1, 2], [3, 4]]), id_column=False)
    assert none.features.columns.tolist() == ["id", "y"]
    with pytest.raises(FileFormatError, match="has no column 'zz'"):
        read_feature_table(path, id_column="zz")


def test_columns_and_drop(tmp_path):
    path = write(tmp_path / "a.csv", ["id", "x", "y", "z"], [["u", 1, 2, "k"], ["v", 3, 4, "l"]])
    assert read_feature_table(path, columns=["y", "x"]).features.columns.tolist() == ["y", "x"]
    assert read_feature_table(path, drop=["z"]).features.columns.tolist() == ["x", "y"]
    assert read_feature_table(path, drop=["z"], columns=["y"]).features.columns.tolist() == ["y"]


def test_parquet(tmp_path):
    pytest.importorskip("pyarrow")
    plain = pd.DataFrame({"x": [1.5, 2.5, 3.5], "n": [1, 2, 2]})
    plain.to_parquet(tmp_path / "a.parquet")
    table = read_feature_table(tmp_path / "a.parquet")
    assert table.ids is None
    assert table.features.to_numpy().tolist() == plain.to_numpy().tolist()
    plain.set_index(pd.Index(["u", "v", "w"], name="cell")).to_parquet(tmp_path / "b.parquet")
    indexed = read_feature_table(tmp_path / "b.parquet")
    assert list(indexed.ids) == ["u", "v", "w"]
    assert indexed.id_name == "cell"
    plain.assign(name=["u", "v", "w"])[["name", "x", "n"]].to_parquet(tmp_path / "c.parquet")
    assert list(read_feature_table(tmp_path / "c.parquet").ids) == ["u", "v", "w"]


def test_npy_has_no_ids(tmp_path):
    F = np.arange(24.0).reshape(12, 2)
    np.save(tmp_path / "a.npy", F)
    np.savez(tmp_path / "b.npz", features=F)
    for name in ("a.npy", "b.npz"):
        table = read_feature_table(tmp_path / name)
        assert table.ids is None
        assert (table.features.to_numpy() == F).all()
        assert table.features.columns.tolist() == ["c0", "c1"]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "row 1, column 'y' is missing"),
        ("NA", "row 1, column 'y' is missing"),
        ("nan", "row 1, column 'y' is missing"),
        ("abc", "row 1, column 'y' is 'abc', no number"),
        pytest.param("inf", "row 1, column 'y' is inf, no number"),
        ("1,5", "no table"),
    ],
)
def test_what_is_no_number_is_refused_with_its_place(tmp_path, cell, message):
    with pytest.raises(FileFormatError, match=message):
        read_feature_table(write(tmp_path / "a.csv", ["id", "x", "y"], [["u", 1, 2], ["v", 3, cell], ["w", 5, 6]]))


def test_a_file_without_header_or_with_one_is_read_as_told(tmp_path):
    path = write(tmp_path / "a.csv", None, [[1.5, 2], [3.5, 4], [5.5, 6]])
    assert read_feature_table(path).features.shape == (3, 2)
    assert read_feature_table(path, header=True).features.shape == (2, 2)


def test_choose_takes_noise_for_a_cluster(call, labels):
    assert call("choose", labels, "--noise", "cluster", *QUICK)[0] == 0
