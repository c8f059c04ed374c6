"""How long a job will take: at its rate, or as fast as the last ones of its kind were."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from messages_app.jobs.models import Job
from messages_app.jobs.previewing.sql import statement
from messages_app.jobs.states import JobState

_JOBS = 5
_LOOKED_AT = 200


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Args:
        rate: messages a second; None where no job of the kind has run yet and no rate was chosen.
        is_chosen: it is the job's own rate, else it was measured.
    """

    rate: float | None
    is_chosen: bool

    def seconds_for(self, messages: float) -> float | None:
        return None if not self.rate else round(messages / self.rate, 1)


def expected(job: Job, summary: Mapping[str, object]) -> dict[str, object]:
    """
    Return how long a job will take, for the report of its dry run: `seconds`, `rate` and `rate_is_chosen`.

    Args:
        summary: has `planned`, and `skipped` by reason.
    """
    pace = pace_of(job.kind, job.rate)
    messages = summary["planned"] - sum(summary["skipped"].values())
    return {"seconds": pace.seconds_for(messages), "rate": pace.rate, "rate_is_chosen": pace.is_chosen}


def pace_of(kind: str, rate: float | None) -> Pace:
    """Return the pace of a job: never above what was measured."""
    with connection.cursor() as cursor:
        values = {"kind": kind, "done": JobState.DONE, "jobs": _JOBS, "looked_at": _LOOKED_AT}
        cursor.execute(statement("recent_pace"), values)
        messages, seconds = cursor.fetchone()
    measured = messages / seconds if seconds else None
    if rate and not (measured and measured < rate):
        return Pace(rate=rate, is_chosen=True)
    return Pace(rate=measured, is_chosen=False)
