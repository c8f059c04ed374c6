"""The page of the audit log, and the names and addresses of the subjects of entries."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from messages_app.audit import selectors
from messages_app.audit.models import AuditEntry
from messages_app.core.parameters import single_values
from messages_app.core.stores import installed_stores


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A subject of an entry: its name, and the address of its page."""

    name: str
    address: str


# The name and the route of the page, by the column of the entry that has the id. For other kinds of subjects,
# the stores declare them.
_COLUMNS = {
    "msg_id": ("Message", "message-detail"),
    "job_id": ("Job", "job-detail"),
}
# The same for kinds of subjects of the console itself.
_KINDS = {
    "incident": ("Incident", "incident"),
    "service": ("Service", "service"),
    "system": ("System", "system"),
    "user": ("User", "user"),
}
# Ids from the hub may be long.
_MAX_LENGTH = 20


def subjects_of(entry: AuditEntry) -> Iterator[Subject]:
    """Yield the subjects of an entry; empty for an entry without one, such as a refused list."""
    for column, (word, route) in _COLUMNS.items():
        if (key := getattr(entry, column)) is not None:
            yield _make_subject(word, route, key)
    if entry.subject_kind:
        kinds = reduce(or_, (dict(store.subjects) for store in installed_stores()), _KINDS)
        yield _make_subject(*kinds[entry.subject_kind], entry.subject)


def _make_subject(word: str, route: str, key: int | str) -> Subject:
    return Subject(name=f"{word} {_shorten_key(str(key))}", address=reverse(route, args=[key]))


def _shorten_key(key: str) -> str:
    return key if len(key) <= _MAX_LENGTH else f"{key[:_MAX_LENGTH]}…"


@require_safe
def audit_list(request: HttpRequest) -> HttpResponse:
    page = selectors.entry_page(cursor=single_values(request.GET, ("cursor",)).get("cursor"))
    lines = [(entry, list(subjects_of(entry))) for entry in page.rows]
    return render(request, "messages_app/audit/list.html", {"page": page, "lines": lines})
