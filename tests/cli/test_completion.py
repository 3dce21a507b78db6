"""Shells complete commands, options, methods and files."""

import json
import shutil
import subprocess
import sys

import pytest

from partita.consensus._methods import METHODS


def complete(words, *, capsys, monkeypatch):
    """What bash is offered after these words; the last one is begun."""
    from partita.cli.main import main

    monkeypatch.setenv("_PARTITA_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", f"partita {words}")
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" "))))
    with pytest.raises(SystemExit) as stop:
        main([])
    assert stop.value.code == 0
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("pre", ["plain,predict"]),
        ("federate si", ["plain,site", "plain,simulate"]),
        ("consensus --save", ["plain,--save-model"]),
        ("consensus -m soft-c", ["plain,soft-cspa"]),
        ("consensus --noise s", ["plain,singleton"]),
        ("consensus lab", ["file,lab"]),
        ("predict --model mod", ["file,mod"]),
        ("plot agr", ["plain,agreement"]),
        ("completion z", ["plain,zsh"]),
    ],
)
def test_what_is_offered(words, offered, capsys, monkeypatch):
    assert complete(words, capsys=capsys, monkeypatch=monkeypatch) == offered


def test_all_methods_are_offered(capsys, monkeypatch):
    found = complete("report x --method ", capsys=capsys, monkeypatch=monkeypatch)
    assert {f"plain,{name}" for name in METHODS} <= set(found)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_that_of_the_shell(shell, call):
    code, out, err = call("completion", shell)
    assert (code, err) == (0, "")
    assert f"_PARTITA_COMPLETE={shell}_complete" in out
    assert json.loads(call("completion", shell, "--json")[1]) == {"shell": shell, "script": out[:-1]}
    assert call("completion", shell, "--quiet")[1] == out


def test_another_shell_is_refused(call):
    code, _, err = call("completion", "cmd")
    assert code == 2
    assert "'bash', 'zsh', 'fish'" in err


@pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="there is no bash")
def test_bash_reads_the_script_and_completes(tmp_path):
    partita = f"{sys.executable} -m partita"
    (tmp_path / "partita").write_text(f'#!/bin/sh\nexec {partita} "$@"\n')
    (tmp_path / "partita").chmod(0o755)
    lines = [
        f"export PATH={tmp_path}:$PATH",
        'eval "$(partita completion bash)"',
        "COMP_WORDS=(partita rep); COMP_CWORD=1",
        "_partita_completion partita",
        'echo "${COMPREPLY[@]}"',
    ]
    done = subprocess.run(["bash", "--norc", "-c", "\n".join(lines)], capture_output=True, text=True)
    assert done.stdout.split() == ["report", "reproduce"], done.stderr
