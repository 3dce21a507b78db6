"""A file is replaced in one step: errors, signals and links."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading

import pandas as pd
import pytest

from partita.io import _replacing, check_output, replacing, write_table

RESULT = pd.DataFrame({"cell": ["a", "b"], "label": [1, 0]})


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "o.csv"
    target.write_text("old")
    target.chmod(0o640)

    def fail_half_way():
        with replacing(target) as beside:
            beside.write_text("half of the n")
            raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        fail_half_way()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["o.csv"]
    with replacing(target) as beside:
        beside.write_text("new")
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.parametrize("name", ["o.csv", "o.csv.gz", "o.parquet", "o.npy", "o.npz", "o.xlsx"])
def test_a_full_disk_leaves_the_old_file_and_is_named(tmp_path, monkeypatch, name):
    (tmp_path / name).write_text("old")

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match=rf"{name}' cannot be written \(No space left on device\); what was there"):
        write_table(tmp_path / name, RESULT)
    assert (tmp_path / name).read_text() == "old"
    assert os.listdir(tmp_path) == [name]


WRITE = f"""
import runpy, time
from pathlib import Path
replacing = runpy.run_path({_replacing.__file__!r})["replacing"]  # the module alone: the package takes long to load
with replacing("o.csv") as beside:
    beside.write_text("half")
    print(*Path().iterdir(), flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a signal")
@pytest.mark.parametrize("number", [signal.SIGTERM, getattr(signal, "SIGHUP", None), signal.SIGINT])
def test_a_signal_while_writing_leaves_no_part(tmp_path, number):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as under nohup")
    with subprocess.Popen(
        [sys.executable, "-c", WRITE], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout.readline().strip().endswith(".part")
        process.send_signal(number)
        code = process.wait()
    assert os.listdir(tmp_path) == []
    assert code in (128 + number, -number)


def test_signals_are_as_before_after_writing(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    write_table(tmp_path / "o.csv", RESULT)
    assert signal.getsignal(signal.SIGTERM) is before
    thread = threading.Thread(target=write_table, args=(tmp_path / "p.csv", RESULT))
    thread.start()  # only the main thread may change signals
    thread.join()
    assert (tmp_path / "p.csv").exists()


def test_a_link_is_followed(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "o.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("there/o.csv")
    (tmp_path / "new.csv").symlink_to("there/new.csv")
    for name in ("link.csv", "new.csv"):
        write_table(check_output(tmp_path / name), RESULT)
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / name).read_text() == "cell,label\na,1\nb,0\n"
    assert sorted(os.listdir(tmp_path / "there")) == ["new.csv", "o.csv"]


def test_a_link_that_leads_nowhere_is_refused(tmp_path):
    (tmp_path / "a.csv").symlink_to("none/o.csv")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        check_output(tmp_path / "a.csv")
    (tmp_path / "b.csv").symlink_to("b.csv")
    with pytest.raises(OSError, match="link that leads to itself"):
        check_output(tmp_path / "b.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_is_written_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    seen = []
    reader = threading.Thread(target=lambda: seen.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_table(check_output(tmp_path / "pipe"), RESULT)
    reader.join()
    assert seen == ["cell,label\na,1\nb,0\n"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_long_name_is_written(tmp_path):
    name = "n" * 250 + ".csv"
    write_table(tmp_path / name, RESULT)
    assert os.listdir(tmp_path) == [name]
