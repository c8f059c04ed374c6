import json

import pytest
from django_celery_beat.models import PeriodicTask

from hubconsole.celery import app
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.core.problems import FieldError
from messages_app.jobs.errors import InvalidJob, NotAllowed
from messages_app.jobs.models import JobSchedule
from messages_app.jobs.schedules.services import (
    RUN_SCHEDULE,
    ScheduleNotFound,
    _with_relative_times,
    delete_schedule,
    save_schedule,
)
from tests.support.factories import make_user

pytestmark = pytest.mark.django_db

ADA = Actor(username="ada")


@pytest.fixture
def admin() -> object:
    return make_user("admin")


def save(user: object, **changes: object) -> JobSchedule:
    good = {
        "kind": "archive",
        "filter": {},
        "options": {"older_than_months": 3},
        "reason": "every night",
        "cron": "30  2 * * *",
        "zone": "Europe/Prague",
        "enabled": True,
    }
    return save_schedule(actor=ADA, user=user, **good | changes)


def errors_of(user: object, **changes: object) -> list[tuple[str, str]]:
    with pytest.raises(InvalidJob) as refusal:
        save(user, **changes)
    return [(error.field, error.code) for error in refusal.value.errors]


class TestSaveSchedule:
    def test_stores_a_task_that_carries_only_the_id(self, admin):
        schedule = save(admin)
        task = PeriodicTask.objects.get(task=RUN_SCHEDULE)
        assert (json.loads(task.args), json.loads(task.kwargs)) == ([schedule.pk], {})
        assert (task.crontab.minute, task.crontab.hour, str(task.crontab.timezone)) == (
            "30",
            "2",
            "Europe/Prague",
        )
        assert task.enabled
        assert schedule.cron == "30 2 * * *"

    def test_names_a_task_that_workers_know(self):
        app.loader.import_default_modules()
        assert RUN_SCHEDULE in app.tasks

    @pytest.mark.parametrize(
        ("asked", "kept"),
        [("-7d", "-7d"), ("-24H", "-24h"), ("yesterday", "yesterday"), ("today-1", "yesterday")],
    )
    def test_keeps_a_time_relative_to_each_run(self, admin, asked, kept):
        schedule = save(admin, filter={"state": "OK", "receive_timestamp_from": asked})
        assert schedule.filter == {"state": "OK", "receive_timestamp_from": kept}
        assert AuditEntry.objects.get().details["filter"] == schedule.filter

    @pytest.mark.parametrize("kind", ["archive", "archive_history"])
    def test_requires_an_age_limit_for_archive_jobs(self, admin, kind):
        required = [("options.older_than_months", "required")]
        assert errors_of(admin, kind=kind, options={}) == required
        for months, code in ((None, "invalid_value"), (0, "out_of_range"), ("", "invalid_value")):
            options = {"older_than_months": months}
            assert errors_of(admin, kind=kind, options=options) == [("options.older_than_months", code)]
        assert not JobSchedule.objects.exists()

    @pytest.mark.parametrize("kind", ["restart", "cancel", "restore", "export", "reprocess"])
    def test_rejects_a_schedule_without_a_filter(self, admin, kind):
        assert errors_of(admin, kind=kind, options={}) == [("filter", "required")]

    def test_keeps_an_exact_time_exact(self, admin):
        filter = {"receive_timestamp_from": "2026-11-01T00:00:00Z", "receive_timestamp_to": "-1d"}
        schedule = save(admin, filter=filter)
        assert schedule.filter["receive_timestamp_from"].startswith("2026-11-01T00:00:00")
        assert schedule.filter["receive_timestamp_to"] == "-1d"

    @pytest.mark.parametrize("value", ["-7x", "7d", "-7", "- 7d", "-99999d", "tomorrow", "--7d"])
    def test_names_an_invalid_time(self, admin, value):
        with pytest.raises(InvalidJob, match="-7d, -24h, today") as refusal:
            save(admin, filter={"receive_timestamp_from": value})
        [error] = refusal.value.errors
        assert (error.field, error.code) == ("filter.receive_timestamp_from", "invalid_value")

    def test_refuses_a_range_that_ends_before_it_begins(self, admin):
        filter = {"receive_timestamp_from": "-1d", "receive_timestamp_to": "-7d"}
        assert [field for field, _ in errors_of(admin, filter=filter)] == ["filter.receive_timestamp_from"]

    def test_is_named_in_the_audit(self, admin):
        schedule = save(admin)
        entry = AuditEntry.objects.get(action="create_schedule")
        assert (entry.actor, entry.reason, entry.details["schedule"]) == ("ada", "every night", schedule.pk)

    def test_changes_the_task_with_the_schedule(self, admin):
        schedule = save(admin)
        PeriodicTask.objects.update(last_run_at="2026-01-01T00:00:00Z")
        save(admin, schedule_id=schedule.pk, cron="0 4 * * *", filter={"state": "OK,OK"})
        schedule.refresh_from_db()
        task = PeriodicTask.objects.get(task=RUN_SCHEDULE)
        assert (schedule.cron, schedule.filter, task.crontab.hour) == ("0 4 * * *", {"state": "OK"}, "4")
        assert task.last_run_at.year > 2026 or task.last_run_at.month > 1  # no missed runs to make up for
        assert AuditEntry.objects.filter(action="change_schedule").count() == 1

    def test_does_not_run_while_it_is_not_enabled(self, admin):
        save(admin, enabled=False)
        assert not PeriodicTask.objects.get(task=RUN_SCHEDULE).enabled

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"kind": "archiv"}, "kind"),
            ({"kind": "restart"}, "filter"),
            ({"filter": {"state": "NEW"}}, "filter.state"),
            ({"options": {"to": "attic"}}, "options.to"),
            ({"reason": ""}, "reason"),
            ({"cron": "61 * * * *"}, "cron"),
            ({"zone": "Mars/Base"}, "zone"),
        ],
    )
    def test_refuses_invalid_values(self, admin, changes, field):
        assert errors_of(admin, **changes)[0][0] == field
        assert not JobSchedule.objects.exists()
        assert not PeriodicTask.objects.filter(task=RUN_SCHEDULE).exists()

    def test_names_every_field_that_is_wrong(self, admin):
        found = errors_of(admin, options={"wher": 1}, cron="@daily", zone="x")
        fields = ["options.wher", "cron", "zone", "options.older_than_months"]
        assert [field for field, _ in found] == fields

    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_is_for_administrators(self, role):
        with pytest.raises(NotAllowed):
            save(make_user(role), kind="restart", filter={"state": "FAILED"})

    def test_finds_no_schedule_that_does_not_exist(self, admin):
        with pytest.raises(ScheduleNotFound):
            save(admin, schedule_id=777)


