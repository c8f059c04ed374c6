import threading
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from messages_app.jobs.connections import own_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.webhooks import outbox
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage, WebhookPosition
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.jobs.webhooks.hooks import bodies, make_hook, of_messages, run, told
from tests.support.factories import NOON, make_archived_message, make_message, make_messages
from tests.support.ledgers import store_ledger
from tests.support.plans import join_by_loops
from tests.support.threads import in_threads


def end(**columns: object) -> Job:
    job = Job.objects.create(**{"kind": "restart", "state": "done", "reason": "r"} | columns)
    Job.objects.filter(pk=job.pk).update(finished_at=Now())
    return job


@pytest.mark.django_db
class TestEndedJobs:
    def test_are_reported_once_with_their_numbers(self, receiver):
        hook = make_hook(receiver, created_at=NOON)
        job = Job.objects.create(
            job_id=9001,
            kind="cancel",
            state="stopped",
            reason="r",
            created_at=NOON + timedelta(minutes=1),
            started_at=NOON + timedelta(minutes=2),
            finished_at=NOON + timedelta(minutes=3),
        )
        outcomes = ["done"] * 4 + ["skipped:moved_on"] * 3 + ["failed:too_slow"] * 2 + [None]
        store_ledger(job, dict(enumerate(outcomes, start=1)))
        assert (run(), run()) == (1, 0)
        assert bodies(receiver) == [
            {
                "delivery_id": WebhookDelivery.objects.get().pk,
                "webhook_id": hook.pk,
                "webhook": "Ends",
                "event": "job_ended",
                "job": {
                    "job_id": 9001,
                    "kind": "cancel",
                    "state": "stopped",
                    "dry_run": False,
                    "planned": 10,
                    "done": 4,
                    "skipped": 3,
                    "failed": 2,
                    "created_at": "2026-11-01T12:01:00Z",
                    "finished_at": "2026-11-01T12:03:00Z",
                },
            }
        ]

    def test_that_end_when_the_webhook_is_created_or_later_are_reported(self, receiver):
        make_hook(receiver, created_at=NOON)
        second = timedelta(seconds=1)
        jobs = [
            Job.objects.create(kind="cancel", state="done", reason="r", finished_at=at)
            for at in (NOON - second, NOON, NOON + second)
        ]
        run()
        assert [body["job"]["job_id"] for body in bodies(receiver)] == [job.pk for job in jobs[1:]]

    def test_without_a_time_of_their_end_are_not_reported(self, receiver):
        assert not outbox._is_for_job(make_hook(receiver), Job(kind="restart"))

    @pytest.mark.parametrize(
        "columns", [{"state": "failed"}, {"state": "stopped"}, {"state": "planned", "dry_run": True}]
    )
    def test_are_reported_whatever_their_end(self, receiver, columns):
        make_hook(receiver)
        end(**columns)
        run()
        assert bodies(receiver)[0]["job"]["state"] == columns["state"]

    def test_are_reported_only_after_their_end(self, receiver):
        make_hook(receiver)
        Job.objects.create(kind="restart", state="running", reason="r")
        assert run() == 0

    def test_of_other_kinds_and_of_the_time_before_are_not(self, receiver):
        before = end(kind="cancel")
        make_hook(receiver, kinds=["cancel"])
        Job.objects.filter(pk=before.pk).update(finished_at=Now() - timedelta(hours=1))
        end(kind="restart")
        mine = end(kind="cancel")
        run()
        assert [body["job"]["job_id"] for body in bodies(receiver)] == [mine.pk]

    def test_are_not_kept_for_a_webhook_that_is_disabled(self, receiver):
        hook = make_hook(receiver, enabled=False)
        end()
        run()
        Webhook.objects.filter(pk=hook.pk).update(enabled=True)
        assert run() == 0

    @pytest.mark.parametrize("is_planned_badly", [False, True])
    def test_that_are_many_are_noted_in_bounded_steps(self, receiver, monkeypatch, is_planned_badly):
        monkeypatch.setattr(outbox, "_JOBS_A_STEP", 3)
        if is_planned_badly:
            join_by_loops()
        make_hook(receiver)
        for _ in range(7):
            end()
        assert [outbox.note_ended_jobs() for _ in range(3)] == [True, True, False]
        assert WebhookDelivery.objects.count() == 7

    def test_are_noted_by_an_index(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO job (kind, state, filter, options, dry_run, reason, created_by, attempt,"
                " paused_for, report, error, finished_at, is_end_noted)"
                " SELECT 'restart', 'done', '{}', '{}', false, '', '', 1, '', '{}', '', now(), n > 5"
                "   FROM generate_series(1, 20000) AS n"
            )
            cursor.execute("ANALYZE job")
            cursor.execute(f"EXPLAIN {outbox.statements.read_text('note_ends')}", {"most": 200})
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "job_end_idx" in plan
        assert "Seq Scan" not in plan


@pytest.mark.django_db(transaction=True)
class TestFinalMessages:
    @pytest.fixture(autouse=True)
    def _position(self):
        """The row of a migration, which the end of a test of this kind empties."""
        WebhookPosition.objects.get_or_create(id=1)

    def end(self, *messages: Message, state: str = "FAILED") -> None:
        Message.objects.filter(pk__in=[each.pk for each in messages]).update(state=state)

    def test_are_reported_with_the_state_that_they_reached(self, receiver):
        of_messages(receiver)
        first, second, third = (make_message(state="PROCESSING") for _ in range(3))
        self.end(first, state="OK")
        self.end(second, state="FAILED")
        self.end(third, state="CANCEL")
        self.end(second, state="PARTLY_FAILED")
        assert (run(), run()) == (1, 0)
        assert told(receiver) == [(first.pk, "OK"), (second.pk, "FAILED"), (third.pk, "CANCEL")]
        times = (
            MessageEvent.objects.order_by("event_id")
            .values_list("at", flat=True)
            .filter(to_state__in=["OK", "FAILED", "CANCEL"])
        )
        (body,) = bodies(receiver)
        assert body["messages"] == [
            {"msg_id": message.pk, "state": state, "at": at.isoformat()}
            for message, state, at in zip(
                (first, second, third), ("OK", "FAILED", "CANCEL"), times, strict=True
            )
        ]
        assert (body["event"], body["webhook"]) == ("messages_final", "Final")

    def test_are_reported_again_when_they_end_again(self, receiver):
        of_messages(receiver)
        message = make_message(state="PROCESSING")
        for state in ("FAILED", "PARTLY_FAILED", "FAILED"):
            self.end(message, state=state)
        run()
        assert told(receiver) == [(message.pk, "FAILED")] * 2

    def test_of_other_states_and_filters_are_not_reported(self, receiver):
        filter = {"service_name": "billing", "source_system": "CRM"}
        of_messages(receiver, states=["FAILED"], filter=filter)
        mine, other, third, fourth = (
            make_message(state="PROCESSING", service_name=service, source_system=source)
            for service, source in (
                ("billing", "CRM"),
                ("billing", "ERP"),
                ("shop", "CRM"),
                ("billing", "CRM"),
            )
        )
        self.end(mine, other, third)
        self.end(fourth, state="OK")
        run()
        assert told(receiver) == [(mine.pk, "FAILED")]

    def test_that_are_archived_meanwhile_match_too(self, receiver):
        old = make_archived_message(service_name="billing")
        assert outbox.matching_ids({"service_name": "billing"}, [old.pk, 777]) == {old.pk}

    @pytest.mark.parametrize("is_read_before", [False, True])
    def test_from_before_the_webhook_are_not_reported(self, receiver, is_read_before):
        self.end(make_message(state="PROCESSING"))
        if is_read_before:
            run()
        of_messages(receiver)
        later = make_message(state="PROCESSING")
        self.end(later, state="OK")
        run()
        assert told(receiver) == [(later.pk, "OK")]

    def test_of_a_transaction_that_commits_late_are_not_missed(self, receiver):
        """Its rows in the history have smaller numbers than others that were read before."""
        of_messages(receiver)
        late, early = (make_message(state="PROCESSING") for _ in range(2))
        with psycopg.connect(own_dsn()) as other:
            other.execute("UPDATE message SET state = 'FAILED' WHERE msg_id = %s", [late.pk])
            self.end(early)
            run()
            assert told(receiver) == []
            other.commit()
        run()
        assert sorted(told(receiver)) == sorted([(late.pk, "FAILED"), (early.pk, "FAILED")])

    def test_are_reported_after_the_database_was_restored_on_a_server_with_smaller_numbers(self, receiver):
        of_messages(receiver)
        run()
        WebhookPosition.objects.update(mark_xid=2**50)
        message = make_message(state="PROCESSING")
        self.end(message)
        for _ in range(3):
            run()
        assert told(receiver) == [(message.pk, "FAILED")]

    def test_of_a_transaction_that_is_rolled_back_are_not_reported(self, receiver):
        of_messages(receiver)
        message, other_message = (make_message(state="PROCESSING") for _ in range(2))
        with psycopg.connect(own_dsn()) as other:
            other.execute("UPDATE message SET state = 'FAILED' WHERE msg_id = %s", [message.pk])
            other.rollback()
        self.end(other_message)
        run()
        assert told(receiver) == [(other_message.pk, "FAILED")]

    def test_that_are_many_are_reported_in_batches_and_noted_in_steps(self, receiver, monkeypatch):
        monkeypatch.setattr(outbox, "EVENTS_A_STEP", 700)
        of_messages(receiver)
        make_messages(1_800)
        Message.objects.update(state="PROCESSING")
        Message.objects.update(state="FAILED")
        assert run() > 0
        sizes = [len(body["messages"]) for body in bodies(receiver)]
        assert max(sizes) <= 500
        assert len(told(receiver)) == len(set(told(receiver))) == 1_800
        assert not WebhookMessage.objects.exists()

    def test_are_noted_once_by_processes_at_the_same_time(self, receiver):
        of_messages(receiver)
        messages = [make_message(state="PROCESSING") for _ in range(20)]
        self.end(*messages)
        gate = threading.Barrier(4)

        def note() -> None:
            gate.wait()
            outbox.note_events(seconds=10)

        in_threads(*[note] * 4)
        run()
        assert sorted(told(receiver)) == sorted((each.pk, "FAILED") for each in messages)

    def test_that_end_when_the_webhook_is_created_or_later_are_reported(self, receiver):
        messages = [make_message(state="PROCESSING") for _ in range(3)]
        for message in messages:
            self.end(message)
        second = MessageEvent.objects.get(msg_id=messages[1].pk, to_state="FAILED")
        of_messages(receiver, created_at=second.at)
        run()
        assert told(receiver) == [(message.pk, "FAILED") for message in messages[1:]]

    def test_that_are_gone_meanwhile_are_reported_without_a_filter(self, receiver):
        of_messages(receiver)
        make_hook(receiver, event="messages_final", name="Billing", filter={"service_name": "billing"})
        message = make_message(state="PROCESSING", service_name="billing")
        self.end(message)
        Message.objects.all().delete()
        run()
        assert [(body["webhook"], body["messages"][0]["msg_id"]) for body in bodies(receiver)] == [
            ("Final", message.pk)
        ]

    def test_are_not_looked_up_if_no_change_has_a_wanted_state(self, receiver):
        of_messages(receiver, states=["CANCEL"], filter={"service_name": "billing"})
        self.end(make_message(state="PROCESSING", service_name="billing"))
        with CaptureQueriesContext(connection) as queries:
            outbox.note_events(seconds=30)
        assert [query["sql"] for query in queries if 'FROM "message"' in query["sql"]] == []
        assert not WebhookDelivery.objects.exists()

    def test_without_a_webhook_move_the_position_only_if_there_are_some(self):
        self.end(make_message(state="PROCESSING"))
        outbox.note_messages()
        with CaptureQueriesContext(connection) as queries:
            assert outbox.note_messages() is False
        assert [query["sql"] for query in queries if "UPDATE webhook_position" in query["sql"]] == []

    def test_cost_nothing_without_a_webhook(self):
        messages = [make_message(state="PROCESSING") for _ in range(3)]
        self.end(*messages)
        assert outbox.note_messages() is False
        assert not WebhookMessage.objects.exists()
        position = WebhookPosition.objects.get()
        assert position.read_to == position.safe_to == position.mark_to > 0
