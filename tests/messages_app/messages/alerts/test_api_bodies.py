"""Bodies of watch rules and alerts, compared as a whole."""

import json
import re
from datetime import UTC, datetime

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.alerts.models import Alert, WatchRule
from messages_app.messages.listing.models import SavedView
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.api_client import ApiClient, caller

pytestmark = pytest.mark.django_db

HOOK = "https://hooks.example.org/services/T0"
COLUMNS = {
    "name": "Many failures",
    "enabled": False,
    "measure": "entered",
    "state": "FAILED",
    "service_name": "billing",
    "operation_name": "createInvoice",
    "source_system": "CRM",
    "failed_error_code": "E103",
    "saved_view": None,
    "window_minutes": 31,
    "older_than_seconds": 32,
    "at_least": 33,
    "limit": 34.5,
    "quiet_minutes": 35,
    "mail_to": ["ops@example.org"],
    "webhook_url": HOOK,
    "webhook_format": "slack",
}
# Columns that the console writes.
MEASURED = {
    "is_built_in": True,
    "told_at": datetime(2026, 11, 2, 12, 1, tzinfo=UTC),
    "checked_at": datetime(2026, 11, 2, 12, 2, tzinfo=UTC),
    "value": 36.5,
    "error": "It took too long.",
}


@pytest.fixture(autouse=True)
def hosts(settings) -> None:
    settings.WEBHOOK_HOSTS = ["hooks.example.org"]


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def only(client: ApiClient, rule_id: int) -> dict[str, object]:
    (body,) = [one for one in client.get("watch-rules/").json()["results"] if one["rule_id"] == rule_id]
    return body


class TestWatchRule:
    @pytest.mark.parametrize("is_enabled", [True, False])
    def test_has_each_value_of_its_own_column(self, admin, is_enabled):
        flags = {"enabled": is_enabled, "is_built_in": not is_enabled}
        rule = WatchRule.objects.create(**COLUMNS | MEASURED | flags)
        times = {"told_at": "2026-11-02T12:01:00Z", "checked_at": "2026-11-02T12:02:00Z"}
        expected = COLUMNS | MEASURED | times | flags | {"rule_id": rule.pk}
        body = only(admin, rule.pk)
        version = {"version": body["version"]}
        assert re.fullmatch(r"[0-9a-f]{16}", body["version"])
        assert body == expected | version
        masked = {"webhook_url": "https://hooks.example.org/•••"}
        assert admin.get(f"watch-rules/{rule.pk}/").json() == expected | version | masked

    def test_is_stored_with_every_column_and_recorded(self, admin):
        body = admin.post("watch-rules/", COLUMNS | {"saved_view": None, "reason": "r"})
        assert body.status_code == 400  # no view is left out, not null
        sent = {name: value for name, value in COLUMNS.items() if name != "saved_view"}
        body = admin.post("watch-rules/", sent | {"reason": "as agreed"}).json()
        assert {name: body[name] for name in COLUMNS} == COLUMNS
        rule = WatchRule.objects.get(pk=body["rule_id"])
        assert {name: getattr(rule, name) for name in COLUMNS} == COLUMNS
        entry = AuditEntry.objects.get(action="create_watch_rule")
        assert (entry.actor, entry.outcome, entry.subject_kind, entry.subject, entry.reason) == (
            "ada",
            "done",
            "watch_rule",
            str(rule.pk),
            "as agreed",
        )
        shown = {name: str(value) if isinstance(value, list) else value for name, value in sent.items()}
        assert entry.details == {"rule": "Many failures", **shown} | {
            "webhook_url": "https://hooks.example.org/•••"
        }

    def test_changes_every_column_and_records_it(self, admin):
        rule = make_rule(name="Failed", state="WAITING")
        view = SavedView.objects.create(owner=admin.user, name="mine", query="state=FAILED")
        changes = COLUMNS | {"saved_view": view.pk, "reason": "as agreed"}
        answer = admin.send("PATCH", f"watch-rules/{rule.pk}/", json.dumps(changes).encode())
        assert answer.status_code == 200, answer.content
        rule.refresh_from_db()
        kept = {name: getattr(rule, name) for name in COLUMNS if name != "saved_view"}
        assert kept | {"saved_view": rule.saved_view_id} == COLUMNS | {"saved_view": view.pk}
        assert {name: answer.json()[name] for name in COLUMNS} == COLUMNS | {"saved_view": view.pk}
        entry = AuditEntry.objects.get(action="change_watch_rule")
        assert (entry.actor, entry.subject_kind, entry.subject, entry.reason) == (
            "ada",
            "watch_rule",
            str(rule.pk),
            "as agreed",
        )


class TestAlerts:
    def test_have_each_value_of_their_own_column(self, admin):
        times = [datetime(2026, 11, 2, 12, minute, tzinfo=UTC) for minute in range(3)]
        alerts = [
            Alert.objects.create(
                rule=make_rule(name=name), opened_at=opened, value=31.5, worst=32.5, is_quiet=is_quiet
            )
            for name, opened, is_quiet in (("a", times[0], True), ("b", times[1], False))
        ]
        Alert.objects.create(rule=alerts[0].rule, opened_at=times[2], closed_at=times[2], value=1, worst=2)
        expected = [
            {
                "alert_id": alert.pk,
                "rule_id": alert.rule_id,
                "rule_name": name,
                "opened_at": opened,
                "closed_at": None,
                "value": 31.5,
                "worst": 32.5,
                "is_quiet": is_quiet,
            }
            for alert, name, opened, is_quiet in (
                (alerts[1], "b", "2026-11-02T12:01:00Z", False),
                (alerts[0], "a", "2026-11-02T12:00:00Z", True),
            )
        ]
        assert admin.get("alerts/").json()["results"] == expected
