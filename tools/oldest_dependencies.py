"""Print the oldest dependencies that pyproject.toml allows, one ``name==version`` per line, as constraints for pip.

``python tools/oldest_dependencies.py > oldest.txt && pip install -c oldest.txt ".[test]"`` installs them. Requirements
without a lower bound, and those whose marker excludes this machine, are left out.
"""

import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
# newer ones make the oldest version of what uses them warn, and warnings are errors in the suite
BESIDE = {"matplotlib": "pyparsing<3.3"}


def main(extras: list[str]) -> None:
    """Print the constraints of the core and of the extras that are named; of all extras if none is."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    known = project["optional-dependencies"]
    unknown = sorted(set(extras) - set(known))
    if unknown:
        raise SystemExit(f"there is no extra {unknown[0]!r}; extras are {', '.join(sorted(known))}")
    lines = list(project["dependencies"])
    for extra in extras or known:
        lines += known[extra]
    print("\n".join(constraints(lines)))


def constraints(requirements: list[str]) -> list[str]:
    """The lower bound of each requirement of other packages as an exact version, and what goes with it, by name."""
    lowest = {}
    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        bounds = [bound.version for bound in requirement.specifier if bound.operator in (">=", "==", "~=")]
        if requirement.name != "partita" and bounds:
            lowest[requirement.name] = bounds[0]
    beside = [also for name, also in BESIDE.items() if name in lowest]
    return sorted([f"{name}=={version}" for name, version in lowest.items()] + beside)


if __name__ == "__main__":
    main(sys.argv[1:])
