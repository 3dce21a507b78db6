"""``python -m benchmarks peers --ensembles FOLDER --python PEERS/bin/python``: methods of other packages against ours.

Every method of a peer runs on frozen ensembles with the number of classes given, in a process and an environment of its
own, and so does the method of ours that does the same. ``docs/results/peers.json`` keeps the figures, ``docs/peers.md``
shows them. To make the environment of the peers (older libraries, Python 3.11):

    python -m venv PEERS
    PEERS/bin/pip install "numpy<2" "scipy<1.11" "scikit-learn<1.5" kmodes stepmix pymetis kahypar
    PEERS/bin/pip install --no-deps ensembleclustering

clue needs R with its package clue (Debian: r-cran-clue). A peer that is not there is left out.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import adjusted_rand_score

import partita
from partita.consensus._method_tables import markdown_table
from partita.consensus._methods import METHODS
from partita.experiments import load_frozen

HERE = Path(__file__).parent
RESULTS, PAGE = Path("docs/results/peers.json"), Path("docs/peers.md")
BEGIN, END = (
    "<!-- begin: written by python -m benchmarks peers -->",
    "<!-- end: written by python -m benchmarks peers -->",
)


class Peer(NamedTuple):
    """A method of another package, and ours that does the same."""

    package: str
    method: str
    ours: str  # --method of partita
    options: dict[str, Any] = {}  # noqa: RUF012  # of ours


PEERS = (
    Peer("clue", "SE", "matched-voting"),
    Peer("clue", "HE", "matched-voting", {"output": "hard"}),
    Peer("clue", "GV1", "matched-voting"),
    Peer("clue", "DWH", "voting"),
    Peer("clue", "GV3", "pcc", {"divergence": "l2"}),
    Peer("ensembleclustering", "cspa", "cspa"),
    Peer("ensembleclustering", "hgpa", "hgpa"),
    Peer("ensembleclustering", "mcla", "mcla"),
    Peer("ensembleclustering", "hbgf", "hbgf"),
    Peer("ensembleclustering", "nmf", "nmf"),
    Peer("kmodes", "Huang", "k-modes"),
    Peer("kmodes", "Cao", "k-modes"),
    Peer("stepmix", "categorical", "mm"),
    Peer("scipy", "average", "eac"),
    Peer("scipy", "single", "eac", {"linkage": "single"}),
    Peer("scipy", "complete", "eac", {"linkage": "complete"}),
)


def main(words):
    """Parse the command line, run what is missing, write figures and page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks peers", description=__doc__.splitlines()[0])
    parser.add_argument("--ensembles", type=Path, help="folder of frozen ensembles; without it the page alone is made")
    parser.add_argument("--python", help="Python of the peers' environment")
    parser.add_argument("--most-objects", type=int, default=1000, help="larger ensembles are left out")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per method and ensemble")
    arguments = parser.parse_args(words)
    if arguments.ensembles is not None:
        run(arguments)
    write_page()


# ------------------------------------------------------------------------------------------------------------- the runs
def run(arguments):
    """Run every pair on every ensemble that is not too large; what is stored is not run again."""
    stored = {key(row): row for row in read_results()}
    partita.warm_up()
    for path in sorted(arguments.ensembles.glob("*.npz")):
        frozen = load_frozen(path)
        if len(frozen.labels) > arguments.most_objects or (frozen.labels < 0).any():
            continue
        for peer in PEERS:
            head = {"ensemble": frozen.name, "package": peer.package, "method": peer.method, "ours": peer.ours}
            if key(head) in stored or peer.ours not in METHODS:
                continue
            theirs = run_peer(path, frozen, peer, arguments)
            if theirs is None:
                continue
            row = {**head, "data": frozen.about["data"], "theirs": theirs, "partita": run_ours(frozen, peer)}
            stored[key(row)] = row
            write_results(stored.values())
        print(frozen.name, flush=True)


def key(row):
    """What a row is the result of."""
    return row["ensemble"], row["package"], row["method"]


def run_ours(frozen, peer):
    """ARI and seconds of our method, one thread."""
    options = {"n_clusters": frozen.n_classes, **peer.options}
    estimator = getattr(partita, METHODS[peer.ours].estimator)(**options)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=0)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = estimator.fit(frozen.labels).labels_
    return {"ari": ari(frozen, labels), "seconds": time.perf_counter() - start}


