"""
Where sessions are kept (SESSION_ENGINE): a table that knows whose they are, begun and last used when.

A session ends so long after its last use, and so long after it began whatever happens; all by the database's
clock. Its row is the session: without it the next request is no one's.

Source: docs/spec/promises.md, S-55.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import CreateError, SessionBase, UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.http import HttpRequest, HttpResponse

from messages_app.access.actors import address_of
from messages_app.access.models import MAX_BROWSER
from messages_app.access.token_services import digest
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.sessions")


# What a request reports about the use of its session.


# What a page asks for on its own has this header: htmx sends it, and our scripts do.
_BY_ITSELF = "HX-Request"
_READS = {"GET", "HEAD"}


@dataclass(frozen=True, kw_only=True)
class Visit:
    """
    One request, as its session sees it.

    Args:
        address: the peer's; None where it has none.
        browser: what it says it is.
        is_use: someone is there. A page that checks again on its own is not someone.
    """

    address: str | None = None
    browser: str = ""
    is_use: bool = False


def visit_of(request: HttpRequest) -> Visit:
    """Return what `request` tells."""
    told = request.headers.get("User-Agent", "")
    return Visit(
        address=address_of(request),
        browser="".join(filter(str.isprintable, told))[:MAX_BROWSER],
        is_use=request.method not in _READS or _BY_ITSELF not in request.headers,
    )


def longest() -> timedelta:
    """Return how long a session may be, however much it is used."""
    return timedelta(seconds=settings.SESSION_COOKIE_AGE)


def _lengths() -> dict[str, timedelta]:
    return {"longest": longest(), "idle": timedelta(seconds=settings.SESSION_IDLE_AGE)}


class SessionStore(SessionBase):
    """One session, as Django's middleware uses it. `set_expiry` changes nothing: all last as long."""

    visit = Visit()
    _revealed_until: datetime | None = None

    if TYPE_CHECKING:  # the framework's own, which its types leave out
        _session: dict[str, Any]

        def _get_session(self, no_load: bool = False) -> dict[str, Any]: ...

        def _get_new_session_key(self) -> str: ...

    def load(self) -> dict[str, object]:
        """Return what the session holds, and note that it is used."""
        row = statements.row("load_session", {"key": digest(self.session_key)})
        if row is None:
            self._session_key = None
            return {}
        data, is_due, self._revealed_until = row
        if is_due and self.visit.is_use:
            # No row: another request of the session has noted it meanwhile, or ended it.
            statements.count("note_use", {"key": digest(self.session_key)} | _lengths() | self._visitor())
        return self.decode(data)

    @property
    def revealed_until(self) -> datetime | None:
        """Until when it shows values, as the session was read; None where they are masked."""
        self._get_session()  # reads the row, if no one has yet
        return self._revealed_until

    def exists(self, session_key: str) -> bool:
        (exists,) = statements.only_row("session_exists", {"key": digest(session_key)})
        return bool(exists)

    def create(self) -> None:
        """Begin a session under a new key."""
        self._session_key = self._get_new_session_key()
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        """
        Write what the session holds.

        Raises:
            CreateError: `must_create`, and the key is taken.
            UpdateError: the session has ended meanwhile.
        """
        if self.session_key is None:
            return self.create()
        values = self._values(self._get_session(no_load=must_create))
        if not must_create:
            if not statements.count("save_session", values):
                raise UpdateError
        elif not statements.count("insert_session", values | _lengths() | self._visitor()):
            raise CreateError
        return None

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            statements.count("delete_session", {"key": digest(key)})

    def cycle_key(self) -> None:
        """
        Give the session another key. It does not begin again: what is old stays old.

        Raises:
            SessionInterrupted: it has ended meanwhile.
        """
        data = self._session
        if self.session_key is None:
            self.create()
            self._session_cache = data
            return
        new_key = self._get_new_session_key()
        if not statements.count("change_key", {"key": digest(self.session_key), "new_key": digest(new_key)}):
            raise SessionInterrupted("The session ended before the request finished.")
        self._session_key = new_key
        self._revealed_until = None
        self.modified = True

    @classmethod
    def clear_expired(cls) -> None:
        """Remove the rows of sessions that have ended on their own."""
        statements.count("delete_ended", {})

    def _values(self, data: dict[str, object]) -> dict[str, object]:
        return {
            "key": digest(self.session_key),
            "data": self.encode(data),
            "user_id": data.get(SESSION_KEY),
            "password_digest": data.get(HASH_SESSION_KEY, ""),
        }

    def _visitor(self) -> dict[str, str | None]:
        return {"address": self.visit.address, "browser": self.visit.browser}


# Sets the user of the session before anything reads it.


class VisitMiddleware:
    """Is right behind Django's SessionMiddleware. Reads nothing: the session does, if asked."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        session = cast(SessionStore, request.session)  # by the setting SESSION_ENGINE
        session.visit = visit_of(request)
        return self.get_response(request)
