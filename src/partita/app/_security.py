"""Who may ask: only the browser that was given the token, on the address that was printed.

A page of another site can make a browser send requests to this computer. It cannot know the token, and its requests
carry another Host (DNS rebinding) or Origin, which are refused; the cookie is not sent with them either
(SameSite=Strict). What changes something needs a header that a form of another site cannot send.
"""

import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-partita"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_NO_KEY = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>partita</title><h1>This page needs its key</h1>"
    "<p>Open the address that <code>partita app</code> printed in the terminal: it ends in a token. A new start has a "
    "new one.</p></html>"
)


# A link on a page of another site opens this page without the cookie (SameSite=Strict), even right after the token left
# it; the same address asked for by a page of our own has it.
_FROM_A_LINK = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta http-equiv=refresh content='0; url=/'>"
    "<title>partita</title><p><a href='/'>Go on to partita</a></p></html>"
)


class Keys:
    """The secrets of one start of the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.token = secrets.token_urlsafe(32)
        self.cookie = f"partita-{port}"
        self._session = secrets.token_urlsafe(32)  # what the cookie holds: the token itself stays in the terminal
        self._once: set[str] = set()

    def address(self, token: str | None = None) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self.port}/?token={token or self.token}"

    def new_token(self) -> str:
        """A token that opens the page once: the command line of a browser can be seen by other users."""
        token = secrets.token_urlsafe(32)
        self._once.add(token)
        return token

    def opens(self, token: str) -> bool:
        """Whether this is the token; one that opens once is gone then."""
        if secrets.compare_digest(token.encode(), self.token.encode()):
            return True
        found = [one for one in self._once if secrets.compare_digest(token.encode(), one.encode())]
        self._once.difference_update(found)
        return bool(found)

    def knows(self, headers: Headers) -> bool:
        """Whether the cookie is ours."""
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        value = cookies[self.cookie].value if self.cookie in cookies else ""
        return secrets.compare_digest(value.encode(), self._session.encode())

    def let_in(self) -> Response:
        """Leave the cookie, and go to the page without the token in the address."""
        response = RedirectResponse("/", status_code=303)
        response.set_cookie(self.cookie, self._session, httponly=True, samesite="strict", path="/")
        return response


class Guard:
    """Stands before the whole server: refuses strangers, and gives every answer the same headers."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        self.app, self.keys = app, keys
        self._hosts = {f"127.0.0.1:{keys.port}", f"localhost:{keys.port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or refuse."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        refusal: ASGIApp | None = _refuse("Only HTTP is spoken here.") if scope["type"] != "http" else None
        await (refusal or self._refusal(scope) or self.app)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """The answer to a request that goes no further, None if it may."""
        headers = Headers(scope=scope)
        if not self._is_at_home(headers):
            return _refuse("This address is not the one that partita app printed; open that one.")
        start = scope["path"] == "/"
        token = _token(scope) if start and scope["method"] == "GET" else None
        if token is not None and self.keys.opens(token):
            return self.keys.let_in()
        if not self.keys.knows(headers):
            if start and headers.get("sec-fetch-site") == "cross-site":
                return HTMLResponse(_FROM_A_LINK)
            return HTMLResponse(_NO_KEY, 403) if start else _refuse("Open the address that partita app printed.")
        if not start and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return _refuse("Pages of other sites cannot use partita app.")
        if scope["method"] not in ("GET", "HEAD") and headers.get(HEADER) != "1":
            return _refuse("A request that changes something needs the header X-Partita: 1.")
        return None

    def _is_at_home(self, headers: Headers) -> bool:
        host = headers.get("host", "")
        return host in self._hosts and all(origin == f"http://{host}" for origin in headers.getlist("origin"))


def _token(scope: Mapping[str, Any]) -> str | None:
    given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
    return given[0] if given else None


def _refuse(sentence: str) -> Response:
    return JSONResponse({"error": sentence}, 403)
