"""
The session engine (SESSION_ENGINE): a table with the user, start and last use of each session.

A session ends after a time without use, and at the latest after a maximum age, both by the database's clock.
A session exists only as its row: without the row, the next request is anonymous.

Source: docs/contributing/spec/promises.md, S-55.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypedDict, cast

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.base import CreateError, SessionBase, UpdateError
from django.contrib.sessions.exceptions import SessionInterrupted
from django.http import HttpRequest, HttpResponse

from messages_app.access.actors import address_of
from messages_app.access.models import MAX_BROWSER
from messages_app.access.token_services import digest_key
from messages_app.core.statements import Statements

statements = Statements("messages_app.access.sessions")


# Requests that a page sends automatically have this header: htmx sets it, and so do our scripts.
_BY_ITSELF = "HX-Request"
_READS = {"GET", "HEAD"}
# In the data of a session if the user logged in through an identity provider: its key, and the id of its own
# session.
PROVIDER = "provider"
PROVIDER_SESSION = "provider_session"


@dataclass(frozen=True, kw_only=True)
class Visit:
    """
    The data of a request that its session records.

    Args:
        address: the address of the peer; None if it has none.
        browser: the User-Agent header.
        is_use: whether the request counts as activity of the user. Automatic refreshes of pages do not.
    """

    address: str | None = None
    browser: str = ""
    is_use: bool = False


def visit_of(request: HttpRequest) -> Visit:
    agent = request.headers.get("User-Agent", "")
    return Visit(
        address=address_of(request),
        browser="".join(filter(str.isprintable, agent))[:MAX_BROWSER],
        is_use=request.method not in _READS or _BY_ITSELF not in request.headers,
    )


def maximum_age() -> timedelta:
    """Return the maximum age of a session."""
    return timedelta(seconds=settings.SESSION_COOKIE_AGE)


def _ages_of_sessions() -> dict[str, timedelta]:
    return {"longest": maximum_age(), "idle": timedelta(seconds=settings.SESSION_IDLE_AGE)}


class _Values(TypedDict):
    """The columns of a session that `save_session` and `insert_session` write."""

    key: str
    data: str
    user_id: object
    password_digest: object
    provider_session: object


class SessionStore(SessionBase):
    """
    One session, as Django's middleware uses it. `set_expiry` has no effect, because all sessions last equally
    long.
    """

    visit = Visit()
    _revealed_until: datetime | None = None
    _has_unknown_key = False

    if TYPE_CHECKING:  # Members of Django's class that its types leave out.
        _session: dict[str, Any]

        def _get_session(self, no_load: bool = False) -> dict[str, Any]: ...

        def _get_new_session_key(self) -> str: ...

    def load(self) -> dict[str, object]:
        """Return the data of the session, and record its use."""
        row = statements.fetch_row("load_session", {"key": digest_key(self.session_key)}, prepare=True)
        if row is None:
            self._session_key = None
            self._has_unknown_key = True
            return {}
        data, is_due, self._revealed_until = row
        if is_due and self.visit.is_use:
            # The result is not checked: another request may have recorded the use, or ended the session.
            statements.count(
                "note_use",
                {"key": digest_key(self.session_key)} | _ages_of_sessions() | self._visitor_values(),
            )
        return self.decode(data)

    @property
    def revealed_until(self) -> datetime | None:
        """The time until which the session shows values, as of its load; None if they are masked."""
        self._get_session()  # Reads the row if that has not happened yet.
        return self._revealed_until

    def exists(self, session_key: str) -> bool:
        (exists,) = statements.only_row("session_exists", {"key": digest_key(session_key)})
        return bool(exists)

    def create(self) -> None:
        """Start a session with a new key."""
        self._session_key = self._get_new_session_key()
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        """
        Write the data of the session.

        Raises:
            CreateError: `must_create` is true and the key is taken.
            UpdateError: the session has ended.
        """
        if self.session_key is None:
            self.create()
            return
        values = self._values(self._get_session(no_load=must_create))
        if must_create:
            values_of_new = {**values, **_ages_of_sessions(), **self._visitor_values()}
            if not statements.count("insert_session", values_of_new):
                raise CreateError
        elif not statements.count("save_session", values):
            raise UpdateError

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key is not None:
            statements.count("delete_session", {"key": digest_key(key)})

    def is_empty(self) -> bool:
        """
        Whether the middleware may remove the cookie.

        The cookie of an unknown key stays. A request that was sent before its key was replaced may be
        processed after that, and would remove the new cookie.
        """
        return not self._has_unknown_key and super().is_empty()

    def flush(self) -> None:
        super().flush()
        self._has_unknown_key = False

    def cycle_key(self) -> None:
        """
        Give the session a new key. Its age does not restart, and values are masked again.

        Raises:
            SessionInterrupted: the session has ended.
        """
        data = self._session
        if self.session_key is None:
            self.create()
            self._session_cache = data
            return
        self._change_key(keeps_values=False)
        self._revealed_until = None

    def renew_key(self) -> None:
        """
        Give the session of a user who has proved again who they are a new key. Shown values stay shown.

        Raises:
            SessionInterrupted: the session has ended.
        """
        self._change_key(keeps_values=True)

    def _change_key(self, *, keeps_values: bool) -> None:
        new_key = self._get_new_session_key()
        keys = {"key": digest_key(self.session_key), "new_key": digest_key(new_key)}
        if not statements.count("change_key", keys | {"keeps_values": keeps_values}):
            raise SessionInterrupted("The session ended before the request finished.")
        self._session_key = new_key
        self.modified = True

    @classmethod
    def clear_expired(cls) -> None:
        """Remove the rows of sessions that have expired."""
        statements.count("delete_ended", {})

    def _values(self, data: dict[str, object]) -> _Values:
        return {
            "key": digest_key(self.session_key),
            "data": self.encode(data),
            "user_id": data.get(SESSION_KEY),
            "password_digest": data.get(HASH_SESSION_KEY, ""),
            "provider_session": data.get(PROVIDER_SESSION, ""),
        }

    def _visitor_values(self) -> dict[str, str | None]:
        return {"address": self.visit.address, "browser": self.visit.browser}


class VisitMiddleware:
    """Runs directly after Django's SessionMiddleware. It reads nothing; the session does, on first access."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        session = cast(SessionStore, request.session)  # Guaranteed by the setting SESSION_ENGINE.
        session.visit = visit_of(request)
        return self.get_response(request)
