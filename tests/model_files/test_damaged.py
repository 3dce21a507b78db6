"""Files that are damaged, foreign, hostile or newer: one clear error, and nothing in them is run."""

import io
import json
import pickle
import warnings
import zipfile

import numpy as np
import pytest

import partita
from partita import load_model, save_model
from partita.exceptions import FileFormatError

X = {"a": [0, 0, 1, 1, 2, 2, 0], "b": ["x", "x", "y", "y", "z", None, "x"], "c": [1, 1, 1, 2, 2, 2, 1]}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model.npz"
    save_model(partita.LWGP(2, random_state=0).fit(X), path)
    return path


def entries_of(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, entries, **how):
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def changed(path, change):
    """Write the model again with its document changed."""
    entries = entries_of(path)
    document = json.loads(entries["model.json"])
    change(document)
    write(path, entries | {"model.json": json.dumps(document)})


def refuse(path, match):
    with pytest.raises(FileFormatError, match=match) as caught:
        load_model(path)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("'model.npz'")


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", pickle.dumps({"a": 1}), b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_of_a_model_is_refused(content, model):
    model.write_bytes(content)
    refuse(model, "cannot be read as a model file")


def test_there_is_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_model(tmp_path / "none.npz")


def test_an_npz_of_other_things_is_refused(model):
    np.savez(model, labels=np.arange(3))
    refuse(model, r"no entry 'model.json'")


def test_a_newer_format_is_named(model):
    changed(model, lambda document: document.update(format_version=99, partita_version="7.0"))
    refuse(model, r"made by a newer partita \(7.0, format 99; .*\); update partita")


def set_class(name):
    return lambda document: document.update({"class": name})


def set_attribute(name, value):
    return lambda document: document["attributes"].update({name: value})


def set_ensemble(name, value):
    return lambda document: document["attributes"]["_judged"]["fields"]["ensemble"]["fields"].update({name: value})


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (set_class("os.system"), "no estimator of partita"),
        (set_class("ConsensusClustering"), "no estimator of partita"),
        (set_class(["LWGP"]), "no estimator of partita"),
        (set_class("PCC"), "unexpected keyword|none that a fit sets|is a"),
        (lambda document: document.update(format="other"), "not that of a model"),
        (lambda document: document.update(format_version="1"), "no version"),
        (lambda document: document.update(format_version=True), "no version"),
        (lambda document: document.update(noise=3), "wrong values"),
        (lambda document: document.update(clusterings=["a"]), "do not fit their number"),
        (lambda document: document.update(clusterings={"a": 1}), "no text"),
        (lambda document: document.pop("attributes"), "attributes"),
        (lambda document: document["parameters"].update(magic=1), "magic"),
        (set_attribute("predict", 1), "none that a fit sets"),
        (set_attribute("confidence_", 1), "none that a fit sets"),
        (set_attribute("__class__", 1), "none that a fit sets"),
        (set_attribute("random_state", 1), "none that a fit sets"),
        (set_attribute("labels_", {"array": "nothing"}), "is missing"),
        (set_attribute("labels_", [0, 1]), "is a list"),
        (set_attribute("labels_", {"part": "Popen", "fields": {}}), "names the class 'Popen'"),
        (set_attribute("labels_", {"pickle": "gASV"}), "unknown kind"),
        (set_attribute("labels_", {}), "unknown kind"),
        (set_attribute("labels_", {"objects": [1], "shape": [10**15]}), "claims the shape"),
        (set_attribute("labels_", {"objects": [1], "shape": [-1, -1]}), "claims the shape"),
        (set_attribute("index_", {"index": [1], "dtype": "category"}), "type 'category'"),
        (set_attribute("x_", {"float": 3}), "a int where a str"),
        (set_attribute("x_", {"csr": [[1], [5], [0, 1]], "shape": [1, 2]}), "cannot be read"),
        (set_attribute("_placement", None), "is a NoneType"),
        (set_ensemble("codes", {"array": "array_0"}), "do not fit together|is a"),
        (set_ensemble("row_weights", {"objects": ["a"], "shape": [1]}), "row_weights"),
        (set_ensemble("more", 1), "field 'more'"),
    ],
)
def test_a_document_with_other_values_is_refused(change, match, model):
    changed(model, change)
    refuse(model, match)