class TestDeleteSchedule:
    def test_takes_the_task_with_it(self, admin):
        schedule_id = save(admin).pk
        delete_schedule(schedule_id=schedule_id, actor=ADA, user=admin)
        assert not JobSchedule.objects.exists()
        assert not PeriodicTask.objects.filter(task=RUN_SCHEDULE).exists()
        assert AuditEntry.objects.get(action="delete_schedule").details["schedule"] == schedule_id

    def test_is_for_administrators(self, admin):
        schedule = save(admin)
        with pytest.raises(NotAllowed):
            delete_schedule(schedule_id=schedule.pk, actor=ADA, user=make_user("operator", username="bob"))
        assert JobSchedule.objects.exists()

    def test_finds_no_schedule_that_does_not_exist(self, admin):
        with pytest.raises(ScheduleNotFound):
            delete_schedule(schedule_id=777, actor=ADA, user=admin)


@pytest.mark.parametrize(
    ("field", "code", "is_extended"),
    [
        ("filter.receive_timestamp_to", "invalid_value", True),
        ("receive_timestamp_to", "invalid_value", True),
        ("filter.receive_timestamp_to", "required", False),
        ("filter.state", "invalid_value", False),
    ],
)
def test_an_error_about_a_time_names_relative_times(field, code, is_extended):
    error = FieldError(field, code, "Wrong.")
    message = "Wrong. Relative times are allowed: -7d, -24h, today." if is_extended else "Wrong."
    assert _with_relative_times(error) == FieldError(field, code, message)
