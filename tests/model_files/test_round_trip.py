"""Every estimator comes back from a file as it was, to the last bit."""

import json
import warnings
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import partita
from partita import load_model, save_model
from partita.exceptions import FileContentWarning
from partita.model_files import read_model_file
from tests.registry import ESTIMATORS


def labels(kinds="abc", seed=0):
    """Six clusterings of 42 objects with holes, whose three labels are those of ``kinds``."""
    rng = np.random.default_rng(seed)
    truth, columns = np.repeat(np.arange(3), 14), {}
    for j in range(6):
        noisy = np.where(rng.random(42) < 0.12, rng.integers(0, 3, 42), truth)
        columns[f"c{j}"] = [None if rng.random() < 0.04 else kinds[label] for label in noisy]
    dtype = object if "\ud800" in kinds else None  # no column of text has half characters, from pandas 3 on
    return pd.DataFrame(columns, index=[f"o{i}" for i in range(42)], dtype=dtype)


X = labels()
NEW = X.sample(20, random_state=1).reset_index(drop=True)
NEW.iloc[0, :] = None
NEW.iloc[1, 0] = "never seen"


def outputs(model, X, new):
    found = [model.labels_, model.confidence_, model.votes_, model.predict(new), np.array(model.score(X))]
    found += [np.asarray(getattr(model, name, 0)) for name in ("membership_", "objective_", "history_")]
    return found + ([model.predict_proba(new)] if hasattr(model, "predict_proba") else [])


def there_and_back(model, path):
    save_model(model, path / "model.npz")
    return load_model(path / "model.npz")


