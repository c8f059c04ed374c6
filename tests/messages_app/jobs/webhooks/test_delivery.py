from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.core.clock import database_clock
from messages_app.core.deliveries.attempts import MAX_ATTEMPTS, TAKING
from messages_app.jobs.webhooks import delivery
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookMessage
from messages_app.jobs.webhooks.tasks import forget_old_deliveries, send_webhooks
from tests.messages_app.core.deliveries.products import serving
from tests.messages_app.core.deliveries.receiver import verify_webhook
from tests.messages_app.jobs.webhooks.hooks import bodies, make_due, make_hook
from tests.support.plans import join_by_loops
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


def store(hook: Webhook, **columns: object) -> WebhookDelivery:
    return WebhookDelivery.objects.create(webhook=hook, **{"job": {"job_id": 7}} | columns)


class TestSendDue:
    def test_signs_the_body_and_names_the_delivery(self, receiver):
        stored = store(make_hook(receiver))
        assert delivery.send_due(seconds=30) == 1
        ((headers, body),) = receiver.got
        assert headers["webhook-id"] == f"webhook-{stored.pk}"
        assert verify_webhook(headers, body) == {
            "delivery_id": stored.pk,
            "webhook_id": stored.webhook_id,
            "webhook": "Ends",
            "event": "job_ended",
            "job": {"job_id": 7},
        }
        stored.refresh_from_db()
        assert stored.sent_at
        assert stored.next_at is None

    def test_repeats_a_delivery_that_was_not_accepted_under_the_same_id(self, receiver):
        hook = make_hook(receiver)
        store(hook)
        receiver.status = 503
        assert (delivery.send_due(seconds=30), delivery.send_due(seconds=30)) == (0, 0)
        hook.refresh_from_db()
        assert (len(receiver.got), hook.error) == (1, "127.0.0.1 answered 503.")
        receiver.status = 200
        make_due()
        assert delivery.send_due(seconds=30) == 1
        hook.refresh_from_db()
        assert (hook.error, hook.rests_until) == ("", None)
        assert hook.delivered_at
        assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1

    def test_gives_up_after_the_last_attempt(self, receiver):
        stored = store(make_hook(receiver))
        receiver.status = 500
        for _ in range(MAX_ATTEMPTS + 2):
            delivery.send_due(seconds=30)
            make_due()
        stored.refresh_from_db()
        assert (len(receiver.got), stored.attempts, stored.next_at) == (MAX_ATTEMPTS, MAX_ATTEMPTS, None)

    def test_sends_only_one_delivery_while_a_receiver_fails(self, receiver):
        hook = make_hook(receiver)
        stored = [store(hook) for _ in range(5)]
        receiver.status = 500
        delivery.send_due(seconds=30)
        assert len(receiver.got) == 1
        attempts = WebhookDelivery.objects.filter(pk__in=[each.pk for each in stored]).order_by("pk")
        assert list(attempts.values_list("attempts", flat=True)) == [1, 0, 0, 0, 0]

    def test_puts_back_what_it_does_not_send_in_its_time(self, receiver):
        hook = make_hook(receiver)
        stored = [store(hook) for _ in range(3)]
        taken = dict(delivery.statements.fetch_rows("take_deliveries", TAKING))
        assert delivery._send_all(taken, until=0.0) == 0
        assert receiver.got == []
        untried = WebhookDelivery.objects.filter(pk__in=[each.pk for each in stored], attempts=0)
        assert untried.filter(next_at__lte=Now()).count() == 3

    def test_takes_the_deliveries_that_have_been_due_longest(self, receiver):
        hook = make_hook(receiver)
        stored = [store(hook) for _ in range(3)]
        for each, hours in zip(stored, (1, 3, 2), strict=True):
            WebhookDelivery.objects.filter(pk=each.pk).update(next_at=Now() - timedelta(hours=hours))
        taken = dict(delivery.statements.fetch_rows("take_deliveries", TAKING | {"most": 2}))
        assert taken == {stored[1].pk: 1, stored[2].pk: 1}

    def test_does_not_put_back_what_another_sender_has_taken_since(self, receiver):
        stored = store(make_hook(receiver))
        taken = dict(delivery.statements.fetch_rows("take_deliveries", TAKING))
        make_due()
        assert len(delivery.statements.fetch_rows("take_deliveries", TAKING)) == 1
        before = WebhookDelivery.objects.values("attempts", "next_at").get(pk=stored.pk)
        delivery._send_all(taken, until=0.0)
        assert WebhookDelivery.objects.values("attempts", "next_at").get(pk=stored.pk) == before

    def test_sends_to_others_while_a_receiver_fails(self, receiver):
        dead = make_hook(receiver, name="Dead", url="http://127.0.0.1:9/")
        alive = make_hook(receiver, name="Alive")
        for _ in range(3):
            store(dead)
            store(alive)
        assert delivery.send_due(seconds=30) == 3
        dead.refresh_from_db()
        assert "cannot be reached" in dead.error

    def test_counts_what_it_sends_in_several_batches(self, receiver, monkeypatch):
        monkeypatch.setitem(TAKING, "most", 2)
        hook = make_hook(receiver)
        for _ in range(5):
            store(hook)
        assert delivery.send_due(seconds=30) == 5

    def test_sends_no_deliveries_of_a_disabled_webhook(self, receiver):
        store(make_hook(receiver, enabled=False))
        assert delivery.send_due(seconds=30) == 0
        assert receiver.connections == 0

    def test_calls_only_hosts_and_networks_that_the_settings_name(self, receiver, settings):
        hook = make_hook(receiver)
        store(hook)
        settings.WEBHOOK_NETWORKS = []
        assert delivery.send_due(seconds=30) == 0
        settings.WEBHOOK_HOSTS = ["hooks.example.org"]
        make_due()
        assert delivery.send_due(seconds=30) == 0
        assert receiver.connections == 0
        hook.refresh_from_db()
        assert "HUBCONSOLE_WEBHOOK_HOSTS" in hook.error

    def test_removes_the_messages_of_an_accepted_delivery(self, receiver):
        kept = store(make_hook(receiver, name="Other", enabled=False), job=None, messages=1)
        sent = store(make_hook(receiver, event="messages_final"), job=None, messages=1)
        for each in (kept, sent):
            WebhookMessage.objects.create(delivery_id=each.pk, event_id=1, msg_id=5, state="OK", at=Now())
        delivery.send_due(seconds=30)
        assert list(WebhookMessage.objects.values_list("delivery_id", flat=True)) == [kept.pk]
        assert bodies(receiver)[0]["messages"][0]["msg_id"] == 5


