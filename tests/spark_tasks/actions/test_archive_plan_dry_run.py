"""A dry run of an archive job, compared with the run that follows."""

import pytest

from messages_app.jobs.models import Job, JobItem
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import MessageState
from tests.spark_tasks.actions.archives import OLD, archive, message, with_traffic
from tests.support import factories
from tests.support.oracle import Oracle, places

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


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

    @pytest.mark.slow
    def test_writes_nothing_but_the_job(self):
        message(MessageState.OK)
        oracle = Oracle()

        preview = archive(dry_run=True)

        assert oracle.verdict().is_clean
        assert places("message")[1] == set()
        assert not JobItem.objects.filter(job_id=preview.job.pk).exists()
        assert Job.objects.count() == 1
