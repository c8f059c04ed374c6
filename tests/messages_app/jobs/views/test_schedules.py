import re
from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import FieldError
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.schedules.times import next_run
from messages_app.jobs.views.schedules import ScheduleRow, TimesForm
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

ARCHIVE = {
    "filter": "",
    "older_than_months": "3",
    "to": "tables",
    "cron": "30 2 * * *",
    "zone": "Europe/Prague",
    "reason": "every night",
    "enabled": "on",
}


@pytest.fixture
def admin() -> Client:
    return client_of("admin")


def make(client: Client, kind: str = "archive", **changes: str) -> HttpResponse:
    return client.post(f"/jobs/schedules/new/?kind={kind}", ARCHIVE | changes)


class TestScheduleToday:
    def today(self, client: Client, **headers: str) -> str:
        return text_of(client.get(f"/jobs/schedules/{JobSchedule.objects.get().pk}/today/", headers=headers))

    def test_shows_how_many_messages_a_run_would_change_now(self, admin):
        make(admin)
        for days in (10, 100, 200):
            at = datetime.now(UTC) - timedelta(days=days)
            make_message(state="OK", receive_timestamp=at, last_process_timestamp=at)
        assert '<span class="u-number">2</span>' in self.today(admin)
        assert "<html" in self.today(admin)
        assert "<html" not in self.today(admin, hx_request="true")

    def test_counts_a_relative_time_from_now(self, admin):
        make_message(state="FAILED", receive_timestamp=datetime.now(UTC) - timedelta(days=8))
        make_message(state="FAILED", receive_timestamp=datetime.now(UTC) - timedelta(days=1))
        make(admin, kind="restart", filter="state=FAILED&receive_timestamp_to=-7d")
        assert '<span class="u-number">1</span>' in self.today(admin)

    @pytest.mark.parametrize("columns", [{"options": {"older_than_months": None}}, {"kind": "other"}])
    def test_explains_errors_in_a_manually_edited_schedule(self, admin, columns):
        make(admin)
        JobSchedule.objects.update(**columns)
        assert "Would be refused" in self.today(admin)

    def test_does_not_exist_for_a_missing_schedule(self, admin):
        assert admin.get("/jobs/schedules/77/today/").status_code == 404


class TestScheduleList:
    def test_has_all_values_of_each_row_newest_first(self, admin):
        make(admin, filter="state=FAILED", cron="30 2 1 1 *", zone="UTC")
        make(admin, kind="restart", filter="service_name=billing&state=CANCEL", enabled="", total="on")
        first, second = JobSchedule.objects.order_by("pk")
        JobSchedule.objects.filter(pk=first.pk).update(last_job=7, last_outcome="Created job 7.")
        JobSchedule.objects.filter(pk=second.pk).update(last_job=7, last_outcome="Skipped: Job 7.")
        context = admin.get("/jobs/schedules/").context
        upper, lower = context["rows"]
        assert upper == ScheduleRow(
            schedule=second,
            name="Restart",
            filter_words=[("State", "CANCEL"), ("Service", "billing")],
            list_link="/messages/?state=CANCEL&service_name=billing",
            options=["From scratch yes"],
            times="At 02:30",
            next_run=None,
            has_made_job=False,
        )
        assert lower == ScheduleRow(
            schedule=first,
            name="Archive",
            filter_words=[("State", "FAILED")],
            list_link="/messages/?state=FAILED",
            options=["Destination the archive tables", "Older than 3 months"],
            times="At 02:30, on day 1 of the month, only in January",
            next_run=next_run("30 2 1 1 *", "UTC", now=datetime.now(UTC)),
            has_made_job=True,
        )
        assert context["may_change"]

    def test_shows_what_runs_when_and_its_outcome(self, admin):
        make(admin, filter="?state=FAILED&service_name=billing")
        schedule = JobSchedule.objects.get()
        run_schedule(schedule_id=schedule.pk)
        text = text_of(admin.get("/jobs/schedules/"))
        for part in ("Archive", "billing", "At 02:30", "Europe/Prague", "every night", "Older than"):
            assert part in text
        assert f'Created <a href="/jobs/{Job.objects.get().pk}/">' in text

    def test_loads_todays_number_of_each_schedule_automatically(self, admin):
        make(admin)
        schedule = JobSchedule.objects.get()
        text = text_of(admin.get("/jobs/schedules/"))
        assert f'hx-get="/jobs/schedules/{schedule.pk}/today/" hx-trigger="revealed"' in text

    def test_requires_an_age_limit_in_months_for_archive_jobs(self, admin):
        for months in ("", "0", "1201"):
            response = make(admin, older_than_months=months)
            assert response.status_code == 400
            assert list(response.context["form"].errors) == ["older_than_months"]
        assert not JobSchedule.objects.exists()

    def test_describes_times_relative_to_each_run(self, admin):
        make(admin, filter="receive_timestamp_to=-7d&state=OK")
        for path in ("/jobs/schedules/", f"/jobs/schedules/{JobSchedule.objects.get().pk}/"):
            assert re.search(r"Received</span>\s*until 7 d ago", text_of(admin.get(path)))
        assert "?state=OK&amp;receive_timestamp_to=-7d" in text_of(admin.get("/jobs/schedules/"))

    def test_shows_why_a_run_made_no_job(self, admin):
        make(admin)
        Job.objects.create(kind="archive", state="running", reason="r")
        run_schedule(schedule_id=JobSchedule.objects.get().pk)
        assert "Skipped: Archive job" in text_of(admin.get("/jobs/schedules/"))

    def test_shows_a_disabled_one_whose_row_was_edited_manually(self, admin):
        make(admin, enabled="")
        JobSchedule.objects.update(kind="other", options={"wher": 1})
        assert "off</span>" in text_of(admin.get("/jobs/schedules/"))

    def test_offers_no_change_to_users_who_may_only_look(self, admin):
        make(admin)
        text = text_of(client_of("support", username="sue").get("/jobs/schedules/"))
        assert "every night" in text
        assert "New schedule" not in text

    def test_explains_schedules_if_the_list_is_empty(self, admin):
        assert "No schedules yet" in text_of(admin.get("/jobs/schedules/"))