def run_peer(path, frozen, peer, arguments):
    """ARI and seconds of the peer, an error or a time-out in words, or None if the peer is not there."""
    with tempfile.TemporaryDirectory() as folder:
        command = peer_command(path, frozen, peer, arguments.python, Path(folder))
        if command[0] is None:
            return None
        options = {"capture_output": True, "text": True, "timeout": arguments.limit, "cwd": folder, "check": False}
        try:
            done = subprocess.run(command, **options)
        except subprocess.TimeoutExpired:
            return {"error": f"more than {arguments.limit:g} s"}
    if done.returncode != 0:
        words = (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]
        return None if "No module named" in words or "no package called" in words else {"error": words[:200]}
    if peer.package == "clue":
        seconds, *labels = done.stdout.split()
    else:
        seconds, labels = json.loads(done.stdout.splitlines()[-1]).values()
    return {"ari": ari(frozen, np.array(labels, dtype=int)), "seconds": float(seconds)}


def peer_command(path, frozen, peer, python, folder):
    """How the peer is run; None in the first place if it is not installed."""
    if peer.package != "clue":
        script = [str(HERE / "_peer_methods.py"), str(Path(path).resolve()), peer.package, peer.method]
        return [python, *script, str(frozen.n_classes)]
    table = folder / "labels.csv"
    np.savetxt(table, frozen.labels, fmt="%d", delimiter=",")
    return [shutil.which("Rscript"), str(HERE / "peer_clue.R"), str(table), peer.method, str(frozen.n_classes)]


def ari(frozen, labels):
    """Adjusted Rand index to the classes of the objects that have one."""
    counted = frozen.truth >= 0
    return round(float(adjusted_rand_score(frozen.truth[counted], np.asarray(labels)[counted])), 6)


# ---------------------------------------------------------------------------------------------------------- the results
def read_results():
    """The stored rows."""
    return json.loads(RESULTS.read_text(encoding="utf-8"))["rows"] if RESULTS.exists() else []


def write_results(rows):
    """Keep the rows, one per line."""
    lines = ",\n".join(json.dumps(row) for row in sorted(rows, key=key))
    RESULTS.write_text(f'{{"rows": [\n{lines}\n]}}\n', encoding="utf-8")


def write_page():
    """Put the table of the stored rows between the marks of the page."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{measured()}\n{END}{rest.split(END)[1]}", encoding="utf-8")
    print(f"written: {PAGE}")


def measured():
    """The table: mean ARI of both over data sets, where the peer gave an answer."""
    rows = read_results()
    table = [line(peer, [row for row in rows if key(row)[1:] == (peer.package, peer.method)]) for peer in PEERS]
    header = ["peer", "its method", "ours", "ARI, peer", "ARI, ours", "difference"]
    header += ["seconds, peer", "seconds, ours", "ensembles", "failed"]
    ensembles = {row["ensemble"] for row in rows}
    sizes = f"{len(ensembles)} frozen ensembles of {len({row['data'] for row in rows})} data sets"
    return f"{sizes}.\n\n{markdown_table(header, [cells for cells in table if cells])}"


def line(peer, rows):
    """One line of the table, or None if the peer has not run."""
    answered = [row for row in rows if "ari" in row["theirs"]]
    if not answered:
        return None
    names = sorted({row["data"] for row in answered})

    def mean(side):
        return np.mean([np.mean([row[side]["ari"] for row in answered if row["data"] == name]) for name in names])

    def seconds(side):
        return np.median([row[side]["seconds"] for row in answered])

    ours = peer.ours + "".join(f" ({name}={value})" for name, value in peer.options.items())
    return [
        peer.package,
        peer.method,
        f"`{ours}`",
        f"{mean('theirs'):.3f}",
        f"{mean('partita'):.3f}",
        f"{mean('partita') - mean('theirs'):+.3f}",
        f"{seconds('theirs'):.2f}",
        f"{seconds('partita'):.2f}",
        str(len(answered)),
        str(len(rows) - len(answered)),
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
