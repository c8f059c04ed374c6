from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse, QueryDict
from django.test import Client, override_settings
from django_celery_beat.models import PeriodicTask

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import FieldError
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.forms import ScheduleForm
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.schedules.times import next_run
from messages_app.jobs.views.schedules import RunDot, ScheduleRow
from messages_app.messages.listing.models import SavedView
from tests.support.factories import make_message, make_user
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

ARCHIVE = {
    "view": "",
    "every": "cron",
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
    own = {"view": "own"} if changes.get("line") else {}
    return client.post(f"/schedules/new/?kind={kind}", ARCHIVE | own | changes)


class TestScheduleToday:
    def today(self, client: Client, **headers: str) -> str:
        return text_of(client.get(f"/schedules/{JobSchedule.objects.get().pk}/today/", headers=headers))

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
        make(admin, kind="restart", line="state:FAILED received:<-7d")
        assert '<span class="u-number">1</span>' in self.today(admin)

    @pytest.mark.parametrize("columns", [{"options": {"older_than_months": None}}, {"kind": "other"}])
    def test_explains_errors_in_a_manually_edited_schedule(self, admin, columns):
        make(admin)
        JobSchedule.objects.update(**columns)
        assert "Would be refused" in self.today(admin)

    def test_does_not_exist_for_a_missing_schedule(self, admin):
        assert admin.get("/schedules/77/today/").status_code == 404


class TestScheduleList:
    def test_has_all_values_of_each_row_newest_first(self, admin):
        make(admin, line="state:FAILED", cron="30 2 1 1 *", zone="UTC")
        make(admin, kind="restart", line="service:billing state:CANCEL", enabled="", total="on")
        first, second = JobSchedule.objects.order_by("pk")
        job = Job.objects.create(kind="archive", state="running", reason="r")
        runs = [
            {"at": "2026-11-03T02:30:00+00:00", "outcome": "created", "job": job.pk},
            {"at": "2026-11-02T02:30:00+00:00", "outcome": "created", "job": job.pk + 1},
            {"at": "2026-11-01T02:30:00+00:00", "outcome": "skipped", "job": None},
        ]
        JobSchedule.objects.filter(pk=first.pk).update(
            last_job=7, last_outcome="Created job 7.", recent_runs=runs
        )
        first.refresh_from_db()
        JobSchedule.objects.filter(pk=second.pk).update(last_job=7, last_outcome="Skipped: Job 7.")
        context = admin.get("/schedules/").context
        upper, lower = context["rows"]
        assert upper == ScheduleRow(
            schedule=second,
            name="Restart",
            filter_words=[("State", "CANCEL"), ("Service", "billing")],
            list_link="/messages/?state=CANCEL&service_name=billing",
            options=["From scratch yes"],
            times="Every day at 02:30",
            next_run=None,
            runs=[],
            fault="Skipped: Job 7.",
        )
        assert lower == ScheduleRow(
            schedule=first,
            name="Archive",
            filter_words=[("State", "FAILED")],
            list_link="/messages/?state=FAILED",
            options=["Destination the archive tables", "Older than 3 months"],
            times="At 02:30, on day 1 of the month, only in January",
            next_run=next_run("30 2 1 1 *", "UTC", now=datetime.now(UTC)),
            runs=[
                RunDot(at=datetime(2026, 11, 1, 2, 30, tzinfo=UTC), state="skipped", job=None),
                RunDot(at=datetime(2026, 11, 2, 2, 30, tzinfo=UTC), state="deleted", job=None),
                RunDot(at=datetime(2026, 11, 3, 2, 30, tzinfo=UTC), state="running", job=job.pk),
            ],
            fault="",
        )
        assert context["may_change"]

    def test_shows_what_runs_when_and_its_outcome(self, admin):
        make(admin, line="state:FAILED service:billing")
        schedule = JobSchedule.objects.get()
        run_schedule(schedule_id=schedule.pk)
        text = text_of(admin.get("/schedules/"))
        for part in (
            "Archive",
            "billing",
            "Every day at 02:30",
            "Europe/Prague",
            "every night",
            "Older than",
        ):
            assert part in text
        assert f'href="/jobs/{Job.objects.get().pk}/" data-state="planning"' in text

    def test_loads_todays_number_of_each_schedule_automatically(self, admin):
        make(admin)
        schedule = JobSchedule.objects.get()
        text = text_of(admin.get("/schedules/"))
        assert f'hx-get="/schedules/{schedule.pk}/today/" hx-trigger="revealed"' in text

    def test_requires_an_age_limit_in_months_for_archive_jobs(self, admin):
        for months in ("", "0", "1201"):
            response = make(admin, older_than_months=months)
            assert response.status_code == 400
            assert list(response.context["form"].errors) == ["older_than_months"]
        assert not JobSchedule.objects.exists()

    def test_describes_times_relative_to_each_run(self, admin):
        make(admin, line="received:<-7d state:OK")
        assert "Received until 7 d ago" in text_of(admin.get("/schedules/"))
        page = text_of(admin.get(f"/schedules/{JobSchedule.objects.get().pk}/"))
        assert "state:OK received:&lt;-7d" in page

    def test_shows_why_a_run_made_no_job(self, admin):
        make(admin)
        Job.objects.create(kind="archive", state="running", reason="r")
        run_schedule(schedule_id=JobSchedule.objects.get().pk)
        assert "Skipped: Archive job" in text_of(admin.get("/schedules/"))

    def test_shows_a_disabled_one_whose_row_was_edited_manually(self, admin):
        make(admin, enabled="")
        JobSchedule.objects.update(kind="other", options={"wher": 1})
        assert "paused</span>" in text_of(admin.get("/schedules/"))

    def test_offers_no_change_to_users_who_may_only_look(self, admin):
        make(admin)
        text = text_of(client_of("support", username="sue").get("/schedules/"))
        assert "every night" in text
        assert "New schedule" not in text

    def test_explains_schedules_if_the_list_is_empty(self, admin):
        assert "No schedules yet" in text_of(admin.get("/schedules/"))


class TestNewSchedule:
    @pytest.mark.parametrize("kind", ["archive", "restore", "restart", "cancel", "export"])
    def test_asks_for_the_options_of_the_kind(self, admin, kind):
        text = text_of(admin.get(f"/schedules/new/?kind={kind}"))
        assert ('name="older_than_months"' in text) == (kind == "archive")
        assert ('name="canary"' in text) == (kind in {"restart", "cancel"})
        assert ('type="checkbox" name="total"' in text) == (kind == "restart")
        assert ('name="format"' in text) == (kind == "export")

    def test_names_each_kind_separately(self, admin):
        text = text_of(admin.get("/schedules/new/?kind=archive_history"))
        assert " Archive old attempts </a>" in text
        assert " Group failures </a>" in text
        assert "Archive old attempts on a schedule" in text

    def test_keeps_the_schedule(self, admin):
        response = make(admin, "restart", line="state:FAILED,CANCEL", stop_at_failure_rate="20", total="on")
        assert (response.status_code, response.headers["Location"]) == (302, "/schedules/")
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
            ({"line": "state:GONE"}, "GONE"),
            ({"line": "state:NEW"}, "Only final messages"),
            ({"line": "received:<-7y"}, "-7y"),
            ({"line": "stat:OK"}, "Did you mean"),
            ({"line": "billing"}, "Write a filter, such as state:FAILED."),
            ({"line": "a\0:b"}, "Null characters"),
            ({"view": "tab:Gone"}, "tab:Gone"),
            ({"every": "year"}, "year"),
            ({"every": "day", "at": ""}, "Enter a time, such as 02:30."),
            ({"every": "day", "at": "25:00"}, "valid time"),
            ({"every": "hour", "minute": "60"}, "less than or equal to 59"),
            ({"every": "month", "at": "02:30", "day": "32"}, "less than or equal to 31"),
            ({"every": "week", "at": "02:30", "weekday": "7"}, "7"),
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
        assert client.get("/schedules/new/").status_code == 403
        assert make(client).status_code == 403
        assert [*AuditEntry.objects.values_list("action", flat=True)] == ["create_schedule"] * 2

    @pytest.mark.parametrize("kind", ["delete", "zzz", ""])
    def test_rejects_any_other_kind(self, admin, kind):
        assert admin.get(f"/schedules/new/?kind={kind}").status_code == 404


class TestChangeSchedule:
    def test_shows_what_it_is_and_keeps_what_is_changed(self, admin):
        make(admin, line="state:FAILED service:b&c")
        schedule_id = JobSchedule.objects.get().pk
        text = text_of(admin.get(f"/schedules/{schedule_id}/"))
        assert "state:FAILED service:b&amp;c" in text
        assert 'value="3"' in text
        response = admin.post(f"/schedules/{schedule_id}/", ARCHIVE | {"older_than_months": "5"})
        assert response.status_code == 302
        assert JobSchedule.objects.get().options == {"older_than_months": 5, "to": "tables"}

    def test_is_for_administrators(self, admin):
        make(admin)
        path = f"/schedules/{JobSchedule.objects.get().pk}/"
        assert client_of("operator", username="otto").post(path, ARCHIVE).status_code == 403

    def test_finds_nothing_with_another_id(self, admin):
        assert admin.get("/schedules/777/").status_code == 404

    def test_finds_no_schedule_of_an_unknown_kind(self, admin):
        make(admin)
        JobSchedule.objects.update(kind="other")
        assert admin.get(f"/schedules/{JobSchedule.objects.get().pk}/").status_code == 404


class TestFilterOfSchedule:
    def test_is_that_of_a_saved_view(self, admin):
        user = User.objects.get(username="ada")
        view = SavedView.objects.create(
            owner=user, name="crm", query="state=FAILED&service_name=crm&ordering=msg_id"
        )
        make(admin, "restart", view=f"{view.pk}:crm")
        assert JobSchedule.objects.get().filter == {"state": "FAILED", "service_name": "crm"}

    def test_is_that_of_a_built_in_view_with_its_relative_times(self, admin):
        make(admin, "cancel", view="tab:Waiting too long", older_than_months="")
        assert JobSchedule.objects.get().filter["last_process_timestamp_to"] == "-15m"

    def test_offers_no_views_of_other_users_and_none_for_other_stores(self, admin):
        SavedView.objects.create(owner=make_user("support", username="sue"), name="secret", query="state=OK")
        assert "secret" not in text_of(admin.get("/schedules/new/?kind=restart"))
        assert "Failing now" in text_of(admin.get("/schedules/new/?kind=restart"))
        assert "Failing now" not in text_of(admin.get("/schedules/new/?kind=reprocess"))

    def test_is_needed_for_jobs_that_need_one(self, admin):
        response = make(admin, "restart")
        assert response.status_code == 400
        assert list(response.context["times"].errors) == ["view"]


class TestTimesOfSchedule:
    @pytest.mark.parametrize(
        ("fields", "cron"),
        [
            ({"every": "hour", "minute": "15"}, "15 * * * *"),
            ({"every": "day", "at": "02:30"}, "30 2 * * *"),
            ({"every": "week", "at": "23:05", "weekday": "0"}, "5 23 * * 0"),
            ({"every": "month", "at": "00:00", "day": "31"}, "0 0 31 * *"),
            ({"every": "cron", "cron": " 0  6 * * mon-fri "}, "0 6 * * mon-fri"),
        ],
    )
    def test_are_kept_as_a_cron_line(self, admin, fields, cron):
        assert make(admin, **fields).status_code == 302
        assert JobSchedule.objects.get().cron == cron

    def test_are_shown_again_as_they_were_chosen(self, admin):
        make(admin, every="week", at="23:05", weekday="0")
        text = text_of(admin.get(f"/schedules/{JobSchedule.objects.get().pk}/"))
        for part in ('value="week" selected', 'value="0" selected', 'value="23:05"'):
            assert part in text


class TestPreviewSchedule:
    def preview(self, client: Client, **changes: str) -> str:
        fields = ARCHIVE | {"every": "day", "at": "02:30", "zone": "UTC"} | changes
        return text_of(
            client.post("/schedules/preview/?kind=archive", fields, headers={"hx-request": "true"})
        )

    def test_shows_the_next_five_runs_and_their_effect(self, admin):
        at = datetime.now(UTC) - timedelta(days=100)
        make_message(state="OK", receive_timestamp=at, last_process_timestamp=at)
        text = self.preview(admin, reason="")
        assert "<strong>Every day at 02:30</strong>, UTC" in text
        assert text.count("<li>") == 5
        assert '<span class="u-number">1</span>' in text
        assert "<html" not in text

    def test_says_what_is_wrong_with_the_times(self, admin):
        assert "The times are not complete." in self.preview(admin, at="")
        assert "at most every 5 minutes" in self.preview(admin, every="cron", cron="* * * * *")
        assert "Unknown time zone" in self.preview(admin, zone="Mars/Base")

    def test_counts_nothing_for_a_form_with_errors(self, admin):
        assert "Would be refused: Correct the form first." in self.preview(admin, older_than_months="two")
        assert "Correct the form first." in self.preview(admin, view="own", line="state:GONE")

    def test_is_for_administrators_and_stores_nothing(self, admin):
        assert client_of("operator", username="otto").post("/schedules/preview/", ARCHIVE).status_code == 403
        self.preview(admin)
        assert not JobSchedule.objects.exists()


class TestPauseSchedule:
    def post(self, client: Client, what: str) -> HttpResponse:
        return client.post(f"/schedules/{JobSchedule.objects.get().pk}/{what}/", follow=True)

    def test_pauses_and_resumes_with_undo(self, admin):
        make(admin)
        text = text_of(self.post(admin, "pause"))
        assert "Schedule paused." in text
        assert f'action="/schedules/{JobSchedule.objects.get().pk}/resume/"' in text
        assert not JobSchedule.objects.get().enabled
        assert not PeriodicTask.objects.get(name__startswith="job schedule").enabled
        assert "The schedule was paused already." in text_of(self.post(admin, "pause"))
        assert "Schedule resumed." in text_of(self.post(admin, "resume"))
        assert JobSchedule.objects.get().enabled
        assert PeriodicTask.objects.get(name__startswith="job schedule").enabled
        actions = [*AuditEntry.objects.order_by("pk").values_list("action", "details__enabled")]
        assert actions == [
            ("create_schedule", True),
            ("change_schedule", False),
            ("change_schedule", True),
        ]

    def test_keeps_the_owner_when_paused_and_takes_the_next_when_resumed(self, admin):
        make(admin)
        other = client_of("admin", username="bob")
        self.post(other, "pause")
        assert JobSchedule.objects.get().owner.username == "ada"
        self.post(other, "resume")
        assert JobSchedule.objects.get().owner.username == "bob"

    def test_checks_a_schedule_before_it_is_resumed(self, admin):
        make(admin, enabled="")
        JobSchedule.objects.update(filter={"state": "NEW"})
        assert "cannot be resumed: " in text_of(self.post(admin, "resume"))
        assert not JobSchedule.objects.get().enabled

    @pytest.mark.parametrize("what", ["pause", "resume"])
    def test_is_for_administrators(self, admin, what):
        make(admin)
        assert self.post(client_of("operator", username="otto"), what).status_code == 403
        assert admin.post(f"/schedules/777/{what}/").status_code == 404


class TestRunSchedule:
    def path(self) -> str:
        return f"/schedules/{JobSchedule.objects.get().pk}/run/"

    def test_asks_with_the_number_and_creates_the_job_of_the_user(self, admin):
        make_message(state="FAILED")
        make(admin, "restart", line="state:FAILED", enabled="")
        assert '<span class="u-number">1</span>' in text_of(admin.get(self.path()))
        response = admin.post(self.path())
        job, schedule = Job.objects.get(), JobSchedule.objects.get()
        assert (response.status_code, response.headers["Location"]) == (302, f"/jobs/{job.pk}/")
        assert (job.kind, job.filter, job.created_by) == ("restart", {"state": "FAILED"}, "ada")
        assert [(run["outcome"], run["job"]) for run in schedule.recent_runs] == [("created", job.pk)]
        assert schedule.last_run_at is None
        entry = AuditEntry.objects.get(action="run_schedule")
        assert (entry.actor, entry.job_id, entry.details) == ("ada", job.pk, {"schedule": schedule.pk})

    def test_makes_one_job_of_two_clicks(self, admin):
        make(admin, "restart", line="state:FAILED")
        admin.post(self.path())
        response = admin.post(self.path())
        assert response.status_code == 409
        assert "of the previous run is planning" in text_of(response)
        assert Job.objects.count() == 1

    @override_settings(BULK_GUARD="password", BULK_GUARD_FROM=1)
    def test_asks_for_the_password_before_a_large_job(self, admin):
        make_message(state="FAILED")
        make(admin, "restart", line="state:FAILED")
        response = admin.post(self.path())
        assert response.status_code == 403
        assert "password" in text_of(response)
        assert not Job.objects.exists()

    def test_refuses_what_a_run_would_refuse(self, admin):
        make(admin)
        JobSchedule.objects.update(options={"older_than_months": "x"})
        response = admin.post(self.path())
        assert response.status_code == 409
        assert not Job.objects.exists()

    def test_is_for_administrators(self, admin):
        make(admin)
        client = client_of("operator", username="otto")
        assert client.get(self.path()).status_code == client.post(self.path()).status_code == 403
        assert not Job.objects.exists()


class TestDeleteSchedule:
    def test_asks_and_removes_it(self, admin):
        make(admin)
        path = f"/schedules/{JobSchedule.objects.get().pk}/delete/"
        assert "This cannot be undone." in text_of(admin.get(path))
        assert client_of("operator", username="otto").post(path).status_code == 403
        assert [*AuditEntry.objects.filter(actor="otto").values_list("action", "outcome")] == [
            ("delete_schedule", "refused")
        ]
        assert admin.post(path, {"reason": "not needed"}).status_code == 302
        assert not JobSchedule.objects.exists()
        assert AuditEntry.objects.get(action="delete_schedule", outcome="done").reason == "not needed"
        assert admin.post(path).status_code == 404


class TestScheduleForm:
    def test_takes_the_errors_of_its_fields_and_leaves_the_others(self, admin):
        user = User.objects.get(username="ada")
        form = ScheduleForm(QueryDict("every=cron&cron=x&view=own&zone=UTC"), kind="restart", user=user)
        errors = [
            FieldError(field, "invalid_value", f"Wrong {field}.")
            for field in ("cron", "filter.state", "options.rate", "reason")
        ]
        assert form.take_errors(errors) == errors[2:]
        assert form.errors == {"cron": ["Wrong cron."], "line": ["Wrong filter.state."]}
