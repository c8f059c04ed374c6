"""Changes between the plan of an archive or restore job and its chunks: nothing moves that should not."""

from pathlib import Path

import pytest

from messages_app.jobs.models import LedgerRow
from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageState
from tests.spark_tasks.actions.archives import OLD, YOUNG, message, new_job
from tests.support import factories, jobs
from tests.support.cold import old_message
from tests.support.oracle import Oracle, places
from tests.support.parameters import quick_first

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]

every_target = pytest.mark.parametrize("target", quick_first(["tables", "parquet"]))


@pytest.fixture(autouse=True)
def folder(settings, tmp_path) -> Path:
    settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
    return tmp_path / "archive"


@every_target
class TestOrphans:
    def test_a_request_that_got_a_young_response_stays(self, target):
        answered, alone = (factories.make_request(None, req_timestamp=OLD) for _ in range(2))
        job = new_job(options={"to": target})
        jobs.plan_only(job)
        response = factories.make_response(answered, res_timestamp=YOUNG)
        oracle = Oracle()

        progress = jobs.work(job)

        assert progress.orphans["orphan_requests"] == {"planned": 2, "done": 1, "skipped:moved_on": 1}
        assert places("request")[0] == {answered.req_id}
        assert places("response")[0] == {response.res_id}
        assert alone.req_id not in places("request")[0]
        assert str(oracle.verdict()) == ""

    def test_a_response_whose_message_was_stored_stays(self, target):
        msg_id = factories.next_id()
        owned = factories.make_response(None, res_timestamp=OLD, msg_id=msg_id)
        factories.make_response(None, res_timestamp=OLD)
        job = new_job(options={"to": target})
        jobs.plan_only(job)
        factories.make_message(msg_id=msg_id, state="OK")
        oracle = Oracle()

        progress = jobs.work(job)

        assert progress.orphans["orphan_responses"] == {"planned": 2, "done": 1, "skipped:moved_on": 1}
        assert places("response")[0] == {owned.res_id}
        assert str(oracle.verdict()) == ""


class TestFamilies:
    def test_an_archive_moves_no_relative_that_was_stored_after_it_was_accepted(self):
        parent = message(MessageState.OK)
        job = new_job()
        late = message(MessageState.OK, parent_msg_id=parent.msg_id)

        progress = jobs.work(job)

        assert places("message") == ({parent.msg_id, late.msg_id}, set())
        assert set(LedgerRow.objects.filter(job_id=job.pk).values_list("msg_id", flat=True)) == {
            parent.msg_id
        }
        assert progress.done == 0

    def test_a_restore_leaves_a_family_with_members_archived_later(self):
        head = old_message()
        jobs.run("archive", {})
        job = jobs.new_job("restore", {"state": "OK"})
        jobs.plan_only(job)
        factories.make_archived_message(state="OK", parent_msg_id=head.pk)
        oracle = Oracle()

        jobs.work(job)

        outcomes = dict(LedgerRow.objects.filter(job_id=job.pk).values_list("msg_id", "outcome"))
        assert outcomes == {head.pk: "skipped:family_stays"}
        assert not Message.objects.exists()
        assert str(oracle.verdict()) == ""
