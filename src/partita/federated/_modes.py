"""What server and sites must have been started with alike: compared before a fit begins, and told in their options."""

from collections.abc import Mapping
from typing import Any

# option of a site, and of the server, that go together; and what it means if a site has it and the server has not
_PAIRS = {"encrypted": ("--keys", "--encrypted"), "noise": ("--epsilon", "--with-noise")}


def mode_faults(server: Mapping[str, Any], sites: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Sites that were started in another way than the server, or than the first site, and how."""
    faults = {name: fault for name, modes in sites.items() if (fault := _fault(server, modes))}
    hashed = {name: bool(modes.get("hashed")) for name, modes in sites.items()}
    if not faults and len(set(hashed.values())) > 1:
        first = next(iter(hashed))
        here, there = ("without", "with") if hashed[first] else ("with", "without")
        fault = f"was started {here} --secret-key, and site {first!r} {there}"
        faults = {name: fault for name, own in hashed.items() if own != hashed[first]}
    return faults


def _fault(server: Mapping[str, Any], site: Mapping[str, Any]) -> str | None:
    if "by" in server and site.get("by") != server["by"]:
        return f"was started with --by {site.get('by')}, and the server with --by {server['by']}"
    for mode, (own, of_server) in _PAIRS.items():
        if mode in server and bool(site.get(mode)) != bool(server[mode]):
            has = "with" if site.get(mode) else "without"
            return f"was started {has} {own}, and the server {'without' if has == 'with' else 'with'} {of_server}"
    return None
