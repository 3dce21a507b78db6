"""Certificates of a federation: one folder (kit) for the server and one for each site, for mutual TLS.

A kit holds a private key, its certificate, the certificate of the authority that signed it, and `kit.json`: the address
of the server and the names of the sites. It holds no settings and no code; what a site allows is decided by the code
that it installed (`_workspace.py`), not by whoever made its kit.
"""

import contextlib
import ipaddress
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita._optional import require

SERVER_FOLDER = "server"
_PURPOSE = "running a federation over a network"
_FORMAT = 1
# A common name of X.509 has at most 64 characters; NVFlare separates names by dots and builds folder names from them.
_SITE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
_HOST_NAME = re.compile(
    r"(?=.{1,64}$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
)
_RESERVED = ("server", "client", "clients", "admin", "all", "root", "operator", "partita")
_PROJECT = "partita"
_KEYS = {"server": ("server.crt", "server.key"), "site": ("client.crt", "client.key")}
_AUTHORITY = "rootCA.pem"


@dataclass(frozen=True)
class Kit:
    """What one party needs to take part: who it is, where the server is, who the sites are, and its files."""

    folder: Path
    role: str
    name: str
    server: str
    port: int
    sites: tuple[str, ...]

    @property
    def certificate(self) -> Path:
        """The certificate that the party shows."""
        return self.folder / _KEYS[self.role][0]

    @property
    def key(self) -> Path:
        """The private key of the party."""
        return self.folder / _KEYS[self.role][1]

    @property
    def authority(self) -> Path:
        """The certificate by which the others' certificates are checked."""
        return self.folder / _AUTHORITY


def make_certificates(
    folder: str | os.PathLike[str], *, server: str, sites: Sequence[str], port: int, valid_days: int = 360
) -> dict[str, Path]:
    """Write the kits of a federation: keys and certificates for the server and for each site.

    Parameters
    ----------
    folder : path
        Folder to create. It must not exist.
    server : str
        Host name or IPv4 address by which the sites reach the server.
    sites : sequence of str
        Names of the sites, in the order in which they are asked and listed. The first one leads an encrypted run.
    port : int
        Port on which the server listens.
    valid_days : int, default 360
        Days after which the certificates expire.

    Returns
    -------
    dict of str to path
        The folder of each kit, by its name: "server" and the names of the sites.

    Notes
    -----
    The key of the authority that signs the certificates is not kept: nobody can add a party later. A new site means new
    kits for all. Keys are readable by their owner only. About a tenth of a second per site.
    """
    _check_server(server, port)
    _check_sites(sites)
    if isinstance(valid_days, bool) or not isinstance(valid_days, int) or valid_days < 1:
        raise ValueError(f"valid_days must be a whole number of at least 1; received {valid_days!r}.")
    target = Path(folder)
    with _beside(target) as scratch:
        made = _signed(scratch / "work", server, sites, port, valid_days)
        kits = scratch / "kits"
        for name in (SERVER_FOLDER, *sites):
            _write_kit(kits / name, made / name / "startup", name, server, sites, port)
        os.rename(kits, target)
    return {name: target / name for name in (SERVER_FOLDER, *sites)}


