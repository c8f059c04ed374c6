from datetime import timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.jobs.webhooks import views
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery
from tests.messages_app.core.deliveries.receiver import verify_webhook
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.page_tables import read_table, read_texts

pytestmark = pytest.mark.django_db

ADDRESS = "/webhooks/"
TABLE = "Webhooks, by name"
URL = "https://hooks.example.org/in/a-secret"


def make_hook(name: str, **columns: object) -> Webhook:
    return Webhook.objects.create(name=name, url=URL, **({"event": "job_ended"} | columns))


class TestWebhookList:
    def test_shows_what_calls_each_webhook(self):
        make_hook("ends")
        make_hook("nights", kinds=["archive", "restore"], enabled=False)
        make_hook(
            "orders",
            event="messages_final",
            states=["FAILED"],
            filter={"service_name": "billing", "source_system": "CRM"},
        )
        page = client_of("admin").get(ADDRESS)
        assert [line["Webhook"].text.split()[0] for line in read_table(page, TABLE)] == [
            "ends",
            "nights",
            "orders",
        ]
        assert read_texts(page, TABLE, "Called when", "Only") == [
            ("a job has ended", "all"),
            ("a job has ended", "Kind archive, restore"),
            ("messages reached a final state", "State FAILED , Service billing , Source system CRM"),
        ]
        assert ["off" in line["Webhook"].text for line in read_table(page, TABLE)] == [False, True, False]

    def test_hides_the_secret_part_of_the_address(self):
        make_hook("ends")
        page = client_of("admin").get(ADDRESS)
        assert read_texts(page, TABLE, "Address") == [("https://hooks.example.org/••• Standard Webhooks",)]
        assert "a-secret" not in text_of(page)

    def test_shows_the_state_of_the_last_delivery(self):
        now = database_clock()
        make_hook("a new one")
        make_hook("b works", delivered_at=now - timedelta(minutes=3, seconds=20))
        make_hook(
            "c failed",
            delivered_at=now - timedelta(hours=2, minutes=5),
            error="It answered 503.",
            rests_until=now + timedelta(seconds=20),
        )
        page = client_of("admin").get(ADDRESS)
        none, works, failed = (text for (text,) in read_texts(page, TABLE, "Last delivery"))
        assert none == "none yet"
        assert works == "accepted 3 min ago"
        assert failed.startswith("failed It answered 503. next ")
        assert failed.endswith("last accepted 2 h ago")

    def test_counts_the_deliveries_that_wait(self, monkeypatch):
        now = database_clock()
        make_hook("a")
        second, third = make_hook("b"), make_hook("c")
        for hook, due in ((second, now), (second, now + timedelta(hours=1)), (second, None), (third, now)):
            WebhookDelivery.objects.create(webhook=hook, messages=500, next_at=due)
        client = client_of("admin")
        assert read_texts(client.get(ADDRESS), TABLE, "Waiting") == [("0",), ("2",), ("1",)]
        monkeypatch.setattr(views, "MAX_WAITING", 2)
        assert read_texts(client.get(ADDRESS), TABLE, "Waiting") == [("0",), ("at least 1",), ("at least 1",)]

    def test_reads_no_delivery_that_was_sent(self):
        hook = make_hook("a")
        rows = [WebhookDelivery(webhook=hook, next_at=None) for _ in range(3_000)]
        WebhookDelivery.objects.bulk_create(rows)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE webhook_delivery")
            cursor.execute(
                f"EXPLAIN {views.statements.read_text('count_waiting')}", {"most": views.MAX_WAITING}
            )
            plan = "\n".join(line for (line,) in cursor.fetchall())
        assert "webhook_delivery_due_idx" in plan
        assert "Seq Scan" not in plan

    def test_says_how_to_add_the_first_one(self):
        text = text_of(client_of("admin").get(ADDRESS))
        assert "No webhooks yet" in text
        assert "POST /api/v1/webhooks/" in text

    def test_is_for_users_who_may_change_webhooks(self):
        operator, admin = client_of("operator", username="olga"), client_of("admin")
        assert operator.get(ADDRESS).status_code == 403
        for page in ("/watch-rules/", "/alerts/"):
            assert f'href="{ADDRESS}"' not in text_of(operator.get(page))
            assert f'href="{ADDRESS}"' in text_of(admin.get(page))


class TestSendATest:
    def test_reaches_the_receiver_and_is_recorded(self, receiver):
        hook = make_hook("ends")
        Webhook.objects.update(url=receiver.url)
        answer = client_of("admin").post(f"/webhooks/{hook.pk}/test/")
        assert notices_of(answer)[-1] == "Test sent to ends."
        ((headers, body),) = receiver.got
        assert verify_webhook(headers, body) == {"event": "test", "name": "ends", "actor": "ada"}
        entry = AuditEntry.objects.get(action="test_webhook")
        assert (entry.subject_kind, entry.subject, entry.details["error"]) == ("webhook", str(hook.pk), "")
        assert "team=ops" not in str(entry.details)

    def test_says_why_it_was_not_sent(self, receiver):
        hook = make_hook("ends")
        answer = client_of("admin").post(f"/webhooks/{hook.pk}/test/")
        assert "hooks.example.org is not listed in HUBCONSOLE_WEBHOOK_HOSTS" in notices_of(answer)[-1]

    def test_is_for_users_who_may_change_webhooks(self, receiver):
        hook = make_hook("ends")
        assert client_of("operator").post(f"/webhooks/{hook.pk}/test/").status_code == 403
        assert client_of("admin", username="root").post("/webhooks/777/test/").status_code == 404
        assert receiver.got == []