class TestFormats:
    def test_for_people_have_the_job_in_words(self, receiver):
        job = {"job_id": 7, "kind": "restart", "state": "done", "done": 5, "skipped": 1, "failed": 0}
        with serving("slack") as slack:
            store(make_hook(receiver, url=slack.url, format="slack"), job=job)
            assert delivery.send_due(seconds=30) == 1
        (content,) = slack.got
        assert content["text"] == "Job 7 (restart) ended: done"
        assert content["blocks"][1]["text"]["text"] == "Webhook: Ends\nDone: 5\nSkipped: 1\nFailed: 0"

    def test_for_people_name_twenty_messages(self, receiver):
        with serving("teams") as teams:
            hook = make_hook(receiver, url=teams.url, format="teams", event="messages_final")
            stored = store(hook, job=None, messages=22)
            for number in range(22):
                WebhookMessage.objects.create(
                    delivery_id=stored.pk, event_id=number, msg_id=100 + number, state="FAILED", at=Now()
                )
            assert delivery.send_due(seconds=30) == 1
        assert teams.refusals == []
        title, lines = (
            row["inlines"][0]["text"] for row in teams.got[0]["attachments"][0]["content"]["body"]
        )
        assert title == "22 messages reached a final state"
        assert lines.splitlines()[:2] == ["Webhook: Ends", "100: FAILED"]
        assert lines.splitlines()[-2:] == ["119: FAILED", "and 2 more"]

    def test_rest_for_as_long_as_the_receiver_asks(self, receiver):
        before = database_clock()
        with serving("slack") as slack:
            slack.status, slack.retry_after = 429, "600"
            hook = make_hook(receiver, url=slack.url, format="slack")
            store(hook)
            assert delivery.send_due(seconds=30) == 0
        hook.refresh_from_db()
        assert hook.error == "127.0.0.1 answered 429."
        assert 599 <= (hook.rests_until - before).total_seconds() < 620


class TestLimits:
    def test_of_deliveries_taken_or_removed_hold_for_any_plan(self, receiver):
        hook = make_hook(receiver)
        for _ in range(7):
            store(hook)
        join_by_loops()
        assert len(delivery.statements.fetch_rows("take_deliveries", {"pause": 30, "most": 3})) == 3
        WebhookDelivery.objects.update(created_at="2026-01-01T00:00:00Z")
        assert delivery.statements.only_row("forget_deliveries", {"days": 7, "most": 3}) == (3,)
        assert WebhookDelivery.objects.count() == 4


@pytest.mark.django_db(transaction=True)
class TestConcurrentSenders:
    def test_send_each_delivery_once(self, receiver):
        hook = make_hook(receiver)
        for _ in range(30):
            store(hook)
        in_threads(*[lambda: delivery.send_due(seconds=20)] * 3)
        assert len(receiver.got) == 30
        assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 30


class TestTasks:
    def test_send_webhooks_notes_and_sends(self, receiver):
        store(make_hook(receiver))
        send_webhooks()
        assert len(receiver.got) == 1

    def test_forget_old_deliveries_removes_all_of_them_in_several_steps(self, receiver, monkeypatch):
        monkeypatch.setattr(delivery, "_MAX_FORGOTTEN", 2)
        hook = make_hook(receiver)
        for _ in range(5):  # deliveries of jobs, without messages
            store(hook)
        WebhookDelivery.objects.update(created_at="2026-01-01T00:00:00Z")
        forget_old_deliveries()
        assert not WebhookDelivery.objects.exists()

    def test_forget_old_deliveries_removes_them_after_seven_days(self, receiver):
        hook = make_hook(receiver)
        old, young = store(hook), store(hook)
        for each in (old, young):
            WebhookMessage.objects.create(delivery_id=each.pk, event_id=1, msg_id=5, state="OK", at=Now())
        WebhookDelivery.objects.filter(pk=old.pk).update(created_at="2026-01-01T00:00:00Z")
        forget_old_deliveries()
        assert list(WebhookDelivery.objects.values_list("pk", flat=True)) == [young.pk]
        assert list(WebhookMessage.objects.values_list("delivery_id", flat=True)) == [young.pk]
