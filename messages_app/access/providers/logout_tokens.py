"""
A provider's message that a user has logged out there (OpenID Connect Back-Channel Logout 1.0, section 2.6).

Source: docs/howto/company_accounts.md, "Log-out".
"""

import time
from dataclasses import dataclass

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jws import JWSRegistry

from messages_app.access.provider_settings import Provider
from messages_app.access.providers.client import SIGNING_ALGORITHMS, provider_keys

MAX_TOKEN = 10_000
_EVENT = "http://schemas.openid.net/event/backchannel-logout"
# A token is sent immediately; the provider's clock may differ by a minute.
_SECONDS_OF_TOKEN = 300
_LEEWAY = 60


class InvalidLogoutToken(Exception):
    """The token is not one of this provider for this console, or too old."""


@dataclass(frozen=True, kw_only=True)
class LogOut:
    """
    Args:
        subject, session_id: name the sessions; one of them may be empty.
        at: seconds since 1970 until which sessions that began are meant.
    """

    subject: str
    session_id: str
    at: float


def read_logout_token(provider: Provider, text: str) -> LogOut:
    """
    Return what a logout token ends.

    Raises:
        InvalidLogoutToken: it is not valid.
        ProviderAway: its keys cannot be read.
    """
    claims = _decode_token(provider, text)
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if claims.get("iss") != provider.issuer or provider.client_id not in audiences:
        raise InvalidLogoutToken("It is for another client or of another issuer.")
    events = claims.get("events")
    if not (isinstance(events, dict) and isinstance(events.get(_EVENT), dict)) or "nonce" in claims:
        raise InvalidLogoutToken("It is not a logout token.")
    issued_at = claims.get("iat")
    now = time.time()
    if not isinstance(issued_at, int | float) or not -_LEEWAY <= now - issued_at <= _SECONDS_OF_TOKEN:
        raise InvalidLogoutToken("It is too old, or of the future.")
    expires_at = claims.get("exp", now)
    if not isinstance(expires_at, int | float) or expires_at < now - _LEEWAY:
        raise InvalidLogoutToken("It has expired.")
    subject, session_id = claims.get("sub", ""), claims.get("sid", "")
    if not isinstance(subject, str) or not isinstance(session_id, str) or not (subject or session_id):
        raise InvalidLogoutToken("It names neither a user nor a session.")
    return LogOut(subject=subject, session_id=session_id, at=issued_at + _LEEWAY)


def _decode_token(provider: Provider, text: str) -> dict[str, object]:
    registry = JWSRegistry(algorithms=list(SIGNING_ALGORITHMS), strict_check_header=False)
    try:
        try:
            token = jwt.decode(text, provider_keys(provider), registry=registry)
        except InvalidKeyIdError:
            token = jwt.decode(text, provider_keys(provider, forces=True), registry=registry)
    except (JoseError, ValueError) as error:
        raise InvalidLogoutToken("Its signature is not valid.") from error
    return dict(token.claims)
