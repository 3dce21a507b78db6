"""Options on files, alike in all commands: words, encodings, standard input and output, spreadsheets, damage."""

import gzip
import io
import os
import re
import signal
import subprocess
import sys

import click
import openpyxl
import pandas as pd
import pytest

from partita.cli.main import app
from tests.cli.plants import SMALL, run_lines
from tests.io.damage import whole_files

READING = ["check", "consensus", "compare", "choose", "cluster", "generate"]
WRITING = ["consensus", "compare", "choose", "cluster", "generate"]
QUICK = ["--resamples", 6, "-k", "2-3"]
LABELS = "id,a,b,c\n" + "".join(f"=o{i},{i % 2},{i % 2},{i % 3}\n" for i in range(12))


def options_of(command):
    return {name for option in app.commands[command].params for name in option.opts if isinstance(option, click.Option)}


def test_files_are_read_and_written_with_the_same_options_everywhere():
    assert all(
        {"--missing", "--no-missing-words", "--encoding", "--separator"} <= options_of(command) for command in READING
    )
    assert all("--spreadsheet-safe" in options_of(command) for command in WRITING)


def pipe(monkeypatch, content):
    monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": io.BytesIO(content), "isatty": lambda _: False})())


# ------------------------------------------------------------------------------------------------------------ reading
def test_words_and_encodings_reach_every_reader(call, tmp_path):
    (tmp_path / "a.csv").write_bytes("id,\u00fc,b\nu,0,?\nv,1,none of us\nw,1,x\nx,0,x\n".encode("latin-1"))
    code, out, err = call("check", "a.csv")
    assert code == 0
    assert "missing labels        1" in out
    assert err.splitlines() == [
        "partita: warning: 'a.csv' is not UTF-8 (line 1) and is read as Windows-1252, which holds Latin-1; pass "
        "--encoding ... if it is another.",
        "partita: warning: 'a.csv': words are read as missing ('b': 1 of '?'). If they are values, pass "
        "--no-missing-words.",
    ]
    assert "missing labels        2" in call("check", "a.csv", "--encoding", "cp1252", "--missing", "none of us")[1]
    argv = ["--encoding", "latin-1", "--no-missing-words", "--missing", "x", "--missing", "y"]
    code, out, err = call("consensus", "a.csv", "-o", "o.csv", *argv)
    assert code == 0
    assert err == ""
    assert "read_labels('a.csv', missing=['x', 'y'], missing_words=False, encoding='latin-1')" in out
    assert len(run_lines(out)) == 4


def test_the_separator_reaches_the_reader_and_the_lines_of_python(call, tmp_path):
    rows = [f"o{row}/{row % 2}/{row % 3}/{row % 2}" for row in range(12)]
    (tmp_path / "a.csv").write_text("\n".join(["id/x/y/z", *rows]))
    code, out, err = call("check", "a.csv", "--separator", "/")
    assert code == 0, err
    assert "12 objects, 3 clusterings" in out
    assert "--separator /" in out
    assert "read_labels('a.csv', separator='/')" in call("consensus", "a.csv", "-o", "b.csv", "--separator", "/")[1]
    code, _, err = call("check", "a.csv", "--separator", "//")
    assert code == 2
    assert "--separator // is not allowed; pass one character" in err


def test_an_unknown_encoding_is_refused(call, labels):
    code, _, err = call("check", labels, "--encoding", "klingon")
    assert code == 2
    assert "klingon is not known; pass utf-8" in err


@pytest.mark.parametrize("name", whole_files())
def test_every_format_comes_through_standard_input(call, monkeypatch, name):
    pipe(monkeypatch, whole_files()[name])
    code, out, err = call("check", "-")
    assert code == 0, err
    assert "40 objects" in out


def test_every_command_reads_standard_input_and_writes_standard_output(call, monkeypatch, table, labels, tmp_path):
    runs = {
        "consensus": (labels, ["-k", 3], "plant,label"),
        "compare": (labels, ["-k", 3, "--methods", "eac,mcla"], "method,n_clusters"),
        "choose": (labels, QUICK, "n_clusters,"),
        "cluster": (table, ["--drop", "class", *SMALL], "plant,label"),
        "generate": (table, ["--drop", "class", *SMALL], "plant,"),
    }
    for command, (file, argv, names) in runs.items():
        pipe(monkeypatch, (tmp_path / file).read_bytes())
        code, out, err = call(command, "-", "-o", "-", *argv)
        assert code == 0, err
        read = pd.read_csv(io.StringIO(out))
        assert out.startswith(names)
        assert read.shape[0] >= 2
        assert len(err.splitlines()) > 2  # what people read
        assert out == call(command, file, "-o", "-", *argv)[1] or command == "compare"  # which has seconds


def test_a_second_result_may_go_to_standard_output(call, labels):
    code, out, err = call("consensus", labels, "-m", "pcc", "-k", 3, "-o", "o.csv", "--membership", "-")
    assert code == 0, err
    assert out.startswith("plant,label,cluster_0")
    assert "written to" in err


