"""Reads of the audit log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from messages_app.audit.models import AuditEntry
from messages_app.core.filters.table import (
    Filter,
    filters_by_name,
    make_lookups,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_id
from messages_app.core.lists.branches import Indexes, Part, branch_of
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Order, Page, fetch_page
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")


ENTRIES = filters_by_name(
    text_filter("actor", 150),
    text_filter("token_name", 60),
    text_filter("action", 40),
    Filter(name="outcome", lookup="outcome", parse=parse_choice, choices=tuple(AuditEntry.Outcome.values)),
    Filter(name="msg_id", lookup="msg_id", parse=parse_id),
    Filter(name="job_id", lookup="job_id", parse=parse_id),
    text_filter("request_id", 36),
    *time_range("at"),
)


# The number of newest entries that are searched for recent actions.
_LOOKED_AT = 10_000
_NEWEST_FIRST = Order(column="entry_id", key="entry_id", descending=True)
_INDEXES = Indexes(columns={(AuditEntry, "entry_id"): ("msg_id", "job_id")})


def entry_page(
    *,
    values: Mapping[str, object] | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
) -> Page:
    """
    Return one page of audit entries, newest first.

    Args:
        values: the values of the filters in ENTRIES.

    Raises:
        Problem: 400, the cursor is of another list.
    """
    values = values or {}
    entries = Part(AuditEntry.objects.all(), make_lookups(ENTRIES, values), indexes=_INDEXES)
    return fetch_page(
        [branch_of(entries, _NEWEST_FIRST, ranges=())],
        order=_NEWEST_FIRST,
        cursor=cursor,
        page_size=page_size,
        scope=str(write_values(ENTRIES, values)) if values else "",
    )


def entries_about(subject_kind: str, subject: str, *, most: int = 20) -> list[AuditEntry]:
    """Return the newest entries about one subject of a kind of audit/views.py, at most `most`."""
    entries = AuditEntry.objects.filter(subject_kind=subject_kind, subject=subject)
    return list(entries.order_by("-entry_id")[:most])


@dataclass(frozen=True, kw_only=True)
class ActByHand:
    """The actions of one person on single messages, without a job: action, number of messages, last time."""

    actor: str
    action: str
    messages: int
    last: datetime


@dataclass(frozen=True, kw_only=True)
class ActsByHand:
    """
    Actions since a moment. `is_whole`: whether the entries that were searched reach back to that moment.
    """

    acts: list[ActByHand]
    is_whole: bool


def acts_by_hand(since: datetime, *, actions: Sequence[str]) -> ActsByHand:
    """
    Return the actions of people on single messages since a moment, by person and action, the latest first.
    """
    values = {"since": since, "actions": list(actions), "fence": _LOOKED_AT}
    rows = statements.fetch_rows("acts_by_hand", values)
    acts = [
        ActByHand(actor=actor, action=action, messages=messages, last=last)
        for actor, action, messages, last, _ in rows
        if actor is not None
    ]
    return ActsByHand(acts=acts, is_whole=all(is_whole for *_, is_whole in rows))
