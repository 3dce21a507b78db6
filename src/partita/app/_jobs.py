"""Work that goes on when nobody looks: at most two jobs at a time, the others wait; each can be cancelled."""

import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

from partita._stopping import limits
from partita.app._errors import OURS, USER_ERRORS, sentence_of
from partita.app._listening import listening
from partita.exceptions import Cancelled, TimeLimitReached

AT_A_TIME = 2
OPEN = ("waiting", "running")


class Job:
    """A piece of work, what became of it, and how far it is."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.work = work
        self.state = "waiting"  # running, done, failed, cancelled, stopped (by max_time)
        self.error: str | None = None
        self.warnings: list[str] = []
        self.result: Any = None
        self.cancelled = threading.Event()
        self.ended = threading.Event()
        self._stage: tuple[str, int, int | None] = ("", 0, None)
        self._began: float | None = None
        self._seconds: float | None = None

    def tell(self, stage: str, done: int, total: int | None) -> None:
        """Hear how far the work is."""
        self._stage = (stage, done, total)

    def cancel(self) -> None:
        """Ask it to end; one that waits never begins."""
        self.cancelled.set()
        if self.state == "waiting":
            self.state = "cancelled"
            self.ended.set()

    @property
    def seconds(self) -> float:
        """How long it has run."""
        if self._seconds is not None:
            return self._seconds
        return 0.0 if self._began is None else time.monotonic() - self._began

    def progress(self) -> dict[str, Any]:
        """How far it is, as plain values."""
        stage, done, total = self._stage
        share = min(done / total, 1.0) if total else None
        return {"stage": stage, "done": done, "total": total, "share": share, "seconds": round(self.seconds, 2)}

    def run(self) -> None:
        """Do the work, and note how it ended."""
        if self.state != "waiting":
            return
        self.state, self._began = "running", time.monotonic()
        try:
            with listening() as self.warnings, limits(cancel=self.cancelled, progress=self.tell):
                self.result = self.work()
            state = "done"
        except Cancelled:
            state = "cancelled"
        except TimeLimitReached as error:
            state, self.error = "stopped", sentence_of(error)
        except USER_ERRORS as error:
            state, self.error = "failed", sentence_of(error)
        except Exception:
            state, self.error = "failed", OURS
            traceback.print_exc(file=sys.stderr)
        self._seconds = self.seconds
        self.state = state
        self.work = _nothing  # and the data that it holds
        self.ended.set()


def _nothing() -> None:
    """The work of a job that has ended."""


class Jobs:
    """The queue; its threads end with the process."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._waiting: queue.Queue[Job | None] = queue.Queue()
        self._known: list[Job] = []
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work, daemon=True, name="partita-job") for _ in range(at_a_time)]
        for thread in self._threads:
            thread.start()

    def start(self, work: Callable[[], Any]) -> Job:
        """Put work into the queue."""
        job = Job(work)
        with self._lock:
            self._known = [known for known in self._known if known.state in OPEN] + [job]
        self._waiting.put(job)
        return job

    def close(self, seconds: float = 1.0) -> None:
        """Cancel everything, and wait a moment for it to end."""
        with self._lock:
            for job in self._known:
                job.cancel()
        for _ in self._threads:
            self._waiting.put(None)
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            job.run()
