"""The names and addresses of the subjects of entries of the audit log."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

from django.urls import reverse
from django.utils.text import capfirst

from messages_app.audit.models import AuditEntry
from messages_app.core.stores import installed_stores


@dataclass(frozen=True, kw_only=True)
class Subject:
    """
    A subject of an entry.

    Args:
        address: the address of its page; empty if it has none.
        is_user: whether it is a user, whose page needs the permission to manage users.
    """

    name: str
    address: str
    is_user: bool = False


# The name and the route of the page, by the column of the entry that has the id. For other kinds of subjects,
# the stores declare them.
_COLUMNS = {
    "msg_id": ("Message", "message-detail"),
    "job_id": ("Job", "job-detail"),
}
_USER = "user"
# The same for kinds of subjects of the console itself.
_KINDS = {
    "error_code": ("Error code", "error-code"),
    "incident": ("Incident", "incident"),
    "service": ("Service", "service"),
    "system": ("System", "system"),
    _USER: ("User", "user"),
}
# Ids from the hub may be long.
_MAX_LENGTH = 20


def subjects_of(entry: AuditEntry) -> Iterator[Subject]:
    """Yield the subjects of an entry; empty for an entry without one, such as a refused list."""
    for column, (word, route) in _COLUMNS.items():
        if (key := getattr(entry, column)) is not None:
            yield _make_subject(word, route, key)
    if entry.subject_kind:
        subject = _make_subject(*_words_of_kind(entry.subject_kind), entry.subject)
        yield replace(subject, is_user=entry.subject_kind == _USER)


def _words_of_kind(kind: str) -> tuple[str, str]:
    """Return the name of a kind, and the route of its page; subjects of some kinds have no page."""
    return subject_kinds().get(kind, (capfirst(kind.replace("_", " ")), ""))


def subject_kinds() -> dict[str, tuple[str, str]]:
    """Return the name and the route of the page of every kind of subject, by the kind."""
    return reduce(or_, (dict(store.subjects) for store in installed_stores()), _KINDS)


def _make_subject(word: str, route: str, key: int | str) -> Subject:
    address = reverse(route, args=[key]) if route else ""
    return Subject(name=f"{word} {_shorten_key(str(key))}", address=address)


def _shorten_key(key: str) -> str:
    return key if len(key) <= _MAX_LENGTH else f"{key[:_MAX_LENGTH]}…"
