"""Real Dask workers, as processes on 127.0.0.1."""

import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

from partita import BCE, LWGP, MCLA, PCC, LabelBlocks, LabelKMeans, MultinomialMixture
from partita.blocks import _dask
from partita.exceptions import BlockError, ClusterError
from tests.blocks.dask_cluster import local_cluster
from tests.blocks.ensembles import kmeans_labels

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def labels():
    return kmeans_labels(4000, 6)[0]


@pytest.fixture(scope="module")
def files(labels, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parts")
    for number, part in enumerate(np.array_split(labels, 8)):
        np.save(folder / f"part-{number}.npy", part)
    return folder


@pytest.fixture(scope="module")
def cluster():
    with local_cluster(2) as made:
        yield made


@pytest.fixture
def beyond(monkeypatch):
    monkeypatch.setattr("partita.blocks._reduction._BYTES_OF_ROW", (1 << 40, 0))
    monkeypatch.setattr("partita.blocks.beyond._fit.SAMPLE", 1500)


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    for name in ("lower_bound_", "history_", "kkt_gap_", "objective_"):
        if name in theirs.__dict__:
            assert getattr(ours, name) == getattr(theirs, name), name


def test_rows_that_fit_in_memory(files, labels, cluster):
    client, _ = cluster
    model = LWGP(random_state=0).fit(LabelBlocks.from_files(files, client=client, rows=200))
    assert_same(model, LWGP(random_state=0).fit(labels))
    blocks = LabelBlocks.from_files(files, client=client)
    np.testing.assert_array_equal(model.predict(blocks), model.predict(labels))
    soft = MultinomialMixture(4, random_state=0).fit(blocks)
    np.testing.assert_array_equal(np.vstack(list(soft.predict_proba(blocks))), soft.predict_proba(labels))


@pytest.mark.usefixtures("beyond")
@pytest.mark.parametrize(
    "make",
    [
        lambda: LWGP(random_state=0),
        lambda: BCE(4, random_state=0),
        lambda: LabelKMeans(4, random_state=0),
        lambda: MCLA(4, random_state=0),
        lambda: PCC(4, divergence="l2", random_state=0, tol=1e-2),
    ],
    ids=["LWGP", "BCE", "LabelKMeans", "MCLA", "PCC"],
)
def test_sums_on_workers_give_the_bits_of_one_machine(make, files, cluster):
    client, _ = cluster
    model = make().fit(LabelBlocks.from_files(files, client=client))
    assert_same(model, make().fit(LabelBlocks.from_files(files)))


def test_dask_arrays_and_frames(labels, cluster):
    import dask.array as da

    client, _ = cluster
    expected = LWGP(4, random_state=0).fit(labels)
    with client.as_current():
        array = da.from_array(labels, chunks=(700, 4))
        model = LWGP(4, random_state=0).fit(array)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.predict(array), expected.labels_)
    dd = pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame(labels, columns=list("abcdef")), npartitions=3)
    model = LWGP(4, random_state=0).fit(LabelBlocks.from_dask(frame, client=client))
    np.testing.assert_array_equal(model.labels_, expected.labels_)
    assert model.feature_names_in_.tolist() == list("abcdef")


@pytest.mark.usefixtures("beyond")
def test_parts_of_a_dask_array_beyond_memory(labels, cluster):
    import dask.array as da

    client, _ = cluster
    array = da.from_array(labels, chunks=(700, 6))
    ours = MultinomialMixture(4, random_state=0).fit(LabelBlocks.from_dask(array, client=client))
    assert_same(ours, MultinomialMixture(4, random_state=0).fit(LabelBlocks.from_array(labels, rows=700)))


def test_without_a_client_dask_collections_are_read_here(labels):
    import dask.array as da

    assert _dask.current_client() is None
    model = LWGP(4, random_state=0).fit(da.from_array(labels, chunks=(900, 6)))
    np.testing.assert_array_equal(model.labels_, LWGP(4, random_state=0).fit(labels).labels_)


def test_errors_of_workers_name_the_block(files, labels, cluster, tmp_path):
    client, _ = cluster
    for number in range(3):
        np.save(tmp_path / f"part-{number}.npy", labels[:50])
    blocks = LabelBlocks.from_files(tmp_path, client=client)
    (tmp_path / "part-1.npy").unlink()
    with pytest.raises(BlockError, match=r"block 'part-1.npy': the file is gone"):
        LWGP(4).fit(blocks)
    yielded = LabelBlocks.from_iterable(lambda: [labels[:50]])
    yielded.client = client
    with pytest.raises(ClusterError, match="a function yields"):
        LWGP(4).fit(yielded)


def test_workers_keep_their_memory(cluster):
    client, _ = cluster
    _dask.OnDask(client)
    names = client.run(lambda dask_worker: list(dask_worker.plugins))
    assert all("partita-memory" in of_worker for of_worker in names.values())


@pytest.mark.usefixtures("beyond")
def test_a_killed_worker_changes_nothing(files, monkeypatch):
    expected = BCE(4, random_state=0).fit(LabelBlocks.from_files(files))
    with local_cluster(2) as (client, workers):
        passes, seen = [], _dask.OnDask.share

        def share(engine, values):
            passes.append(1)
            if len(passes) == 4:  # in the middle of EM: parts of the rows are on both workers
                os.kill(workers[0], getattr(signal, "SIGKILL", signal.SIGTERM))
            return seen(engine, values)

        monkeypatch.setattr(_dask.OnDask, "share", share)
        model = BCE(4, random_state=0).fit(LabelBlocks.from_files(files, client=client))
        assert len(passes) > 4
        assert len(client.scheduler_info(n_workers=-1)["workers"]) == 1
    assert_same(model, expected)


@pytest.mark.usefixtures("beyond")
def test_a_lost_scheduler_leaves_a_fit_that_can_be_resumed(files, tmp_path):
    import dask

    expected = BCE(4, random_state=0).fit(LabelBlocks.from_files(files))
    folder = tmp_path / "journal"

    def stop(client):
        end = time.monotonic() + 60
        while not (folder / "BCE" / "pass-000002.npz").exists() and time.monotonic() < end:
            time.sleep(0.01)
        os.kill(client.run_on_scheduler(os.getpid), getattr(signal, "SIGKILL", signal.SIGTERM))

    with dask.config.set({"distributed.comm.timeouts.connect": "2s"}), local_cluster(2) as (client, _):
        killer = threading.Thread(target=stop, args=(client,))
        killer.start()
        with pytest.raises(ClusterError, match="resume=FOLDER"):
            BCE(4, random_state=0, tol=1e-12).fit(LabelBlocks.from_files(files, client=client, resume=folder))
        killer.join()
    expected = BCE(4, random_state=0, tol=1e-12).fit(LabelBlocks.from_files(files))
    model = BCE(4, random_state=0, tol=1e-12).fit(LabelBlocks.from_files(files, resume=folder))
    assert_same(model, expected)
