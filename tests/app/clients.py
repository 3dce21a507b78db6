"""A client of the server in this process, as the page is one."""

import time
import warnings
from contextlib import contextmanager

from partita.app._security import Keys
from partita.app._server import Workspace, build

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have another client than httpx
    from starlette.testclient import TestClient

PORT = 8000
HOME = f"http://127.0.0.1:{PORT}"


class Client(TestClient):
    """With what the tests ask for again and again."""

    keys: Keys
    space: Workspace

    def upload(self, name, content, **corrections):
        answer = self.post("/api/datasets", params={"name": name}, content=content)
        assert answer.status_code == 200, answer.text
        if not corrections:
            return answer.json()
        return self.ok("post", f"datasets/{answer.json()['id']}/reading", json=corrections)

    def ok(self, method, path, **how):
        answer = getattr(self, method)(f"/api/{path}", **how)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def run(self, dataset, **asked):
        """A run that has ended."""
        run = self.ok("post", "runs", json={"dataset": dataset, **asked})
        return self.wait(f"runs/{run['id']}")

    def wait(self, path, until=("done", "failed", "cancelled", "stopped")):
        for _ in range(6000):
            found = self.ok("get", path)
            if found["state"] in until:
                return found
            time.sleep(0.01)
        raise AssertionError(f"{path} is still {found['state']}")

    def ready(self, path):
        """An answer that may have to be fitted first."""
        for _ in range(6000):
            answer = self.get(f"/api/{path}")
            if answer.status_code != 202:
                return answer
            time.sleep(0.01)
        raise AssertionError(f"{path} is not ready")


@contextmanager
def open_client(folder, max_upload=2_000_000):
    space, keys = Workspace(folder, max_upload), Keys(PORT)
    client = Client(build(space, keys), base_url=HOME)
    client.keys, client.space = keys, space
    client.get("/", params={"token": keys.token})
    client.headers["X-Partita"] = "1"
    yield client
    space.jobs.close()


def csv(rows):
    return "\n".join(",".join(map(str, row)) for row in rows).encode()


def plants(n=60):
    """Ids, five clusterings of three groups with some errors, and a height that goes with the groups."""
    rows = [["plant", "a", "b", "c", "d", "e", "height"]]
    for row in range(n):
        group = row % 3
        labels = [group if (row * 7 + j) % 11 else (group + 1) % 3 for j in range(5)]
        rows.append([f"p{row:03}", *labels, round(group * 10 + row / 97, 3)])
    return csv(rows)
