"""The key file that the sites share and the server does not have, and messages sealed with it.

A key file holds a secret key of CKKS, for sums that the server adds without reading them (``_cipher.py``), and 32
random bytes, from which the keys of everything else are derived (HKDF-SHA256). Messages that are not added up are
sealed with AES-256-GCM: who has no key can neither read nor change them, nor pass one off as another, because what a
message is about (direction, fit, number, question, site) is part of its seal.
"""

import os
import secrets
from pathlib import Path
from typing import Any, NamedTuple

from partita._optional import require
from partita.federated._messages import pack, unpack

_FORMAT = "partita keys 1"
_SECRET, _NONCE = 32, 12  # bytes
_PURPOSE = "an encrypted federation"

About = tuple[str | int, ...]  # what a message is about


class SiteKeys(NamedTuple):
    """What all sites have, and nobody else."""

    context: bytes  # parameters and secret key of CKKS
    secret: bytes

    def derive(self, purpose: str, about: About, n_bytes: int = 32) -> bytes:
        """Bytes for one purpose and one message, from which neither the secret nor other such bytes can be found."""
        hashes = require("cryptography.hazmat.primitives.hashes", extra="federated", purpose=_PURPOSE)
        hkdf = require("cryptography.hazmat.primitives.kdf.hkdf", extra="federated", purpose=_PURPOSE)
        info = pack([purpose, *about])
        return bytes(hkdf.HKDF(hashes.SHA256(), n_bytes, salt=None, info=info).derive(self.secret))

    def stream(self, purpose: str, about: About, n_bytes: int) -> bytes:
        """The same, as many bytes as one likes (AES-256 in counter mode)."""
        ciphers = require("cryptography.hazmat.primitives.ciphers", extra="federated", purpose=_PURPOSE)
        key = ciphers.algorithms.AES(self.derive(purpose, about))
        made = ciphers.Cipher(key, ciphers.modes.CTR(bytes(16))).encryptor().update(bytes(n_bytes))
        return bytes(made)


def new_keys() -> SiteKeys:
    """Keys that were never used."""
    from partita.federated.encryption._cipher import new_context

    return SiteKeys(new_context(), secrets.token_bytes(_SECRET))


def make_keys(path: str | os.PathLike[str]) -> Path:
    """Write a new key file, readable by its owner only; one site makes it and gives it to the others, not the server.

    Parameters
    ----------
    path : path
        Where to write it; a file that is there is not replaced.

    Returns
    -------
    Path
    """
    keys, file = new_keys(), Path(path)
    content = pack({"format": _FORMAT, "context": keys.context, "secret": keys.secret})
    try:
        place = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ValueError(f"{file} exists; key files are never replaced. Pass another path, or remove it.") from None
    with os.fdopen(place, "wb") as opened:
        opened.write(content)
    return file


def read_keys(path: str | os.PathLike[str]) -> SiteKeys:
    """The keys in a file of ``make_keys``, which no other user of the machine may be able to read."""
    file = Path(path)
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise ValueError(f"{file} can be read by other users of this machine; run: chmod 600 {file}")
    try:
        found = unpack(file.read_bytes())
        if found["format"] != _FORMAT or len(found["secret"]) != _SECRET:
            raise ValueError("not of this version")
        return SiteKeys(found["context"], found["secret"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{file} is not a key file ({error}); make one with `partita federate keys`.") from error


class Seal:
    """Seals and opens the messages of one fit."""

    def __init__(self, keys: SiteKeys, session: str) -> None:
        aead = require("cryptography.hazmat.primitives.ciphers.aead", extra="federated", purpose=_PURPOSE)
        # a key for each fit: nonces drawn at random may then not be equal within one fit only
        self._key = aead.AESGCM(keys.derive("seal", (session,)))
        self._session = session

    def seal(self, value: Any, about: About) -> bytes:
        """A value that only key holders can read, and only as a message about this."""
        nonce = secrets.token_bytes(_NONCE)
        return nonce + bytes(self._key.encrypt(nonce, pack(value), pack([self._session, *about])))

    def open(self, sealed: Any, about: About) -> Any:
        """The value, or ValueError if it was changed, is about something else, or was sealed with other keys."""
        exceptions = require("cryptography.exceptions", extra="federated", purpose=_PURPOSE)
        if not isinstance(sealed, bytes) or len(sealed) < _NONCE:
            raise ValueError("it is not a sealed message")
        try:
            opened = self._key.decrypt(sealed[:_NONCE], sealed[_NONCE:], pack([self._session, *about]))
        except exceptions.InvalidTag:
            raise ValueError("it was changed or exchanged on the way, or sealed with another key file") from None
        return unpack(bytes(opened))
