"""
An identity provider that says what a test wants, also what no honest provider would: real HTTP, keys and
signatures. tests/integrations has an honest one.
"""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from django.http import HttpResponse
from django.test import Client
from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey
from joserfc.jws import JWSRegistry

from messages_app.access.provider_settings import Provider
from tests.support.local_server import LocalHandler, LocalServer, run_server

SECRET = "a-secret-of-this-test-only-0123456789"
BEGIN, CALLBACK, LOG_OUT = (f"/login/with/oidc/{part}" for part in ("", "callback/", "log-out/"))
EVENT = "http://schemas.openid.net/event/backchannel-logout"


class LyingProvider:
    """
    Attributes:
        claims: of the next tokens; a value of None leaves a claim out.
        userinfo: further claims, which the token lacks.
        metadata: changes of its description of itself.
        key: signs tokens; another one than `published` is not its own.
        seconds: how long each answer takes.
        status: of each answer.
    """

    def __init__(self, port: int) -> None:
        self.issuer = f"http://127.0.0.1:{port}"
        self.key = self.published = make_key("first")
        self.algorithm = "ES256"
        self.claims: dict[str, Any] = {}
        self.userinfo: dict[str, Any] | None = None
        self.metadata: dict[str, Any] = {}
        self.seconds = 0.0
        self.status = 200
        self.challenge = ""
        self.nonce = ""

    def declared(self, **values: Any) -> Provider:
        return Provider(
            **{"key": "oidc", "name": "Bank ID", "issuer": self.issuer, "client_id": "console"}
            | {"client_secret": SECRET}
            | values
        )

    def begin(self, client: Client, query: str = "") -> dict[str, str]:
        """Follow the link of the log-in page, and return what the console asks the provider for."""
        response = client.get(f"{BEGIN}{query}")
        assert response.status_code == 302, response.content
        asked = dict(parse_qsl(urlsplit(response.headers["Location"]).query))
        assert response.headers["Location"].startswith(f"{self.issuer}/authorize?")
        self.challenge, self.nonce = asked["code_challenge"], asked["nonce"]
        return asked

    def send_back(self, client: Client, asked: dict[str, str], **values: str) -> HttpResponse:
        """Send the user back to the console with a code."""
        sent = {"code": "a-code", "state": asked["state"], "iss": self.issuer} | values
        return client.get(CALLBACK, {name: value for name, value in sent.items() if value})

    def log_in(self, client: Client, query: str = "", **claims: Any) -> HttpResponse:
        """Log a user in, and return the console's answer to the code."""
        self.claims |= claims
        return self.send_back(client, self.begin(client, query))

    def id_token(self) -> str:
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "console", "sub": "s-1", "iat": now, "exp": now + 300}
        return self.sign({**claims, "nonce": self.nonce, "auth_time": now, **self.claims})

    def logout_token(self, **changes: Any) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": "console",
            "sub": "s-1",
            "iat": now,
            "exp": now + 120,
            "jti": "j",
        }
        return self.sign({**claims, "events": {EVENT: {}}, **changes})

    def sign(self, claims: dict[str, Any]) -> str:
        present = {name: value for name, value in claims.items() if value is not None}
        if self.algorithm == "none":
            head, body = (_encode(json.dumps(part)) for part in ({"alg": "none"}, present))
            return f"{head}.{body}."
        key = OctKey.import_key(SECRET) if self.algorithm == "HS256" else self.key
        head = {"alg": self.algorithm, "kid": self.key.kid}
        return jwt.encode(head, present, key, registry=JWSRegistry(algorithms=[self.algorithm]))

    def answer(self, path: str, body: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        time.sleep(self.seconds)
        if self.status != 200:
            return self.status, {}
        answers = {
            "/.well-known/openid-configuration": self._describe,
            "/jwks": lambda _: (200, KeySet([self.published]).as_dict(private=False)),
            "/token": self._give_token,
            "/userinfo": lambda _: (200, {"sub": self.claims.get("sub", "s-1")} | (self.userinfo or {})),
        }
        return answers[path](body)

    def _describe(self, _: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        ends = {name: f"{self.issuer}/{name}" for name in ("token", "userinfo", "jwks", "authorize", "leave")}
        return 200, {
            "issuer": self.issuer,
            "authorization_endpoint": ends["authorize"],
            "token_endpoint": ends["token"],
            "userinfo_endpoint": ends["userinfo"],
            "jwks_uri": ends["jwks"],
            "end_session_endpoint": ends["leave"],
            "authorization_response_iss_parameter_supported": True,
            "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
        } | self.metadata

    def _give_token(self, body: dict[str, list[str]]) -> tuple[int, dict[str, Any]]:
        digest = hashlib.sha256(body["code_verifier"][0].encode()).digest()
        if _encode(digest) != self.challenge or body["code"] != ["a-code"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "a", "token_type": "Bearer", "id_token": self.id_token()}


@contextmanager
def run_provider() -> Iterator[LyingProvider]:
    """Give a provider that answers on a port of this machine."""

    class Handler(LocalHandler):
        def answer(self, body: bytes) -> None:
            self.send_json(*provider.answer(urlsplit(self.path).path, parse_qs(body.decode())))

    with run_server(LocalServer(Handler)) as server:
        provider = LyingProvider(server.server_port)
        yield provider


def make_key(name: str) -> ECKey:
    return ECKey.generate_key("P-256", {"kid": name, "use": "sig", "alg": "ES256"})


def _encode(content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
