import pytest

from tests.app.clients import open_client, plants


@pytest.fixture
def client(tmp_path):
    """A client that was let in, with a server and a folder of its own."""
    with open_client(tmp_path) as client:
        yield client


@pytest.fixture(scope="session")
def shown(tmp_path_factory):
    """A client with one run of the plants, whose path is ``client.at``; for tests that only look."""
    with open_client(tmp_path_factory.mktemp("app")) as client:
        dataset = client.upload("plants.csv", plants())
        run = client.run(dataset["id"], n_clusters=3)
        assert run["state"] == "done", run
        client.dataset, client.at = dataset, f"runs/{run['id']}"
        yield client
