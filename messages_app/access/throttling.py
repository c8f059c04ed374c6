"""
Guessing of passwords, made slow: by account and by address, with the same answer for unknown accounts.

A browser in which somebody has logged in before has a count of its own, by a signed cookie: who guesses from
elsewhere cannot keep its owner out. Source: reliability S-52, D50, D51.
"""

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass

from django.core import signing
from django.http import HttpRequest, HttpResponse

from messages_app.access.actors import address_of
from messages_app.access.sending import count_of, row_of

MAX_PASSWORD = 4096  # characters that are hashed (reliability D49)
FREE_TRIES = 5  # within 15 minutes, by account
FREE_TRIES_OF_ADDRESS = 30
LONGEST_SECONDS = 900
DEVICE_COOKIE = "hubconsole_device"
_DEVICE_DAYS = 365
_LOOPBACK = {"127.0.0.1", "::1"}


@dataclass(frozen=True)
class Attempt:
    """
    One try to log in.

    Args:
        account: what counts tries at the account; or of the device, where it is known.
        address: what counts tries from the address; empty behind a proxy that nobody has named.
    """

    account: str
    address: str

    @property
    def subjects(self) -> list[str]:
        return [subject for subject in (self.account, self.address) if subject]


def attempt_at(request: HttpRequest, username: str) -> Attempt:
    """Return the try at the password of `username` that a form is."""
    return _attempt(request, username)


def code_attempt_at(request: HttpRequest, username: str) -> Attempt:
    """Return the try at a code of the second factor: counted apart, for the password was right each time."""
    return _attempt(request, username, prefix="code-")


def _attempt(request: HttpRequest, username: str, *, prefix: str = "") -> Attempt:
    user = _digest(username)
    device = _known_device(request, user)
    address = address_of(request)
    return Attempt(
        account=f"{prefix}device:{device}" if device else f"{prefix}user:{user}",
        address="" if address is None or address in _LOOPBACK else f"address:{address}",
    )


def blocked_for(attempt: Attempt) -> int:
    """Return how many seconds nobody may try; 0: now."""
    (seconds,) = row_of("blocked_for", {"subjects": attempt.subjects})
    return seconds or 0


def note_failure(attempt: Attempt) -> None:
    """Count a try that failed."""
    for subject in attempt.subjects:
        free = FREE_TRIES_OF_ADDRESS if subject == attempt.address else FREE_TRIES
        count_of("note_failure", {"subject": subject, "free": free, "longest": LONGEST_SECONDS})


def forget_failures(attempt: Attempt) -> None:
    """Begin anew after a try that did not fail."""
    count_of("forget_failures", {"subjects": [attempt.account]})


def remember_device(request: HttpRequest, response: HttpResponse) -> None:
    """Let this browser be known as one in which the user has logged in."""
    value = {"user": _digest(request.user.get_username()), "device": secrets.token_hex(16)}
    response.set_cookie(
        DEVICE_COOKIE,
        signing.dumps(value, salt=DEVICE_COOKIE),
        max_age=_DEVICE_DAYS * 24 * 3600,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )


def _known_device(request: HttpRequest, user: str) -> str:
    try:
        value = signing.loads(
            request.COOKIES.get(DEVICE_COOKIE, ""), salt=DEVICE_COOKIE, max_age=_DEVICE_DAYS * 24 * 3600
        )
    except signing.BadSignature:
        return ""
    return value["device"] if value["user"] == user else ""


def _digest(username: str) -> str:
    """Return what is kept of a name: what is typed there may be a password."""
    text = unicodedata.normalize("NFKC", username).casefold()
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
