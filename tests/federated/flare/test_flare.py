"""A federation of real processes on this machine: NVFlare's server, two sites, mutual TLS, and what can go wrong.

Starting NVFlare takes seconds, so three runs hold all faults: the algorithms below are the stories, run at the server
or at the leading site, and note what they saw in a file.
"""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from partita.exceptions import SiteError
from partita.federated._messages import pack, unpack
from tests.federated.parts import free_port

if sys.platform == "win32":
    pytest.skip("a federation between machines does not run on Windows", allow_module_level=True)
pytest.importorskip("nvflare")
psutil = pytest.importorskip("psutil")

from partita.federated.flare._certificates import make_certificates, read_kit  # noqa: E402
from partita.federated.flare._engine import FlareEngine  # noqa: E402
from partita.federated.flare._files import STATUS, write_json  # noqa: E402
from partita.federated.flare._server import run_server  # noqa: E402
from partita.federated.flare._site import run_site  # noqa: E402
from partita.federated.flare._tls import refusals  # noqa: E402
from partita.federated.flare._workspace import EXECUTOR, SITE, site_workspace  # noqa: E402

HERE = "tests.federated.flare.test_flare"
ROOT = str(Path(__file__).parents[3])
LIMIT = 4_000_000
PATIENCE = 60.0  # seconds after which a test fails instead of waiting on


# ----------------------------------------------------------------------------------- what runs in the processes of jobs
class Answerer:
    def __init__(self, settings):
        self.number = settings["number"]

    def answer(self, question, values):
        return getattr(self, question)(**values)

    def add(self, x):
        return {"x": self.number * x, "pid": os.getpid(), "parent": os.getppid()}

    def nothing(self):
        return None

    def fail(self):
        if self.number == 2:
            raise ValueError("the column 'age' is missing")
        return {}

    def fail_with_data(self):
        if self.number == 2:
            raise KeyError("name of a patient")
        return {}

    def send(self, size):
        return {"x": np.zeros(size if self.number == 2 else 1)}

    def sleep(self, seconds):
        time.sleep(seconds)
        return {}


