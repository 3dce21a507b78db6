"""Functions that tests run in other processes; they load nothing, so that these start quickly."""

import os
import time


def double(task):
    if task == "die":
        os._exit(5)
    if task == "sleep":
        time.sleep(60)
    return 2 * task


def writes_its_process(task):
    """Say which process this is, and stay."""
    with open(task, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(60)
