"""Schedules in the API: whole bodies whose values all differ, and each change to one."""

import json
from datetime import UTC, datetime

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import JobSchedule
from tests.support.api_client import ApiClient, caller, problem
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

SEARCH = {
    "payload_contains": "Canary4711",
    "receive_timestamp_from": "2026-11-01T00:00:00Z",
    "receive_timestamp_to": "2026-11-02T00:00:00Z",
}
# Each value differs from the stored one, and from all others.
CHANGES = {
    "filter": {"service_name": "crm"},
    "options": {"older_than_months": 5},
    "reason": "each week",
    "cron": "6 7 8 9 0",
    "zone": "Asia/Tokyo",
    "enabled": False,
}


@pytest.fixture
def admin() -> ApiClient:
    return caller("admin", username="bob")


@pytest.fixture
def schedule() -> JobSchedule:
    return store_schedule()


def store_schedule(**columns: object) -> JobSchedule:
    stored = {
        "schedule_id": 9001,
        "kind": "archive",
        "filter": {"service_name": "billing"},
        "options": {"older_than_months": 3},
        "reason": "each night",
        "cron": "30 2 1 1 *",
        "zone": "UTC",
        "enabled": True,
        "created_by": "ada",
        "last_run_at": datetime(2026, 11, 2, 12, 1, tzinfo=UTC),
        "last_job": 9002,
        "last_outcome": "Created job 9002.",
    }
    owner = {} if "owner" in columns else {"owner": make_user(username="grace")}
    return JobSchedule.objects.create(**stored | owner | columns)


def next_january() -> str:
    """Return the time of the next run: 1 January 02:30 UTC."""
    now = datetime.now(UTC)
    year = now.year if now < datetime(now.year, 1, 1, 2, 30, tzinfo=UTC) else now.year + 1
    return f"{year}-01-01T02:30:00Z"


def body_of_stored() -> dict[str, object]:
    return {
        "schedule_id": 9001,
        "kind": "archive",
        "filter": {"service_name": "billing"},
        "options": {"older_than_months": 3},
        "reason": "each night",
        "cron": "30 2 1 1 *",
        "zone": "UTC",
        "enabled": True,
        "owner": "grace",
        "created_by": "ada",
        "last_run_at": "2026-11-02T12:01:00Z",
        "last_job": 9002,
        "last_outcome": "Created job 9002.",
        "next_run_at": next_january(),
    }


def change(client: ApiClient, body: object, schedule_id: object = 9001):
    return client.send("PATCH", f"schedules/{schedule_id}/", json.dumps(body).encode())


def remove(client: ApiClient, body: object, schedule_id: object = 9001):
    return client.send("DELETE", f"schedules/{schedule_id}/", json.dumps(body).encode())


def names_of_last_entry() -> tuple[object, ...]:
    return AuditEntry.objects.order_by("-entry_id").values_list(
        "action", "outcome", "actor", "token_name", "reason", "details"
    )[0]


class TestBody:
    def test_has_each_value_of_its_own_column(self, admin, schedule):
        assert admin.get("schedules/9001/").json() == body_of_stored()
        assert admin.get("schedules/").json()["results"] == [body_of_stored()]

    def test_has_nulls_for_what_a_schedule_does_not_have(self, admin):
        store_schedule(owner=None, last_run_at=None, last_job=None, last_outcome="", enabled=False)
        nothing = {
            "owner": None,
            "last_run_at": None,
            "last_job": None,
            "last_outcome": "",
            "enabled": False,
            "next_run_at": None,
        }
        assert admin.get("schedules/9001/").json() == body_of_stored() | nothing

    def test_masks_a_payload_search_for_callers_who_may_not_search(self, admin):
        store_schedule(filter=SEARCH)
        reader = caller("support", "view_payload", username="eve")
        for client, shown in ((admin, SEARCH | {"payload_contains": "•••"}), (reader, SEARCH)):
            assert client.get("schedules/9001/").json()["filter"] == shown
            assert [row["filter"] for row in client.get("schedules/").json()["results"]] == [shown]

    def test_lists_pages_newest_first(self, admin, schedule):
        for number in (9003, 9002, 8999):
            store_schedule(schedule_id=number, owner=None)
        first = admin.get("schedules/?page_size=3").json()
        second = admin.get(first["next"].partition("/api/v1/")[2]).json()
        pages = [[row["schedule_id"] for row in page["results"]] for page in (first, second)]
        assert pages == [[9003, 9002, 9001], [8999]]
        assert second["next"] is None


