import html
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings
from django_celery_beat.models import PeriodicTask

from messages_app.audit.models import AuditEntry
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.schedules.times import next_run
from messages_app.jobs.views.schedules import RunDot, ScheduleRow
from tests.messages_app.jobs.views.posted_schedules import post_schedule
from tests.support.factories import make_message
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Client:
    return client_of("admin")


class TestScheduleToday:
    def today(self, client: Client, **headers: str) -> str:
        return text_of(client.get(f"/schedules/{JobSchedule.objects.get().pk}/today/", headers=headers))

    def test_shows_how_many_messages_a_run_would_change_now(self, admin):
        post_schedule(admin)
        for days in (10, 100, 200):
            at = datetime.now(UTC) - timedelta(days=days)
            make_message(state="OK", receive_timestamp=at, last_process_timestamp=at)
        assert '<span class="u-number">2</span>' in self.today(admin)
        assert "<html" in self.today(admin)
        assert "<html" not in self.today(admin, hx_request="true")

    def test_counts_a_relative_time_from_now(self, admin):
        make_message(state="FAILED", receive_timestamp=datetime.now(UTC) - timedelta(days=8))
        make_message(state="FAILED", receive_timestamp=datetime.now(UTC) - timedelta(days=1))
        post_schedule(admin, kind="restart", line="state:FAILED received:<-7d")
        assert '<span class="u-number">1</span>' in self.today(admin)

    @pytest.mark.parametrize("columns", [{"options": {"older_than_months": None}}, {"kind": "other"}])
    def test_explains_errors_in_a_manually_edited_schedule(self, admin, columns):
        post_schedule(admin)
        JobSchedule.objects.update(**columns)
        assert "Would be refused" in self.today(admin)

    def test_does_not_exist_for_a_missing_schedule(self, admin):
        assert admin.get("/schedules/77/today/").status_code == 404


