"""The client of a Dask cluster that ``--dask`` names."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from partita.cli._part_options import PartOptions

_PATIENCE = 10  # seconds until a scheduler must have answered: one that is there answers in less than one


@contextmanager
def dask_client(options: PartOptions) -> Iterator[Any]:
    """A client that is closed at the end; None without ``--dask``."""
    if options.dask is None:
        yield None
        return
    client = _connect(options.dask, options.certificates)
    try:
        yield client
    finally:
        with suppress(Exception):  # the cluster may be gone, and that was told
            client.close(timeout=_PATIENCE)


def _connect(address: str, certificates: tuple[str, str, str] | None) -> Any:
    """Connect, or say in one line why not."""
    from partita._optional import require
    from partita.exceptions import ClusterError

    if not re.fullmatch(r"((tcp|tls)://)?[^\s/]+:\d+", address):
        raise click.UsageError(f"--dask {address!r} is no address; pass tcp://HOST:PORT or tls://HOST:PORT.")
    distributed = require("distributed", extra="dask", purpose="--dask")
    try:
        security = _security(distributed, address, certificates)
        return distributed.Client(address, security=security, timeout=_PATIENCE, set_as_default=False)
    except (click.UsageError, MemoryError):
        raise
    except Exception as error:  # of sockets, of certificates, or Dask's own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ClusterError(
            f"the Dask scheduler at {address!r} cannot be reached ({reason.rstrip('.')}); is it running, and is this "
            "its address? `dask scheduler` prints it when it starts."
        ) from None


def _security(distributed: Any, address: str, certificates: tuple[str, str, str] | None) -> Any:
    """Certificates for TLS: those of the options, else those of Dask's configuration."""
    if not address.startswith("tls://"):
        return None
    names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
    given = {} if certificates is None else dict(zip(names, certificates, strict=True))
    security = distributed.Security(require_encryption=True, **given)
    if security.get_connection_args("client").get("ssl_context") is None:
        raise click.UsageError("an address with tls:// needs --tls-ca, --tls-cert and --tls-key.")
    return security
