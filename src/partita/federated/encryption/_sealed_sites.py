"""A federation whose server adds what it cannot read.

One of the sites leads: it runs the algorithm and asks through the server, which passes messages on and adds up replies.
The sites share one key file (``_keys.py``); the server has no key. It sees which question is asked, how long messages
are, and when.

    lead  --sealed state-->  server  --the same bytes-->  every site
    lead  <--one sum-------  server  <--ciphertexts-----  every site        (questions whose replies are added up)
    lead  <--sealed replies  server  <--sealed replies--  every site        (the few others: labels, opening, closing)
"""

import math
import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from partita._runs import Progress
from partita._typing import FloatArray
from partita.exceptions import SiteError
from partita.federated._checkpoint import Checkpoint
from partita.federated._engine import Answerer, Engine, Exchange, InProcess, Values, size_of
from partita.federated._sites import Shapes, fault_of
from partita.federated.encryption._cipher import MAX_SITES, Cipher, add, decrypt_values, encrypt_values
from partita.federated.encryption._keys import About, Seal, SiteKeys, new_keys

SUM, SEALED = "sum", "sealed"  # the two kinds of replies


class Link(Protocol):
    """The way from the leading site through the server: ``Relay`` in one process, ``RelayEngine`` between machines."""

    names: list[str]

    def relay(self, question: str, values: Values) -> Mapping[str, Any]:
        """Send one message to all sites, and return what ``combine`` makes of their replies."""
        ...


# Questions whose answers a site sends by themselves, under a seal; all others are answered in sums only.
SINGLE = frozenset(
    ["labels", "open", "close", "settle", "describe", "objects", "bce.visit", "features.open", "features.close"]
)


# -------------------------------------------------------------------------------------------------------- at a site
class SealedSite:
    """Opens messages, lets the site answer, and encrypts the answer."""

    def __init__(self, site: Answerer, keys: SiteKeys, name: str) -> None:
        self._site, self._keys, self._name = site, keys, name
        self._cipher = Cipher(keys.context)
        self._session, self._last = "", -1
        self._ended: set[str] = set()  # sessions: their messages are not taken again

    def answer(self, question: str, values: Values) -> dict[str, Any]:
        """Reply to one sealed question."""
        session, number = str(values.get("session")), int(values.get("number", -1))
        seal = Seal(self._keys, session)
        try:
            asked = seal.open(values.get("sealed"), ("down", number, question))
        except ValueError as error:
            raise ValueError(f"cannot open the message {question!r:.60}: {error}") from None
        self._check_fresh(session, number)
        if asked["to"] is not None and self._name not in asked["to"]:
            reply: dict[str, Any] = {}
        else:
            reply = self._site.answer(question, asked["values"])
        if asked["shapes"] is None and question not in SINGLE:
            raise ValueError(f"sends its answer to {question!r:.60} as a part of a sum only")
        if asked["shapes"] is None:
            return {SEALED: seal.seal(reply, ("up", number, question, self._name))}
        shapes = {key: tuple(shape) for key, shape in asked["shapes"]}
        about = (session, number, question)
        return {SUM: encrypt_values(self._keys, self._cipher, _flat(question, reply, shapes), about, self._name)}

    def _check_fresh(self, session: str, number: int) -> None:
        """Refuse messages that were sent before: whoever passes them on may have kept them."""
        if session != self._session:
            self._ended.add(self._session)
            self._session, self._last = session, -1
        if session in self._ended or number <= self._last:
            raise ValueError("received a message that was sent before")
        self._last = number


def _flat(question: str, reply: Any, shapes: Shapes) -> FloatArray:
    """The arrays of a reply one after the other, in the order that the lead gave."""
    fault = fault_of(reply, shapes)
    if fault:
        raise ValueError(f"has no usable answer to {question!r:.60}: it {fault}")
    parts = [np.asarray(reply[key], dtype=np.float64).ravel() for key in shapes]
    return np.concatenate([np.empty(0), *parts])


# ------------------------------------------------------------------------------------------------------ at the server
def combine(question: str, replies: Mapping[str, Any]) -> dict[str, Any]:
    """What the server returns to the lead: the sum of ciphertexts, or sealed replies as they are."""
    kinds = {name: next(iter(reply), None) if isinstance(reply, Mapping) else None for name, reply in replies.items()}
    if set(kinds.values()) == {SEALED}:
        return {SEALED: {name: reply[SEALED] for name, reply in replies.items()}}
    wanted = SEALED if SEALED in kinds.values() and SUM not in kinds.values() else SUM
    plain = "sent an answer that is not encrypted; its operator passes the keys of the sites"
    failed = {name: plain for name, kind in kinds.items() if kind != wanted}
    if not failed:
        length = len(next(iter(replies.values()))[SUM])
        failed = {
            name: f"sent {len(reply[SUM])} ciphertexts, and the first site sent {length}"
            for name, reply in replies.items()
            if len(reply[SUM]) != length
        }
    if failed:
        raise SiteError(failed)
    return {SUM: add({name: reply[SUM] for name, reply in replies.items()})}


