"""Bodies of the webhook calls, compared as a whole, with a value of its own in each column."""

import json
from datetime import datetime, timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import NOON

pytestmark = pytest.mark.django_db

FINAL = {
    "name": "Final messages",
    "url": "http://127.0.0.1:9/secret",
    "format": "teams",
    "event": "messages_final",
    "states": ["FAILED", "OK"],
    "filter": {"service_name": "billing"},
}


def minute(number: int) -> datetime:
    return NOON + timedelta(minutes=number)


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def written(*columns: str) -> list[dict[str, object]]:
    """Return the entries of the audit log about webhooks, oldest first."""
    entries = AuditEntry.objects.filter(subject_kind="webhook").order_by("entry_id")
    return list(entries.values("actor", "action", "outcome", "subject", "reason", "details", *columns))


def entry(action: str, hook_id: int, **columns: object) -> dict[str, object]:
    return {"actor": "ada", "action": action, "outcome": "done", "subject": str(hook_id)} | columns


class TestWebhook:
    @pytest.mark.parametrize(
        "columns",
        [
            {"event": "job_ended", "kinds": ["archive", "cancel"], "states": [], "filter": {}},
            {"event": "messages_final", "kinds": [], "states": ["FAILED"], "filter": {"service_name": "a"}},
        ],
    )
    @pytest.mark.parametrize("enabled", [True, False])
    def test_has_each_value_of_its_own_column(self, admin, columns, enabled):
        hook = Webhook.objects.create(
            webhook_id=9001,
            name="Ends",
            url="https://hooks.example/in",
            format="slack",
            enabled=enabled,
            created_at=minute(1),
            delivered_at=minute(2),
            error="hooks.example answered 503.",
            rests_until=minute(3),
            **columns,
        )
        expected = {
            "webhook_id": 9001,
            "name": "Ends",
            "url": "https://hooks.example/in",
            "format": "slack",
            "enabled": enabled,
            "created_at": "2026-11-01T12:01:00Z",
            "delivered_at": "2026-11-01T12:02:00Z",
            "error": "hooks.example answered 503.",
            "rests_until": "2026-11-01T12:03:00Z",
            **columns,
        }
        assert admin.get(f"webhooks/{hook.pk}/").json() == expected
        assert admin.get("webhooks/").json()["results"] == [expected]

    def test_are_listed_by_name(self, admin):
        for name in ("b", "c", "a"):
            Webhook.objects.create(name=name, url="https://hooks.example/in", event="job_ended")
        assert [hook["name"] for hook in admin.get("webhooks/").json()["results"]] == ["a", "b", "c"]


@pytest.mark.usefixtures("receiver")
class TestChanges:
    def test_of_creation_are_stored_and_recorded(self, admin):
        body = admin.post("webhooks/", FINAL | {"enabled": False, "reason": "for ops"}).json()
        stored = Webhook.objects.get()
        assert body == FINAL | {
            "webhook_id": stored.pk,
            "enabled": False,
            "kinds": [],
            "created_at": stored.created_at.isoformat().replace("+00:00", "Z"),
            "delivered_at": None,
            "error": "",
            "rests_until": None,
        }
        assert {name: getattr(stored, name) for name in FINAL} == FINAL
        assert not stored.enabled
        details = {
            "webhook": "Final messages",
            "name": "Final messages",
            "url": "http://127.0.0.1:9/•••",
            "format": "teams",
            "event": "messages_final",
            "states": "['FAILED', 'OK']",
            "filter": "{'service_name': 'billing'}",
            "enabled": False,
        }
        assert written() == [entry("create_webhook", stored.pk, reason="for ops", details=details)]

    def test_replace_every_column_that_they_name(self, admin):
        hook = Webhook.objects.create(**FINAL)
        changes = {
            "name": "Ended jobs",
            "url": "http://127.0.0.1:9/another",
            "format": "standard",
            "event": "job_ended",
            "enabled": False,
            "kinds": ["cancel"],
            "states": [],
            "filter": {},
        }
        answer = admin.send(
            "PATCH", f"webhooks/{hook.pk}/", json.dumps(changes | {"reason": "for devs"}).encode()
        )
        assert {name: answer.json()[name] for name in changes} == changes
        hook.refresh_from_db()
        assert {name: getattr(hook, name) for name in changes} == changes
        details = {
            "webhook": "Ended jobs",
            "name": "Ended jobs",
            "url": "http://127.0.0.1:9/•••",
            "format": "standard",
            "event": "job_ended",
            "enabled": False,
            "kinds": "['cancel']",
            "states": "[]",
            "filter": "{}",
        }
        assert written() == [entry("change_webhook", hook.pk, reason="for devs", details=details)]

    def test_of_removal_are_recorded(self, admin):
        hook = Webhook.objects.create(**FINAL)
        kept = Webhook.objects.create(**FINAL | {"name": "Other"})
        admin.send("DELETE", f"webhooks/{hook.pk}/", b'{"reason": "gone"}')
        details = {"webhook": "Final messages"}
        assert written() == [entry("delete_webhook", hook.pk, reason="gone", details=details)]
        assert list(Webhook.objects.all()) == [kept]

    def test_of_removal_name_only_a_reason(self, admin):
        hook = Webhook.objects.create(**FINAL)
        answer = admin.send("DELETE", f"webhooks/{hook.pk}/", b'{"reason": "gone", "name": "x"}')
        assert problem(answer)["errors"][0]["field"] == "name"
        assert Webhook.objects.exists()

    @pytest.mark.parametrize("column", ["kinds", "states"])
    @pytest.mark.parametrize(("number", "status"), [(20, 201), (21, 400)])
    def test_name_up_to_twenty_values(self, admin, column, number, status):
        event, value = ("job_ended", "archive") if column == "kinds" else ("messages_final", "OK")
        body = {"name": "a", "url": FINAL["url"], "event": event, column: [value] * number, "reason": "r"}
        assert admin.post("webhooks/", body).status_code == status


@pytest.mark.parametrize(("method", "action"), [("PATCH", "change_webhook"), ("DELETE", "delete_webhook")])
def test_refused_changes_are_recorded_by_their_action(method, action):
    hook = Webhook.objects.create(**FINAL)
    client = caller("operator")
    assert problem(client.send(method, f"webhooks/{hook.pk}/", b'{"reason": "r"}'))["status"] == 403
    entries = AuditEntry.objects.filter(outcome="refused")
    assert list(entries.values_list("actor", "action")) == [("ada", action)]


class TestDelivery:
    def test_has_each_value_of_its_own_column(self, admin):
        hook = Webhook.objects.create(**FINAL)
        columns = {
            "webhook": hook,
            "created_at": minute(1),
            "attempts": 31,
            "next_at": minute(2),
            "sent_at": minute(3),
            "error": "hooks.example answered 503.",
        }
        of_job = WebhookDelivery.objects.create(**columns, job={"job_id": 9001, "state": "done"})
        of_messages = WebhookDelivery.objects.create(**columns, messages=32)
        expected = {
            "created_at": "2026-11-01T12:01:00Z",
            "attempts": 31,
            "next_at": "2026-11-01T12:02:00Z",
            "sent_at": "2026-11-01T12:03:00Z",
            "error": "hooks.example answered 503.",
        }
        assert admin.get(f"webhooks/{hook.pk}/deliveries/").json()["results"] == [
            expected | {"delivery_id": of_messages.pk, "job_id": None, "messages": 32},
            expected | {"delivery_id": of_job.pk, "job_id": 9001, "messages": 0},
        ]
