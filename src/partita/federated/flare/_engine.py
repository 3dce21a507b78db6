"""The engine of the algorithms between machines: it asks the sites through NVFlare, and names those that fail."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from partita.exceptions import SiteError
from partita.federated._messages import pack, unpack
from partita.federated._modes import mode_faults
from partita.federated.flare._files import PROGRESS, STATUS, read_json, write_json

_LOOK = 0.1  # seconds between two looks at who was lost, during an exchange
_START = 60.0  # seconds at least for a site to load its code and labels
_NOTE = 1.0  # seconds between two notes of the number of exchanges
_GOODBYE = 3.0  # seconds that a site has to hear that the run is over
_SHORT = 0.3  # seconds for words that are not confirmed to leave this machine
_KNOWN = 10.0  # seconds after which it must be known which site was lost, when NVFlare stopped the run


class FlareEngine:
    """Carries messages from the server to the sites."""

    def __init__(
        self, folder: Path, run: Mapping[str, Any], proxies: Mapping[str, Any], aborted: Callable[[], bool]
    ) -> None:
        self._folder = folder
        self._proxies = proxies
        self._aborted = aborted  # whether NVFlare stopped the run
        self._timeout = float(run["timeout"])
        self._limit = int(run["max_message"])
        self.names: list[str] = list(run["sites"])
        self._n_exchanges, self._noted = 0, time.monotonic()
        self._silent: set[str] = set()  # sites that were lost or did not reply: they are not waited for again
        self._threads = ThreadPoolExecutor(max_workers=4 * len(self.names))  # a relayed exchange runs inside another

    def send(self, question: str, values: Mapping[str, Any], to: Sequence[str] | None = None) -> dict[str, Any]:
        """Send one message to all sites, or to those named, and return one reply per site."""
        message = pack(values)
        if len(message) > self._limit:
            raise ValueError(f"the message {question!r} has {len(message)} bytes; at most {self._limit} can be sent")
        replies = self._unpacked(*self._exchange("ask", {"question": question, "message": message}, to))
        self._count()
        return replies

    def _count(self) -> None:
        """Note the number of exchanges for the operator, now and then."""
        self._n_exchanges += 1
        if time.monotonic() - self._noted > _NOTE:
            write_json(self._folder / PROGRESS, {"n_exchanges": self._n_exchanges})
            self._noted = time.monotonic()

    def lead(self, name: str, settings: Mapping[str, Any], timeout: float) -> Any:
        """Let a site run the algorithm, and return once it is done."""
        returned, failed = self._exchange("lead", {"message": pack(settings)}, [name], timeout)
        if "sites" in returned.get(name, {}):
            raise SiteError(returned[name]["sites"])
        return self._unpacked(returned, failed)[name]

    def tell_end(self, told: Mapping[str, str | None]) -> None:
        """Tell the sites how the run ended, as far as they still listen."""
        listen = [name for name in told if name in self._proxies and name not in self._silent]
        if self._aborted():  # no call waits for a reply any more; NVFlare ends the processes of the sites meanwhile
            for name in listen:
                self._proxies[name](expect_result=False).end(failed=told[name])
            time.sleep(_SHORT)
            return
        wait([self._start(name, "end", {"failed": told[name]}, _GOODBYE) for name in listen], timeout=_GOODBYE)

    def greet(self, version: str, modes: Mapping[str, Any]) -> None:
        """Ask whether all sites are ready, with the same version: what messages mean is settled by equal versions."""
        self._raise({name: "did not join the job" for name in self.names if name not in self._proxies})
        returned, failed = self._exchange("hello", {}, timeout=max(self._timeout, _START))
        for name, reply in returned.items():
            if "fault" in reply:
                failed[name] = str(reply["fault"])
            elif (other := reply.get("version")) != version:
                failed[name] = f"has partita {other}, but the server has {version}; install the same version"
        if not failed:
            failed = mode_faults(modes, {name: returned[name].get("modes") or {} for name in self.names})
        self._raise(failed)

    def _exchange(
        self, method: str, values: Mapping[str, Any], to: Sequence[str] | None = None, timeout: float | None = None
    ) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
        """Call a method of the sites, all at the same time; return what each returned, and why the others did not."""
        seconds = self._timeout if timeout is None else timeout
        names = list(self.names if to is None else to)
        calls = {self._start(name, method, values, seconds): name for name in names}
        outcomes = _Outcomes(seconds, self._limit, self._aborted)
        waiting, lost = set(calls), self._lost()
        while waiting and not outcomes.aborted and not lost:
            done, waiting = wait(waiting, timeout=_LOOK, return_when=FIRST_COMPLETED)
            for call in done:
                outcomes.add(calls[call], call)
            if outcomes.late:
                outcomes.silent.update(calls[call] for call in waiting)
                break
            lost = self._lost()
        if outcomes.aborted:
            lost = self._wait_for_lost()
        self._silent |= {*outcomes.silent, *lost}
        outcomes.failed.update(dict.fromkeys(outcomes.silent, f"did not reply within {seconds:g} seconds"))
        failed = {**outcomes.failed, **lost}
        return {name: outcomes.returned[name] for name in names if name in outcomes.returned}, failed

    def _unpacked(self, returned: Mapping[str, Mapping[str, Any]], failed: dict[str, str]) -> dict[str, Any]:
        """Return the values that the sites sent, or name all that failed."""
        values = {}
        for name, reply in returned.items():
            message = reply.get("message", b"")
            if "fault" in reply:
                failed[name] = str(reply["fault"])
            elif isinstance(message, bytes) and len(message) > self._limit:
                failed[name] = f"sent {len(message)} bytes; at most {self._limit} are taken"
            else:
                try:
                    values[name] = unpack(message)
                except ValueError as error:
                    failed[name] = f"sent a reply that cannot be read: {error}"
        self._raise(failed)
        return values

    def _raise(self, failed: Mapping[str, str]) -> None:
        if failed:
            raise SiteError({name: failed[name] for name in self.names if name in failed})

    def _wait_for_lost(self) -> dict[str, str]:
        """NVFlare ended the run, which it does when the process of a site is gone: wait until that site is known."""
        end = time.monotonic() + _KNOWN
        while time.monotonic() < end:
            if lost := self._lost():
                return lost
            time.sleep(_LOOK)
        raise RuntimeError("NVFlare stopped the run, and no site was lost; its log may tell why")

    def _start(self, name: str, method: str, values: Mapping[str, Any], seconds: float) -> Future[Any]:
        proxy = self._proxies[name](timeout=seconds)
        return self._threads.submit(getattr(proxy, method), **values)

    def _lost(self) -> dict[str, str]:
        return dict((read_json(self._folder / STATUS) or {}).get("lost", {}))


class RelayEngine:
    """Carries messages from the leading site through the server, which returns one combination of the replies."""

    def __init__(self, run: Mapping[str, Any], server: Any) -> None:
        self._server = server
        # The server waits for the sites as long as its operator said; the lead waits for the server longer than that.
        self._timeout = float(run["timeout"]) + 60.0
        self._limit = int(run["max_message"])
        self.names: list[str] = list(run["sites"])
        self.own_settings = dict(run["settings"])  # of this site, such as where its key is

    def relay(self, question: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """Send one message to all sites, and return what the server makes of their replies."""
        message = pack(values)
        if len(message) > self._limit:
            raise ValueError(f"the message {question!r} has {len(message)} bytes; at most {self._limit} can be sent")
        reply = self._server(timeout=self._timeout).relay(question=question, message=message)
        if "sites" in reply:
            raise SiteError(reply["sites"])
        if "refused" in reply:
            raise ValueError(f"the server refused a message: {reply['refused']}")
        combined: dict[str, Any] = unpack(reply["message"])
        return combined


class _Outcomes:
    """What came of the calls of one exchange."""

    def __init__(self, seconds: float, limit: int, aborted: Callable[[], bool]) -> None:
        self._seconds = seconds
        self._limit = limit
        self._aborted = aborted
        self._end = time.monotonic() + seconds
        self.returned: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, str] = {}
        self.silent: set[str] = set()
        self.aborted = False

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._end + _LOOK

    def add(self, name: str, call: "Future[Any]") -> None:
        """Sort the outcome of one call."""
        error = call.exception()
        cause = getattr(error, "cause", error)
        if error is None:
            reply = call.result()
            if reply is None or isinstance(reply, dict):
                self.returned[name] = reply or {}
            else:
                self.failed[name] = f"sent {type(reply).__name__}, which is no reply"
        elif self._aborted():
            self.aborted = True  # all calls end when NVFlare stops the run; the site that was asked is not the reason
        elif not isinstance(cause, TimeoutError):
            self.failed[name] = f"could not be asked, or its reply not be read: {cause}"
        elif time.monotonic() > self._end - min(1.0, self._seconds / 4):
            self.silent.add(name)
        else:  # NVFlare has the same code for a reply that it gave up to receive
            self.failed[name] = f"sent a reply that cannot be received: it may be longer than {self._limit} bytes"
