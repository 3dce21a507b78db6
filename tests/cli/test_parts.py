"""``partita consensus`` on a folder of files."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from partita.cli._part_folder import LIST
from tests.cli.leaks import leaks
from tests.cli.plants import run_lines

CUTS = [0, 17, 18, 45]  # the second file has one object


def plants():
    """Eight clusterings of 45 plants: text and numbers, with holes, and one plant without any label."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [20, 15, 10])
    columns = {f"c{j}": np.where(rng.random(45) < 0.1, rng.integers(3, size=45), truth) for j in range(8)}
    frame = pd.DataFrame(columns).astype("Int64").mask(rng.random((45, 8)) < 0.1)
    frame.loc[30] = pd.NA
    frame["c0"] = frame["c0"].map({0: "small", 1: "tall, thin", 2: "wide"})
    frame.insert(0, "plant", [f"p{i:03d}" for i in range(45)])
    return frame


def write(frame, folder, kind=".csv"):
    """The table in one file and in three, whose names are in order by their numbers only."""
    (folder / "parts").mkdir()
    for name, some in [("all", frame), *((f"parts/part-{9 + i}", frame[lo:hi]) for i, lo, hi in numbered_cuts())]:
        path = folder / f"{name}{kind}"
        if kind == ".parquet":
            some.to_parquet(path, index=False)
        elif kind == ".npy":
            np.save(path, some.drop(columns=["plant", "c0"]).fillna(-1).to_numpy(dtype=np.int16))
        else:
            some.to_csv(path, index=False, sep="\t" if ".tsv" in kind else ",")
    return "parts"


def numbered_cuts():
    return [(i, lo, hi) for i, (lo, hi) in enumerate(pairwise(CUTS))]


@pytest.fixture
def parts(tmp_path):
    return write(plants(), tmp_path)


def names(folder, kind=".csv"):
    return [folder / f"part-{9 + i}{kind}" for i in range(3)]


def times(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.name != LIST}


# ------------------------------------------------------------------------------------------------------------- formats
@pytest.mark.parametrize("kind", [".csv", ".tsv", ".csv.gz", ".txt"])
def test_text_files_together_are_the_output_of_one_file(call, tmp_path, kind):
    write(plants(), tmp_path, kind)
    assert call("consensus", f"all{kind}", "-o", f"one{kind}")[0] == 0
    code, out, err = call("consensus", "parts", "-o", "out")
    assert code == 0, err
    assert "written to   out (3 files)" in out
    assert "45 objects, 8 clusterings, method lwgp" in out
    assert "unlabelled   1 object (label -1)" in out

    def lines(path):
        with gzip.open(path, "rt") if kind.endswith(".gz") else open(path) as file:
            return file.read().splitlines()

    first, *others = (lines(path) for path in names(tmp_path / "out", kind))
    assert first + [line for other in others for line in other[1:]] == lines(tmp_path / f"one{kind}")
    assert sorted(os.listdir("out")) == sorted([LIST, *(path.name for path in names(tmp_path, kind))])


@pytest.mark.parametrize("rows", [None, 5])
def test_parquet(call, tmp_path, rows):
    write(plants(), tmp_path, ".parquet")
    more = [] if rows is None else ["--block-rows", rows]
    argv = ["-m", "bce", "-k", 3]
    call(
        "consensus", "all.parquet", "-o", "one.parquet", *argv, "--membership", "m.parquet", "--confidence", "c.parquet"
    )
    code, out, err = call(
        "consensus", "parts", "-o", "out", *argv, *more, "--membership", "shares", "--confidence", "sure"
    )
    assert code == 0, err
    for folder, one in {"out": "one", "shares": "m", "sure": "c"}.items():
        assert (f"{folder}\n" in out) or (f"{folder} (" in out)
        found = pd.concat([pd.read_parquet(path) for path in names(tmp_path / folder, ".parquet")], ignore_index=True)
        pd.testing.assert_frame_equal(found, pd.read_parquet(f"{one}.parquet"), check_dtype=False, rtol=1e-9)


