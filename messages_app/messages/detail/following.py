"""
How the open page of a message follows the message: it asks for itself with its version, and the answer has no
content while the version is the same.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import OperationalError
from django.http import HttpRequest

from messages_app.core.clock import database_clock, time_limit
from messages_app.core.statements import Statements
from messages_app.messages.attachment import has_indexes

statements = Statements("messages_app.messages.detail")


HEADER = "X-Message-Version"


_MAX_MILLISECONDS = 500
_CALLS = 50
_CHILDREN = 1000
# An open message is shown again after this time even if nothing about it was written: its explanation depends
# on other messages and on the time.
_SECONDS_OF_OPEN = 30
_OPEN_MARK = "open-"


@dataclass(frozen=True, kw_only=True)
class Following:
    """
    How a page asks for its message.

    Args:
        version: that of the page.
        is_ended: whether nothing is expected to change, so that the page asks less often and stops.
    """

    version: str
    is_ended: bool


def version_of(msg_id: int) -> str:
    """
    Return a text that changes with everything that the page shows about a message, its rows and family; empty
    if it cannot be read in time, as behind a lock.
    """
    # Without its index, a hub would be scanned for the children.
    values = {"msg_id": msg_id, "most": _CALLS, "children": _CHILDREN if has_indexes() else 0}
    try:
        with time_limit(_MAX_MILLISECONDS):
            version: str = statements.only_row("version", values)[0]
    except OperationalError:
        return ""
    return version


def make_following(version: str, *, at: datetime, is_ended: bool) -> Following:
    """Return how the page of this version asks; that of an open message is valid for a while only."""
    mark = "" if is_ended else f"{_OPEN_MARK}{_period_of(at)}-"
    return Following(version=mark + version, is_ended=is_ended)


def is_unchanged(request: HttpRequest, version: str) -> bool:
    """Return whether the page that asks has this version."""
    page_version = request.headers.get(HEADER, "")
    if not version:
        return False
    if not page_version.startswith(_OPEN_MARK):
        return page_version == version
    return page_version == f"{_OPEN_MARK}{_period_of(database_clock())}-{version}"


def _period_of(at: datetime) -> int:
    return int(at.timestamp()) // _SECONDS_OF_OPEN