def faults(settings, engine):
    """Every fault that a run survives, then the death of a site, which ends it."""
    x = np.arange(200_000.0).reshape(20_000, 10)
    first = engine.send("add", {"x": x})
    notes = {
        "names": engine.names,
        "order": list(first),
        "equal": bool(np.array_equal(sum(reply["x"] for reply in first.values()), 3 * x)),
        "some": list(engine.send("add", {"x": 1.0}, ["site-b"])),
        "nothing": engine.send("nothing", {}),
        "fail": failed(engine, "fail"),
        "fail_with_data": failed(engine, "fail_with_data"),
        "too_large": failed(engine, "send", size=LIMIT // 8),  # the site itself refuses to send this
        "refused": failed(engine, "send", size=LIMIT // 8 - 1000),  # the server takes no more than LIMIT - 10 kB
    }
    start = time.monotonic()
    for _ in range(10):
        engine.send("add", {"x": 1.0})
    notes["seconds_small"] = (time.monotonic() - start) / 10
    other = first["site-b"]["pid"]
    os.kill(other, signal.SIGSTOP)
    notes["hung"], notes["seconds_hung"] = timed(engine, "add", x=1.0)
    os.kill(other, signal.SIGCONT)
    notes["again"] = list(engine.send("add", {"x": 1.0}))
    Path(settings["notes"]).write_text(json.dumps(notes))
    os.kill(other, signal.SIGKILL)
    engine.send("sleep", {"seconds": 30})


def killed_parents(settings, engine):
    """Kill all that was started for a site, but the processes that NVFlare started; then the server."""
    reply = engine.send("add", {"x": 1.0})["site-b"]
    os.kill(psutil.Process(reply["parent"]).ppid(), signal.SIGKILL)
    told, seconds = timed(engine, "sleep", seconds=30)
    left = [pid for pid in (reply["pid"], reply["parent"]) if runs(pid)]
    Path(settings["notes"]).write_text(json.dumps({"told": told, "seconds": seconds, "left": left}))
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(PATIENCE)


def runs(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE  # whom nobody buries in a container
    except psutil.NoSuchProcess:
        return False


def leading(settings, engine):
    """At the first site, which does not see the replies of the others."""
    total = engine.relay("add", {"x": np.ones((20_000, 10))})["x"]
    with pytest.raises(SiteError) as error:
        engine.relay("fail", {})
    return {"total": total, "settings": settings, "names": engine.names, "fail": error.value.sites}


def combine(question, replies):
    return {"x": sum(reply["x"] for reply in replies.values())}


def failed(engine, question, **values):
    return timed(engine, question, **values)[0]


def timed(engine, question, **values):
    start = time.monotonic()
    with pytest.raises(SiteError) as error:
        engine.send(question, values)
    return error.value.sites, time.monotonic() - start


# ------------------------------------------------------------------------------------------------------- the federation
@pytest.fixture(scope="module")
def kits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kits") / "kits"
    return make_certificates(folder, server="127.0.0.1", sites=["site-a", "site-b"], port=free_port())


class Federation:
    """The three parties, each in a thread: they only start processes and wait."""

    def __init__(self, kits, folder):
        self.kits, self.folder, self.lines = kits, folder, []
        self.threads = ThreadPoolExecutor(3)

    def server(self, algorithm, settings=(), **options):
        options = {"timeout": 3.0, "join_timeout": 30.0, "local": True, "grace": 1.0, **options}
        arguments = (self.kits["server"], f"{HERE}:{algorithm}", dict(settings))
        return self._start(run_server, arguments, "server", {**options, "max_message": LIMIT - 10_000})

    def site(self, name, number, **options):
        options = {"join_timeout": 30.0, "grace": 1.0, "max_message": LIMIT, **options}
        return self._start(run_site, (self.kits[name], f"{HERE}:Answerer", {"number": number}), name, options)

    def _start(self, run, arguments, name, options):
        tell = self.lines.append
        return self.threads.submit(run, *arguments, workspace=self.folder / name, tell=tell, **options)

    def wait_for(self, line):
        end = time.monotonic() + PATIENCE
        while not any(line in told for told in list(self.lines)):
            assert time.monotonic() < end, self.lines
            time.sleep(0.05)


@pytest.fixture
def federation(kits, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", ROOT)
    parties = Federation(kits, tmp_path)
    yield parties
    parties.threads.shutdown(wait=True, cancel_futures=True)
    assert left_over(tmp_path) == []


def left_over(folder):
    found = []
    for process in psutil.process_iter():
        try:
            if str(folder) in " ".join(process.cmdline()):
                found.append(process.cmdline())
        except psutil.Error:
            continue
    return found


def raised_by(party):
    return party.exception(timeout=PATIENCE)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_faults_of_sites_are_told_with_their_names(federation, kits, tmp_path):
    notes = tmp_path / "notes.json"
    server = federation.server("faults", {"notes": str(notes)})
    federation.wait_for("server: waiting for site-a, site-b (0 of 2 connected)")
    wrong = make_certificates(
        tmp_path / "wrong", server="127.0.0.1", sites=["site-a"], port=read_kit(kits["server"], "server").port
    )
    own_authority(wrong["site-a"], kits["site-a"])
    with pytest.raises(ConnectionError, match=r"the server at .* is not trusted"):
        run_site(wrong["site-a"], "", {}, join_timeout=20, tell=federation.lines.append)
    with pytest.raises(ConnectionError, match="refused the certificate of site-a"):
        reach_with(wrong["site-a"], kits["site-a"], tmp_path / "mixed", federation)
    connect_without_certificate(read_kit(kits["site-a"], "site"))
    federation.wait_for("server: refused a connection: it showed no certificate")
    federation.wait_for("server: refused a connection: its certificate is not one of this federation")
    sites = [federation.site("site-a", 1), federation.site("site-b", 2)]

    error = raised_by(server)
    assert isinstance(error, SiteError)
    assert error.sites == {"site-b": "died, or lost its connection"}
    # NVFlare ends the processes of the other sites at once, so the words for them may come too late.
    stopped = "the process that answers here ended: it was killed, or the server stopped the run"
    assert str(raised_by(sites[0])) in ("the run failed because of site-b", "the server is gone", stopped)
    assert str(raised_by(sites[1])) in ("the server is gone", stopped)
    check_notes(json.loads(notes.read_text()))


def check_notes(notes):
    assert notes["names"] == notes["order"] == notes["again"] == ["site-a", "site-b"]
    assert notes["equal"]
    assert notes["some"] == ["site-b"]
    assert notes["nothing"] == {"site-a": None, "site-b": None}
    assert notes["fail"] == {"site-b": "answered: the column 'age' is missing"}
    assert notes["fail_with_data"] == {"site-b": "raised KeyError (the site's log has more)"}
    assert list(notes["too_large"]) == list(notes["refused"]) == ["site-b"]
    assert "has a reply of 4000" in notes["too_large"]["site-b"]
    assert f"{LIMIT - 10_000} " in notes["refused"]["site-b"]
    assert notes["hung"] == {"site-b": "did not reply within 3 seconds"}
    assert notes["seconds_hung"] < 4.5
    assert notes["seconds_small"] < 0.5


def own_authority(kit, other):
    """The kit must not trust the server of the other federation."""
    assert (kit / "rootCA.pem").read_bytes() != (other / "rootCA.pem").read_bytes()


def reach_with(wrong, right, folder, federation):
    """Try with a certificate of another federation, at a site that trusts the server."""
    from partita.federated.flare._tls import reach_server

    folder.mkdir()
    for file in ("client.crt", "client.key", "kit.json"):
        (folder / file).write_bytes((wrong / file).read_bytes())
    (folder / "rootCA.pem").write_bytes((right / "rootCA.pem").read_bytes())
    with pytest.raises(ValueError, match="not signed by the authority"):
        run_site(folder, "", {})
    reach_server(read_kit(folder, "site"), 20.0, federation.lines.append)


def connect_without_certificate(kit):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(kit.authority)
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection((kit.server, kit.port), 5) as plain,
        context.wrap_socket(plain, server_hostname=kit.server) as secured,
        contextlib.suppress(ssl.SSLError, ConnectionResetError),
    ):
        assert secured.recv(1) == b""


def test_leading_site_gets_what_the_server_combines(federation):
    sites = [federation.site("site-a", 1, algorithm=f"{HERE}:leading"), federation.site("site-b", 2)]
    server = federation.server("none", {"rounds": 3}, combine=f"{HERE}:combine")
    result = sites[0].result(timeout=PATIENCE)
    np.testing.assert_array_equal(result.pop("total"), np.full((20_000, 10), 3.0))
    assert result == {
        "settings": {"rounds": 3},
        "names": ["site-a", "site-b"],
        "fail": {"site-b": "answered: the column 'age' is missing"},
    }
    assert server.result(timeout=PATIENCE) == {}
    assert sites[1].result(timeout=PATIENCE) is None
    assert "site-b: the run is complete" in federation.lines


def test_nothing_outlives_a_killed_parent(federation, kits, tmp_path):
    notes = tmp_path / "notes.json"
    server = federation.server("killed_parents", {"notes": str(notes)}, timeout=20.0)
    site = federation.site("site-a", 1)
    call = f"run_site({str(kits['site-b'])!r}, '{HERE}:Answerer', {{'number': 2}}, workspace={str(tmp_path / 'b')!r})"
    code = f"from partita.federated.flare._site import run_site; {call}"
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        error = raised_by(server)
        assert "NVFlare's server process ended (exit code -9)" in str(error)
        assert isinstance(raised_by(site), ConnectionError)
        assert str(raised_by(site)) == "the server is gone"
        assert other.wait(timeout=PATIENCE) == -signal.SIGKILL
    finally:
        other.kill()
        other.wait()
    told = json.loads(notes.read_text())
    assert told["told"] == {"site-b": "died, or lost its connection"}
    assert told["seconds"] < 5
    assert told["left"] == []


# ------------------------------------------------------------------------------------------- without starting processes
def test_certificates_are_private_and_never_overwritten(kits):
    for name, folder in kits.items():
        assert folder.stat().st_mode & 0o777 == 0o700, name
        assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    parent = kits["server"].parent
    assert sorted(path.name for path in parent.iterdir()) == ["server", "site-a", "site-b"]
    assert [path.name for path in parent.parent.iterdir()] == ["kits"]  # nothing is left of the key that signed them
    with pytest.raises(FileExistsError, match="never overwrites"):
        make_certificates(parent, server="localhost", sites=["a"], port=8002)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sites": []}, "at least one name"),
        ({"sites": "site"}, "must be a list"),
        ({"sites": ["a", "A"]}, "also in lower case"),
        ({"sites": ["Server"]}, "cannot be named 'Server'"),
        ({"sites": ["a.b"]}, "'a.b' is no name of a site"),
        ({"sites": ["../a"]}, "is no name of a site"),
        ({"sites": ["a" * 64]}, "at most 63"),
        ({"server": "host:8002"}, "without port"),
        ({"server": "256.1.1.1"}, "no valid IPv4"),
        ({"port": 0}, "from 1 to 65535"),
        ({"valid_days": 0}, "at least 1"),
    ],
)
def test_wrong_names_are_told_before_anything_is_written(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        make_certificates(tmp_path / "kits", **{"server": "localhost", "sites": ["a"], "port": 8002, **change})
    assert list(tmp_path.iterdir()) == []


def test_missing_certificate_is_told(kits, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "kit.json").write_bytes((kits["site-a"] / "kit.json").read_bytes())
    with pytest.raises(ValueError, match=r"has no client.crt, client.key, rootCA.pem"):
        run_site(folder, "", {})
    with pytest.raises(ValueError, match="is the kit of a site, but that of a server is needed"):
        run_server(kits["site-a"], "", {})
    with pytest.raises(ValueError, match=r"has no kit.json"):
        run_site(tmp_path, "", {})


def test_absent_server_and_taken_port_are_told(kits):
    kit = read_kit(kits["site-a"], "site")
    with pytest.raises(ConnectionError, match=r"no server at 127.0.0.1:[0-9]+ within 0.1 seconds"):
        run_site(kit.folder, "", {}, join_timeout=0.1, tell=lambda line: None)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections of runs before may linger
        taken.bind(("127.0.0.1", kit.port))
        taken.listen()
        with pytest.raises(OSError, match="cannot listen on port"):
            run_server(kits["server"], "", {}, local=True)


def test_site_allows_two_classes_and_no_code_of_others(kits, tmp_path):
    from nvflare.apis.fl_exception import UnsafeComponentError
    from nvflare.apis.workspace import Workspace
    from nvflare.app_common.widgets.component_path_authorizer import ComponentPathAuthorizer

    site_workspace(tmp_path / "site", read_kit(kits["site-a"], "site"), grace=1.0)
    workspace = Workspace(str(tmp_path / "site"), "site-a", "config")
    check = ComponentPathAuthorizer().authorize_component_config
    for allowed in (EXECUTOR, SITE):
        check({"id": "x", "path": allowed}, workspace=workspace)
    for other in ("subprocess.Popen", "partita.federated.flare._app.CoordinatorApp", "nvflare.app_common.np.NPTrainer"):
        with pytest.raises(UnsafeComponentError, match="not in allow_list"):
            check({"id": "x", "path": other}, workspace=workspace)
    policy = json.loads((tmp_path / "site" / "local" / "authorization.json").read_text())["permissions"]
    assert {right for role in policy.values() for right, who in role.items() if who != "none"} == {"submit_job"}


def test_site_answers_no_requests_for_files(tmp_path):
    code = (
        "from partita.federated.flare._process import _keep_requests as keep; keep();"
        "from nvflare.private.fed.client.client_req_processors import ClientRequestProcessors as c;"
        "print(*[type(part).__name__ for part in c.request_processors])"
    )
    kept = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert "DeployProcessor" in kept.stdout
    assert not {"ShellCommandProcessor", "ConfigureSiteLogProcessor", "SysInfoProcessor"} & set(kept.stdout.split())


class Proxy:
    """A site as NVFlare's Collab shows it to the server."""

    def __init__(self, reply):
        self.reply = reply

    def __call__(self, timeout):
        return self

    def ask(self, question, message):
        if isinstance(self.reply, Exception):
            raise self.reply
        if isinstance(self.reply, float):
            time.sleep(self.reply)
        return {"message": pack({})} if isinstance(self.reply, float) else self.reply


def engine_of(folder, *, aborted=False, **replies):
    run = {"sites": list(replies), "timeout": 0.5, "max_message": 1000}
    return FlareEngine(folder, run, {name: Proxy(reply) for name, reply in replies.items()}, lambda: aborted)


def test_engine_names_every_site_that_fails(tmp_path):
    engine = engine_of(
        tmp_path,
        good={"message": pack({"x": 1})},
        unreadable={"message": b"12345678901"},
        empty={},
        wrong=[1],
        number={"message": 5},
        long={"message": b"1" * 1001},
        slow=1.0,
        broken=OSError("no route"),
    )
    with pytest.raises(SiteError) as error:
        engine.send("q", {})
    told = error.value.sites
    assert list(told) == ["unreadable", "empty", "wrong", "number", "long", "slow", "broken"]
    assert told["slow"] == "did not reply within 0.5 seconds"
    assert told["broken"] == "could not be asked, or its reply not be read: no route"
    assert "cannot be read" in told["unreadable"]
    assert told["long"] == "sent 1001 bytes; at most 1000 are taken"
    assert engine.send("q", {}, ["good"]) == {"good": {"x": 1}}
    with pytest.raises(ValueError, match=r"the message 'q' has .* bytes; at most 1000"):
        engine.send("q", {"x": np.zeros(200)})


def test_engine_tells_the_lost_site_when_the_run_is_stopped(tmp_path):
    write_json(tmp_path / STATUS, {"lost": {"b": "died"}})
    engine = engine_of(tmp_path, aborted=True, a=TimeoutError(), b=TimeoutError())
    with pytest.raises(SiteError) as error:
        engine.send("q", {})
    assert error.value.sites == {"b": "died"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"a": [1, 2.5, None, True, "text", b"bytes", [], {}], "b": {"c": float("inf")}},
        {"x": np.arange(6.0).reshape(2, 3), "i": np.arange(3, dtype=np.int32), "empty": np.zeros((0, 4))},
        {"scalar": np.array(3.0), "bool": np.array([True]), "complex": np.array([1j]), "last": b"x" * 10},
    ],
)
def test_messages_come_back(value):
    back = unpack(pack(value))
    assert str(back) == str(value)
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(item, np.ndarray):
                assert (back[name].dtype, back[name].shape) == (item.dtype, item.shape)
                assert back[name].flags.writeable


@pytest.mark.parametrize("value", [{1: 2}, {"x": {1, 2}}, {"x": np.array(["a"])}, {"x": np.array([{}])}, object()])
def test_messages_hold_nothing_else(value):
    with pytest.raises(TypeError, match="a message can"):
        pack(value)


def test_damaged_messages_are_refused():
    message = pack({"x": np.arange(4.0), "b": b"123"})
    for n in range(len(message)):
        with pytest.raises(ValueError, match=r"."):
            unpack(message[:n])
    for damaged in (
        message + b"1",
        b"",
        None,
        b"\xff" * 50,
        pack({})[:8] + b'{"x":1}',
        message.replace(b"<f8", b"|O8"),
    ):
        with pytest.raises(ValueError, match=r"."):
            unpack(damaged)


def test_refusals_in_plain_words():
    line = "I1118 01:10:50 1 ssl_transport_security.cc:2563] Handshake failed with error SSL_ERROR_SSL: {}: unable"
    assert refusals(line.format("CERTIFICATE_VERIFY_FAILED")) == [
        "refused a connection: its certificate is not one of this federation"
    ]
    assert refusals(line.format("X") + "\nother") == ["refused a connection: it did not complete a TLS handshake"]
