"""The command as a process: its address, refusals over a real connection, and an end that leaves nothing behind."""

import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from partita.app._serve import serve
from tests.app.clients import plants
from tests.app.processes import app

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of other processes are those of POSIX")


@contextmanager
def let_in(process):
    """A client with the cookie; the socket listens before the address is printed, so that it need not wait."""
    with httpx.Client(base_url=process.address, trust_env=False, timeout=60, follow_redirects=True) as client:
        assert client.get("/", params={"token": process.token}).status_code == 200
        client.headers["X-Partita"] = "1"
        yield client


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    """One process for the tests that end nothing; it has a file from the beginning."""
    folder = tmp_path_factory.mktemp("serve")
    (folder / "plants.csv").write_bytes(plants())
    with app(folder / "t", "--max-upload", "100kB", str(folder / "plants.csv")) as process:
        yield process


def test_strangers_are_refused_over_a_real_connection(process):
    with let_in(process) as client:
        assert client.get("/api/runs").json() == []
        assert "server" not in client.get("/").headers
        host = {"Host": f"rebound.example:{process.port}"}
        assert client.get("/api/runs", headers=host).status_code == 403
        assert client.get("/api/runs", headers={"Origin": "http://evil.example"}).status_code == 403
        with httpx.Client(base_url=process.address, trust_env=False) as stranger:
            assert stranger.get("/").status_code == 403
            assert stranger.get("/?token=guess").status_code == 403
            assert stranger.post("/api/datasets/example", headers={"X-Partita": "1"}).status_code == 403


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", None)])
def test_the_end_leaves_no_temporary_files_even_while_a_run_goes_on(tmp_path, number):
    named = tmp_path / "named.csv"
    named.write_bytes(plants())
    with app(tmp_path / "t", str(named)) as process, let_in(process) as client:
        key = client.post("/api/datasets?name=plants.csv", content=plants(3000)).json()["id"]
        asked = {"dataset": key, "method": "nbce"}
        runs = [client.post("/api/runs", json={**asked, "seed": seed}).status_code for seed in range(4)]
        assert runs == [200] * 4
        assert list((tmp_path / "t").rglob("plants.csv"))
        (folder,) = [path for path in (tmp_path / "t").iterdir() if path.name.startswith("partita-app-")]
        assert folder.stat().st_mode & 0o077 == 0
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert "Traceback" not in errors
    assert list((tmp_path / "t").rglob("*")) == []
    assert named.read_bytes() == plants()
    if number == signal.SIGINT:
        assert process.returncode == 0
        assert "nothing was kept" in errors


def test_a_file_that_is_named_is_open_at_once(process):
    with let_in(process) as client:
        (told,) = client.get("/api/datasets").json()
        assert process.place == f"#data={told['id']}"
        assert told["n_objects"] == 60


def test_a_large_file_is_refused_over_a_real_connection(process):
    with let_in(process) as client:
        before = client.get("/api/datasets").json()
        answer = client.post("/api/datasets?name=large.csv", content=b"0" * 500_000)
        assert answer.status_code == 413
        assert "larger than 100 kB" in answer.json()["error"]
        assert client.get("/api/datasets").json() == before


def test_only_this_computer_can_reach_it(process):
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system has no /proc")
    port = f"{int(process.port):04X}"
    listening = [line.split()[1] for line in table.read_text().splitlines()[1:] if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(f":{port}")] == [f"0100007F:{port}"]


# ---------------------------------------------------------------------------------------------------- in this process
def test_the_browser_is_opened_with_a_token_of_its_own(monkeypatch):
    import threading
    import webbrowser

    import uvicorn

    opened, said, ready = [], [], threading.Event()
    monkeypatch.setattr(webbrowser, "open", lambda address: (opened.append(address), ready.set()))
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: ready.wait(30))
    serve(None, 0, browser=True, max_upload=10, echo=said.append)
    assert opened[0].split("token=")[0] == said[0].split("token=")[0]
    assert opened[0] != said[0]


def test_a_port_that_is_taken_is_refused():
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} cannot be used .*; choose another by --port"):
            serve(None, port, browser=False, max_upload=10, echo=print)


def test_a_file_that_cannot_be_read_ends_it_before_it_begins(tmp_path):
    said, before = [], tempfile.tempdir
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing\.csv"):
        serve(str(tmp_path / "nothing.csv"), 0, browser=False, max_upload=10, echo=said.append)
    assert said == []
    assert tempfile.tempdir == before
