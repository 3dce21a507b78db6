"""The command as a process of its own."""

import os
import re
import subprocess
import sys
from contextlib import contextmanager

ADDRESS = re.compile(r"(http://127\.0\.0\.1:(\d+))/\?token=([\w-]+)(#data=\w+)?\n")


@contextmanager
def app(folder, *words):
    """The process, its address, port and token; its temporary files are in ``folder``."""
    folder.mkdir()
    call = [sys.executable, "-m", "partita", "app", "--no-browser", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(call, env={**os.environ, "TMPDIR": str(folder)}, **pipes)
    try:
        found = ADDRESS.fullmatch(process.stdout.readline())
        assert found, process.stderr.read()
        process.address, process.port, process.token, process.place = found.groups()
        yield process
    finally:
        process.kill()
        process.communicate()
