"""The time limit of a quick preview for all its queries, and the expected duration of a job."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.db import OperationalError, connection

from messages_app.core.clock import time_limit, was_too_slow
from messages_app.core.statements import Statements
from messages_app.jobs.models import Job
from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import JobState

statements = Statements("messages_app.jobs.preview")


Answer = TypeVar("Answer")

# The minimum of any share. Less time is not enough for a query.
_MIN_MS = 30


class Deadline:
    """Divides the remaining time among queries."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def left_ms(self, share: float = 1.0) -> int:
        """Return a share of the remaining milliseconds, at least _MIN_MS."""
        return max(_MIN_MS, int((self._end - time.monotonic()) * 1000 * share))

    def part(self, share: float) -> "Deadline":
        """Return a deadline for a share of the remaining time."""
        return Deadline(max(0.0, self._end - time.monotonic()) * share)

    def within(self, ask: Callable[[], Answer], *, share: float = 1.0) -> Answer | None:
        """Return the result of `ask`, or None if it takes longer than this share of the remaining time."""
        limit = self.left_ms(share)
        try:
            with time_limit(limit), connection.execute_wrapper(_one_limit_for_all(limit)):
                return ask()
        except OperationalError as error:
            if not was_too_slow(error):
                raise
            return None


def _one_limit_for_all(milliseconds: int) -> Callable:
    """Return a wrapper that gives each statement the time that earlier statements have left."""
    end = time.monotonic() + milliseconds / 1000

    def limited(execute: Callable, sql: str, params: object, many: bool, context: dict) -> object:
        left = max(1, int((end - time.monotonic()) * 1000))
        execute("SELECT set_config('statement_timeout', %s, true)", (str(left),), False, context)
        return execute(sql, params, many, context)

    return limited


# The duration of a job: at its own rate, or at the speed of the last jobs of its kind.


_JOBS = 5
_LOOKED_AT = 200
# Fewer messages say little about the speed of many.
MIN_MEASURED = 300


@dataclass(frozen=True, kw_only=True)
class Pace:
    """
    Args:
        rate: messages per second; None: no rate was requested, and jobs of the kind have processed too few
            messages to measure it.
        is_chosen: it is the job's own rate; otherwise it was measured.
    """

    rate: float | None
    is_chosen: bool

    def seconds_for(self, messages: float) -> float | None:
        return None if not self.rate else round(messages / self.rate, 1)


def expected_duration(job: Job, summary: SetReport) -> SetReport:
    """
    Return the expected duration of a job for the report of its dry run: `seconds`, `rate`, `rate_is_chosen`.

    Args:
        summary: has `planned`, and `skipped` by reason.
    """
    pace = pace_of(job.kind, job.rate)
    messages = summary["planned"] - sum(summary["skipped"].values())
    return {"seconds": pace.seconds_for(messages), "rate": pace.rate, "rate_is_chosen": pace.is_chosen}


def pace_of(kind: str, rate: float | None) -> Pace:
    """
    Return the rate of a job: the requested one, but not more than the measured one.

    It is measured while chunks are processed. A job also needs some seconds to start and to plan its set.
    """
    values = {"kind": kind, "done": JobState.DONE, "jobs": _JOBS, "looked_at": _LOOKED_AT}
    messages, seconds = statements.only_row("recent_pace", values)
    measured = messages / seconds if seconds and messages >= MIN_MEASURED else None
    if rate and not (measured and measured < rate):
        return Pace(rate=rate, is_chosen=True)
    return Pace(rate=measured, is_chosen=False)
