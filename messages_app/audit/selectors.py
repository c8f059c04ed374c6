"""Reads of the audit log."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.postgres.search import SearchQuery, SearchVectorExact
from django.db.models import Q

from messages_app.audit.folding import is_newest_of_fold
from messages_app.audit.models import REASON_WORDS, AuditEntry
from messages_app.core.filters.table import (
    Filter,
    filters_by_name,
    make_lookups,
    range_of,
    text_filter,
    time_range,
    write_values,
)
from messages_app.core.filters.values import parse_choice, parse_id, parse_text
from messages_app.core.lists.branches import Indexes, Part, branch_of, is_few
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Order, Page, fetch_page
from messages_app.core.problems import bad_field
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")

# The columns that the API and files have, in this order.
COLUMNS = (
    "entry_id",
    "at",
    "actor",
    "actor_id",
    "token_name",
    "address",
    "request_id",
    "action",
    "outcome",
    "msg_id",
    "job_id",
    "subject_kind",
    "subject",
    "before_state",
    "after_state",
    "reason",
    "details",
)

ENTRIES = filters_by_name(
    text_filter("actor", 150),
    text_filter("token_name", 60),
    text_filter("action", 40),
    Filter(name="outcome", lookup="outcome", parse=parse_choice, choices=tuple(AuditEntry.Outcome.values)),
    Filter(name="msg_id", lookup="msg_id", parse=parse_id),
    Filter(name="job_id", lookup="job_id", parse=parse_id),
    text_filter("subject_kind", 20),
    text_filter("subject", 200),
    text_filter("request_id", 36),
    Filter(
        name="reason_contains",
        lookup="",
        parse=parse_text,
        max_length=100,
        description="Words of the reason, in any order; a word can be incomplete at its end.",
    ),
    *time_range("at"),
)


# The number of newest entries that are searched for recent actions.
_LOOKED_AT = 10_000
_NEWEST_FIRST = Order(column="at", key="entry_id", descending=True)
# The most selective first.
_INDEXES = Indexes(
    columns={(AuditEntry, "at"): ("request_id", "token_name", "actor", "action", "outcome")},
    in_none=frozenset({AuditEntry.Outcome.DONE}),
)
# The number of newest entries about a subject that are searched for its last change.
_MAX_ABOUT = 100
_WORD = re.compile(r"[^\W_]+")


def entry_page(
    *,
    values: Mapping[str, object] | None = None,
    cursor: str | None = None,
    page_size: int = DEFAULT_PAGE_SIZE,
    is_folded: bool = False,
) -> Page:
    """
    Return one page of audit entries, newest first.

    Args:
        values: the values of the filters in ENTRIES.
        is_folded: of entries that belong together (folding.py), only the newest.

    Raises:
        Problem: 400, the cursor is of another list, or the reason to find has no words.
    """
    values = values or {}
    lookups = make_lookups(ENTRIES, values)
    has_words = _find_words(str(values["reason_contains"])) if "reason_contains" in values else Q()
    bounds = range_of(lookups, "at")
    constants = {name: value for name, value in lookups.items() if name not in bounds}
    matching = AuditEntry.objects.filter(has_words)
    # The index of words has only entries with a reason, so it does not serve the other form.
    indexed = matching.exclude(reason="") if has_words else matching
    entries = Part(indexed, constants, bounds, indexes=_INDEXES, probed=matching)
    if is_folded:
        entries = _fold_entries(entries)
    return fetch_page(
        [branch_of(entries, _NEWEST_FIRST, ranges=())],
        order=_NEWEST_FIRST,
        cursor=cursor,
        page_size=page_size,
        scope=f"{'folded ' if is_folded else ''}{write_values(ENTRIES, values) if values else ''}",
    )


def _fold_entries(entries: Part[AuditEntry]) -> Part[AuditEntry]:
    """Return the newest entries of folds. The planner expects too much of their condition to tell a few."""
    probed = entries.others if entries.probed is None else entries.probed
    is_newest = is_newest_of_fold(probed.filter(**entries.constants, **entries.bounds))
    has_filter = bool(entries.rows.query.where)
    return replace(
        entries,
        others=entries.others.filter(is_newest),
        probed=probed.filter(is_newest),
        is_few=has_filter and is_few(entries.rows, _NEWEST_FIRST, ()),
    )


def _find_words(text: str) -> Q:
    """Return the condition that the reason has words with these beginnings."""
    words = _WORD.findall(text)
    if not words:
        raise bad_field("reason_contains", "invalid_value", "reason_contains needs a letter or a digit.")
    query = SearchQuery(" & ".join(f"'{word}':*" for word in words), config="simple", search_type="raw")
    return Q(SearchVectorExact(REASON_WORDS, query))


def entries_about(subject_kind: str, subject: str, *, most: int = 20) -> list[AuditEntry]:
    """Return the newest entries about one subject of a kind of audit/subjects.py, at most `most`."""
    entries = AuditEntry.objects.filter(subject_kind=subject_kind, subject=subject)
    return list(entries.order_by("-entry_id")[:most])


def last_entry_about(subject_kind: str, subject: str, action: str) -> AuditEntry | None:
    """Return the newest entry of a successful action on a subject; None if it is not a recent one."""
    entries = entries_about(subject_kind, subject, most=_MAX_ABOUT)
    is_done = AuditEntry.Outcome.DONE
    return next((entry for entry in entries if entry.action == action and entry.outcome == is_done), None)


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
