"""How someone reads in a session: masked at first, and clear for a while after giving a reason."""

from datetime import datetime
from functools import partial
from typing import Protocol, cast

from django.conf import settings
from django.contrib.auth.middleware import get_user
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from messages_app.access import roles


class _Session(Protocol):
    """A session of ours (sessions/store.py), as far as it says what it shows."""

    @property
    def revealed_until(self) -> datetime | None: ...


class Reading:
    """
    How the reader of one request reads, by the session and the rights that the request found.

    Attributes:
        is_withheld: something of this request was masked, left out or refused that a reveal would show.
        lacks_reason: the right that was asked for last is there, and only a reason is missing.
        missing: the right that was asked for last, where the reader does not have it; else empty.
    """

    def __init__(self, request: HttpRequest) -> None:
        self._request = request
        self.is_withheld = False
        self.lacks_reason = False
        self.missing = ""

    @property
    def has_right(self) -> bool:
        return get_user(self._request).has_perm(roles.CAN_VIEW_PAYLOAD)

    @property
    def until(self) -> datetime | None:
        """The time until which values are shown; None if they are masked, or no reason is required."""
        if not settings.REVEAL_MINUTES or not self.has_right:
            return None
        session = cast(_Session, self._request.session)  # by the setting SESSION_ENGINE
        return session.revealed_until

    @property
    def may_reveal(self) -> bool:
        """Whether a reason is all that is missing."""
        return bool(settings.REVEAL_MINUTES) and self.has_right and self.until is None

    def shows_values(self) -> bool:
        """Whether the right to read payloads counts now."""
        self.lacks_reason = self.may_reveal
        if not self.lacks_reason:
            return self.has_right
        self.is_withheld = True
        return False


def reading_of(request: HttpRequest) -> Reading:
    """Return how the reader of a request reads, which ReadingMiddleware has put on it."""
    reading: Reading = request.reading  # type: ignore[attr-defined]  # what middleware adds has no type
    return reading


class SessionReader(SimpleLazyObject):
    """
    The user of a session, who has the right to read payloads only while values are shown.

    Anyone who asks for rights asks this one, so that no page and no call of the API can forget to.
    Source: docs/spec/promises.md, S-59.
    """

    _request: HttpRequest

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(partial(get_user, request))
        self.__dict__["_request"] = request  # an attribute set as usual would be the user's

    @property
    def reading(self) -> Reading:
        return reading_of(self._request)

    def has_perm(self, perm: str, obj: Model | None = None) -> bool:
        reading = self.reading
        if perm == roles.CAN_VIEW_PAYLOAD:
            granted = reading.shows_values()
        else:
            reading.lacks_reason = False
            granted = get_user(self._request).has_perm(perm, obj)
        reading.missing = "" if granted or reading.lacks_reason else perm
        return granted

    def has_perms(self, perms: list[str], obj: Model | None = None) -> bool:
        return all(self.has_perm(perm, obj) for perm in perms)
