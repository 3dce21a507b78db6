"""The entry point, as a user meets it: in a process of its own where that matters."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading

import pytest

from partita.cli.main import main


def test_a_fault_of_ours_shows_its_traceback_on_request(call, wines, monkeypatch):
    monkeypatch.setenv("PARTITA_DEBUG", "1")
    with pytest.raises(FileNotFoundError):
        main(["check", "none.csv"])


def run_alone(*argv, **environment):
    return subprocess.run(
        [sys.executable, "-m", "partita", *argv], capture_output=True, text=True, env={**os.environ, **environment}
    )


def test_version_and_help_in_a_process_of_its_own():
    import partita

    assert run_alone("--version").stdout.strip() == f"partita {partita.__version__}"
    shown = run_alone("--help")
    assert shown.returncode == 0
    assert "consensus" in shown.stdout
    assert run_alone().returncode == 2


@pytest.mark.nightly
def test_first_run_says_that_it_compiles_and_reports_its_time_without_that(tmp_path, wines):
    argv = ["consensus", str(wines), "-o", str(tmp_path / "o.csv"), "-m", "mm", "-k", "3"]
    first = run_alone(*argv, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert first.returncode == 0, first.stderr
    assert first.stderr.count("compiling numba kernels (only once") == 1
    assert re.search(
        r"^time +\d+\.\d\d s, and \d+\.\d s to compile, which only the first run needs$", first.stdout, re.M
    )
    again = run_alone(*argv, "--json", NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert again.stderr == ""
    assert json.loads(again.stdout)["seconds_compiling"] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
def test_a_cache_of_kernels_on_a_full_disk_is_one_warning(tmp_path, wines):
    full = (
        "import resource, scipy.spatial; "  # SciPy 1.13 writes a file while it is imported
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); from partita.cli.main import main; "
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{full}main(['consensus', {str(wines)!r}, '-m', 'label-kmeans', '-k', '3'])"],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wine,label")
    assert done.stderr.count("partita: warning: compiled kernels cannot be kept") == 1
    assert done.stderr.count("NUMBA_CACHE_DIR") == 1


def test_a_reader_that_stops_reading_causes_no_error(wines):
    pipe = f"{sys.executable} -m partita consensus {wines} 2>/dev/null | head -1"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True)
    assert done.stdout.strip() == "wine,label"
    assert "Traceback" not in done.stderr


def test_help_names_the_commands_and_their_options(call):
    shown = call("--help")[1]
    assert all(name in shown for name in ("generate", "cluster", "choose"))
    for command, option in [("generate", "--recipe"), ("cluster", "--membership"), ("choose", "--kind")]:
        assert option in call(command, "--help")[1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no shell that closes streams")
def test_a_closed_stream_is_one_that_nobody_reads(labels, tmp_path):
    command = shlex.join([sys.executable, "-m", "partita", "consensus", labels, "-k", "3"])
    for closed in (">&-", "2>&-", ">&- 2>&-", ">&- -o found.csv", "2>&- <&- -o found.csv"):
        done = subprocess.run(["sh", "-c", f"{command} {closed}"], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
        assert done.stdout.startswith("plant,label") == (closed == "2>&-")
    assert (tmp_path / "found.csv").read_text().startswith("plant,label")


def test_interruption_is_one_line_and_leaves_nothing_half_written(call, labels, tmp_path, monkeypatch):
    from partita import LWGP

    def stop(*_, **__):
        raise KeyboardInterrupt

    before = sorted(os.listdir(tmp_path))
    with monkeypatch.context() as patched:
        patched.setattr(LWGP, "fit", stop)
        code, out, err = call("consensus", labels, "-o", "o.csv")
    assert (code, out) == (130, "")
    assert err.strip() == "partita: interrupted"
    with monkeypatch.context() as patched:
        patched.setattr("pandas.DataFrame.to_csv", stop)
        assert call("consensus", labels, "-o", "o.csv")[0] == 130
    assert sorted(os.listdir(tmp_path)) == before


def test_what_takes_long_says_in_a_terminal_what_it_is_at(capsys, monkeypatch):
    from partita.cli import _stages

    monkeypatch.setattr(_stages, "_QUIET_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    said = threading.Event()
    monkeypatch.setattr(_stages.click, "echo", lambda text, err: (print(text), said.set()))
    with _stages.stage("reading a.csv"):
        assert said.wait(30)
    assert capsys.readouterr().out == "partita: reading a.csv ...\n"