@pytest.mark.parametrize("rows", [None, 5])
def test_arrays(call, tmp_path, rows):
    write(plants(), tmp_path, ".npy")
    more = [] if rows is None else ["--block-rows", rows]
    argv = ["-m", "bce", "-k", 3]
    call("consensus", "all.npy", "-o", "one.npy", *argv, "--membership", "m.npy", "--confidence", "c.csv")
    code, _, err = call(
        "consensus", "parts", "-o", "out", *argv, *more, "--membership", "shares", "--confidence", "sure"
    )
    assert code == 0, err
    labels = [np.load(path) for path in names(tmp_path / "out", ".npy")]
    assert {part.dtype for part in labels} == {np.dtype(np.int32)}
    np.testing.assert_array_equal(np.concatenate(labels), np.load("one.npy"))
    shares = np.concatenate([np.load(path) for path in names(tmp_path / "shares", ".npy")])
    np.testing.assert_allclose(shares, np.load("m.npy"))
    sure = pd.concat([pd.read_csv(path) for path in names(tmp_path / "sure")], ignore_index=True)
    pd.testing.assert_frame_equal(sure, pd.read_csv("c.csv"))
    assert sure["object"].tolist() == list(range(45))


def test_objects_without_ids_are_numbered_over_all_files(call, tmp_path):
    write(plants().drop(columns="plant"), tmp_path)
    call("consensus", "parts", "-o", "out", "--no-ids")
    assert pd.concat([pd.read_csv(path) for path in names(tmp_path / "out")])["object"].tolist() == list(range(45))


def test_text_in_several_pieces_is_written_piece_by_piece(call, parts, tmp_path, monkeypatch):
    argv = ["-m", "bce", "-k", 3, "--membership", "m.csv", "--confidence", "c.csv"]
    call("consensus", "all.csv", "-o", "one.csv", *argv)
    monkeypatch.setattr("partita.io._label_parts._TEXT", 100)
    os.mkdir("whole")
    os.rename("all.csv", "whole/all.csv")
    argv = ["-m", "bce", "-k", 3, "--membership", "m", "--confidence", "c"]
    assert call("consensus", "whole", "-o", "out", *argv)[0] == 0
    for one, folder in {"one": "out", "m": "m", "c": "c"}.items():
        assert (tmp_path / folder / "all.csv").read_text() == (tmp_path / f"{one}.csv").read_text()


def test_a_pattern_a_selection_of_columns_and_safe_text(call, tmp_path):
    frame = plants()
    frame["plant"] = "=" + frame["plant"]
    write(frame, tmp_path)
    (tmp_path / "parts" / "notes.md").write_text("no labels")
    argv = ["--drop", "c0,c3", "--noise", "cluster", "--spreadsheet-safe"]
    call("consensus", "all.csv", "-o", "one.csv", *argv)
    code, out, err = call("consensus", "parts/part*.csv", "-o", "out", *argv)
    assert (code, "notes" in err) == (0, False)
    found = pd.concat([pd.read_csv(path) for path in names(tmp_path / "out")], ignore_index=True)
    pd.testing.assert_frame_equal(found, pd.read_csv("one.csv"))
    assert found["plant"][0] == "'=p000"
    assert "LabelBlocks.from_files('parts/part*.csv', columns=['c1', 'c2', 'c4', 'c5', 'c6', 'c7'], noise='clus" in out
    assert run_lines(out).tolist() == found["label"].tolist()
    code, out, _ = call("consensus", "parts/part*.csv", "-o", "out2", "--drop", "plant")
    assert pd.read_csv("out2/part-9.csv").columns.tolist() == ["object", "label"]
    assert len(run_lines(out)) == 45


@pytest.mark.parametrize(
    "argv",
    [[], ["-k", 3], ["-m", "eac", "--set", "linkage=single"], ["-m", "mm", "-k", "auto"], ["--set", "theta=0.3"],
     ["-m", "mm", "-k", "auto", "--set", "n_init=2"], ["-m", "pcc", "--divergence", "l2", "--resume", "state"]],
)  # fmt: skip
def test_the_python_lines_do_the_same(call, parts, tmp_path, argv):
    code, out, err = call("consensus", parts, "-o", "out", *argv)
    assert code == 0, err
    found = pd.concat([pd.read_csv(path) for path in names(tmp_path / "out")])["label"]
    assert run_lines(out).tolist() == found.tolist()


# --------------------------------------------------------------------------------------------------------------- again
def test_finished_files_are_not_written_again(call, parts, tmp_path):
    call("consensus", parts, "-o", "out")
    before = times(tmp_path / "out")
    (tmp_path / "out" / "part-10.csv").unlink()
    code, out, _ = call("consensus", parts, "-o", "out")
    assert code == 0
    assert "written to   out (1 of 3 files; the others were finished before)" in out
    after = times(tmp_path / "out")
    assert {name for name in before if before[name] == after[name]} == {"part-9.csv", "part-11.csv"}


