import os
import subprocess
import sys
import time

import psutil
import pytest

from partita._workers import ONE_THREAD, Lost, run_in_processes
from tests.worker_tasks import double


def test_results_of_all_tasks_come_back_with_their_tasks():
    found = dict(run_in_processes(double, [1, 2, 3, 4], jobs=2))
    assert found == {1: 2, 2: 4, 3: 6, 4: 8}


def test_a_task_that_ends_its_process_is_lost_and_the_others_go_on():
    found = dict(run_in_processes(double, ["die", 1, 2], jobs=1))
    assert found == {"die": Lost("its process ended (exit code 5)"), 1: 2, 2: 4}


def test_a_late_task_is_ended():
    found = dict(run_in_processes(double, ["sleep", 3], jobs=1, limit=0.5))
    assert found == {"sleep": Lost("not done in 0.5 s", late=True), 3: 6}


def test_tasks_are_asked_for_one_by_one():
    seen = []

    def tasks():
        for task in (1, 2, 3):
            yield task
            seen.append(task)

    for task, _ in run_in_processes(double, tasks(), jobs=1):
        assert len(seen) < task  # the next task is not asked for before the result of this one is seen


def test_no_process_without_tasks():
    assert list(run_in_processes(double, [], jobs=2)) == []


def test_the_environment_is_as_before(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    list(run_in_processes(double, [1], jobs=1))
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "NUMBA_NUM_THREADS" not in os.environ
    assert set(ONE_THREAD.values()) == {"1"}


def test_workers_end_when_the_caller_stops():
    running = run_in_processes(double, [1, 2, 3], jobs=1)
    next(running)
    running.close()
    with pytest.raises(StopIteration):
        next(running)


def test_a_worker_ends_with_the_process_that_started_it(tmp_path):
    """Killed, so that nothing can be cleaned up."""
    path = tmp_path / "pid"
    lines = (
        "from partita._workers import run_in_processes\n"
        "from tests.worker_tasks import writes_its_process\n"
        "if __name__ == '__main__':\n"
        f"    list(run_in_processes(writes_its_process, [{str(path)!r}], jobs=1))\n"
    )
    (tmp_path / "parent.py").write_text(lines)
    parent = subprocess.Popen([sys.executable, tmp_path / "parent.py"], env={**os.environ, "PYTHONPATH": os.getcwd()})
    try:
        worker = int(_when(lambda: path.exists() and path.read_text()))
        assert psutil.pid_exists(worker)
    finally:
        parent.kill()
        parent.wait()
    assert _when(lambda: not _is_running(worker))


def _is_running(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def _when(found, seconds=60):
    """What a function gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := found():
            return value
        time.sleep(0.1)
    raise AssertionError("nothing happened")