TWICE = {
    "two results": (["consensus", "labels.csv", "-m", "pcc", "--membership", "-"], "one result can go to standard"),
    "two tables": (["compare", "labels.csv", "-o", "-", "--labels", "-"], "one result can go to standard output"),
    "a table and JSON": (["compare", "labels.csv", "-o", "-", "--json"], "--json prints to standard output"),
    "two inputs": (
        ["consensus", "-", "-m", "gbce", "-k", "3", "--features", "-"],
        "standard input .-. can be read once",
    ),
}


@pytest.mark.parametrize("case", TWICE)
def test_standard_streams_have_one_user(call, monkeypatch, labels, case):
    pipe(monkeypatch, LABELS.encode())
    argv, message = TWICE[case]
    code, out, err = call(*argv)
    assert (code, out) == (2, "")
    assert re.search(message, err), err


def test_a_pipe_is_read_by_commands_that_look_twice(tmp_path):
    (tmp_path / "a.csv").write_text(LABELS)
    words = f"{sys.executable} -m partita check <(cat a.csv)"
    done = subprocess.run(["bash", "-c", words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "12 objects, 3 clusterings" in done.stdout


# ------------------------------------------------------------------------------------------------------------ writing
def test_ids_keep_their_bytes_unless_spreadsheets_are_meant(call, tmp_path):
    (tmp_path / "a.csv").write_text(LABELS)
    assert call("consensus", "a.csv", "-k", 2, "-o", "o.csv")[0] == 0
    assert (tmp_path / "o.csv").read_text().splitlines()[1].startswith("=o0,")
    assert call("consensus", "a.csv", "-k", 2, "-o", "o.csv", "--spreadsheet-safe")[0] == 0
    assert (tmp_path / "o.csv").read_text().splitlines()[1].startswith("'=o0,")
    assert "'=o0," in call("consensus", "a.csv", "-k", 2, "--spreadsheet-safe")[1]


def test_excel_goes_in_and_out(call, tmp_path):
    pd.read_csv(io.StringIO(LABELS)).astype(str).to_csv(tmp_path / "a.csv", index=False)
    assert call("consensus", "a.csv", "-k", 2, "-o", "o.xlsx")[0] == 0
    cell = openpyxl.load_workbook(tmp_path / "o.xlsx").active["A2"]
    assert (cell.value, cell.data_type) == ("=o0", "s")
    code, out, _ = call("check", "o.xlsx")
    assert code == 0
    assert "12 objects, 1 clustering" in out


def test_a_link_and_a_read_only_file(call, labels, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert call("consensus", labels, "-o", "link.csv")[0] == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("plant,label")
    (tmp_path / "real.csv").chmod(0o444)
    code, _, err = call("consensus", labels, "-o", "link.csv")
    assert code == 2
    assert "'link.csv' is read-only" in err


def test_a_full_standard_output_is_one_line(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no device that is always full")
    words = f"{sys.executable} -m partita methods > /dev/full"
    done = subprocess.run(["bash", "-c", words], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "partita: error: a file or standard output cannot be written (no space left on device); make room first."
    ]


TERMINATED = """
import os, signal, sys
import pandas as pd
from partita.cli.main import main
pd.DataFrame.to_csv = lambda self, path, **_: (open(path, "w").write("half"), os.kill(os.getpid(), signal.SIGTERM))
main(["consensus", "a.csv", "-k", "2", "-o", "o.csv"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a signal")
def test_sigterm_while_writing_leaves_the_old_file(tmp_path):
    (tmp_path / "a.csv").write_text(LABELS)
    (tmp_path / "o.csv").write_text("old")
    done = subprocess.run([sys.executable, "-c", TERMINATED], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    assert sorted(os.listdir(tmp_path)) == ["a.csv", "o.csv"]
    assert (tmp_path / "o.csv").read_text() == "old"


# ------------------------------------------------------------------------------------------------------------- damage
DAMAGED = {
    "cut off.csv.gz": gzip.compress(LABELS.encode())[:-20],
    "cut off.xlsx": whole_files()["a.xlsx"][:-300],
    "cut off.parquet": whole_files()["a.parquet"][:-30],
    "cut off.npz": whole_files()["a.npz"][:-30],
    "cut off.npy": whole_files()["a.npy"][:-30],
    "flipped.csv.gz": gzip.compress(LABELS.encode(), mtime=0).replace(b"\x1f\x8b", b"\x1f\x8c"),
    "empty.csv": b"",
    "junk.csv": bytes(range(256)) * 4,
    "short.csv": LABELS.encode() + b"x,1\n",
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("command", [["check"], ["consensus"], ["cluster"], ["choose"]])
def test_a_damaged_file_is_one_line_and_exit_code_2(call, tmp_path, command, name):
    (tmp_path / name).write_bytes(DAMAGED[name])
    code, out, err = call(*command, name)
    assert (code, out) == (2, "")
    assert err.startswith(f"partita: error: {name!r} ")
    assert len(err.splitlines()) == 1