def test_a_document_that_is_nested_without_end_is_refused(model):
    deep = "[" * 200_000 + "]" * 200_000
    write(model, entries_of(model) | {"model.json": '{"format": "partita model", "x": ' + deep + "}"})
    refuse(model, "cannot be read")


@pytest.mark.parametrize("text", ["{", "[]", '"a"', "NaN", "\xff", '{"format": NaN}'])
def test_a_document_that_is_no_json_object_is_refused(text, model):
    write(model, entries_of(model) | {"model.json": text.encode("latin-1")})
    refuse(model, "cannot be read")


def npy(array, **how):
    file = io.BytesIO()
    np.save(file, array, **how)
    return file.getvalue()


def with_header(array, text, other):
    return npy(array).replace(text, other)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (npy(np.array([print], dtype=object), allow_pickle=True), "type object"),
        (npy(np.array(["text"])), "type <U4"),
        (npy(np.zeros(3, dtype=[("a", int)])), "type"),
        (with_header(np.zeros(8), b"(8,), }     ", b"(80000000,),}"[:12]), "cannot be read"),
        (with_header(np.zeros(8), b"(8,)", b"(9,)"), "9 values that it claims"),
        (npy(np.zeros(3))[:-1], "values that it claims"),
        (b"no array", "cannot be read"),
        (b"", "cannot be read"),
    ],
)
def test_arrays_that_are_not_what_they_claim_are_refused(content, match, model):
    write(model, entries_of(model) | {"array_0.npy": content})
    refuse(model, match)


def test_codes_beyond_the_labels_are_refused_before_a_kernel_sees_them(model):
    fitted = load_model(model)
    fitted._judged.ensemble.codes[0, 0] = 1000
    save_model(fitted, model)
    refuse(model, "Ensemble do not fit together")


def test_places_beyond_the_clusters_are_refused(model):
    fitted = load_model(model)
    fitted._placement.rank[0] = 7
    save_model(fitted, model)
    refuse(model, "Placement do not fit together")


def test_compressed_entries_are_refused_so_that_no_file_can_grow(model):
    entries = entries_of(model) | {"array_0.npy": npy(np.zeros(1_000_000))}
    write(model, entries, compression=zipfile.ZIP_DEFLATED)
    refuse(model, "is compressed")


def test_entries_that_share_their_bytes_are_refused(model):
    """Many names for one place in the file: more claimed bytes than there are."""
    entries = entries_of(model) | {"array_0.npy": npy(np.zeros(1000))}
    with zipfile.ZipFile(model, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
        one = archive.getinfo("array_0.npy")
        for number in range(100):
            twin = zipfile.ZipInfo(f"twin_{number}.npy")
            for field in ("header_offset", "CRC", "file_size", "compress_size"):
                setattr(twin, field, getattr(one, field))
            archive.filelist.append(twin)
            archive.NameToInfo[twin.filename] = twin
    refuse(model, "larger than the file")


def test_two_entries_of_one_name_are_refused(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(model, "a") as archive:
            archive.writestr("model.json", "{}")
    refuse(model, "two have one name")


def test_other_entries_are_refused(model):
    write(model, entries_of(model) | {"../run.py": "1"})
    refuse(model, "is no array")


def test_flipped_and_missing_bytes_never_give_another_error(model):
    content, rng = model.read_bytes(), np.random.default_rng(0)
    for round in range(150):
        damaged = bytearray(content)
        for place in rng.integers(len(damaged), size=1 + round % 3):
            damaged[place] ^= int(rng.integers(1, 256))
        model.write_bytes(bytes(damaged[: rng.integers(len(damaged))] if round % 5 == 0 else damaged))
        try:
            found = load_model(model)
        except FileFormatError:
            continue
        assert found.predict(X).shape == (7,)  # the bytes that no one reads, such as dates
