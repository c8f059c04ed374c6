"""The page of the audit: who did what, when, why, and what was refused."""

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
from messages_app.core.stores import stores

# What an audit entry is about, as pages name it and lead to it: the one list of such things.


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One thing that an entry is about: its name, and the address of its page."""

    name: str
    address: str


# What it is called, and the name of its page's route: by the entry's column that has its id.
# By its kind of subject the stores say it.
_COLUMNS = {
    "msg_id": ("Message", "message-detail"),
    "job_id": ("Job", "job-detail"),
}
# Ids that a hub made up may be long.
_LONGEST = 20


def subjects_of(entry: AuditEntry) -> Iterator[Subject]:
    """Yield what the entry is about; nothing for one that is about no row, such as a refused list."""
    for column, (word, route) in _COLUMNS.items():
        if (key := getattr(entry, column)) is not None:
            yield _subject(word, route, key)
    if entry.subject_kind:
        kinds = reduce(or_, (store.subjects for store in stores()))
        yield _subject(*kinds[entry.subject_kind], entry.subject)


def _subject(word: str, route: str, key: int | str) -> Subject:
    return Subject(name=f"{word} {_short(str(key))}", address=reverse(route, args=[key]))


def _short(key: str) -> str:
    return key if len(key) <= _LONGEST else f"{key[:_LONGEST]}…"


@require_safe
def audit_list(request: HttpRequest) -> HttpResponse:
    page = selectors.entry_page(cursor=single_values(request.GET, ("cursor",)).get("cursor"))
    lines = [(entry, list(subjects_of(entry))) for entry in page.rows]
    return render(request, "messages_app/audit/list.html", {"page": page, "lines": lines})