def read_kit(folder: str | os.PathLike[str], role: str) -> Kit:
    """Read and check a kit; `role` is "server" or "site"."""
    path = Path(folder)
    try:
        content = json.loads((path / "kit.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(
            f"{str(path)!r} is no kit: it has no kit.json; give a folder that make_certificates wrote."
        ) from None
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read kit.json of {str(path)!r}: {error}") from error
    kit = _kit_of(path, content)
    if kit.role != role:
        raise ValueError(f"{str(path)!r} is the kit of a {kit.role}, but that of a {role} is needed.")
    missing = [file.name for file in (kit.certificate, kit.key, kit.authority) if not file.is_file()]
    if missing:
        raise ValueError(f"the kit {str(path)!r} has no {', '.join(missing)}; ask for a complete kit.")
    return kit


def _kit_of(path: Path, content: Any) -> Kit:
    """Return the kit that kit.json describes, after the same checks as when it was made."""
    wanted = {"format": int, "role": str, "name": str, "server": str, "port": int, "sites": list}
    if not isinstance(content, dict) or any(not isinstance(content.get(key), kind) for key, kind in wanted.items()):
        raise ValueError(f"kit.json of {str(path)!r} is damaged; it must have {', '.join(wanted)}.")
    if content["format"] != _FORMAT or content["role"] not in _KEYS:
        raise ValueError(f"kit.json of {str(path)!r} was written for another version of partita.")
    _check_server(content["server"], content["port"])
    _check_sites(content["sites"])
    if content["role"] == "site" and content["name"] not in content["sites"]:
        raise ValueError(f"kit.json of {str(path)!r} is for {content['name']!r}, which is not among its sites.")
    return Kit(path, content["role"], content["name"], content["server"], content["port"], tuple(content["sites"]))


def _check_server(server: str, port: int) -> None:
    if not isinstance(server, str) or not _HOST_NAME.fullmatch(server):
        raise ValueError(
            f"server must be a host name or an IPv4 address without port, at most 64 characters; received {server!r}."
        )
    if server.replace(".", "").isdigit():
        try:
            ipaddress.IPv4Address(server)
        except ValueError:
            raise ValueError(f"server {server!r} is no valid IPv4 address.") from None
    if isinstance(port, bool) or not isinstance(port, int) or not 1 <= port <= 65535:
        raise ValueError(f"port must be a whole number from 1 to 65535; received {port!r}.")


def _check_sites(sites: Sequence[str]) -> None:
    if isinstance(sites, str) or not sites:
        raise ValueError(f"sites must be a list of at least one name; received {sites!r}.")
    for name in sites:
        if not isinstance(name, str) or not _SITE_NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no name of a site: use letters, digits, '-' and '_', a letter first, at most 63 in all."
            )
        if name.lower() in _RESERVED:
            raise ValueError(f"a site cannot be named {name!r}; the names {', '.join(_RESERVED)} are taken.")
    # Names that differ in case only would share one folder on some file systems.
    seen: dict[str, str] = {}
    for name in sites:
        if name.lower() in seen:
            raise ValueError(
                f"the names of sites must differ, also in lower case: {seen[name.lower()]!r} and {name!r}."
            )
        seen[name.lower()] = name


@contextlib.contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give a private folder beside the target, on the same file system, and remove what is left of it."""
    if target.exists() or target.is_symlink():
        raise FileExistsError(f"{str(target)!r} exists; make_certificates never overwrites keys: name a new folder.")
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    (scratch / "kits").mkdir(mode=0o700)
    try:
        yield scratch
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _signed(work: Path, server: str, sites: Sequence[str], port: int, valid_days: int) -> Path:
    """Let NVFlare make keys and certificates; return the folder in which each party has one."""
    require("nvflare", extra="federated", purpose=_PURPOSE)
    from nvflare.lighter.constants import CtxKey
    from nvflare.lighter.entity import Project
    from nvflare.lighter.impl.cert import CertBuilder
    from nvflare.lighter.impl.workspace import WorkspaceBuilder
    from nvflare.lighter.provisioner import Provisioner

    project = Project(name=_PROJECT, description="a federation of partita")
    # The host is a property: the name of the server, by which sites check it, is then the same in every federation.
    project.set_server(
        SERVER_FOLDER, "partita", {"default_host": server, "host_names": [server], "fed_learn_port": port}
    )
    for name in sites:
        project.add_client(name, "partita", {})
    builders = [WorkspaceBuilder(), CertBuilder(root_valid_days=valid_days)]
    silent = logging.getLogger("partita.federated.certificates")
    silent.setLevel(logging.WARNING)  # what NVFlare tells of its folders means nothing to the operator
    context = Provisioner(str(work), builders).provision(project, logger=silent)
    if context.get(CtxKey.BUILD_ERROR):
        raise RuntimeError(f"NVFlare could not make the certificates: {context.get(CtxKey.ERRORS)}")
    return Path(context[CtxKey.CURRENT_PROD_DIR])


def _write_kit(kit: Path, made: Path, name: str, server: str, sites: Sequence[str], port: int) -> None:
    """Copy one party's files and describe them."""
    role = "server" if name == SERVER_FOLDER else "site"
    kit.mkdir(mode=0o700)
    for file in (*_KEYS[role], _AUTHORITY):
        _write_private(kit / file, (made / file).read_bytes())
    content = {"format": _FORMAT, "role": role, "name": name, "server": server, "port": port, "sites": list(sites)}
    _write_private(kit / "kit.json", json.dumps(content, indent=1).encode())


def _write_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