class Relay:
    """The server's part in one process."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.names = list(engine.names)
        self.seconds = 0.0  # as if the sites had worked at the same time

    def relay(self, question: str, values: Values) -> dict[str, Any]:
        """Send one message to all sites, and combine their replies."""
        replies = self._engine.send(question, values)
        start = time.perf_counter()
        combined = combine(question, replies)
        self.seconds = getattr(self._engine, "seconds", 0.0) + time.perf_counter() - start
        return combined


# -------------------------------------------------------------------------------------------------------- at the lead
class SealedSites:
    """The sites as the leading site sees them through a server that cannot read: the same calls as ``PlainSites``."""

    def __init__(self, link: Link, keys: SiteKeys, checkpoint: Checkpoint | None = None) -> None:
        self._link, self._keys, self._checkpoint = link, keys, checkpoint
        self._cipher = Cipher(keys.context)
        self.names = list(link.names)
        if len(self.names) > MAX_SITES:
            raise ValueError(f"{len(self.names)} sites cannot be added encrypted; at most {MAX_SITES} can.")
        self.exchanges: list[Exchange] = []
        self._session = secrets.token_hex(16)
        self._seal = Seal(keys, self._session)
        self._n_messages = 0
        self._n_totals = 0  # sites keep their state under this number

    def total(self, question: str, values: Values, shapes: Shapes) -> dict[str, FloatArray]:
        """Sum over the sites; exact, up to the fixed point of ``_cipher.py``, whatever their order."""
        total = self._checkpoint.stored(question) if self._checkpoint else None
        if total is None:
            number = self._n_messages
            combined = self._send(question, {**values, "exchange": self._n_totals}, shapes, None)
            total = self._decrypt(combined, shapes, (self._session, number, question))
            if self._checkpoint:
                self._checkpoint.store(question, total)
        self._n_totals += 1
        return total

    def each(self, question: str, values: Values, to: Sequence[str] | None = None) -> dict[str, Any]:
        """Replies as they are, which the server cannot read."""
        number = self._n_messages
        sealed = self._send(question, values, None, to).get(SEALED, {})
        replies, failed = {}, {}
        for name in self.names:
            try:
                replies[name] = self._seal.open(sealed.get(name), ("up", number, question, name))
            except ValueError as error:
                failed[name] = f"sent a reply to {question!r} that cannot be opened: {error}"
        if failed:
            raise SiteError(failed)
        return {name: replies[name] for name in to or self.names}

    def _send(self, question: str, values: Values, shapes: Shapes | None, to: Sequence[str] | None) -> dict[str, Any]:
        start, number = time.perf_counter(), self._n_messages
        listed = None if shapes is None else [[key, list(shape)] for key, shape in shapes.items()]
        asked = {"values": dict(values), "shapes": listed, "to": to}
        message = {"session": self._session, "number": number}
        message[SEALED] = self._seal.seal(asked, ("down", number, question))
        self._n_messages += 1
        combined = dict(self._link.relay(question, message))
        seconds = getattr(self._link, "seconds", time.perf_counter() - start)
        self.exchanges.append(Exchange(question, seconds, size_of(message), _longest(combined)))
        return combined

    def _decrypt(self, combined: Mapping[str, Any], shapes: Shapes, about: About) -> dict[str, FloatArray]:
        """The named arrays of an encrypted sum."""
        sizes = [math.prod(shape) for shape in shapes.values()]
        try:
            if SUM not in combined:
                raise ValueError("it is not encrypted")
            flat = decrypt_values(self._keys, self._cipher, combined[SUM], sum(sizes), about, self.names)
        except (ValueError, RuntimeError) as error:  # RuntimeError: bytes that SEAL cannot read
            told = error if isinstance(error, ValueError) else "it cannot be read"
            raise SiteError({"server": f"returned a sum for {about[-1]!r} that cannot be used: {told}"}) from None
        parts = np.split(flat, np.cumsum(sizes)[:-1])
        return {key: part.reshape(shapes[key]) for key, part in zip(shapes, parts, strict=True)}


def _longest(combined: Mapping[str, Any]) -> int:
    """Bytes of the longest reply; ciphertexts are as long as their sum."""
    if SUM in combined:
        return size_of(combined[SUM])
    return max(map(size_of, combined.get(SEALED, {}).values()), default=0)


def sealed_sites(
    owners: Mapping[str, Answerer],
    keys: SiteKeys | None = None,
    checkpoint: Checkpoint | None = None,
    bar: Progress | None = None,
) -> SealedSites:
    """Sites in one process, asked through a server in between, with everything encrypted as between machines."""
    shared = new_keys() if keys is None else keys
    sealed = {name: SealedSite(site, shared, name) for name, site in owners.items()}
    return SealedSites(Relay(InProcess(sealed, bar)), shared, checkpoint)
