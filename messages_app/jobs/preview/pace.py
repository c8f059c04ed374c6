"""The duration of a job: at its own rate, or at the speed of the last jobs of its kind."""

from dataclasses import dataclass

from django.utils import timezone

from messages_app.core.statements import Statements
from messages_app.jobs.kinds.spec import JobRequest
from messages_app.jobs.models import Job
from messages_app.jobs.preview.estimates import Estimate
from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import JobState

statements = Statements("messages_app.jobs.preview")


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


def start_report(request: JobRequest, *, planned: Estimate, to_do: Estimate) -> SetReport:
    """Return the members of a preview's report that follow from the size of the set."""
    pace = pace_of(request.spec.kind, request.options.get("rate"))
    return {
        "kind": request.spec.kind,
        "at": timezone.now().isoformat(),
        "planned": round(planned.about),
        "to_do": round(to_do.about),
        "planned_between": planned.span,
        "to_do_between": to_do.span,
        "seconds": pace.seconds_for(to_do.about),
        "rate": pace.rate,
        "rate_is_chosen": pace.is_chosen,
    }
