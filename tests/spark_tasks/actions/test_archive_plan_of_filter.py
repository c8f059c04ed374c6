"""The archive job of a filter: its messages, and their families with them."""

import datetime as dt

import pytest
from django.utils import timezone

from messages_app.jobs.engine import runner
from messages_app.jobs.selectors import JobProgress, job_progress
from messages_app.jobs.services.create import create_job
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.support.factories import make_message, make_request
from tests.support.jobs import ANA
from tests.support.oracle import Oracle, places

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

OLD = timezone.now() - dt.timedelta(days=100)
RECENT = timezone.now() - dt.timedelta(hours=1)


def message(state: str, at: dt.datetime = OLD, **columns: object) -> Message:
    return make_message(state=state, receive_timestamp=at, last_process_timestamp=at, **columns)


def archive(filter: dict[str, object], **options: object) -> JobProgress:
    job = create_job(
        kind="archive",
        filter=filter,
        options=options,
        dry_run=bool(options.pop("dry_run", False)),
        reason="test",
        actor=ANA,
        user=None,
    )
    runner.run_job(job_id=job.pk)
    return job_progress(job.pk)


class TestArchiveOfFilter:
    def test_moves_old_final_messages_that_the_filter_finds(self):
        moved = {message(state, service_name="billing").pk for state in ("OK", "FAILED")}
        kept = {
            message("OK", service_name="crm").pk,
            message("OK", RECENT, service_name="billing").pk,
            message("PROCESSING", service_name="billing").pk,
        }
        make_request(None, req_timestamp=OLD)
        oracle = Oracle()

        progress = archive({"service_name": "billing"})

        assert oracle.verdict().is_clean
        assert places("message") == (kept, moved)
        assert (progress.planned, progress.done, progress.orphans) == (2, 2, {})

    def test_takes_an_age_limit_as_well(self):
        old, young = (message("OK", at, service_name="billing").pk for at in (OLD, RECENT))

        archive({"service_name": "billing"}, older_than_months=2)

        assert places("message") == ({young}, {old})

    def test_includes_the_family(self):
        parent = message("OK", service_name="crm")
        child = message("OK", service_name="billing", parent_msg_id=parent.pk)
        sibling = message("CANCEL", service_name="stock", parent_msg_id=parent.pk)
        oracle = Oracle()

        progress = archive({"service_name": "billing"})

        assert oracle.verdict().is_clean
        assert places("message") == (set(), {parent.pk, child.pk, sibling.pk})
        assert (progress.planned, progress.done) == (3, 3)

    def test_leaves_a_family_with_a_member_in_progress(self):
        parent = message(MessageState.WAITING, service_name="crm")
        child = message("OK", service_name="billing", parent_msg_id=parent.pk)

        progress = archive({"service_name": "billing"})

        assert places("message") == ({parent.pk, child.pk}, set())
        assert progress.outcomes == [("skipped:family_not_final", 1)]

    def test_counts_the_family_in_its_preview(self):
        parent = message("OK", service_name="crm")
        message("OK", service_name="billing", parent_msg_id=parent.pk)

        progress = archive({"service_name": "billing"}, dry_run=True)

        assert (progress.planned, progress.job.report["would_move"]["message"]) == (2, 2)