def assert_same(one, other, X, new):
    for first, second in zip(outputs(one, X, new), outputs(other, X, new), strict=True):
        assert first.dtype == second.dtype
        assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_comes_back_to_the_last_bit(name, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ESTIMATORS[name].make().fit(X)
        again = there_and_back(model, tmp_path)
        assert type(again) is type(model)
        assert repr(again) == repr(model)
        assert set(vars(again)) == set(vars(model))
        assert_same(model, again, X, NEW)
        pd.testing.assert_series_equal(model.to_series(), again.to_series())


KINDS = {
    "integers": [3, -7, 10**12],
    "truth values": [True, False, True],
    "fractions": [0.5, 1.25, -3.75],
    "text": ["é", "a\nb", "日本"],
    "mixed": [1, "1", 2.5],
    "bytes": [b"a", b"\xff", b"b"],
    "tuples": [(1, "a"), (2, None), (3, (4, 5))],
    "scalars of NumPy": [np.int8(3), np.float32(0.1), np.str_("x")],
    "half characters": ["\ud800", "b", "c"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_labels_of_any_type_come_back(kind, tmp_path):
    frame = labels(KINDS[kind])
    model = partita.LWGP(2, random_state=0).fit(frame)
    again = there_and_back(model, tmp_path)
    for one, other in zip(model._placement.encoder.labels, again._placement.encoder.labels, strict=True):
        assert one.dtype == other.dtype
        assert [(type(label), label) for label in one.tolist()] == [(type(label), label) for label in other.tolist()]
    assert_same(model, again, frame, frame.iloc[:7])


def test_categories_come_back(tmp_path):
    frame = labels().astype("category")
    model = partita.LWGP(2, random_state=0).fit(frame)
    assert_same(model, there_and_back(model, tmp_path), frame, frame.iloc[:7])


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(5, 47, name="number"),
        pd.Index(range(42, 0, -1)),
        pd.Index(np.linspace(0, 1, 42), name=("a", 1)),
        pd.Index([f"o{i}" for i in range(42)], dtype="string"),
    ],
)
def test_names_of_objects_come_back(index, tmp_path):
    model = partita.EAC(3).fit(labels().set_axis(index))
    pd.testing.assert_index_equal(there_and_back(model, tmp_path).index_, model.index_)


def test_an_index_without_plain_values_is_left_out_and_told(tmp_path):
    model = partita.EAC(3).fit(labels().set_axis(pd.date_range("2024-01-01", periods=42)))
    with pytest.warns(FileContentWarning, match="index of the objects is not kept"):
        again = there_and_back(model, tmp_path)
    assert not hasattr(again, "index_")
    assert np.array_equal(again.labels_, model.labels_)


@pytest.mark.parametrize("state", [np.random.RandomState(0), np.random.default_rng(0)])
def test_a_stream_of_random_numbers_is_not_kept_and_told(state, tmp_path):
    model = partita.LWGP(3, random_state=state).fit(X)
    with pytest.warns(FileContentWarning, match="random_state"):
        again = there_and_back(model, tmp_path)
    assert again.random_state is None
    assert_same(model, again, X, NEW)


def test_a_seed_of_numpy_comes_back(tmp_path):
    seed = there_and_back(partita.LWGP(3, random_state=np.int32(5)).fit(X), tmp_path).random_state
    assert (type(seed), seed) == (np.int32, 5)


def test_parameters_that_are_arrays_come_back(tmp_path):
    weights = np.array([1.0, 2, 0, 1, 1, 0.5])
    model = partita.PCC(3, weights=weights, random_state=0, keep_starts=True).fit(X, sample_weight=np.arange(42.0))
    again = there_and_back(model, tmp_path)
    assert np.array_equal(again.weights, weights)
    assert_same(model, again, X, NEW)
    assert [start[:3] for start in again.starts_] == [start[:3] for start in model.starts_]


def test_features_beside_labels_come_back(tmp_path):
    F = pd.DataFrame({"size": np.arange(42.0), "colour": list("rgb") * 14})
    model = partita.GBCE(3, random_state=0).fit(X, features=F)
    again = there_and_back(model, tmp_path)
    assert model.predict_proba(X, features=F).tobytes() == again.predict_proba(X, features=F).tobytes()


def test_a_fit_on_blocks_comes_back(tmp_path):
    model = partita.BCE(3, random_state=0).fit(partita.LabelBlocks.from_array(X, rows=10))
    again = there_and_back(model, tmp_path)
    assert np.array_equal(model.labels_, again.labels_)
    assert np.vstack(list(model.membership_)).tobytes() == np.vstack(list(again.membership_)).tobytes()


def test_a_model_that_came_back_goes_on_learning(tmp_path):
    model = partita.BCE(3, random_state=0).fit(X)
    again = there_and_back(model, tmp_path)
    more = X.iloc[:, :2].add_suffix("_more")
    assert model.extend(more).membership_.tobytes() == again.extend(more).membership_.tobytes()
    assert np.array_equal(again.fit(X).labels_, partita.BCE(3, random_state=0).fit(X).labels_)


def test_a_result_keeps_the_names_of_its_clusterings(tmp_path):
    result = partita.combine(X, random_state=0)
    save_model(result, tmp_path / "model.npz")
    stored = read_model_file(tmp_path / "model.npz")
    assert stored.clusterings == list(X.columns)
    assert stored.partita_version == partita.__version__
    assert (stored.noise, stored.format_version) == ("missing", 1)
    assert np.array_equal(stored.estimator.predict(X), result.estimator.predict(X))


def test_the_same_model_gives_the_same_bytes_and_numpy_opens_it(tmp_path):
    for name in ("a.npz", "b.npz"):
        save_model(partita.LWGP(3, random_state=0).fit(X), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        document = json.loads(arrays["model.json"])
        assert all(isinstance(arrays[name], np.ndarray) for name in arrays.files if name != "model.json")
    assert document["format_version"] == 1
    assert document["class"] == "LWGP"
    with zipfile.ZipFile(tmp_path / "a.npz") as archive:
        assert archive.testzip() is None


def test_an_array_that_is_used_twice_is_stored_once(tmp_path):
    model = partita.EAC(3).fit(X)
    assert model._judged.ensemble.codes is model._ensemble.codes
    again = there_and_back(model, tmp_path)
    assert again._judged.ensemble.codes is again._ensemble.codes


def test_what_cannot_be_saved_is_refused_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(b"old")
    with pytest.raises(TypeError, match=r"consensus_ can be saved"):
        save_model(partita.ConsensusClustering(n_clusters=2, random_state=0).fit(np.arange(20.0)[:, None]), path)
    with pytest.raises(TypeError, match="pass a fitted consensus estimator"):
        save_model("model", path)
    with pytest.raises(ValueError, match="is not fitted"):
        save_model(partita.LWGP(), path)
    with pytest.raises(ValueError, match=r"decimal.Decimal, which a model file cannot hold"):
        save_model(partita.EAC(2).fit(labels([Decimal(1), Decimal(2), Decimal(3)])), path)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


@pytest.mark.parametrize(
    ("name", "told"), [("model.pkl", "end in .npz"), ("-", "end in .npz"), ("none/model.npz", "there is no folder")]
)
def test_names_that_are_no_model_files_are_refused(name, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, OSError), match=told):
        save_model(partita.EAC(2).fit(X), name)
