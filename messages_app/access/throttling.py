"""
Throttling of logins, by account and by address, with the same answer for unknown accounts.

A browser in which the user has logged in before has its own count, by a signed cookie. So attackers who guess
from elsewhere cannot lock the owner out.

Source: docs/contributing/spec/promises.md, S-52; docs/contributing/spec/bad_input.md, D50, D51.
"""

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from messages_app.access.actors import address_of
from messages_app.core.statements import Statements

statements = Statements("messages_app.access")


MAX_PASSWORD = 4096  # maximum characters that are hashed (docs/contributing/spec/bad_input.md, D49)
FREE_TRIES = 5  # attempts within 15 minutes, by account
FREE_TRIES_OF_ADDRESS = 30
MAX_SECONDS = 900
_SALT = "hubconsole_device"
_DEVICE_DAYS = 365
_LOOPBACK = {"127.0.0.1", "::1"}


@dataclass(frozen=True)
class Attempt:
    """
    One attempt to log in.

    Args:
        account: the counter of the account, or of the device if it is known.
        address: the counter of the address; empty behind a proxy that the settings do not name.
    """

    account: str
    address: str

    @property
    def subjects(self) -> list[str]:
        return [subject for subject in (self.account, self.address) if subject]


def attempt_at(request: HttpRequest, username: str) -> Attempt:
    """Return the attempt to enter the password of `username`."""
    return _make_attempt(request, username)


def code_attempt_at(request: HttpRequest, username: str) -> Attempt:
    """
    Return the attempt to enter a code of the second factor. It has its own counter, because the password was
    correct each time.
    """
    return _make_attempt(request, username, prefix="code-")


def _make_attempt(request: HttpRequest, username: str, *, prefix: str = "") -> Attempt:
    user = _digest_username(username)
    device = _known_device(request, user)
    address = countable_address(request)
    return Attempt(
        account=f"{prefix}device:{device}" if device else f"{prefix}user:{user}",
        address=f"address:{address}" if address else "",
    )


def countable_address(request: HttpRequest) -> str:
    """
    Return the caller's address; empty behind a proxy that the settings do not name, where all callers would
    share it.
    """
    address = address_of(request)
    return "" if address is None or address in _LOOPBACK else address


class _Blocked(Exception):
    """There were too many failed attempts. This one was not counted."""


def begin_attempt(attempt: Attempt) -> int:
    """
    Count an attempt before its input is checked. Return the seconds to wait; 0: the attempt may proceed.

    It is counted first, so that simultaneous attempts have the same limit as consecutive ones. A failed
    attempt remains counted.
    """
    try:
        with transaction.atomic():
            for subject in attempt.subjects:
                values = {
                    "subject": subject,
                    "free": _free_tries(attempt, subject),
                    "longest": MAX_SECONDS,
                }
                if not statements.count("count_try", values):
                    raise _Blocked
    except _Blocked:
        (seconds,) = statements.only_row("blocked_for", {"subjects": attempt.subjects})
        return seconds or 1
    return 0


def record_success(attempt: Attempt) -> None:
    """
    Reset the counter of the account after a successful attempt, and subtract the attempt from its address.
    """
    statements.count("forget_failures", {"subject": attempt.account})
    if attempt.address:
        statements.count("take_back_try", {"subject": attempt.address, "free": FREE_TRIES_OF_ADDRESS})


def forget_old_tries() -> int:
    """Remove counts that are more than a day old, and return their number."""
    return statements.count("forget_old_tries", {})


def _free_tries(attempt: Attempt, subject: str) -> int:
    return FREE_TRIES_OF_ADDRESS if subject == attempt.address else FREE_TRIES


def remember_device(request: HttpRequest, response: HttpResponse) -> None:
    """Mark this browser as one in which the user has logged in."""
    value = {"user": _digest_username(request.user.get_username()), "device": secrets.token_hex(16)}
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps(value, salt=_SALT),
        max_age=_DEVICE_DAYS * 24 * 3600,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _known_device(request: HttpRequest, user: str) -> str:
    try:
        value = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=_SALT, max_age=_DEVICE_DAYS * 24 * 3600
        )
    except signing.BadSignature:
        return ""
    return value["device"] if value["user"] == user else ""


def _digest_username(username: str) -> str:
    """
    Return the stored form of a name. It is a digest, because people sometimes type their password as the
    name.
    """
    text = unicodedata.normalize("NFKC", username).casefold()
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
