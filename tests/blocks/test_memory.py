"""Memory of a fit, measured in a process of its own."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

_FIT = """
import json, sys
import numpy as np
from partita import LWGP, MultinomialMixture, LabelBlocks
folder, method = sys.argv[1:]
blocks = LabelBlocks.from_files(folder, rows=100_000)
model = (LWGP(random_state=0) if method == "LWGP" else MultinomialMixture(3, random_state=0)).fit(blocks)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) * 1024
print(json.dumps({"peak": peak, "sizes": np.bincount(model.labels_).tolist(), "judged": type(model._judged).__name__}))
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="peak memory is read from /proc")
@pytest.mark.parametrize(("method", "limit"), [("LWGP", ""), ("MultinomialMixture", "3MB")])
def test_labels_several_times_larger_than_the_memory_of_the_process(tmp_path, method, limit):
    rng = np.random.default_rng(0)
    n, m, n_files = 400_000, 30, 14
    truth = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    labels = np.where(rng.random((n, m)) < 0.02, rng.integers(3, size=(n, m)), truth[:, None])
    np.save(tmp_path / "part-0.npy", labels)  # int64: 96 MB
    for number in range(1, n_files):
        os.link(tmp_path / "part-0.npy", tmp_path / f"part-{number}.npy")
    size = n_files * (tmp_path / "part-0.npy").stat().st_size
    environment = {**os.environ, "PARTITA_MAX_MEMORY": limit}
    done = subprocess.run(
        [sys.executable, "-c", _FIT, str(tmp_path), method], env=environment, capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert size > 3 * found["peak"], found
    np.testing.assert_allclose(found["sizes"], n_files * np.bincount(truth), rtol=0.001)
    assert found["judged"] == ("JudgedParts" if limit else "JudgedRows")
