"""
The archive job from its creation to its ledger, on real Spark, checked by the oracle.

Every known defect of the hub's own procedure is a test here.

Source: docs/contributing/spec/cleverbus.md, "Defects of the archive procedures".
"""

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.jobs.engine import runner
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState
from messages_app.shared.message_states import FINAL_STATES, MessageState, ParentBinding
from tests.spark_tasks.actions.archives import OLD, YOUNG, archive, message, new_job, outcomes, with_traffic
from tests.support import factories
from tests.support.oracle import Oracle, places

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


class TestArchiveJob:
    def test_moves_old_final_messages_with_all_their_rows(self):
        old = {with_traffic(message(state)).msg_id for state in sorted(FINAL_STATES)}
        young = {with_traffic(message(state, YOUNG)).msg_id for state in sorted(FINAL_STATES)}
        oracle = Oracle()

        progress = archive()

        assert oracle.verdict().is_clean
        assert places("message") == (young, old)
        assert progress.job.state == JobState.DONE
        assert (progress.planned, progress.done, progress.skipped, progress.failed) == (3, 3, 0, 0)
        assert progress.moved == {"message": 3, "external_call": 3, "request": 3, "response": 6, "funnel": 3}

    def test_leaves_every_message_that_is_not_final(self):
        kept = {with_traffic(message(state)).msg_id for state in set(MessageState) - FINAL_STATES}
        oracle = Oracle()

        progress = archive()

        assert oracle.verdict().is_clean
        assert places("message") == (kept, set())
        assert progress.planned == 0

    def test_moves_a_final_message_without_last_process_timestamp_by_its_receipt(self):
        lost_by_the_hub = factories.make_message(state=MessageState.OK, receive_timestamp=OLD)
        young = factories.make_message(state=MessageState.OK, receive_timestamp=YOUNG)

        archive()

        assert places("message") == ({young.msg_id}, {lost_by_the_hub.msg_id})

    def test_moves_a_family_of_three_generations_whole(self):
        parent = with_traffic(message(MessageState.OK))
        child = with_traffic(message(MessageState.OK, parent_msg_id=parent.msg_id))
        grandchild = with_traffic(message(MessageState.FAILED, parent_msg_id=child.msg_id))
        oracle = Oracle()

        archive()

        assert oracle.verdict().is_clean
        assert places("message") == (set(), {parent.msg_id, child.msg_id, grandchild.msg_id})

    def test_keeps_a_child_while_its_parent_waits(self):
        parent = message(MessageState.WAITING)
        child = message(MessageState.OK, parent_msg_id=parent.msg_id, parent_binding_type=ParentBinding.HARD)
        sibling = message(MessageState.PARTLY_FAILED, parent_msg_id=parent.msg_id)

        progress = archive()

        assert places("message") == ({parent.msg_id, child.msg_id, sibling.msg_id}, set())
        assert outcomes(progress) == {child.msg_id: "skipped:family_not_final"}

    def test_keeps_an_old_parent_while_a_grandchild_is_young(self):
        parent = message(MessageState.OK)
        child = message(MessageState.OK, parent_msg_id=parent.msg_id)
        message(MessageState.OK, YOUNG, parent_msg_id=child.msg_id)

        progress = archive()

        assert outcomes(progress) == {
            parent.msg_id: "skipped:family_too_young",
            child.msg_id: "skipped:family_too_young",
        }
        assert (progress.planned, progress.skipped) == (2, 2)

    def test_moves_siblings_whose_parent_no_longer_exists(self):
        gone = factories.next_id()
        siblings = {message(MessageState.OK, parent_msg_id=gone).msg_id for _ in range(2)}

        archive()

        assert places("message") == (set(), siblings)

    def test_leaves_and_reports_parents_that_form_a_cycle(self):
        first, second = message(MessageState.OK), message(MessageState.OK)
        Message.objects.filter(pk=first.pk).update(parent_msg_id=second.pk)
        Message.objects.filter(pk=second.pk).update(parent_msg_id=first.pk)
        own_parent = message(MessageState.OK)
        Message.objects.filter(pk=own_parent.pk).update(parent_msg_id=own_parent.pk)

        progress = archive()

        assert set(outcomes(progress).values()) == {"skipped:parent_cycle"}
        assert progress.planned == 3

    def test_moves_old_synchronous_requests_with_their_responses(self):
        old = factories.make_request(None, req_timestamp=OLD)
        factories.make_response(old)
        young = factories.make_request(None, req_timestamp=YOUNG)
        factories.make_response(young)
        answered_late = factories.make_request(None, req_timestamp=OLD)
        factories.make_response(answered_late, res_timestamp=YOUNG)
        oracle = Oracle()

        progress = archive()

        assert oracle.verdict().is_clean
        assert places("request") == ({young.req_id, answered_late.req_id}, {old.req_id})
        assert progress.orphans["orphan_requests"] == {"planned": 1, "done": 1}

    def test_moves_old_responses_without_owner(self):
        old = factories.make_response(None, res_timestamp=OLD)
        young = factories.make_response(None, res_timestamp=YOUNG)
        of_a_gone_message = factories.make_response(None, res_timestamp=OLD, msg_id=factories.next_id())

        archive()

        assert places("response") == ({young.res_id}, {old.res_id, of_a_gone_message.res_id})

    def test_moves_any_number_of_orphans(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO request (res_join_id, uri, req_envelope, req_timestamp)"
                " SELECT n::text, 'http://crm.example', '<x/>', %s FROM generate_series(1, 2500) AS n",
                [OLD],
            )
            cursor.execute(
                "INSERT INTO response (res_envelope, res_timestamp)"
                " SELECT '<x/>', %s FROM generate_series(1, 3700)",
                [OLD],
            )
        oracle = Oracle()

        progress = archive()

        assert oracle.verdict().is_clean
        assert progress.moved == {"request": 2500, "response": 3700}
        assert (places("request")[0], places("response")[0]) == (set(), set())

    def test_keeps_a_response_whose_message_is_live(self):
        running = message(MessageState.PROCESSING)
        response = factories.make_response(None, res_timestamp=OLD, msg_id=running.msg_id)

        archive()

        assert places("response") == ({response.res_id}, set())

    def test_keeps_and_counts_responses_without_owner_and_time(self):
        timeless = factories.make_response(None, res_timestamp=None)

        progress = archive()

        assert places("response") == ({timeless.res_id}, set())
        assert progress.job.report["kept_responses_without_time"] == 1

    def test_moves_a_response_without_time_with_its_request(self):
        owner = message(MessageState.OK)
        factories.make_response(factories.make_request(owner), res_timestamp=None)
        oracle = Oracle()

        archive()

        assert oracle.verdict().is_clean
        assert places("response")[0] == set()

    def test_moves_nothing_exactly_as_old_as_the_limit(self):
        message(MessageState.OK)
        job = new_job()
        at_the_limit = message(MessageState.OK, job.cutoff)

        runner.run_job(job_id=job.pk)

        assert places("message")[0] == {at_the_limit.msg_id}

    def test_leaves_messages_stored_after_the_job_was_accepted(self):
        frozen = message(MessageState.OK)
        job = new_job()
        late = message(MessageState.OK)

        runner.run_job(job_id=job.pk)

        assert places("message") == ({late.msg_id}, {frozen.msg_id})

    def test_archives_a_correlation_id_that_was_archived_before(self):
        message(MessageState.OK, correlation_id="used-again")
        archive()
        message(MessageState.OK, correlation_id="used-again")

        progress = archive()

        assert progress.done == 1
        assert len(places("message")[1]) == 2

    def test_records_who_moved_what_with_every_chunk(self):
        message(MessageState.OK)

        progress = archive()

        entries = AuditEntry.objects.filter(job_id=progress.job.pk).order_by("pk")
        assert [entry.actor for entry in entries] == ["command line (ana)"] * 2
        assert entries[1].details["moved"] == {"message": 1}

    def test_moves_every_column_bit_for_bit(self):
        text = "line\r\n\ttab \U0001f600 \u202e " + "x" * 3_000_000
        message(
            MessageState.FAILED,
            payload=text,
            envelope=text,
            failed_desc=text,
            custom_data=text[:20000],
            node_id=7,
            start_in_queue_timestamp=OLD.replace(microsecond=123457),
        )
        oracle = Oracle()

        archive()

        assert oracle.verdict().is_clean
        assert places("message")[0] == set()
