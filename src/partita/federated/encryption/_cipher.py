"""Sums of encrypted numbers: whoever adds them cannot read them, and the sum is exact.

CKKS computes with an error. Here every number is first written in fixed point, as three whole numbers (eq. S30); sums
of whole numbers are rounded to whole numbers when they are decrypted, so that nothing of the error is left: neither
in the sums, nor as a trace of the key in what a site may later tell others of them (Li and Micciancio, 2021).

The key encrypts and decrypts (all sites have it), so that there is no public key: to add, the parameters below are
enough. Whoever adds could leave out a site or add something; two keyed tags, which are added up too, tell (eq. S32).

References: J. H. Cheon, A. Kim, M. Kim, Y. Song, Homomorphic encryption for arithmetic of approximate numbers,
ASIACRYPT 2017. B. Li, D. Micciancio, On the security of homomorphic encryption on approximate numbers, EUROCRYPT 2021.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from partita._optional import require
from partita._typing import FloatArray, IntArray
from partita.exceptions import SiteError
from partita.federated.encryption._keys import About, SiteKeys

# 4096 coefficients allow 109 bits of modulus at 128 bits of security (homomorphicencryption.org, 2018; SEAL refuses
# more); these are 80, of which ciphertexts have the first 60.
_DEGREE, _MODULI = 4096, (60, 20)
_SLOTS = _DEGREE // 2  # numbers in one ciphertext
# 2^35 (digit) 2^6 (sites) 2^17 (scale) = 2^58 stays below half the modulus, 2^59: no sum wraps. The error of a sum of
# 64 ciphertexts has a standard deviation of 3.2 sqrt(4096 * 64 / 2) / 2^17 = 0.009, and was 0.05 at most of 6 million.
_SCALE = 2.0**17
MAX_SITES = 64
_RADIX = 2.0**36
_N_DIGITS = 3
LIMIT = 2.0**37  # of an absolute value: 1.4e11
GRID = 2.0**-70  # of the fixed point: 8.5e-22
_NOT_WHOLE = 0.25  # further from a whole number than any error: not a sum of encrypted whole numbers

_PRIME = 2**31 - 1  # of the tags
_N_TAGS = 2


# -------------------------------------------------------------------------------------------------------- fixed point
def to_digits(values: FloatArray) -> FloatArray:
    """Numbers as digits of base 2^36 from -2^35 to 2^35, (3, n): every step is exact, except the last rounding."""
    if len(values) and not (largest := float(np.abs(values).max())) <= LIMIT:
        raise ValueError(
            f"a value of {largest:.3g} cannot be encrypted: values must be within +-2^37 = {LIMIT:.3g}; divide what is "
            "summed by a number, or fit without encryption"
        )
    digits, rest = np.empty((_N_DIGITS, len(values))), values / (GRID * _RADIX ** (_N_DIGITS - 1))
    for place in range(_N_DIGITS):
        digits[place] = np.rint(rest)
        rest = (rest - digits[place]) * _RADIX
    return digits


def from_digits(digits: FloatArray) -> FloatArray:
    """Numbers of digits, or of sums of digits."""
    powers = GRID * _RADIX ** np.arange(_N_DIGITS - 1, -1, -1)
    return np.asarray((digits[2] * powers[2] + digits[1] * powers[1]) + digits[0] * powers[0])


# --------------------------------------------------------------------------------------------------------------- CKKS
def _tenseal() -> Any:
    return require("tenseal", extra="federated", purpose="an encrypted federation")


def _make_context(kind: str) -> Any:
    ts = _tenseal()
    kinds = {"symmetric": ts.ENCRYPTION_TYPE.SYMMETRIC, "asymmetric": ts.ENCRYPTION_TYPE.ASYMMETRIC}
    context = ts.context(ts.SCHEME_TYPE.CKKS, _DEGREE, coeff_mod_bit_sizes=list(_MODULI), encryption_type=kinds[kind])
    context.global_scale = _SCALE
    return context


def _without_keys(context: Any, *, secret: bool) -> bytes:
    """A context with its secret key alone, or without any key."""
    return bytes(
        context.serialize(save_public_key=False, save_secret_key=secret, save_galois_keys=False, save_relin_keys=False)
    )


def new_context() -> bytes:
    """Parameters and a new secret key."""
    return _without_keys(_make_context("symmetric"), secret=True)


@cache
def public_context() -> Any:
    """What the server has: parameters, and no key of anybody."""
    return _tenseal().context_from(_without_keys(_make_context("asymmetric"), secret=False))


def add(parts: Mapping[str, Sequence[bytes]]) -> list[bytes]:
    """Sum of the ciphertexts of several sites, all of the same number, without a key."""
    if len(parts) > MAX_SITES:
        raise ValueError(f"sums of {len(parts)} sites could overflow; at most {MAX_SITES} can be added encrypted.")
    sums: list[Any] = []
    for site, ciphertexts in parts.items():
        read = _read(ciphertexts, site)
        sums = [total + one for total, one in zip(sums, read, strict=True)] if sums else read
    return [bytes(total.serialize()) for total in sums]


def _read(ciphertexts: Sequence[bytes], site: str) -> list[Any]:
    try:
        read = [_tenseal().ckks_vector_from(public_context(), one) for one in ciphertexts]
    except (ValueError, TypeError, RuntimeError):
        read = []
    if not read or any(one.size() != _SLOTS for one in read):
        raise SiteError({site: "sent ciphertexts that cannot be read; all sites must run the same version"})
    return read


class Cipher:
    """Encrypts and decrypts whole numbers, with the key of the sites."""

    def __init__(self, context: bytes) -> None:
        self._ts = _tenseal()
        self._context = self._ts.context_from(context)

    def encrypt(self, whole: FloatArray) -> list[bytes]:
        """Whole numbers from -2^35 to 2^35; the last ciphertext is filled up with zeros."""
        padded = np.zeros(-(-len(whole) // _SLOTS) * _SLOTS)
        padded[: len(whole)] = whole
        chunks = padded.reshape(-1, _SLOTS)
        return [bytes(self._ts.ckks_vector(self._context, chunk.tolist()).serialize()) for chunk in chunks]

    def decrypt(self, ciphertexts: Sequence[bytes], length: int) -> FloatArray:
        """The first numbers of a sum."""
        if len(ciphertexts) != -(-length // _SLOTS):
            raise ValueError(f"there are {len(ciphertexts)} ciphertexts instead of {-(-length // _SLOTS)}")
        found = np.array([self._ts.ckks_vector_from(self._context, one).decrypt() for one in ciphertexts]).ravel()
        whole = np.rint(found)
        if not np.abs(found - whole).max(initial=0.0) < _NOT_WHOLE:
            raise ValueError("it does not decrypt to whole numbers")
        return np.asarray(whole[:length])


# --------------------------------------------------------------------------------------------------------------- tags
class Tags:
    """Two linear tags of whole numbers modulo a prime, with keys of their own for each message (eq. S32)."""

    def __init__(self, keys: SiteKeys, about: About, length: int) -> None:
        self._keys, self._about = keys, about
        drawn = keys.stream("tags", about, 4 * _N_TAGS * length)
        self._factors = _residues(np.frombuffer(drawn, dtype="<u4").reshape(_N_TAGS, length))

    def of_site(self, whole: FloatArray, site: str) -> FloatArray:
        """Tags that a site adds to its numbers: r d + pad of the site, modulo p."""
        return _centred(self._product(whole) + self._pads([site]))

    def match(self, totals: FloatArray, tags: FloatArray, sites: Sequence[str]) -> bool:
        """Whether the sums of tags are those of the sums, each site taken once."""
        expected = _centred(self._product(totals) + self._pads(sites))
        return bool(np.array_equal(_centred(tags.astype(np.int64)), expected))

    def _product(self, whole: FloatArray) -> IntArray:
        """Both factors are below 2^31; sums of 2^31 residues fit in 64 bits."""
        return np.asarray(((whole.astype(np.int64) % _PRIME) * self._factors % _PRIME).sum(axis=1))

    def _pads(self, sites: Sequence[str]) -> IntArray:
        drawn = [self._keys.derive("pad", (*self._about, site), 4 * _N_TAGS) for site in sites]
        return np.asarray(_residues(np.frombuffer(b"".join(drawn), dtype="<u4").reshape(-1, _N_TAGS)).sum(axis=0))


def _residues(drawn: Any) -> IntArray:
    return np.asarray((drawn.astype(np.int64) & (2**31 - 1)) % _PRIME)


def _centred(numbers: IntArray) -> FloatArray:
    """Residues from -p/2 to p/2, as numbers that can be encrypted."""
    residues = numbers % _PRIME
    return np.where(residues > _PRIME // 2, residues - _PRIME, residues).astype(np.float64)


# --------------------------------------------------------------------------------------------- both, for named arrays
def encrypt_values(keys: SiteKeys, cipher: Cipher, values: FloatArray, about: About, site: str) -> list[bytes]:
    """Digits of numbers and their tags, encrypted."""
    digits = to_digits(values).ravel()
    return cipher.encrypt(np.append(digits, Tags(keys, about, len(digits)).of_site(digits, site)))


def decrypt_values(
    keys: SiteKeys, cipher: Cipher, ciphertexts: Sequence[bytes], length: int, about: About, sites: Sequence[str]
) -> FloatArray:
    """Sums of numbers, or ValueError if they are not the sums of these sites for this message."""
    n = _N_DIGITS * length
    found = cipher.decrypt(ciphertexts, n + _N_TAGS)
    if not Tags(keys, about, n).match(found[:n], found[n:], sites):
        raise ValueError("it is not the sum of what the sites sent, each of them once")
    return from_digits(found[:n].reshape(_N_DIGITS, length))
