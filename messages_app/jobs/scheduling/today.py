"""How many messages a schedule would touch if it ran now: asked of a preview, within its two seconds."""

from dataclasses import dataclass

from django.db import OperationalError

from messages_app.jobs.asking.checking import check_job
from messages_app.jobs.asking.refusals import InvalidJob
from messages_app.jobs.previewing.estimates import Estimate
from messages_app.jobs.previewing.previews import preview_of
from messages_app.jobs.scheduling import relative_times
from messages_app.jobs.scheduling.models import JobSchedule
from messages_app.web.clock import database_clock


@dataclass(frozen=True, kw_only=True)
class Today:
    """
    Args:
        messages: how many its job would change; None where that is not told in time, or it would be refused.
        refusal: why a run would be refused, in a sentence; else empty.
    """

    messages: Estimate | None
    refusal: str = ""


def messages_today(schedule: JobSchedule) -> Today:
    """Return what a run now would do; whether its owner may still make such a job is not asked."""
    filter = relative_times.exact(schedule.filter, now=database_clock())
    try:
        options, kept = check_job(
            kind=schedule.kind, filter=filter, options=schedule.options, reason=schedule.reason, user=None
        )
        report = preview_of(kind=schedule.kind, filter=kept, options=options, user=None).as_report()
    except InvalidJob as error:
        return Today(messages=None, refusal=str(error))
    except OperationalError:
        return Today(messages=None)
    least, most = report["to_do_between"]
    return Today(messages=Estimate(least=least, about=report["to_do"], most=most))
