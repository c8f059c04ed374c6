import psycopg
import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.core.statements import Statements
from messages_app.erasure.keys import Key
from messages_app.jobs.models import Job, JobChunk, JobItem
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import ArchiveMessage, Message
from tests.messages_app.erasure.runs import dry_run, run, run_beside, waiting
from tests.support import factories
from tests.support.eventually import eventually
from tests.support.subjects import (
    KEY,
    OTHER,
    RECORDS,
    changed_since,
    holding,
    make_message,
    rows_without,
    to_archive,
    with_traffic,
)
from tests.support.workers import database_of_tests

task_statements = Statements("spark_tasks")


pytestmark = pytest.mark.django_db(transaction=True)

TRAFFIC = {"external_call": 1, "request": 1, "response": 2, "funnel": 1}


def hold_by_job(message: Message, *, kind: str = "cancel", state: str = "queued") -> Job:
    """Store a job that includes the message and has not processed it yet."""
    job = Job.objects.create(kind=kind, state=state, reason="x", created_by="ada")
    JobChunk.objects.create(job_id=job.pk, chunk_no=0, content="messages", planned=1)
    JobItem.objects.create(
        job_id=job.pk, chunk_no=0, msg_id=message.pk, root_msg_id=message.pk, old_state=message.state
    )
    return job


