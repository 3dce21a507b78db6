"""The command ``partita app``: its options, before a server begins; tests/app has the rest."""

import pytest

from partita.app import _serve


@pytest.fixture
def asked(monkeypatch):
    """What the server was asked to do, which it does not."""
    found = {}
    monkeypatch.setattr(_serve, "serve", lambda file, port, **options: found.update(file=file, port=port, **options))
    return found


def test_the_options_reach_the_server(call, asked):
    code, _, errors = call("app", "labels.csv", "--port", "8123", "--no-browser", "--max-upload", "1.5 GB")
    assert code == 0
    assert errors == "partita: the app has ended, and nothing was kept.\n"
    del asked["echo"]
    assert asked == {"file": "labels.csv", "port": 8123, "browser": False, "max_upload": 1_500_000_000}


def test_the_usual_values(call, asked):
    call("app")
    assert (asked["file"], asked["port"], asked["browser"], asked["max_upload"]) == (None, 0, True, 200_000_000)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--max-upload", "lots"], "'lots' is no size; write 500kB, 200MB or 1GB"),
        (["--max-upload", "0"], "'0' is no size"),
        (["--port", "70000"], "70000 is not in the range"),
        (["-"], "standard input (-) can be read once"),
    ],
)
def test_wrong_options_are_refused(call, asked, words, message):
    code, _, errors = call("app", *words)
    assert code == 2
    assert message in errors
    assert asked == {}


def test_the_extra_is_named_if_it_is_not_installed(call, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "starlette", None)
    code, _, errors = call("app", "--no-browser")
    assert code == 2
    assert 'pip install "partita[app]"' in errors
