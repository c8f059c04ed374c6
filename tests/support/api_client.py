"""A caller of the API as the tests see it: with a token, JSON in and out, server errors as answers."""

from collections.abc import Collection

from django.http import HttpResponse
from django.test import Client

from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
from tests.support.factories import make_user

BASE = "/api/v1/"


class ApiClient:
    """
    Calls the API with a token of `user`; without a user, with nothing.

    Paths are below /api/v1/. `token` is the key, `user` its owner; `scopes` are the token's, None where it
    has none. Every answer is checked for what a server needs to send it.
    """

    def __init__(self, user: object | None = None, *, scopes: Collection[str] | None = None) -> None:
        self.user = user
        self.client = Client(raise_request_exception=False)
        self.token = create_token(user=user, name="test", actor=SYSTEM, scopes=scopes)[1] if user else ""
        self.headers = {"Authorization": f"Token {self.token}"} if user else {}

    def get(self, path: str, **headers: str) -> HttpResponse:
        return _sendable(self.client.get(BASE + path, headers=self.headers | headers))

    def post(self, path: str, body: object = None, **headers: str) -> HttpResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return _sendable(
            self.client.post(BASE + path, body, content_type="application/json", headers=self.headers | named)
        )

    def send(
        self,
        method: str,
        path: str,
        raw: bytes = b"",
        *,
        content_type: str = "application/json",
        **extra: str,
    ) -> HttpResponse:
        """Send any method with any bytes; `extra` goes into the request's environment."""
        answer = self.client.generic(
            method, BASE + path, raw, content_type=content_type, headers=self.headers, **extra
        )
        return _sendable(answer)


def _sendable(answer: HttpResponse) -> HttpResponse:
    """Return the answer. WSGI wants texts themselves as headers, and no members of an enumeration."""
    kinds = {name: type(value) for name, value in answer.headers.items() if type(value) is not str}
    assert not kinds
    return answer


def caller(*roles: str, username: str = "ada", scopes: Collection[str] | None = None) -> ApiClient:
    """Return a client of a new user who has these roles."""
    return ApiClient(make_user(*roles, username=username), scopes=scopes)


def problem(response: HttpResponse) -> dict:
    """Return the members of a problem, after checking that it is one."""
    assert response.headers["Content-Type"] == "application/problem+json", response.content[:300]
    body = response.json()
    assert body["status"] == response.status_code
    assert {"type", "title", "code", "detail", "request_id"} <= set(body)
    return body
