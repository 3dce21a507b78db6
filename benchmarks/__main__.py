"""``python -m benchmarks [name ...] [--json FILE]``: run comparisons and print seconds, peak memory and ratios.

``python -m benchmarks ensembles ...`` makes frozen ensembles, ``python -m benchmarks answer ...`` runs all methods on
them, ``python -m benchmarks from_features ...`` compares ways from features to a consensus; all have options of their
own (``--help``).
"""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from benchmarks._harness import Benchmark, print_table, run_case, run_child, write_json

# commands of their own; every other module of this folder that does not begin with an underscore is a benchmark
COMMANDS = ("answer", "app", "blocks", "ensembles", "federated", "from_features", "optima", "peers")
NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py") if path.stem not in COMMANDS)


def load(name: str) -> Benchmark:
    """The cases of a benchmark."""
    benchmark: Benchmark = import_module(f"benchmarks.{name}").BENCHMARK
    return benchmark


def main() -> None:
    """Parse the command line and run."""
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        import_module(f"benchmarks.{sys.argv[1]}").main(sys.argv[2:])
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"{', '.join(NAMES)}; default all")
    parser.add_argument(
        "--json", type=Path, default=Path("benchmarks/results/latest.json"), help="where to keep the figures"
    )
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        name, case_name, contestant_name = arguments.child
        case = next(case for case in load(name) if case.name == case_name)
        run_child(case, next(c for c in case.contestants if c.name == contestant_name))
        return
    unknown = [name for name in arguments.names if name not in NAMES]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; choose from {', '.join(NAMES)}")
    rows = []
    for name in arguments.names or NAMES:
        print(f"{name}:", flush=True)
        found = [row for case in load(name) for row in run_case(name, case)]
        print_table(found)
        rows += found
    write_json(rows, arguments.json)
    print(f"figures kept in {arguments.json}")


if __name__ == "__main__":
    main()
