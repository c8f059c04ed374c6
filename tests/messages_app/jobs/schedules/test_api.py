import json

import pytest
from django_celery_beat.models import PeriodicTask

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import JobSchedule
from tests.support.api_client import ApiClient, caller, problem

pytestmark = pytest.mark.django_db

NEW = {
    "kind": "archive",
    "filter": {"service_name": "billing", "receive_timestamp_to": "-7d"},
    "options": {"older_than_months": 3},
    "reason": "monthly",
    "cron": "30 2 * * *",
    "zone": "Europe/Prague",
}


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin")


def send(client: ApiClient, method: str, schedule_id: object, body: dict, **extra: str):
    return client.send(method, f"schedules/{schedule_id}/", json.dumps(body).encode(), **extra)


def made(client: ApiClient, **body: object) -> dict:
    answer = client.post("schedules/", NEW | body)
    assert answer.status_code == 201, answer.content
    return answer.json()


class TestNewSchedule:
    def test_is_stored_as_a_page_stores_it(self, admin):
        answer = admin.post("schedules/", NEW)
        body = answer.json()
        assert answer.headers["Location"] == f"http://testserver/api/v1/schedules/{body['schedule_id']}/"
        assert {name: body[name] for name in NEW} == NEW
        assert (body["enabled"], body["owner"], body["created_by"], body["last_job"]) == (
            True,
            "ada",
            "ada",
            None,
        )
        assert body["next_run_at"]
        assert PeriodicTask.objects.get(name=f"job schedule {body['schedule_id']}").enabled
        entry = AuditEntry.objects.get(action="create_schedule")
        assert (entry.actor, entry.token_name, entry.reason) == ("ada", "test", "monthly")

    def test_is_made_once_for_a_key(self, admin):
        answers = [admin.post("schedules/", NEW, Idempotency_Key="k") for _ in range(2)]
        assert answers[0].json() == answers[1].json()
        assert JobSchedule.objects.count() == 1

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"kind": "nope"}, "kind"),
            ({"kind": 5}, "kind"),
            ({"filter": []}, "filter"),
            ({"filter": {"zzz": 1}}, "filter.zzz"),
            ({"filter": {"state": ["NEW"]}}, "filter.state"),
            ({"filter": {"receive_timestamp_to": "soon"}}, "filter.receive_timestamp_to"),
            ({"options": "x"}, "options"),
            ({"options": {"older_than_months": 0}}, "options.older_than_months"),
            ({"reason": ""}, "reason"),
            ({"cron": "never"}, "cron"),
            ({"cron": "* * * *"}, "cron"),
            ({"zone": "Mars/Base"}, "zone"),
            ({"enabled": 1}, "enabled"),
            ({"zzz": 1}, "zzz"),
        ],
    )
    def test_is_refused_with_the_field_that_is_wrong(self, admin, body, field):
        answer = problem(admin.post("schedules/", NEW | body))
        assert (answer["status"], answer["errors"][0]["field"]) == (400, field)
        assert not JobSchedule.objects.exists()

    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_is_made_only_by_administrators(self, role):
        assert problem(caller(role).post("schedules/", NEW))["code"] == "permission_denied"
        assert AuditEntry.objects.get(outcome="refused").action == "create_schedule"

    def test_names_the_scope_that_is_missing(self):
        body = problem(caller("admin", scopes=["jobs:run"]).post("schedules/", NEW))
        assert (body["status"], body["scope"]) == (403, "archive:run")


class TestSchedules:
    def test_are_listed_newest_first_with_an_address_each(self, admin):
        first, second = made(admin), made(admin, enabled=False)
        assert second["next_run_at"] is None
        listed = caller("support", username="bob").get("schedules/").json()["results"]
        assert [row["schedule_id"] for row in listed] == [second["schedule_id"], first["schedule_id"]]
        assert admin.get(f"schedules/{first['schedule_id']}/").json()["cron"] == "30 2 * * *"

    def test_keep_properties_that_a_change_does_not_name(self, admin):
        schedule = made(admin)
        grace = caller("admin", username="grace")
        answer = send(grace, "PATCH", schedule["schedule_id"], {"cron": "0 6 * * mon-fri", "enabled": False})
        assert answer.status_code == 200, answer.content
        changed = {"cron": "0 6 * * mon-fri", "enabled": False, "next_run_at": None, "owner": "grace"}
        assert answer.json() == schedule | changed
        assert not PeriodicTask.objects.get(name=f"job schedule {schedule['schedule_id']}").enabled
        assert AuditEntry.objects.get(action="change_schedule").actor == "grace"

    @pytest.mark.parametrize(
        ("body", "field"),
        [({"cron": "x"}, "cron"), ({"filter": {"zzz": 1}}, "filter.zzz"), ({"kind": "export"}, "kind")],
    )
    def test_are_not_changed_if_a_field_is_wrong(self, admin, body, field):
        schedule = made(admin)
        answer = problem(send(admin, "PATCH", schedule["schedule_id"], body))
        assert (answer["status"], answer["errors"][0]["field"]) == (400, field)
        assert admin.get(f"schedules/{schedule['schedule_id']}/").json() == schedule

    def test_are_changed_as_they_were_seen(self, admin):
        number = made(admin)["schedule_id"]
        seen = admin.get(f"schedules/{number}/").headers["ETag"]
        assert send(admin, "PATCH", number, {"enabled": False}, HTTP_IF_MATCH=seen).status_code == 200
        assert send(admin, "PATCH", number, {"enabled": True}, HTTP_IF_MATCH=seen).status_code == 412
        assert send(admin, "DELETE", number, {"reason": "r"}, HTTP_IF_MATCH=seen).status_code == 412
        assert JobSchedule.objects.get().enabled is False

    def test_are_removed_with_a_reason(self, admin):
        number = made(admin)["schedule_id"]
        assert problem(send(admin, "DELETE", number, {}))["errors"][0]["field"] == "reason"
        answer = send(admin, "DELETE", number, {"reason": "no longer"})
        assert (answer.status_code, answer.json()) == (200, {"schedule_id": number, "removed": True})
        assert not JobSchedule.objects.exists()
        assert not PeriodicTask.objects.filter(name=f"job schedule {number}").exists()
        assert AuditEntry.objects.get(action="delete_schedule").reason == "no longer"
        assert problem(send(admin, "DELETE", number, {"reason": "no longer"}))["status"] == 404

    def test_are_removed_only_by_administrators(self, admin):
        number = made(admin)["schedule_id"]
        refused = send(caller("operator", username="bob"), "DELETE", number, {"reason": "r"})
        assert problem(refused)["status"] == 403
        assert AuditEntry.objects.get(outcome="refused").action == "delete_schedule"
        assert JobSchedule.objects.exists()

    def test_are_changed_only_by_administrators(self, admin):
        number, operator = made(admin)["schedule_id"], caller("operator", username="bob")
        assert problem(send(operator, "PATCH", number, {"enabled": False}))["status"] == 403
        assert [*AuditEntry.objects.filter(outcome="refused").values_list("action", "actor")] == [
            ("change_schedule", "bob")
        ]
        assert JobSchedule.objects.get().enabled
        assert problem(send(operator, "PUT", number, {}))["code"] == "method_not_allowed"

    @pytest.mark.parametrize("schedule_id", ["777", "abc", "-1", "9" * 30])
    def test_are_not_found_by_an_invalid_id(self, admin, schedule_id):
        assert problem(admin.get(f"schedules/{schedule_id}/"))["code"] == "not_found"
        assert problem(send(admin, "PATCH", schedule_id, {}))["code"] == "not_found"