class TestScheduleList:
    def test_has_all_values_of_each_row_newest_first(self, admin):
        post_schedule(admin, line="state:FAILED", cron="30 2 1 1 *", zone="UTC")
        post_schedule(admin, kind="restart", line="service:billing state:CANCEL", enabled="", total="on")
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
            name="Restart messages: State CANCEL, Service billing",
            list_link="/messages/?state=CANCEL&service_name=billing",
            options=["From scratch yes"],
            times="Every day at 02:30",
            next_run=None,
            runs=[],
            fault="Skipped: Job 7.",
        )
        assert lower == ScheduleRow(
            schedule=first,
            name="Archive messages: State FAILED, final, older than 3 months",
            list_link="/messages/?state=FAILED",
            options=["Destination the archive tables"],
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
        post_schedule(admin, line="state:FAILED service:billing")
        schedule = JobSchedule.objects.get()
        run_schedule(schedule_id=schedule.pk)
        text = text_of(admin.get("/schedules/"))
        for part in (
            "Archive messages: State FAILED, Service billing, final, older than 3 months",
            "Every day at 02:30",
            "Europe/Prague",
            "every night",
        ):
            assert part in text
        assert f'href="/jobs/{Job.objects.get().pk}/" data-state="planning"' in text

    def test_names_the_set_without_a_filter(self, admin):
        post_schedule(admin)
        assert ">Archive final messages older than 3 months</a>" in text_of(admin.get("/schedules/"))

    def test_is_narrowed_by_kind_and_state(self, admin):
        post_schedule(admin)
        post_schedule(admin, enabled="")
        post_schedule(admin, kind="restart", line="state:FAILED")
        ids = dict(enumerate(JobSchedule.objects.order_by("pk").values_list("pk", flat=True), 1))
        for query, wanted in (
            ("", [3, 2, 1]),
            ("kind=archive", [2, 1]),
            ("kind=archive&state=enabled", [1]),
            ("state=paused", [2]),
            ("kind=export", []),
        ):
            response = admin.get(f"/schedules/?{query}")
            assert [row.schedule.pk for row in response.context["rows"]] == [ids[n] for n in wanted], query
        assert "No schedules found" in text_of(response)
        for query in ("kind=other", "state=running", "cursor=x", "page=2"):
            assert admin.get(f"/schedules/?{query}").status_code == 400, query

    def test_is_paged_beyond_a_hundred(self, admin):
        post_schedule(admin)
        [one] = JobSchedule.objects.values()
        del one["schedule_id"]
        JobSchedule.objects.bulk_create(JobSchedule(**one) for _ in range(100))
        ids = list(JobSchedule.objects.order_by("-pk").values_list("pk", flat=True))
        page = admin.get("/schedules/?kind=archive")
        assert [row.schedule.pk for row in page.context["rows"]] == ids[:100]
        [older] = set(re.findall(r'href="(\?kind=archive&amp;cursor=[^"]*)"', text_of(page)))
        page = admin.get(f"/schedules/{html.unescape(older)}")
        assert [row.schedule.pk for row in page.context["rows"]] == ids[100:]

    def test_loads_todays_number_of_each_schedule_automatically(self, admin):
        post_schedule(admin)
        schedule = JobSchedule.objects.get()
        text = text_of(admin.get("/schedules/"))
        assert f'hx-get="/schedules/{schedule.pk}/today/" hx-trigger="revealed"' in text

    def test_requires_an_age_limit_in_months_for_archive_jobs(self, admin):
        for months in ("", "0", "1201"):
            response = post_schedule(admin, older_than_months=months)
            assert response.status_code == 400
            assert list(response.context["form"].errors) == ["older_than_months"]
        assert not JobSchedule.objects.exists()

    def test_describes_times_relative_to_each_run(self, admin):
        post_schedule(admin, line="received:<-7d state:OK")
        assert "Received until 7 d ago" in text_of(admin.get("/schedules/"))
        page = text_of(admin.get(f"/schedules/{JobSchedule.objects.get().pk}/"))
        assert "state:OK received:&lt;-7d" in page

    def test_shows_why_a_run_made_no_job(self, admin):
        post_schedule(admin)
        Job.objects.create(kind="archive", state="running", reason="r")
        run_schedule(schedule_id=JobSchedule.objects.get().pk)
        assert "Skipped: Archive job" in text_of(admin.get("/schedules/"))

    def test_shows_a_disabled_one_whose_row_was_edited_manually(self, admin):
        post_schedule(admin, enabled="")
        JobSchedule.objects.update(kind="other", options={"wher": 1})
        assert "paused</span>" in text_of(admin.get("/schedules/"))

    def test_offers_no_change_to_users_who_may_only_look(self, admin):
        post_schedule(admin)
        text = text_of(client_of("support", username="sue").get("/schedules/"))
        assert "every night" in text
        assert "New schedule" not in text

    def test_explains_schedules_if_the_list_is_empty(self, admin):
        assert "No schedules yet" in text_of(admin.get("/schedules/"))


class TestPauseSchedule:
    def post(self, client: Client, what: str) -> HttpResponse:
        return client.post(f"/schedules/{JobSchedule.objects.get().pk}/{what}/", follow=True)

    def test_pauses_and_resumes_with_undo(self, admin):
        post_schedule(admin)
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
        post_schedule(admin)
        other = client_of("admin", username="bob")
        self.post(other, "pause")
        assert JobSchedule.objects.get().owner.username == "ada"
        self.post(other, "resume")
        assert JobSchedule.objects.get().owner.username == "bob"

    def test_checks_a_schedule_before_it_is_resumed(self, admin):
        post_schedule(admin, enabled="")
        JobSchedule.objects.update(filter={"state": "NEW"})
        assert "cannot be resumed: " in text_of(self.post(admin, "resume"))
        assert not JobSchedule.objects.get().enabled

    @pytest.mark.parametrize("what", ["pause", "resume"])
    def test_is_for_administrators(self, admin, what):
        post_schedule(admin)
        assert self.post(client_of("operator", username="otto"), what).status_code == 403
        assert admin.post(f"/schedules/777/{what}/").status_code == 404


class TestRunSchedule:
    def path(self) -> str:
        return f"/schedules/{JobSchedule.objects.get().pk}/run/"

    def test_asks_with_the_number_and_creates_the_job_of_the_user(self, admin):
        make_message(state="FAILED")
        post_schedule(admin, "restart", line="state:FAILED", enabled="")
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
        post_schedule(admin, "restart", line="state:FAILED")
        admin.post(self.path())
        response = admin.post(self.path())
        assert response.status_code == 409
        assert "of the previous run is planning" in text_of(response)
        assert Job.objects.count() == 1

    @override_settings(BULK_GUARD="password", BULK_GUARD_FROM=1)
    def test_asks_for_the_password_before_a_large_job(self, admin):
        make_message(state="FAILED")
        post_schedule(admin, "restart", line="state:FAILED")
        response = admin.post(self.path())
        assert response.status_code == 403
        assert "password" in text_of(response)
        assert not Job.objects.exists()

    def test_refuses_what_a_run_would_refuse(self, admin):
        post_schedule(admin)
        JobSchedule.objects.update(options={"older_than_months": "x"})
        response = admin.post(self.path())
        assert response.status_code == 409
        assert not Job.objects.exists()

    def test_is_for_administrators(self, admin):
        post_schedule(admin)
        client = client_of("operator", username="otto")
        assert client.get(self.path()).status_code == client.post(self.path()).status_code == 403
        assert not Job.objects.exists()


class TestDeleteSchedule:
    def test_asks_and_removes_it(self, admin):
        post_schedule(admin)
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
