"""Who may ask: the token, the cookie, the Host, the Origin, and the header of requests that change something."""

import pytest

from partita.app._security import Keys
from tests.app.clients import HOME, PORT, Client


@pytest.fixture
def stranger(client):
    """A client of the same server without its cookie."""
    return Client(client.app, base_url=HOME)


def test_the_token_leaves_a_cookie_that_no_script_and_no_other_site_can_use(client, stranger):
    answer = stranger.get("/", params={"token": client.keys.token}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith(f"partita-{PORT}=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.keys.token.lower() not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "é", None])
def test_without_the_token_nothing_is_answered(client, stranger, token):
    query = {} if token is None else {"token": token}
    refused = stranger.get("/", params=query)
    assert refused.status_code == 403
    assert "Open the address that" in refused.text
    for path in ("/api/runs", "/api/version", "/static/index.html", "/nowhere"):
        assert stranger.get(path).status_code == 403, path
    assert stranger.post("/api/datasets/example", headers={"X-Partita": "1"}).status_code == 403
    assert client.ok("get", "datasets") == []


def test_a_cookie_of_another_start_is_refused(client, stranger):
    for value in ("x", Keys(PORT)._session, client.keys.token):
        stranger.cookies.clear()
        stranger.cookies.set(client.keys.cookie, value)
        assert stranger.get("/api/runs").status_code == 403


def test_a_token_for_the_browser_opens_once(client, stranger):
    token = client.keys.new_token()
    assert stranger.get("/", params={"token": token}, follow_redirects=False).status_code == 303
    assert stranger.get("/", params={"token": token}, follow_redirects=False).status_code == 200
    other = Client(client.app, base_url=HOME)
    assert other.get("/", params={"token": token}).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1:1", "127.0.0.1", f"[::1]:{PORT}"])
def test_a_foreign_host_is_refused_even_with_the_cookie(client, host):
    """A site whose name leads to this computer (DNS rebinding)."""
    assert client.get("/api/runs", headers={"host": host}).status_code == 403
    assert client.get("/", params={"token": client.keys.token}, headers={"host": host}).status_code == 403
    assert client.get("/api/runs", headers={"host": f"localhost:{PORT}"}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{PORT}"])
def test_a_foreign_origin_is_refused_even_with_the_cookie(client, origin):
    answer = client.post("/api/datasets/example", headers={"origin": origin})
    assert answer.status_code == 403
    assert client.ok("get", "datasets") == []
    assert client.post("/api/datasets/example", headers={"origin": HOME}).status_code == 200


def test_of_two_origins_both_are_looked_at(client):
    headers = [("x-partita", "1"), ("origin", HOME), ("origin", "http://evil.example")]
    assert client.post("/api/datasets/example", headers=headers).status_code == 403


def test_a_link_of_another_site_with_the_token_opens_the_page_and_one_without_does_not(client, stranger):
    """The browser follows it without the cookie (SameSite=Strict), and our answer leads it to ask again by itself."""
    link = {"sec-fetch-site": "cross-site"}
    again = stranger.get("/", headers=link)
    assert again.status_code == 200
    assert "http-equiv=refresh content='0; url=/'" in again.text
    assert "script" not in again.text
    assert stranger.get("/", headers={"sec-fetch-site": "same-origin"}).status_code == 403
    assert stranger.get("/api/runs", headers=link).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_cannot_load_anything(client, site):
    assert client.get("/api/runs", headers={"sec-fetch-site": site}).status_code == 403
    assert client.get("/static/app.css", headers={"sec-fetch-site": site}).status_code == 403


def test_what_changes_something_needs_the_header(client):
    key = client.ok("post", "datasets/example")["id"]
    del client.headers["X-Partita"]
    assert client.post("/api/datasets/example").status_code == 403
    assert client.post("/api/runs", json={"dataset": key}).status_code == 403
    assert client.delete(f"/api/datasets/{key}").status_code == 403
    assert [one["id"] for one in client.ok("get", "datasets")] == [key]
    assert client.ok("get", "runs") == []


def test_every_answer_has_the_headers(client):
    paths = ["/", "/api/runs", "/nowhere", "/static/nothing.js", "/api/runs/nothing"]
    for answer in [*(client.get(path) for path in paths), client.get("/", headers={"host": "evil"})]:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "name",
    ["../_server.py", "..%2f_server.py", "%2e%2e/_server.py", "__init__.py", "/etc/passwd", "index.html/", ".", ""],
)
def test_nothing_but_the_files_of_the_page_is_served(client, name):
    answer = client.get(f"/static/{name}")
    assert answer.status_code in (404, 405), answer.text
    assert "import" not in answer.text
