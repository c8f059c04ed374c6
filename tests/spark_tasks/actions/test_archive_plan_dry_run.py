"""A dry run of an archive job, compared with the run that follows."""

import pytest

from messages_app.jobs.connections import spark_address
from messages_app.jobs.drivers.archive import _archive_scope
from messages_app.jobs.models import Job, JobItem
from messages_app.shared.job_records import SetReport
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState
from spark_tasks.actions.archive_plan import preview_archive, preview_large_set
from spark_tasks.plans.archive import plan_bounds
from spark_tasks.session import spark_session
from tests.spark_tasks.actions.archives import OLD, archive, message, new_job, with_traffic
from tests.support import factories
from tests.support.oracle import Oracle, places
from tests.support.parameters import quick_first

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def both_previews(filter: dict[str, object]) -> tuple[SetReport, SetReport]:
    """Return the preview of the small set, and that of the same set counted like a large one."""
    scope = _archive_scope(new_job(filter=filter, dry_run=True))
    with spark_session(spark_address()) as spark:
        bounds = plan_bounds(scope)
        return preview_archive(spark, scope=scope), preview_large_set(spark, scope=scope, bounds=bounds)


class TestDryRun:
    def test_predicts_exactly_what_the_run_then_does(self):
        parent = with_traffic(message(MessageState.OK))
        with_traffic(message(MessageState.OK, parent_msg_id=parent.msg_id))
        blocked = message(MessageState.WAITING)
        message(MessageState.FAILED, parent_msg_id=blocked.msg_id)
        factories.make_response(factories.make_request(None, req_timestamp=OLD))

        preview = archive(dry_run=True)
        run = archive()

        assert preview.job.state == JobState.PLANNED
        assert preview.job.report["planned"] == run.planned == 3
        assert preview.job.report["skipped"] == {"family_not_final": 1}
        assert run.outcomes == [("done", 2), ("skipped:family_not_final", 1)]
        assert preview.job.report["would_move"] == run.moved

    @pytest.mark.parametrize("filter", quick_first([{"service_name": "billing"}, {}]))
    def test_of_few_messages_counts_as_that_of_many(self, filter):
        parent = with_traffic(message(MessageState.OK))
        for _ in range(12):
            with_traffic(message(MessageState.CANCEL, parent_msg_id=parent.msg_id))
        with_traffic(message(MessageState.FAILED, service_name="shop"))
        blocked = message(MessageState.WAITING, service_name="shop")
        message(MessageState.FAILED, parent_msg_id=blocked.msg_id)
        factories.make_response(factories.make_request(None, req_timestamp=OLD))

        few, many = both_previews(filter)

        assert few == many
        assert few["planned"] == (15 if not filter else 14)
        assert few["skipped"] == {"family_not_final": 1}
        assert len(few["samples"]) == 10

    def test_of_a_hub_without_families_counts_too(self):
        for state in (MessageState.OK, MessageState.FAILED, MessageState.NEW):
            with_traffic(message(state))

        few, many = both_previews({})

        assert few == many
        assert (few["planned"], few["by_state"]) == (2, {"OK": 1, "FAILED": 1})

    @pytest.mark.slow
    def test_writes_only_the_job(self):
        message(MessageState.OK)
        oracle = Oracle()

        preview = archive(dry_run=True)

        assert oracle.verdict().is_clean
        assert places("message")[1] == set()
        assert not JobItem.objects.filter(job_id=preview.job.pk).exists()
        assert Job.objects.count() == 1