class TestNewSchedule:
    @pytest.mark.parametrize("kind", ["archive", "restore", "restart", "cancel", "export"])
    def test_asks_for_the_options_of_the_kind(self, admin, kind):
        text = text_of(admin.get(f"/jobs/schedules/new/?kind={kind}"))
        assert ('name="older_than_months"' in text) == (kind == "archive")
        assert ('name="canary"' in text) == (kind in {"restart", "cancel"})
        assert ('type="checkbox" name="total"' in text) == (kind == "restart")
        assert ('name="format"' in text) == (kind == "export")

    def test_names_each_kind_separately(self, admin):
        text = text_of(admin.get("/jobs/schedules/new/?kind=archive_history"))
        assert " Archive old attempts </a>" in text
        assert " Group failures </a>" in text
        assert "Archive old attempts on a schedule" in text

    def test_keeps_the_schedule(self, admin):
        response = make(admin, "restart", filter="state=FAILED,CANCEL", stop_at_failure_rate="20", total="on")
        assert (response.status_code, response.headers["Location"]) == (302, "/jobs/schedules/")
        schedule = JobSchedule.objects.get()
        assert (schedule.kind, schedule.filter) == ("restart", {"state": "FAILED,CANCEL"})
        assert schedule.options == {"stop_at_failure_rate": 0.2, "total": True}

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"cron": "61 * * * *"}, "minute: "),
            ({"cron": "* * * * *"}, "at most every 5 minutes"),
            ({"cron": "0 0 30 2 *"}, "would never run"),
            ({"cron": ""}, "Enter the times."),
            ({"zone": "Mars/Base"}, "Unknown time zone"),
            ({"filter": "state=GONE"}, "state must be one of"),
            ({"filter": "state=NEW"}, "Only final messages"),
            ({"filter": "receive_timestamp_to=-7y"}, "Relative times are allowed: -7d"),
            ({"filter": "%ff=1"}, "percent-encoded UTF-8"),
            ({"filter": "stat=OK"}, "Did you mean"),
            ({"older_than_months": "0"}, "1 to 1200"),
            ({"older_than_months": "two"}, "whole number"),
            ({"to": "attic"}, "attic"),
            ({"reason": " "}, "Enter a reason"),
        ],
    )
    def test_shows_errors_next_to_the_field(self, admin, changes, said):
        response = make(admin, **changes)
        assert response.status_code == 400
        assert said in text_of(response)
        assert not JobSchedule.objects.exists()

    @pytest.mark.parametrize("role", ["support", "operator"])
    def test_is_for_administrators(self, role):
        client = client_of(role)
        assert client.get("/jobs/schedules/new/").status_code == 403
        assert make(client).status_code == 403
        assert [*AuditEntry.objects.values_list("action", flat=True)] == ["create_schedule"] * 2

    @pytest.mark.parametrize("kind", ["delete", "zzz", ""])
    def test_rejects_any_other_kind(self, admin, kind):
        assert admin.get(f"/jobs/schedules/new/?kind={kind}").status_code == 404


class TestChangeSchedule:
    def test_shows_what_it_is_and_keeps_what_is_changed(self, admin):
        make(admin, filter="state=FAILED&service_name=b%26c")
        schedule_id = JobSchedule.objects.get().pk
        text = text_of(admin.get(f"/jobs/schedules/{schedule_id}/"))
        assert "state=FAILED&amp;service_name=b%26c" in text
        assert 'value="3"' in text
        response = admin.post(f"/jobs/schedules/{schedule_id}/", ARCHIVE | {"older_than_months": "5"})
        assert response.status_code == 302
        assert JobSchedule.objects.get().options == {"older_than_months": 5, "to": "tables"}

    def test_is_for_administrators(self, admin):
        make(admin)
        path = f"/jobs/schedules/{JobSchedule.objects.get().pk}/"
        assert client_of("operator", username="otto").post(path, ARCHIVE).status_code == 403

    def test_finds_nothing_with_another_id(self, admin):
        assert admin.get("/jobs/schedules/777/").status_code == 404

    def test_finds_no_schedule_of_an_unknown_kind(self, admin):
        make(admin)
        JobSchedule.objects.update(kind="other")
        assert admin.get(f"/jobs/schedules/{JobSchedule.objects.get().pk}/").status_code == 404


class TestDeleteSchedule:
    def test_removes_it(self, admin):
        make(admin)
        path = f"/jobs/schedules/{JobSchedule.objects.get().pk}/delete/"
        assert admin.get(path).status_code == 405
        assert client_of("operator", username="otto").post(path).status_code == 403
        assert [*AuditEntry.objects.filter(actor="otto").values_list("action", "outcome")] == [
            ("delete_schedule", "refused")
        ]
        assert admin.post(path).status_code == 302
        assert not JobSchedule.objects.exists()
        assert admin.post(path).status_code == 404


class TestTimesForm:
    def test_takes_the_errors_of_its_fields_and_leaves_the_others(self):
        form = TimesForm({"cron": "x", "zone": "UTC"})
        errors = [
            FieldError(field, "invalid_value", f"Wrong {field}.")
            for field in ("cron", "filter.state", "options.rate", "reason")
        ]
        assert form.take_errors(errors) == errors[2:]
        assert form.errors == {"cron": ["Wrong cron."], "filter": ["Wrong filter.state."]}
