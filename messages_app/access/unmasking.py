"""
Masked and clear values: a session shows values masked, or clear for a while after its user gives a reason.
"""

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
    """The session class of sessions/store.py, as far as this module needs it."""

    @property
    def revealed_until(self) -> datetime | None: ...


class Reading:
    """
    Whether the user of a request sees clear values, by the session and the permissions at its start.

    Attributes:
        is_withheld: the request masked, left out or refused something that a reason would reveal.
        lacks_reason: the user has the permission that was checked last, and only a reason is missing.
        missing: the permission that was checked last if the user lacks it; else empty.
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
        session = cast(_Session, self._request.session)  # Guaranteed by the setting SESSION_ENGINE.
        return session.revealed_until

    @property
    def may_reveal(self) -> bool:
        """Whether only a reason is missing."""
        return bool(settings.REVEAL_MINUTES) and self.has_right and self.until is None

    def may_show_values(self) -> bool:
        """Whether the permission to view payloads is effective now."""
        self.lacks_reason = self.may_reveal
        if not self.lacks_reason:
            return self.has_right
        self.is_withheld = True
        return False


def reading_of(request: HttpRequest) -> Reading:
    """Return the Reading that ReadingMiddleware has set on a request."""
    reading: Reading = request.reading  # type: ignore[attr-defined]  # what middleware adds has no type
    return reading


class SessionReader(SimpleLazyObject):
    """
    The user of a session, who has the permission to view payloads only while the session shows values.

    All permission checks of pages and calls use this object, so none of them can forget the rule.

    Source: docs/contributing/spec/promises.md, S-59.
    """

    _request: HttpRequest

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(partial(get_user, request))
        self.__dict__["_request"] = request  # A plain attribute would be set on the user.

    @property
    def reading(self) -> Reading:
        return reading_of(self._request)

    def has_perm(self, perm: str, obj: Model | None = None) -> bool:
        reading = self.reading
        if perm == roles.CAN_VIEW_PAYLOAD:
            granted = reading.may_show_values()
        else:
            reading.lacks_reason = False
            granted = get_user(self._request).has_perm(perm, obj)
        reading.missing = "" if granted or reading.lacks_reason else perm
        return granted

    def has_perms(self, perms: list[str], obj: Model | None = None) -> bool:
        return all(self.has_perm(perm, obj) for perm in perms)
