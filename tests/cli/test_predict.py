"""A model is kept by one command, and places new objects in another one."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest

import partita
from partita.model_files import read_model_file


@pytest.fixture
def model(call, labels):
    """A model of eight clusterings of plants, with the labels 0, 1 and 2."""
    code, _, err = call("consensus", labels, "-m", "pcc", "-k", 3, "-o", "c.csv", "--save-model", "model.npz")
    assert code == 0, err
    return "model.npz"


def new_objects(**changes):
    """Three objects that all clusterings put in different clusters."""
    frame = pd.DataFrame({"plant": ["x", "y", "z"], **{f"c{j}": [0, 1, 2] for j in range(8)}})
    return frame.assign(**changes)


def place(call, frame, *words):
    frame.to_csv("new.csv", index=False)
    code, out, err = call("predict", "new.csv", "--model", "model.npz", *words)
    assert code == 0, err
    return out, err


def test_what_was_fitted_is_found_again(call, model, labels):
    assert call("predict", labels, "--model", model, "-o", "placed.csv")[0] == 0
    pd.testing.assert_frame_equal(pd.read_csv("placed.csv"), pd.read_csv("c.csv"))


def test_json_membership_and_lines_of_python(call, model):
    out, _ = place(call, new_objects(), "--json", "--membership", "m.csv")
    facts = json.loads(out)
    assert (facts["n_objects"], facts["n_unseen"], facts["n_unlabelled"]) == (3, 0, 0)
    assert facts["model_version"] == partita.__version__
    assert facts["ids"] == ["x", "y", "z"]
    assert sorted(facts["cluster_sizes"]) == [1, 1, 1]
    shares = pd.read_csv("m.csv")
    assert list(shares.columns) == ["plant", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert np.allclose(shares.iloc[:, 2:].sum(axis=1), 1)
    names = {}
    exec(facts["python"], names)
    assert names["labels"].tolist() == facts["labels"]


def test_columns_are_found_by_their_names_in_any_order(call, model):
    straight, _ = place(call, new_objects(), "-q")
    turned = new_objects()[["c5", "plant", "c0", "c7", "c6", "c1", "c2", "c3", "c4"]]
    assert place(call, turned, "-q", "--id-column", "plant")[0] == straight


def test_another_column_is_left_out_and_told(call, model):
    out, err = place(call, new_objects(height=[1, 1, 2]))
    assert out == place(call, new_objects(), "-q")[0]
    assert "warning: 'new.csv': the column 'height' is left out" in err


def test_a_clustering_that_is_missing_is_refused(call, model):
    new_objects().drop(columns=["c1", "c4"]).to_csv("new.csv", index=False)
    code, out, err = call("predict", "new.csv", "--model", model, "-o", "placed.csv")
    assert (code, out) == (2, "")
    assert "lacks 2 columns ('c1', 'c4') of the model" in err
    assert len(err.splitlines()) == 1


def test_an_empty_column_is_a_clustering_that_did_not_see_them(call, model):
    straight, _ = place(call, new_objects(), "-q")
    assert place(call, new_objects(c3=[None] * 3), "-q")[0] == straight


def test_labels_never_seen_are_counted_and_objects_without_a_known_one_get_no_cluster(call, model):
    frame = new_objects(c0=["0", "new", "2"], **{f"c{j}": [0, 1, 77] for j in range(1, 8)})
    frame.loc[2, "c0"] = "other"
    out, err = place(call, frame, "--json")
    facts = json.loads(out)
    assert facts["n_unseen"] == 9
    assert facts["n_unlabelled"] == 1
    assert facts["labels"][2] == -1
    assert "9 labels are not known to the model and counted as missing, such as 'new' of 'c0', 77 of 'c1'" in err


def test_numbers_and_text_are_the_same_label(call, model):
    """A word in a column makes all its fields text, and 0 is still the label 0."""
    straight = json.loads(place(call, new_objects(), "--json", "--membership", "a.csv")[0])
    facts = json.loads(place(call, new_objects(c0=["0", "1", "word"]), "--json", "--membership", "b.csv")[0])
    assert facts["labels"] == straight["labels"]
    assert facts["n_unseen"] == 1
    assert pd.read_csv("a.csv").iloc[:2].equals(pd.read_csv("b.csv").iloc[:2])
    names = {}
    exec(facts["python"], names)
    assert names["labels"].tolist() == facts["labels"]


def test_text_is_matched_with_text(call, tmp_path):
    words = pd.DataFrame({f"c{j}": ["a", "a", "1", "1", "b", "b"] for j in range(4)})
    words.to_csv(tmp_path / "words.csv", index=False)
    assert call("consensus", "words.csv", "-m", "eac", "-k", 3, "-o", "c.csv", "--save-model", "model.npz")[0] == 0
    pd.DataFrame({f"c{j}": [1, 1] for j in range(4)}).to_csv("new.csv", index=False)  # numbers here
    facts = json.loads(call("predict", "new.csv", "--model", "model.npz", "--json", "--no-ids")[1])
    assert facts["n_unseen"] == 0
    assert facts["labels"] == [pd.read_csv("c.csv")["label"][2]] * 2


@pytest.mark.parametrize(("noise", "expected"), [("cluster", 0), ("missing", -1), ("singleton", -1)])
def test_noise_means_what_it_meant_in_the_fit(noise, expected, call, tmp_path):
    frame = pd.DataFrame({f"c{j}": [-1] * 5 + [0] * 4 + [1] * 3 for j in range(4)})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    argv = ["-m", "eac", "-k", 2 if noise == "missing" else 3, "-o", "c.csv", "--save-model", "model.npz"]
    assert call("consensus", "labels.csv", "--no-ids", "--noise", noise, *argv)[0] == 0
    assert read_model_file("model.npz").noise == noise
    pd.DataFrame({f"c{j}": [-1, 0] for j in range(4)}).to_csv("new.csv", index=False)
    code, out, err = call("predict", "new.csv", "--model", "model.npz", "--no-ids", "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert facts["labels"][0] == expected
    assert facts["n_unseen"] == 0
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(facts["python"], names)
    assert names["labels"].tolist() == facts["labels"]


def test_a_model_without_names_takes_columns_by_their_place(call, tmp_path):
    partita.save_model(partita.EAC(2).fit(np.repeat([[0, 0], [1, 1]], 3, axis=0)), tmp_path / "model.npz")
    pd.DataFrame({"u": [1, 0], "v": [1, 0]}).to_csv(tmp_path / "new.csv", index=False)
    assert json.loads(call("predict", "new.csv", "--model", "model.npz", "--json")[1])["labels"] == [1, 0]
    pd.DataFrame({"u": [1, 0], "v": [1, 0], "w": [1, 0]}).to_csv(tmp_path / "new.csv", index=False)
    code, _, err = call("predict", "new.csv", "--model", "model.npz")
    assert code == 2
    assert "has 3 columns of labels, and the model was fitted to 2" in err


def test_a_model_of_a_frame_in_python_is_used_without_a_warning(call, labels, tmp_path):
    frame = pd.read_csv(tmp_path / labels, index_col="plant")
    partita.save_model(partita.combine(frame, random_state=0), tmp_path / "model.npz")
    out, err = place(call, new_objects(), "-q")
    assert err == ""
    assert len(out.splitlines()) == 4


def test_a_hard_method_gives_votes_as_the_fit_does(call, labels):
    call("consensus", labels, "-o", "c.csv", "--membership", "fitted.csv", "--save-model", "model.npz")
    code, out, err = call("predict", labels, "--model", "model.npz", "-o", "p.csv", "--membership", "placed.csv")
    assert code == 0, err
    assert "placed.csv (votes, not probabilities)" in out
    pd.testing.assert_frame_equal(pd.read_csv("placed.csv"), pd.read_csv("fitted.csv"))
    place(call, new_objects(**{f"c{j}": [0, 1, 9] for j in range(8)}), "--membership", "placed.csv")
    sizes = pd.read_csv("c.csv")["label"].value_counts(normalize=True).sort_index()
    assert np.allclose(pd.read_csv("placed.csv").iloc[2, 2:].astype(float), sizes)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--model", "none.npz"], "there is no file 'none.npz'"),
        (["--model", "labels.csv"], "cannot be read as a model file"),
        ([], "Missing option '--model'"),
        (["--model", "model.npz", "-o", "labels.csv"], "is the input"),
        (["--model", "model.npz", "-o", "model.npz"], "is the input"),
        (["--model", "model.npz", "--features", "labels.csv"], "leave out --features"),
    ],
)
def test_wrong_calls_are_one_line(words, told, call, model, labels):
    code, out, err = call("predict", labels, *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--save-model", "model.pkl"], "let its name end in .npz"),
        (["--save-model", "c.npz", "-o", "c.npz"], "two results cannot go to one file"),
        (["--save-model", "none/model.npz"], "there is no folder"),
        (["--save-model", "-"], "one result can go to standard output"),
    ],
)
def test_models_that_cannot_be_written_are_refused_before_any_work(words, told, call, labels, tmp_path):
    before = sorted(tmp_path.iterdir())
    code, out, err = call("consensus", labels, *words)
    assert (code, out) == (2, "")
    assert told in err
    assert sorted(tmp_path.iterdir()) == before


def test_features_beside_labels_place_new_objects_too(call, labels, table):
    argv = ["-m", "gbce", "-k", 3, "--features", table, "--drop", "class", "-o", "c.csv", "--save-model", "model.npz"]
    assert call("consensus", labels, *argv)[0] == 0
    code, out, err = call("predict", labels, "--model", "model.npz", "--features", table, "--json")
    assert code == 0, err
    assert json.loads(out)["labels"] == pd.read_csv("c.csv")["label"].tolist()


def test_models_go_through_pipes(tmp_path, labels):
    """Bytes, not text: a model is written to standard output and read from standard input."""
    run = [sys.executable, "-m", "partita"]
    fit = [*run, "consensus", labels, "-k", "3", "-o", "c.csv", "--save-model", "-", "-q"]
    made = subprocess.run(fit, capture_output=True, cwd=tmp_path, check=True)
    assert made.stderr == b""
    use = [*run, "predict", labels, "--model", "-", "-q"]
    used = subprocess.run(use, input=made.stdout, capture_output=True, cwd=tmp_path, check=True)
    assert used.stdout == (tmp_path / "c.csv").read_bytes()


@pytest.mark.parametrize("ids", [["x"], [7001], ["x", "y"], [7001, 7002, 7003]])
def test_ids_of_few_objects_are_found_beside_the_clusterings_of_the_model(call, model, ids):
    few = new_objects().head(len(ids)).assign(plant=ids)
    out, err = place(call, few, "-q")
    assert [line.split(",")[0] for line in out.split()] == ["plant", *map(str, ids)]
    assert "left out" not in err
    facts = json.loads(place(call, few, "--json")[0])
    assert facts["ids"] == [str(one) for one in ids]
    names = {}
    exec(facts["python"], names)
    assert names["labels"].tolist() == facts["labels"]


def test_a_first_column_that_is_not_of_the_model_is_no_id_where_labels_recur_or_others_are_left_out_too(call, model):
    for values in ([5, 5, 6], [5, None, 6]):
        _, err = place(call, new_objects(plant=values))
        assert "the column 'plant' is left out" in err
    _, err = place(call, new_objects(plant=[5, 6, 7], other=[1, 2, 3]))
    assert "2 columns ('plant', 'other') are left out" in err


def test_an_unknown_number_is_shown_as_in_the_file_also_beside_holes(call, model):
    _, err = place(call, new_objects(c0=[0, None, 77]))
    assert "1 label is not known to the model and counted as missing, such as 77 of 'c0'" in err
