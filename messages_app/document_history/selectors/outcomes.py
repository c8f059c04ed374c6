"""
The exactly-once statistics: Duplicates and In Doubts, as a list and over time.

Source: docs/contributing/spec/document_history.md, "Statistics".
"""

from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from messages_app.core.charts.slices import SliceCounts, Slices
from messages_app.core.filters.table import Values, make_lookups, range_of, write_values
from messages_app.core.pagination.keyset import Branch, Order
from messages_app.core.pagination.paginator import DEFAULT_PAGE_SIZE, Page, fetch_page
from messages_app.core.statements import Statements
from messages_app.document_history.models import DocumentOutcome, DocumentTrigger
from messages_app.document_history.selectors.entries import STATISTICS
from messages_app.document_history.states import Verdict

statements = Statements("messages_app.document_history")


_NEWEST_FIRST = Order(column="at", key="outcome_id", descending=True)
# Maximum number of triggers of a list, and of rows of a chart.
_MAX_TRIGGERS, _MAX_ROWS = 500, 40_000


def outcome_page(*, values: Values, cursor: str | None = None, page_size: int = DEFAULT_PAGE_SIZE) -> Page:
    """
    Return one page of Duplicates and In Doubts that were not cleared, newest first.

    Args:
        values: of selectors/entries.py STATISTICS.

    Raises:
        Problem: 400, the cursor belongs to another list.
    """
    cleared = _select_triggers(values).values_list("trigger_id", "cleared_at")[:_MAX_TRIGGERS]
    branches = [_branch_of_trigger(values, *one) for one in cleared]
    return fetch_page(
        branches or [Branch(rows=DocumentOutcome.objects.none())],
        order=_NEWEST_FIRST,
        cursor=cursor,
        page_size=page_size,
        scope=str(write_values(STATISTICS, values)),
    )


def _select_triggers(values: Values) -> QuerySet:
    triggers = DocumentTrigger.objects.order_by("pk")
    return triggers.filter(pk=values["trigger_id"]) if "trigger_id" in values else triggers


def _branch_of_trigger(values: Values, trigger_id: str, cleared_at: datetime | None) -> Branch:
    outcomes = DocumentOutcome.objects.all()
    if cleared_at:
        outcomes = outcomes.filter(at__gt=cleared_at)
    plain = make_lookups(STATISTICS, values)
    outcomes = outcomes.filter(**range_of(plain, _NEWEST_FIRST.column))
    return Branch(
        rows=outcomes.filter(**plain),
        constant=("trigger_id", trigger_id),
        # One status may be rare among the others.
        scan=outcomes if "status" in values else None,
    )


def count_outcomes_over_time(
    *, values: Values, start: datetime, stop: datetime, slices: Slices
) -> SliceCounts:
    """Count outcomes that were not cleared, by slice and status, from `start` to `stop`."""
    trigger_ids = list(_select_triggers(values).values_list("pk", flat=True)[:_MAX_TRIGGERS])
    statuses = [values["status"]] if "status" in values else [Verdict.DUPLICATE, Verdict.IN_DOUBT]
    fence = max(1, _MAX_ROWS // (len(statuses) * max(1, len(trigger_ids))))
    parameters = {
        "trigger_ids": trigger_ids,
        "start": start,
        "stop": stop,
        "fence": fence,
        "first": slices.start,
        "step": slices.step.total_seconds(),
    }
    rows = [(status, *row) for status in statuses for row in _count_slices(str(status), parameters)]
    counts = {(number, str(status)): count for status, number, count, _ in rows}
    return SliceCounts(counts=counts, is_cut=any(most >= fence for *_, most in rows))


def _count_slices(status: str, parameters: dict[str, Any]) -> list[tuple[int, int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(statements.read_text("outcome_slices").format(status=Verdict(status)), parameters)
        rows: list[tuple[int, int, int]] = cursor.fetchall()
        return rows
