"""Fuzz everything public: ``python -m tests.fuzz --minutes 10``; ``--only PCC --seed 0 --call 17`` runs one call again.

Calls run in a process of their own, so that one that ends or hangs the process is found as well.
"""

import argparse
import faulthandler
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import suppress
from typing import IO, Any, NamedTuple

import psutil

from tests.fuzz.calls import TARGETS, draw_call
from tests.fuzz.estimators import CONSENSUS, OTHER_ESTIMATORS
from tests.fuzz.files import FILES
from tests.fuzz.verdicts import Verdict, judge

CPU_SECONDS = 20.0  # of one call: more is a hang. CPU time, since other jobs may share the machine
SECONDS = 300.0  # of one call that uses no CPU: it waits for something that does not come
_EVERY = 10  # one call of so many is run twice


def planned_calls(target: str) -> int:
    """Calls of a full run: 2,000 of an estimator, 500 of a metric or function, 150 of a file format."""
    return 2000 if target in {**CONSENSUS, **OTHER_ESTIMATORS} else 150 if target in FILES else 500


# -------------------------------------------------------------------------------------------------------------- worker
def work(seed: int) -> None:
    """Judge the calls that stdin names, one per line; answers are lines of JSON."""
    import partita

    answers = os.fdopen(os.dup(1), "w", buffering=1)
    faulthandler.enable(sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends when its stdin does
    partita.warm_up()
    answers.write("ready\n")
    for line in sys.stdin:
        target, number = line.split()
        verdict = judge(draw_call(target, seed, int(number)), twice=int(number) % _EVERY == 0)
        answers.write(json.dumps(verdict) + "\n")


class Worker:
    """A process that judges calls; it is started again when one has ended it."""

    def __init__(self, seed: int) -> None:
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the worker)
        command = [sys.executable, "-m", "tests.fuzz", "--worker", "--seed", str(seed)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True
        )
        assert self._answer() == "ready\n"

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def judge(self, target: str, number: int) -> Verdict:
        """The verdict on one call, also if it hangs or ends the process."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{target} {number}\n")
        self.process.stdin.flush()
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,))
        watch.start()
        answer = self._answer()
        done.set()
        watch.join()
        if answer:
            return Verdict(*json.loads(answer))
        ended = self.process.wait()
        if ended == -signal.SIGXCPU:
            return Verdict("fault", f"{target} hangs: more than {CPU_SECONDS:.0f} s of CPU time")
        self.errors.seek(0)
        return Verdict(
            "fault",
            f"ends the process: {signal.Signals(-ended).name if ended < 0 else ended}",
            self.errors.read()[-1500:].decode(),
        )

    def _watch(self, done: threading.Event) -> None:
        worker, begin = psutil.Process(self.process.pid), time.monotonic()
        start = sum(worker.cpu_times()[:2])
        while not done.wait(0.5):
            try:
                if sum(worker.cpu_times()[:2]) - start > CPU_SECONDS or time.monotonic() - begin > SECONDS:
                    worker.send_signal(signal.SIGXCPU)
                    return
            except psutil.Error:
                return

    @property
    def alive(self) -> bool:
        """Whether the process can take another call."""
        return self.process.poll() is None

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


# -------------------------------------------------------------------------------------------------------------- report
class Fault(NamedTuple):
    """The shortest call that shows a cause."""

    target: str
    number: int
    details: str
    length: int


class Report:
    """Counts per target, and faults by cause."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.faults: dict[str, Fault] = {}
        self.times: Counter[str] = Counter()

    def note(self, target: str, number: int, verdict: Verdict) -> None:
        """Count a verdict."""
        self.counts[target][verdict.kind] += 1
        if verdict.kind != "fault":
            return
        self.times[verdict.cause] += 1
        length = len(draw_call(target, self.seed, number).as_python())
        known = self.faults.get(verdict.cause)
        if known is None:
            print(f"{target} {number}: {verdict.cause}", file=sys.stderr, flush=True)
        if known is None or length < known.length:
            self.faults[verdict.cause] = Fault(target, number, verdict.details, length)

    def __str__(self) -> str:
        lines = [f"{'name':42}{'calls':>8}{'results':>9}{'refusals':>9}{'faults':>8}"]
        for target, count in self.counts.items():
            lines.append(f"{target:42}{count.total():8}{count['result']:9}{count['refusal']:9}{count['fault']:8}")
        total = sum(self.counts.values(), Counter())
        lines.append(f"{'all':42}{total.total():8}{total['result']:9}{total['refusal']:9}{total['fault']:8}")
        for cause, times in self.times.most_common():
            fault = self.faults[cause]
            again = f"python -m tests.fuzz --only {fault.target} --seed {self.seed} --call {fault.number}"
            lines.append(f"\n{times} x {cause}\n    {again}")
        return "\n".join(lines)


def run_all(targets: list[str], seed: int, seconds: float, calls: int | None) -> Report:
    """Calls of all targets in turns, until each has its number or the time is over."""
    report = Report(seed)
    with suppress(KeyboardInterrupt):  # what was found is reported
        _run_in_turns(report, targets, time.monotonic() + seconds, calls)
    return report


def _run_in_turns(report: Report, targets: list[str], end: float, calls: int | None) -> None:
    worker = Worker(report.seed)
    number = 0
    open_targets = list(targets)
    while open_targets:
        for target in open_targets:
            if time.monotonic() > end:
                worker.close()
                return
            report.note(target, number, worker.judge(target, number))
            if not worker.alive:
                worker = Worker(report.seed)
        number += 1
        open_targets = [target for target in targets if number < (calls or planned_calls(target))]
    worker.close()


def run_one(target: str, seed: int, number: int) -> Verdict:
    """One call again, with its text."""
    call = draw_call(target, seed, number)
    print(call.as_python(), flush=True)
    verdict = judge(call, twice=number % _EVERY == 0)
    print(f"\n{verdict.kind}: {verdict.cause}\n{verdict.details}")
    return verdict


def main(argv: list[str] | None = None) -> int:
    """Exit with 1 if there is a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="time after which no call is begun")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names, or parts of names, with commas: PCC,metrics.,csv")
    parser.add_argument("--calls", type=int, help="calls of each; by default 2,000 of an estimator, 500 of a metric")
    parser.add_argument("--call", type=int, help="run this call alone and print it")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given: Any = parser.parse_args(argv)
    if given.worker:
        work(given.seed)
        return 0
    wanted = [name for name in given.only.split(",") if name]
    targets = [t for t in TARGETS if not wanted or t in wanted or any(w in t and w not in TARGETS for w in wanted)]
    if not targets:
        parser.error(f"--only {given.only!r} names nothing; choose from {', '.join(TARGETS)}")
    if given.call is not None:
        return int(any(run_one(target, given.seed, given.call).kind == "fault" for target in targets))
    report = run_all(targets, given.seed, 60 * given.minutes, given.calls)
    print(report)
    return int(bool(report.faults))


if __name__ == "__main__":
    sys.exit(main())
