"""``partita generate``."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from partita import AnchorEnsemble, KMeansEnsemble, ProjectionEnsemble, USpecEnsemble, WeakEnsemble
from partita._optional import available
from partita.experiments import RECIPES
from partita.io import read_labels
from tests.cli.plants import IDS, SMALL, TRUTH, frame, read, run_lines, scaled
from tests.ensembles import same_partition


def test_generate_writes_ids_and_what_the_generator_gives(call, table):
    code, out, err = call("generate", table, "--drop", "class", "-o", "x.csv", *SMALL)
    assert (code, err) == (0, "")
    assert out.splitlines()[:5] == [
        "45 objects, 8 clusterings",
        "features     width, height",
        "ids          plant",
        "written to x.csv; next: partita consensus x.csv -o consensus.csv",
        "in Python:",
    ]
    lines = "\n".join(line.strip() for line in out.splitlines()[5:])
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


def test_generate_without_output_prints_the_clusterings(call, table):
    code, out, err = call("generate", table, "--columns", "width,height", *SMALL)
    assert code == 0
    assert len(out.splitlines()) == 46
    assert out.startswith("plant,kmeans_k")
    assert err.startswith("45 objects, 8 clusterings\nfeatures     width, height\nids          plant\nin Python:\n")


def test_generate_as_json_tells_what_was_made(call, table):
    facts = json.loads(call("generate", table, "--drop", "class", "--json", *SMALL, "--sample-fraction", 0.6)[1])
    assert "KMeansEnsemble(" in facts.pop("python")
    ids, rows, columns = facts.pop("ids"), facts.pop("labels"), facts.pop("columns")
    counts = {"n_objects": 45, "n_clusterings": 8, "n_missing": 144, "share_missing": 0.4}
    used = {"features": ["width", "height"], "constant_features": [], "id_column": "plant"}
    assert facts == {"file": table, "seed": 0, **used, **counts, "output": None, "manifest_output": None}
    argv = ["-o", "x.csv", "--json", *SMALL, "--sample-fraction", 0.6]
    to_file = json.loads(call("generate", table, "--drop", "class", *argv)[1])
    assert not {"ids", "labels"} & set(to_file)
    written = read("x.csv")
    assert ids == written["plant"].tolist()
    assert [column["name"] for column in columns] == written.columns[1:].tolist()
    assert rows == written.iloc[:, 1:].astype(object).where(written.iloc[:, 1:].notna(), None).to_numpy().tolist()
    assert columns == json.loads(call("check", "x.csv", "--json")[1])["columns"]


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


def test_the_seed_decides_and_threads_change_nothing(call, plain):
    outs = [call("generate", plain, *SMALL, *more)[1] for more in ([], ["--jobs", 3], ["--seed", 0], ["--seed", 1])]
    assert outs[0] == outs[1] == outs[2]
    assert outs[0] != outs[3]


def test_mixed_is_the_six_algorithms(call, plain):
    call("generate", plain, "-o", "x.csv", "--base", "mixed", "--base-clusters", "3", "--n-clusterings", 1)
    algorithms = [name.split("_")[0] for name in read("x.csv").columns[1:]]
    assert algorithms == ["single", "average", "ward", "centroid", "kmeans", "spectral"]


BASES = {
    "uspec": USpecEnsemble(3, 4, random_state=0),
    "anchor": AnchorEnsemble(3, 4, random_state=0),
    "projection": ProjectionEnsemble(3, 4, random_state=0),
    "subspace": ProjectionEnsemble(3, 4, kind="subspace", random_state=0),
    "line": WeakEnsemble(3, 4, random_state=0),
    "hyperplanes": WeakEnsemble(3, 4, kind="hyperplanes", random_state=0),
}


@pytest.mark.parametrize("base", BASES)
def test_every_base_is_a_generator(base, call, plain):
    code, out, _ = call("generate", plain, "-o", "x.csv", "--base", base, "--base-clusters", 4, "--n-clusterings", 3)
    assert code == 0
    assert f"labels = {type(BASES[base]).__name__}(" in out
    assert (read("x.csv").iloc[:, 1:].to_numpy() == BASES[base].fit_transform(scaled())).all()


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
    code, out, _ = call("generate", "--recipe", "pcc-simulated", "--set", "n_clusterings=5", "--set", "n_per_cluster=4")
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


def test_a_recipe_takes_one_share_of_noise(call):
    code, out, _ = call("generate", "--recipe", "nbce-synthetic", "--set", "noise=0.1")
    assert code == 0
    assert len(out.splitlines()[0].split(",")) == 11


def test_every_recipe_can_be_asked_for(call):
    _, _, err = call("generate", "--recipe", "soup")
    assert all(name in err for name in RECIPES)


def test_labels_in_npy_go_to_consensus(call, plain):
    call("generate", plain, "-o", "x.npy", *SMALL)
    assert np.load("x.npy").shape[0] == 45
    assert call("consensus", "x.npy", "-k", 3)[0] == 0


def test_labels_in_npz_go_to_consensus(call, plain):
    call("generate", plain, "-o", "x.npz", *SMALL)
    assert call("consensus", "x.npz", "-k", 3)[0] == 0


RECIPE_CALLS = {
    "features": ["table.csv", "--drop", "class", "--recipe", "nbce", "--set", "n_classes=3"],
    "nothing": ["--recipe", "pcc-simulated", "--set", "n_clusterings=5", "--set", "n_per_cluster=4"],
    "a partition": ["labels.csv", "--recipe", "nbce-synthetic", "--set", "n_clusterings=2"],
}


@pytest.mark.parametrize("case", RECIPE_CALLS)
def test_the_printed_lines_give_the_ensemble_of_the_recipe(call, table, labels, case):
    code, out, _ = call("generate", *RECIPE_CALLS[case], "-o", "x.csv", "--seed", 4)
    assert code == 0
    assert np.array_equal(run_lines(out), read_labels("x.csv").labels)
