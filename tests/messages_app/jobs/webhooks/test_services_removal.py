"""A webhook is removed while its sender works on its deliveries."""

import threading

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.core.deliveries.attempts import TAKING
from messages_app.jobs.webhooks import delivery, services
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from tests.messages_app.jobs.webhooks.hooks import make_hook
from tests.support.eventually import eventually
from tests.support.histories import ADA
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
_IS_WAITED_FOR = "SELECT count(*) > 0 FROM pg_locks WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))"


def store(hook: Webhook) -> WebhookDelivery:
    """Store a delivery of one message that is due."""
    stored = WebhookDelivery.objects.create(webhook=hook, messages=1)
    WebhookMessage.objects.create(delivery_id=stored.pk, event_id=1, msg_id=5, state="OK", at=Now())
    return stored


def is_waited_for() -> bool:
    """Return whether another session waits for a lock of this one."""
    with connection.cursor() as cursor:
        cursor.execute(_IS_WAITED_FOR)
        return cursor.fetchone()[0]


def without_waiting(work) -> object:
    """Do something; it fails if it waits for a lock."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '1s'")
    return work()


def remove(hook: Webhook) -> None:
    services.delete_webhook(webhook_id=hook.pk, actor=ADA, reason="gone")


class TestRemoval:
    @pytest.mark.parametrize(("status", "sent"), [(200, 1), (503, 0)])
    def test_lets_the_sender_wait_and_not_the_other_way_round(self, receiver, status, sent):
        hook = make_hook(receiver, event="messages_final")
        store(hook)
        receiver.status = status
        locked = threading.Event()

        def remove_while_it_is_sent() -> None:
            with transaction.atomic():
                # The first lock of the request, before it removes.
                Webhook.objects.select_for_update(no_key=True).get(pk=hook.pk)
                locked.set()
                eventually(is_waited_for)
                remove(hook)

        def send() -> int:
            locked.wait(30)
            return delivery.send_due(seconds=30)

        assert in_threads(remove_while_it_is_sent, send) == [None, sent]
        assert len(receiver.got) == 1
        assert not Webhook.objects.exists()
        assert not WebhookDelivery.objects.exists()
        assert not WebhookMessage.objects.exists()
        assert AuditEntry.objects.filter(action="delete_webhook").count() == 1

    def test_does_not_delay_what_is_put_back(self, receiver):
        gone, kept = make_hook(receiver, name="Gone"), make_hook(receiver, name="Kept")
        for hook in (gone, kept):
            store(hook)
        taken = dict(delivery.statements.fetch_rows("take_deliveries", TAKING))
        assert len(taken) == 2
        with transaction.atomic():
            remove(gone)
            assert in_threads(lambda: without_waiting(lambda: delivery._send_all(taken, until=0.0))) == [0]
        [attempts] = WebhookDelivery.objects.values_list("attempts", flat=True)
        assert attempts == 0

    def test_does_not_delay_the_end_of_the_retention_time(self, receiver):
        gone, kept = make_hook(receiver, name="Gone"), make_hook(receiver, name="Kept")
        for hook in (gone, kept):
            store(hook)
        WebhookDelivery.objects.update(created_at="2026-01-01T00:00:00Z")
        with transaction.atomic():
            remove(gone)
            assert in_threads(lambda: without_waiting(delivery.forget_old_deliveries)) == [None]
        assert not WebhookDelivery.objects.exists()
        assert not WebhookMessage.objects.exists()


class TestRecords:
    def test_are_of_a_webhook_that_was_changed_while_they_waited(self, receiver):
        hook = make_hook(receiver)
        stored = store(hook)
        locked = threading.Event()

        def change() -> None:
            with transaction.atomic():
                Webhook.objects.filter(pk=hook.pk).update(name="Renamed", error="old")
                locked.set()
                eventually(is_waited_for)

        def send() -> int:
            locked.wait(30)
            return delivery.send_due(seconds=30)

        assert in_threads(change, send) == [None, 1]
        hook.refresh_from_db()
        stored.refresh_from_db()
        assert (hook.name, hook.error) == ("Renamed", "")
        assert hook.delivered_at
        assert stored.sent_at
