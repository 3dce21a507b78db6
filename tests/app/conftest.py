import shutil
from importlib.util import find_spec

import pytest

if all(find_spec(name) for name in ("starlette", "uvicorn", "httpx")):
    from tests.app.browsing import OPTIONS, WIDE, Desk
    from tests.app.clients import open_client, plants
    from tests.app.processes import app
else:  # the extra "app" is not installed
    collect_ignore_glob = ["test_*.py"]


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


# ------------------------------------------------------------------------------------------------------ a real browser
@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """The command as a process; all tests with a browser share it, each with files and runs of its own."""
    with app(tmp_path_factory.mktemp("app") / "t", "--max-upload", "300kB") as process:
        yield process


@pytest.fixture
def desk(browser, server):
    """Open a tab in a browser of its own, with other options of the browser if given."""
    contexts = []

    def open_it(place="", beside=None, **options):
        if beside is None:
            contexts.append(browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options}))
        tab = (contexts[-1] if beside is None else beside.tab.context).new_page()
        return Desk(tab, server).go(place)

    yield open_it
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def result(browser, server):
    """Where the result of a run of the plants is, in three clusters; for tests that change nothing of it."""
    context = browser.new_context()
    desk = Desk(context.new_page(), server).go()
    desk.choose()
    desk.run(**{"Number of clusters": "3"})
    desk.wait_for_result()
    place = desk.tab.evaluate("location.hash.split('&')[0]")
    context.close()
    return place
