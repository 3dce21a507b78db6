"""Certificates before NVFlare uses them: whether they are right, and whether the server accepts them.

NVFlare tries a refused connection again and again, and writes the reason to its log at most. Here it is told at once.
"""

import datetime
import re
import socket
import ssl
import time
from collections.abc import Callable

from partita.federated.flare._certificates import Kit

_TRY = 5.0  # seconds for one attempt to connect
_PAUSE = 0.5  # seconds between two attempts
_REFUSALS = (
    (re.compile("PEER_DID_NOT_RETURN_A_CERTIFICATE"), "it showed no certificate"),
    (re.compile("CERTIFICATE_VERIFY_FAILED.*expired"), "its certificate has expired"),
    (re.compile("CERTIFICATE_VERIFY_FAILED"), "its certificate is not one of this federation"),
    (re.compile("UNKNOWN_CA|BAD_CERTIFICATE"), "it does not trust the certificate of this server"),
    (re.compile("Handshake failed"), "it did not complete a TLS handshake"),
)


def check_certificates(kit: Kit) -> None:
    """Raise ValueError if the certificate of a kit is not signed by its authority, has expired, or has another name."""
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.serialization import load_pem_private_key
    from cryptography.x509.oid import NameOID

    try:
        certificate = x509.load_pem_x509_certificate(kit.certificate.read_bytes())
        authority = x509.load_pem_x509_certificate(kit.authority.read_bytes())
        key = load_pem_private_key(kit.key.read_bytes(), password=None)
    except (ValueError, TypeError, OSError) as error:
        raise ValueError(f"the certificates of the kit {str(kit.folder)!r} cannot be read: {error}") from error
    fault = None
    try:
        certificate.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        fault = "is not signed by the authority of the kit"
    now = datetime.datetime.now(datetime.UTC)
    names = [str(name.value) for name in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    if key.public_key() != certificate.public_key():
        fault = "does not belong to the private key of the kit"
    elif names != [kit.name]:
        fault = f"is for {', '.join(names) or 'nobody'}, but the kit is for {kit.name}"
    elif not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        days = f"{certificate.not_valid_before_utc:%Y-%m-%d %H:%M} to {certificate.not_valid_after_utc:%Y-%m-%d}"
        fault = f"is valid from {days} (UTC), and the clock of this machine says {now:%Y-%m-%d %H:%M}"
    if fault:
        raise ValueError(f"the certificate of the kit {str(kit.folder)!r} {fault}; ask for a new kit.")


def reach_server(kit: Kit, seconds: float, tell: Callable[[str], None]) -> None:
    """Wait until the server is there and accepts our certificate, or raise ConnectionError with the reason."""
    end, told = time.monotonic() + seconds, False
    address = f"{kit.server}:{kit.port}"
    while True:
        try:
            greeted = _shake_hands(kit)
            break
        except ssl.SSLCertVerificationError as error:
            reason = f"its certificate is not one of this federation ({error.verify_message})"
            raise ConnectionError(f"the server at {address} is not trusted: {reason}; nothing was sent") from error
        except ssl.SSLError as error:
            raise ConnectionError(f"no TLS connection to {address}: {error}") from error
        except OSError as error:
            if time.monotonic() > end:
                raise ConnectionError(f"no server at {address} within {seconds:g} seconds ({error})") from error
            if not told:
                tell(f"{kit.name}: waiting for the server at {address}")
                told = True
        time.sleep(_PAUSE)
    if not greeted:
        raise ConnectionError(
            f"the server at {address} refused the certificate of {kit.name}; is the kit of its federation?"
        )


def _shake_hands(kit: Kit) -> bool:
    """Connect as NVFlare's gRPC will do, and return whether the server took the certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_verify_locations(kit.authority)
    context.load_cert_chain(kit.certificate, kit.key)
    context.set_alpn_protocols(["h2"])
    with (
        socket.create_connection((kit.server, kit.port), _TRY) as plain,
        context.wrap_socket(plain, server_hostname=kit.server) as secured,
    ):
        # In TLS 1.3 a client learns only now whether the server took its certificate: gRPC greets first, or hangs up.
        try:
            return secured.recv(1) != b""
        except (ssl.SSLError, ConnectionResetError):
            return False


def refusals(output: str) -> list[str]:
    """Return, in plain words, why the server refused connections, from what gRPC wrote."""
    found = []
    for line in output.splitlines():
        for pattern, words in _REFUSALS:
            if "Handshake failed" in line and pattern.search(line):
                found.append(f"refused a connection: {words}")
                break
    return found