def test_nothing_is_fitted_if_all_is_finished(call, parts, tmp_path, monkeypatch):
    first = json.loads(call("consensus", parts, "-o", "out", "--json")[1])
    before = times(tmp_path / "out")
    monkeypatch.setattr("partita.LWGP.fit", None)
    code, out, _ = call("consensus", parts, "-o", "out")
    assert code == 0
    assert "written to   out (3 files, finished before, and nothing was fitted; --overwrite writes again)" in out
    assert times(tmp_path / "out") == before
    again = json.loads(call("consensus", parts, "-o", "out", "--json")[1])
    assert again["seconds"] == 0
    assert [file["written"] for file in first["files"] + again["files"]] == [True] * 3 + [False] * 3
    assert [file["n_objects"] for file in again["files"]] == [17, 1, 27]
    ignored = ("seconds", "seconds_compiling", "files")
    assert {key: first[key] for key in first if key not in ignored} == {
        key: again[key] for key in again if key not in ignored
    }


def test_another_result_can_be_added(call, parts, tmp_path):
    argv = ["consensus", parts, "-o", "out", "-m", "bce", "-k", 3]
    call(*argv)
    before = times(tmp_path / "out")
    code, out, _ = call(*argv, "--membership", "shares")
    assert (code, times(tmp_path / "out")) == (0, before)
    assert "membership   shares" in out
    assert "3 files, finished before;" in out
    shares = pd.read_csv("shares/part-11.csv")
    assert shares.columns.tolist() == ["plant", "label", "cluster_0", "cluster_1", "cluster_2"]
    assert shares["label"].tolist() == pd.read_csv("out/part-11.csv")["label"].tolist()


def test_a_run_that_was_ended_goes_on(call, parts, tmp_path):
    """The process is ended by a signal while it writes the second file."""
    call("consensus", parts, "-o", "whole")
    slow = (
        "import time\n"
        "from partita.cli import _part_results as results\n"
        "from partita.cli.main import main\n"
        "objects_of = results.objects_of\n"
        "def slowly(part, first):\n"
        "    for objects in objects_of(part, first):\n"
        "        yield objects\n"
        "        time.sleep(60 if part.name == 'part-10.csv' else 0)\n"
        "results.objects_of = slowly\n"
        "main(['consensus', 'parts', '-o', 'out'])\n"
    )
    running = subprocess.Popen([sys.executable, "-c", slow], cwd=tmp_path, stdout=subprocess.DEVNULL)
    for _ in range(600):
        if list(tmp_path.glob("out/.partita-*.part")) and (tmp_path / "out" / "part-9.csv").exists():
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = times(tmp_path / "out")
    assert [name for name in before if name.endswith(".csv")] == ["part-9.csv"]
    code, out, _ = call("consensus", parts, "-o", "out")
    assert code == 0
    assert "(2 of 3 files; the others were finished before)" in out
    assert times(tmp_path / "out")["part-9.csv"] == before["part-9.csv"]
    for path in names(tmp_path / "whole"):
        assert path.read_text() == (tmp_path / "out" / path.name).read_text()


def test_a_file_that_came_before_the_list_is_written_again(call, parts, tmp_path):
    call("consensus", parts, "-o", "out")
    path = tmp_path / "out" / LIST
    known = json.loads(path.read_text())
    del known["finished"]["part-10.csv"]
    path.write_text(json.dumps(known))
    (tmp_path / "out" / "part-10.csv").write_text("whatever")
    assert "(1 of 3 files" in call("consensus", parts, "-o", "out")[1]
    assert (tmp_path / "out" / "part-10.csv").read_text().startswith("plant,label")


DIFFERENCES = {
    "seed": (["--seed", 1], "--seed is 0 there and 1 here"),
    "method": (["-m", "mm", "-k", 3], "--method is 'auto' there and 'mm' here; --n-clusters is not set there and 3"),
    "setting": (["--set", "theta=0.3"], "--set theta is not set there and 0.3 here"),
    "noise": (["--noise", "cluster"], "--noise is 'missing' there and 'cluster' here"),
    "columns": (["--columns", "c1,c2"], r"--columns is not set there and \['c1', 'c2'\] here"),
    "reading": (["--no-missing-words"], "--no-missing-words is not set there"),
}