class TestEraseMessages:
    @pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
    def test_leaves_no_row_of_the_subject_and_every_row_of_others(self, is_archived):
        mine = [with_traffic(make_message(state=state)) for state in ("OK", "FAILED", "CANCEL")]
        theirs = with_traffic(make_message(OTHER), OTHER)
        if is_archived:
            to_archive(*mine, theirs)
        group_new_failures()
        before = rows_without(KEY)

        found = run()

        assert holding(KEY) == {}
        prefix = "archive_" if is_archived else ""
        counts = {f"{prefix}{table}": 3 * rows for table, rows in TRAFFIC.items()}
        assert counts.items() <= found.rows.items()
        assert found.rows[f"{prefix}message"] == 3
        assert (found.left, found.again) == ([], {})
        changed = changed_since(before, KEY)
        assert set(changed) <= RECORDS | {"failure_group", "failure_member"}
        assert not changed["audit_entry"][0]

    def test_takes_them_out_of_deliveries_of_webhooks_that_were_not_sent(self):
        mine, theirs = with_traffic(make_message(state="OK")), with_traffic(make_message(OTHER), OTHER)
        hook = Webhook.objects.create(name="f", url="https://hooks.example.org/", event="messages_final")
        stored = WebhookDelivery.objects.create(webhook=hook, messages=2)
        for event_id, message in enumerate((mine, theirs)):
            WebhookMessage.objects.create(
                delivery_id=stored.pk, event_id=event_id, msg_id=message.pk, state="OK", at=Now()
            )

        found = run()

        assert found.rows["webhook_message"] == 1
        assert list(WebhookMessage.objects.values_list("msg_id", flat=True)) == [theirs.pk]

    @pytest.mark.parametrize("column", ["object_id", "process_id", "correlation_id", "funnel_value"])
    @pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
    def test_finds_a_message_by_each_column_that_names_a_subject(self, column, is_archived):
        message = make_message(**{"object_id": None, column: KEY})
        if is_archived:
            to_archive(message)
        assert run().rows["archive_message" if is_archived else "message"] == 1
        assert holding(KEY) == {}

    @pytest.mark.parametrize("is_archived", [False, True], ids=["live", "archived"])
    def test_finds_a_message_by_a_call_and_by_a_funnel_value(self, is_archived):
        called, waited = make_message(object_id=None), make_message(object_id=None)
        factories.make_external_call(called, entity_id=KEY, operation_name="direct:a")
        factories.make_funnel(waited, funnel_value=KEY)
        if is_archived:
            to_archive(called, waited)
        assert run().rows["archive_message" if is_archived else "message"] == 2
        assert holding(KEY) == {}

    def test_erases_all_descendants_live_and_archived_and_keeps_the_parent(self):
        parent = make_message(OTHER, payload="<a/>")
        found = make_message(parent_msg_id=parent.pk)
        child = with_traffic(make_message(object_id=None, parent_msg_id=found.pk))
        archived = make_message(object_id=None, parent_msg_id=child.pk)
        to_archive(archived)

        erased = run()

        assert list(Message.objects.values_list("pk", flat=True)) == [parent.pk]
        assert not ArchiveMessage.objects.exists()
        assert erased.parents == [parent.pk]
        assert holding(KEY) == {}

    def test_ends_if_parents_form_a_cycle(self):
        first = make_message()
        second = make_message(object_id=None, parent_msg_id=first.pk)
        Message.objects.filter(pk=first.pk).update(parent_msg_id=second.pk)
        assert run().rows["message"] == 2
        assert not Message.objects.exists()

    @pytest.mark.parametrize(
        ("state", "way_out"),
        [
            ("NEW", "cancel it, or wait until it is final"),
            ("PARTLY_FAILED", "cancel it, or wait until it is final"),
            ("POSTPONED", "cancel it, or wait until it is final"),
            # The rules of CleverBus do not allow a cancel in these states.
            ("IN_QUEUE", "wait until it is final"),
            ("PROCESSING", "wait until it is final"),
            ("WAITING", "wait until it is final"),
        ],
    )
    def test_leaves_a_message_that_is_not_final_and_names_it(self, state, way_out):
        open_one = with_traffic(make_message(state=state))
        done = make_message()

        found = run()

        assert list(Message.objects.values_list("pk", flat=True)) == [open_one.pk]
        assert found.rows["message"] == 1
        [(place, name, why)] = found.left
        assert (place, name) == ("message", str(open_one.pk))
        assert why == f"it is {state}: {way_out}"
        assert holding(KEY)["external_call"] == 1
        assert not Message.objects.filter(pk=done.pk).exists()

    def test_keeps_a_whole_branch_with_a_message_that_is_not_final(self):
        top = make_message()
        middle = make_message(object_id=None, parent_msg_id=top.pk)
        low = make_message(object_id=None, parent_msg_id=middle.pk, state="WAITING")
        found = run()
        assert set(found.left) == {
            ("message", str(top.pk), "one of its child messages is kept"),
            ("message", str(low.pk), "it is WAITING: wait until it is final"),
        }
        assert (found.rows, found.again, found.parents) == ({}, {}, [])
        assert Message.objects.count() == 3

    @pytest.mark.parametrize("kind", ["cancel", "restart", "archive", "restore", "export"])
    def test_leaves_a_message_that_a_job_has(self, kind):
        message = make_message()
        job = hold_by_job(message, kind=kind)
        why = f"job {job.pk} includes it: wait for that job, or stop it"
        assert run().left == [("message", str(message.pk), why)]
        assert Message.objects.count() == 1

    def test_erases_a_message_of_an_ended_job(self):
        job = hold_by_job(make_message(), state="done")
        Job.objects.filter(pk=job.pk).update(finished_at=job.created_at)
        assert run().rows["message"] == 1

    def test_removes_the_example_of_its_failures_from_their_group(self):
        make_message(state="FAILED", failed_desc="Dear Ada Lovelace, no address", failed_error_code="E103")
        group_new_failures()
        assert FailureGroup.objects.get().example == "Dear Ada Lovelace, no address"
        run()
        assert FailureGroup.objects.get().example == "[erased]"

    def test_keeps_a_message_of_the_same_id_elsewhere_that_is_another_subjects(self):
        mine = make_message()
        to_archive(mine)
        make_message(OTHER, msg_id=mine.pk)
        assert run().rows["archive_message"] == 1
        assert Message.objects.get().object_id == OTHER

    def test_erases_thousands_page_by_page(self):
        factories.make_messages(1_300)
        make_message(OTHER)
        Message.objects.exclude(object_id=OTHER).update(object_id=KEY)
        assert run().rows["message"] == 1_300
        assert Message.objects.get().object_id == OTHER

    def test_waits_while_a_plan_is_written(self):
        make_message()
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as planning:
            planning.execute(task_statements.read_text("lock_plans_together"))
            erasing = run_beside()
            eventually(lambda: waiting() == 1)
            assert Message.objects.count() == 1
            planning.rollback()
        assert erasing.result().left == []
        assert not Message.objects.exists()

    @pytest.mark.parametrize("kind", ["cancel", "export"])
    def test_leaves_a_message_that_a_plan_has_taken_since_it_was_judged(self, kind):
        message = make_message()
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as planning:
            planning.execute(task_statements.read_text("lock_plans_together"))
            erasing = run_beside()
            eventually(lambda: waiting() == 1)
            job = hold_by_job(message, kind=kind)
            planning.rollback()
        assert f"job {job.pk} includes it" in str(erasing.result().left)
        assert Message.objects.get().pk == message.pk

    def test_is_in_the_audit_with_only_the_digest(self):
        message = with_traffic(make_message())
        to_archive(with_traffic(make_message()), with_traffic(make_message()))
        Message.objects.filter(pk=message.pk).update(state="CANCEL")
        run()
        entries = AuditEntry.objects.order_by("pk").filter(action="erase_subject")
        archived = {f"archive_{table}": 2 * rows for table, rows in TRAFFIC.items()}
        expected = [{**TRAFFIC, "message": 1, "message_event": 1}, archived | {"archive_message": 2}]
        assert [entry.details for entry in entries] == [
            {"subject": Key(KEY).digest, "rows": rows} for rows in expected
        ]
        for entry in entries:
            assert (entry.actor, entry.reason, entry.outcome) == ("ada", "asked by letter", "done")
            assert (entry.msg_id, entry.job_id, entry.before_state, entry.after_state) == (None, None, "", "")

    def test_finds_nothing_the_second_time(self):
        with_traffic(make_message())
        run()
        second = run()
        assert (second.rows, second.left) == ({}, [])
        assert AuditEntry.objects.filter(action="erase_subject").count() == 1


class TestWouldErase:
    def test_changes_nothing_and_shows_what_a_run_does(self, erased_list):
        with_traffic(make_message(state="FAILED"))
        top = make_message()
        make_message(parent_msg_id=top.pk)
        # Found again by the search in the archive.
        to_archive(make_message(), make_message(parent_msg_id=top.pk))
        make_message(state="WAITING")
        group_new_failures()
        before = rows_without("no such text")

        would = dry_run()

        assert changed_since(before, "no such text") == {}
        assert not erased_list.exists()
        did = run()
        assert (would.rows, would.left) == (did.rows, did.left)
        assert (did.rows["message"], did.rows["archive_message"], len(did.left)) == (3, 2, 1)
