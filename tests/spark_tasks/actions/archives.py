"""Archive jobs run in the test's own process, as a worker would, and messages old enough for them."""

import datetime as dt

from django.utils import timezone

from messages_app.jobs.engine import runner
from messages_app.jobs.models import Job, LedgerRow
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import Message
from tests.support import factories
from tests.support.jobs import ANA

OLD = timezone.now() - dt.timedelta(days=100)
YOUNG = timezone.now() - dt.timedelta(days=5)


def new_job(
    *,
    filter: dict[str, object] | None = None,
    options: dict[str, object] | None = None,
    dry_run: bool = False,
) -> Job:
    return create_job(
        kind="archive",
        filter=filter or {},
        options=options or {},
        dry_run=dry_run,
        reason="test",
        actor=ANA,
        user=None,
    )


def archive(**options: object) -> JobProgress:
    """Run an archive job in this process, as a worker would."""
    dry_run = bool(options.pop("dry_run", False))
    job = new_job(options=options, dry_run=dry_run)
    runner.run_job(job_id=job.pk)
    return job_progress(job.pk)


def message(state: str, at: dt.datetime | None = OLD, **columns: object) -> Message:
    return factories.make_message(
        state=state, receive_timestamp=at or OLD, last_process_timestamp=at, **columns
    )


def with_traffic(owner: Message) -> Message:
    """Give a message one row of each kind that hangs on it."""
    factories.make_external_call(owner)
    request = factories.make_request(owner)
    factories.make_response(request, msg_id=None)
    factories.make_response(None, msg_id=owner.msg_id, res_timestamp=owner.receive_timestamp)
    factories.make_funnel(owner, funnel_value=f"customer-{owner.msg_id}")
    return owner


def outcomes(progress: JobProgress) -> dict[int, str]:
    return dict(LedgerRow.objects.filter(job_id=progress.job.pk).values_list("msg_id", "outcome"))