@pytest.mark.parametrize("case", DIFFERENCES)
def test_a_folder_of_another_fit_is_refused(call, parts, tmp_path, case):
    call("consensus", parts, "-o", "out")
    before = times(tmp_path / "out")
    more, told = DIFFERENCES[case]
    code, out, err = call("consensus", parts, "-o", "out", *more)
    assert (code, out) == (2, "")
    assert "'out' holds the results of another fit: " in err
    assert re.search(told, err), err
    assert "Name another folder, or pass --overwrite" in err
    assert times(tmp_path / "out") == before
    code, out, err = call("consensus", parts, "-o", "out", *more, "--overwrite")
    assert (code, "out (3 files)" in out) == (0, True)
    assert not set(before.values()) & set(times(tmp_path / "out").values())


def test_other_inputs_are_another_fit(call, parts, tmp_path):
    call("consensus", parts, "-o", "out")
    (tmp_path / "parts" / "part-10.csv").rename(tmp_path / "parts" / "part-12.csv")
    os.utime(tmp_path / "parts" / "part-9.csv")
    err = call("consensus", parts, "-o", "out")[2]
    assert "the input 'part-10.csv' is gone; the input 'part-12.csv' is new; the input 'part-9.csv' has changed." in err
    code, _, err = call("consensus", parts, "-o", "out", "--overwrite")
    assert code == 0
    assert "still holds files of an earlier fit that are no results of this one (1, such as 'part-10.csv')" in err


def test_a_fit_that_was_kept_is_not_computed_again(call, parts, tmp_path):
    call("consensus", parts, "-o", "out", "--resume", "state")
    kept = times(tmp_path / "state" / "LWGP")
    assert kept
    assert call("consensus", parts, "-o", "out2", "--resume", "state")[0] == 0
    assert times(tmp_path / "state" / "LWGP") == kept
    assert (tmp_path / "out" / "part-9.csv").read_text() == (tmp_path / "out2" / "part-9.csv").read_text()
    code, _, err = call("consensus", parts, "-o", "out3", "--resume", "state", "--seed", 2)
    assert code == 2
    assert "'state' holds another fit" in err


def test_one_file_with_resume_is_a_part(call, parts, tmp_path):
    code, out, err = call("consensus", "all.csv", "-o", "out", "--resume", "state")
    assert code == 0, err
    call("consensus", "all.csv", "-o", "one.csv")
    assert (tmp_path / "out" / "all.csv").read_text() == (tmp_path / "one.csv").read_text()
    assert "LabelBlocks.from_files('all.csv', resume='state')" in out