class TestNew:
    def test_is_returned_as_it_is_stored(self, admin):
        new = {"kind": "archive"} | CHANGES
        made = admin.post("schedules/", new)
        number = JobSchedule.objects.get().pk
        people = {"schedule_id": number, "owner": "bob", "created_by": "bob"}
        unknown = {"last_run_at": None, "last_job": None, "last_outcome": "", "next_run_at": None}
        assert (made.status_code, made.json()) == (201, new | people | unknown)
        assert admin.get(f"schedules/{number}/").json() == made.json()

    def test_has_defaults(self, admin, settings):
        settings.HUB_TIME_ZONE = "Europe/Prague"
        least = {"reason": "r", "cron": "30 2 * * *"}
        of_filter = admin.post(
            "schedules/", least | {"kind": "restart", "filter": {"state": "FAILED"}}
        ).json()
        of_all = admin.post(
            "schedules/", least | {"kind": "archive", "options": {"older_than_months": 3}}
        ).json()
        assert (of_filter["options"], of_all["filter"]) == ({}, {})
        assert (of_all["zone"], of_all["enabled"]) == ("Europe/Prague", True)

    @pytest.mark.parametrize("name", ["kind", "reason", "cron"])
    def test_requires_its_kind_reason_and_times(self, admin, name):
        new = {"kind": "archive"} | CHANGES
        del new[name]
        answer = problem(admin.post("schedules/", new))
        assert [(error["field"], error["code"]) for error in answer["errors"]] == [(name, "required")]

    @pytest.mark.parametrize(("name", "most"), [("cron", 200), ("zone", 64), ("reason", 1000)])
    def test_refuses_a_text_that_is_longer_than_its_column(self, admin, name, most):
        def errors_of(length: int) -> list[tuple[str, str]]:
            answer = admin.post("schedules/", {"kind": "archive"} | CHANGES | {name: "r" * length})
            return [(error["field"], error["code"]) for error in answer.json().get("errors", ())]

        assert errors_of(most + 1) == [(name, "too_long")]
        assert (name, "too_long") not in errors_of(most)


class TestChange:
    @pytest.mark.parametrize("name", CHANGES)
    def test_of_one_field_keeps_the_others(self, admin, schedule, name):
        store_schedule(schedule_id=9003, owner=None)
        changed = body_of_stored() | {"owner": "bob", name: CHANGES[name]}
        body = change(admin, {name: CHANGES[name]}).json()
        soon = {"next_run_at": body["next_run_at"]}
        assert body == changed | soon
        assert (body["next_run_at"] is None) == (name == "enabled")
        assert (body["next_run_at"] == next_january()) == (name not in {"enabled", "zone", "cron"})
        assert admin.get("schedules/9001/").json() == body
        other = JobSchedule.objects.get(pk=9003)
        assert (other.owner, getattr(other, name)) == (None, getattr(schedule, name))

    def test_of_nothing_keeps_the_values(self, admin, schedule):
        assert change(admin, {}).json() == body_of_stored() | {"owner": "bob"}

    def test_is_recorded_with_its_reason(self, admin, schedule):
        change(admin, CHANGES)
        details = {"schedule": 9001, "kind": "archive"} | CHANGES
        del details["reason"]
        assert names_of_last_entry() == ("change_schedule", "done", "bob", "test", "each week", details)

    def test_is_refused_to_users_who_may_not_use_its_filter(self, admin):
        store_schedule(kind="export", options={"payload": True, "format": "csv"})
        answer = problem(change(admin, {"reason": "other"}))
        assert (answer["status"], answer["code"]) == (403, "permission_denied")
        assert JobSchedule.objects.get().reason == "each night"

    def test_of_a_missing_schedule_names_its_id(self, admin, schedule):
        for send in (change, remove):
            answer = problem(send(admin, {"reason": "r"}, 777))
            assert (answer["status"], answer["detail"]) == (404, "No schedule has the id '777'.")
        assert JobSchedule.objects.get().reason == "each night"


class TestRemoval:
    def test_removes_only_this_schedule_and_is_recorded(self, admin, schedule):
        store_schedule(schedule_id=9003, owner=None)
        answer = remove(admin, {"reason": "no longer"})
        assert (answer.status_code, answer.json()) == (200, {"schedule_id": 9001, "removed": True})
        assert [each.pk for each in JobSchedule.objects.all()] == [9003]
        action, outcome, actor, token, reason, details = names_of_last_entry()
        assert (action, outcome, actor, token, reason) == (
            "delete_schedule",
            "done",
            "bob",
            "test",
            "no longer",
        )
        assert details["schedule"] == 9001


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_second_try_with_the_same_key_changes_nothing(admin, schedule, method):
    body = json.dumps({"reason": "each week"}).encode()
    answers = [admin.send(method, "schedules/9001/", body, HTTP_IDEMPOTENCY_KEY="one") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert AuditEntry.objects.filter(action__in=["change_schedule", "delete_schedule"]).count() == 1
