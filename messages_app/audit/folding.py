"""
Entries of the audit log that belong together, which the page shows as one line.

A fold has the entries of a job, or those of an API token within an hour, or those of one request with the
same action, outcome and reason, as of a bulk action. Its line is at the newest of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import DateTimeField, Exists, ExpressionWrapper, Func, OuterRef, Q, QuerySet, Value

from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements

statements = Statements("messages_app.audit")

# The maximum number of entries of a fold that are counted.
MAX_COUNTED = 500

_IS_OF_TOKEN = Q(job_id=None) & ~Q(token_name="")
_IS_OF_REQUEST = Q(job_id=None, token_name="") & ~Q(request_id="")


def is_newest_of_fold(entries: QuerySet[AuditEntry]) -> Q:
    """Return the condition that an entry has no newer one of its fold among `entries`."""
    is_later = Q(at__gt=OuterRef("at")) | Q(at=OuterRef("at"), entry_id__gt=OuterRef("entry_id"))
    # Repeated, because no index serves an alternative.
    since = Q(at__gte=OuterRef("at"))
    hour = Func(
        Value("hour"), OuterRef("at"), Value("UTC"), function="date_trunc", output_field=DateTimeField()
    )
    next_hour = ExpressionWrapper(hour + timedelta(hours=1), output_field=DateTimeField())
    of_job = entries.filter(job_id=OuterRef("job_id"), entry_id__gt=OuterRef("entry_id"))
    of_token = entries.filter(
        _IS_OF_TOKEN, since, is_later, at__lt=next_hour, **_match_columns("token_name", "actor")
    )
    of_request = entries.filter(
        _IS_OF_REQUEST, since, is_later, **_match_columns("request_id", "action", "outcome", "reason")
    )
    return (
        (Q(job_id__isnull=False) & ~Exists(of_job))
        | (_IS_OF_TOKEN & ~Exists(of_token))
        | (_IS_OF_REQUEST & ~Exists(of_request))
        | Q(job_id=None, token_name="", request_id="")
    )


def _match_columns(*columns: str) -> dict[str, OuterRef]:
    return {column: OuterRef(column) for column in columns}


@dataclass(frozen=True, kw_only=True)
class Step:
    """The entries of a fold with the same action and outcome."""

    action: str
    outcome: str
    entries: int


@dataclass(frozen=True, kw_only=True)
class Fold:
    """
    All entries of one line of the page, for any filter.

    Args:
        first_at: the time of the oldest.
        steps: the first step first.
    """

    first_at: datetime
    steps: Sequence[Step]

    @property
    def entries(self) -> int:
        return sum(step.entries for step in self.steps)

    @property
    def refused(self) -> int:
        return sum(step.entries for step in self.steps if step.outcome == AuditEntry.Outcome.REFUSED)

    @property
    def is_cut(self) -> bool:
        """Whether there may be more entries than were counted."""
        return self.entries >= MAX_COUNTED


def folds_of(entries: Iterable[AuditEntry]) -> Mapping[int, Fold]:
    """Return the folds with several entries, by the id of the newest entry."""
    values = {"entries": [entry.pk for entry in entries], "most": MAX_COUNTED}
    steps: dict[int, list[Step]] = defaultdict(list)
    began: dict[int, datetime] = {}
    for entry_id, action, outcome, count, first_at in statements.fetch_rows("folds", values):
        steps[entry_id].append(Step(action=action, outcome=outcome, entries=count))
        began.setdefault(entry_id, first_at)
    folds = {
        entry_id: Fold(first_at=began[entry_id], steps=tuple(parts)) for entry_id, parts in steps.items()
    }
    return {entry_id: fold for entry_id, fold in folds.items() if fold.entries > 1}