# -------------------------------------------------------------------------------------------------------- wrong calls
WRONG = {
    "no output": (["parts"], "'parts' is read in parts, and its results go to a folder; pass -o FOLDER"),
    "standard output": (["parts", "-o", "-"], "pass -o FOLDER"),
    "no folder": (["none/", "-o", "out"], "there is no folder 'none/'"),
    "nothing": (["none", "-o", "out"], "there is no file or folder 'none'"),
    "no match": (["none/*.csv", "-o", "out"], r"no file matches 'none/\*.csv'"),
    "empty": (["empty", "-o", "out"], "the folder 'empty' holds no file that can be read in blocks"),
    "other columns": (["other", "-o", "out"], r"block 'b.csv' has 2 clusterings \('c1', 'c2'\), but the first"),
    "damaged": (["damaged", "-o", "out"], "block 'b.parquet': 'b.parquet' cannot be read as a Parquet file"),
    "features": (["features", "-o", "out"], "'x', 'y' of 'a.csv' looks like measurements, .* --drop x,y"),
    "same folder": (["parts", "-o", "./parts/"], "would be among the inputs, or over them"),
    "name of a file": (["parts", "-o", "out.csv"], "'out.csv' is the name of a file; FILE is read in parts"),
    "a file": (["parts", "-o", "all.csv"], "'all.csv' is a file; FILE is read in parts"),
    "place": (["parts", "-o", "all.csv/out"], "the folder 'all.csv/out' cannot be created"),
    "other files": (["parts", "-o", "foreign"], "'foreign' holds 'part-9.csv', which would be lost. .* --overwrite"),
    "damaged list": (["parts", "-o", "listed"], "the list of results 'listed/.partita.json' is damaged"),
    "two in one": (["parts", "-o", "out", "-m", "pcc", "--membership", "out"], "two results cannot go to one folder"),
    "one name": (["*/a.csv", "-o", "out"], "'features/a.csv' and 'other/a.csv' would both be called 'a.csv'"),
    "hard membership": (["parts", "-o", "out", "--membership", "m"], "'lwgp' gives no probabilities, .* --method pcc"),
    "report": (
        ["parts", "-o", "out", "--report", "r.html"],
        "--report needs all labels in memory, .* such as a sample",
    ),
    "compare": (["parts", "-o", "out", "--compare"], "--compare needs all labels in memory"),
    "annotate": (["parts", "-o", "out", "--annotate", "c1"], "--annotate needs all labels in memory"),
    "feature file": (["parts", "-o", "out", "-m", "gbce", "--features", "all.csv"], "--features needs all labels"),
    "every object": (["parts", "-o", "out", "-m", "nbce"], "sees every object by itself"),
    "noise": (["parts", "-o", "out", "--noise", "singleton"], "--noise singleton gives every object .* cluster of its"),
    "unknown drop": (["parts", "-o", "out", "--drop", "zz"], "'part-9.csv' has no column 'zz'; it has 'c0'"),
    "nothing left": (["parts", "-o", "out", "--columns", "c1", "--drop", "c1"], "no column of labels left"),
    "rows": (["parts", "-o", "out", "--block-rows", "0"], "0 is not in the range x>=1"),
    "overwrite a file": (["all.csv", "-o", "o.csv", "--overwrite"], "--overwrite is for a folder of files"),
    "rows of a file": (["all.csv", "-o", "o.csv", "--block-rows", "9"], "--block-rows is for a folder of files"),
    "state among results": (["parts", "-o", "out", "--resume", "out"], "--resume needs a folder of its own"),
    "tls alone": (["parts", "-o", "out", "--tls-ca", "all.csv"], "are for --dask tls://HOST:PORT; pass --dask too"),
    "half of tls": (["parts", "-o", "out", "--dask", "tls://h:1", "--tls-ca", "all.csv"], "TLS needs all of --tls-ca"),
    "no certificates": (["parts", "-o", "out", "--dask", "tls://h:1"], "tls:// needs --tls-ca, --tls-cert and --tls-k"),
    "no address": (["parts", "-o", "out", "--dask", "here"], "--dask 'here' is no address; pass tcp://HOST:PORT"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls(call, parts, tmp_path, case):
    for name in ("empty", "other", "damaged", "features", "foreign", "listed"):
        (tmp_path / name).mkdir()
    rng = np.random.default_rng(0)
    (tmp_path / "other" / "a.csv").write_text("c1,c2,c3\n0,1,1\n1,0,0\n")
    (tmp_path / "other" / "b.csv").write_text("c1,c2\n0,1\n1,0\n")
    plants().to_parquet(tmp_path / "damaged" / "a.parquet")
    (tmp_path / "damaged" / "b.parquet").write_bytes(b"PAR1 and no more")
    pd.DataFrame(rng.normal(size=(60, 2)), columns=["x", "y"]).to_csv(tmp_path / "features" / "a.csv", index=False)
    (tmp_path / "foreign" / "part-9.csv").write_text("mine")
    (tmp_path / "listed" / LIST).write_text("[1")
    before = contents(tmp_path)
    argv, message = WRONG[case]
    code, out, err = call("consensus", *argv)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("partita: error: ")
    assert re.search(message, err), err
    assert not leaks(err), err
    assert contents(tmp_path) == before


def contents(folder):
    return {str(path): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def test_a_scheduler_that_is_not_there_is_one_line(call, parts, monkeypatch):
    monkeypatch.setattr("partita.cli._dask_client._PATIENCE", 0.5)
    code, out, err = call("consensus", parts, "-o", "out", "--dask", "tcp://127.0.0.1:9")
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert "the Dask scheduler at 'tcp://127.0.0.1:9' cannot be reached" in err
    assert not os.path.exists("out")


def test_dask_is_not_loaded_unless_it_is_asked_for(parts, tmp_path):
    code = "try: main(['consensus', 'parts', '-o', 'out'])\nexcept SystemExit as stop: assert not stop.code"
    code = f"from partita.cli.main import main\n{code}\nimport sys; print('distributed' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
