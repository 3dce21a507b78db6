"""``partita app`` at 100,000 x 20 labels, after the run: how soon the page in a browser responds, or the server alone.

    python -m benchmarks app [--objects 100000] [--clusterings 20] [--repeat 10]
    python -m benchmarks app --requests

The labels are k-means clusterings of blobs with holes, as CSV. The first command measures in Debian's chromium, from an
event to its painted response (``_app_browser.py``), and says what took 200 ms or more; the second one measures each
request with the server in this process, without a network.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

from benchmarks._app_browser import LIMIT, measure
from partita.app._security import Keys
from partita.app._server import Workspace, build

_PORT = 8000
_VIEWS = {
    "summary": "summary",
    "objects, first page": "objects?sort=confidence&limit=50",
    "objects, page 1,000, descending": "objects?sort=vote&descending=1&offset=50000&limit=50",
    "objects, by id": "objects?sort=id&limit=50",
    "objects, by annotation": "objects?sort=annotation:batch&limit=50",
    "objects, search": "objects?search=999&limit=50",
    "objects, in doubt": "objects?doubt=1&limit=50",
    "one object": "object/777",
    "heatmap": "heatmap",
    "heatmap, pixels": "heatmap/pixels",
    "membership": "membership",
    "clusters": "clusters",
    "clusterings": "clusterings",
    "annotations": "annotations",
    "downloads": "downloads",
    "download of the consensus": "download/consensus?format=csv",
}


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m benchmarks app", description=__doc__.splitlines()[0])
    parser.add_argument("--objects", type=int, default=100_000)
    parser.add_argument("--clusterings", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--requests", action="store_true", help="measure the server alone, without a browser")
    options = parser.parse_args(arguments)
    content = _labels(options.objects, options.clusterings)
    with tempfile.TemporaryDirectory() as folder:
        if not options.requests:
            file = Path(folder) / "cells.csv"
            file.write_bytes(content)
            slow = measure(file, options.repeat)
            print(f"{LIMIT} ms or more: {', '.join(slow) or 'nothing'}")
            return
        space, keys = Workspace(Path(folder), 10**9), Keys(_PORT)
        client = _client(space, keys)
        _measure(client, content, options.repeat)
        space.jobs.close()


def _labels(n, m):
    """k-means clusterings of ten blobs with 2 to 15 clusters, a tenth of the labels missing, and an annotation."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, 5)) + 5 * rng.normal(size=(10, 5))[rng.integers(10, size=n)]
    some = rng.choice(n, size=min(n, 5000), replace=False)
    columns = {"cell": [f"cell-{row:06}" for row in range(n)]}
    for place in range(m):
        k = int(rng.integers(2, 16))
        model = KMeans(k, n_init=1, random_state=place).fit(points[some])
        labels = model.predict(points).astype(object)
        labels[rng.random(n) < 0.1] = None
        columns[f"kmeans_{place}"] = labels
    columns["batch"] = np.array(["a", "b", "c"])[rng.integers(3, size=n)]
    return pd.DataFrame(columns).to_csv(index=False).encode()


def _client(space, keys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of starlette, on which client it would rather use
        from starlette.testclient import TestClient
    client = TestClient(build(space, keys), base_url=f"http://127.0.0.1:{_PORT}")
    client.get("/", params={"token": keys.token})
    client.headers["X-Partita"] = "1"
    return client


def _measure(client, content, repeat):
    print(f"{len(content) / 1e6:.1f} MB of CSV")
    dataset = _timed("upload and reading", lambda: client.post("/api/datasets?name=cells.csv", content=content))
    key = dataset["id"]
    body = {"annotations": ["batch"]}
    _timed("reading, corrected", lambda: client.post(f"/api/datasets/{key}/reading", json=body))
    began = time.perf_counter()
    run = client.post("/api/runs", json={"dataset": key}).json()["id"]
    state = _wait(client, f"/api/runs/{run}")
    print(f"{'run (' + state + ')':<36} {time.perf_counter() - began:9.2f} s")
    for name, path in _VIEWS.items():
        _timed(name, lambda path=path: client.get(f"/api/runs/{run}/{path}"), repeat)
    everything = {"where": {}}
    _timed("select all", lambda: client.post(f"/api/runs/{run}/selections", json=everything), repeat)
    selection = client.post(f"/api/runs/{run}/selections", json={"cluster": 1}).json()["id"]
    _timed("objects, with a selection", lambda: client.get(f"/api/runs/{run}/objects?mark={selection}"), repeat)
    began = time.perf_counter()
    k = 7
    while client.get(f"/api/runs/{run}/summary?k={k}").status_code == 202:
        time.sleep(0.02)
    print(f"{'another number of clusters, fitted':<36} {time.perf_counter() - began:9.2f} s")
    _timed("and looked at again", lambda: client.get(f"/api/runs/{run}/objects?k={k}"), repeat)


def _wait(client, path):
    while (run := client.get(path).json())["state"] in ("waiting", "running"):
        time.sleep(0.05)
    return run["state"]


def _timed(name, ask, repeat=1):
    seconds = []
    for _ in range(repeat):
        began = time.perf_counter()
        answer = ask()
        seconds.append(time.perf_counter() - began)
    assert answer.status_code == 200, answer.text
    first = f"   first {1000 * seconds[0]:7.1f}" if repeat > 1 else ""
    print(f"{name:<36} {1000 * median(seconds):9.1f} ms{first}   {len(answer.content) / 1000:10.1f} kB", flush=True)
    return answer.json() if answer.headers["content-type"] == "application/json" else None
