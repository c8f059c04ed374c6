import re
from datetime import timedelta

import psycopg
import pytest
from django.db.models.functions import Now
from playwright.sync_api import expect

from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job, JobChunk, JobItem, JobRefusal
from messages_app.jobs.views.create import views
from messages_app.shared.job_states import ChunkContent, JobState
from tests.pages.checks import check_page
from tests.pages.window import Window
from tests.support.factories import make_message, make_messages

JOB_PAGE = re.compile(r"/jobs/\d+/$")


def make_running_job() -> Job:
    job = Job.objects.create(kind="archive", state=JobState.RUNNING, reason="x", created_by="ada", attempt=1)
    for number in range(2):
        JobChunk.objects.create(job_id=job.pk, chunk_no=number, content=ChunkContent.MESSAGES, planned=10)
    return job


def make_planning_job(**columns: object) -> Job:
    """Store a job that a worker has had for twelve seconds."""
    job = Job.objects.create(kind="restart", state=JobState.PLANNING, reason="x", created_by="ada", attempt=1)
    times = {"created_at": Now() - timedelta(seconds=12), "lease_until": Now() + timedelta(minutes=5)}
    Job.objects.filter(pk=job.pk).update(**times, **columns)
    return job


class TestArchive:
    def test_leads_from_the_preview_to_the_page_of_the_job(self, window):
        make_message(state="OK", last_process_timestamp="2020-01-01T00:00Z")
        window.log_in("admin")
        window.open("/messages/")
        page = window.page
        page.get_by_role("link", name="Archive", exact=True).first.click()
        page.get_by_label("Older than").fill("3")
        page.get_by_role("button", name="Preview archive job").click()
        expect(page.get_by_role("main")).to_contain_text("1 message would be archived")
        page.get_by_label("Reason").fill("November")
        page.get_by_label("Older than").press("Enter")
        page.wait_for_url("**reason=November**")
        assert not Job.objects.exists()
        page.get_by_label("Reason").press("Enter")
        page.wait_for_url(JOB_PAGE)
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Job {Job.objects.get().pk}")
        expect(page.get_by_role("main")).to_contain_text("November")
        assert Job.objects.get().options == {"older_than_months": 3, "to": "tables"}


class TestNewJob:
    def test_shows_a_late_estimate_and_is_sent_once(self, window, monkeypatch):
        make_message(state="FAILED")
        monkeypatch.setattr(views, "_FIRST_SECONDS", 0.3)
        window.log_in("operator")
        page = window.page
        with psycopg.connect(database_dsn()) as other:
            other.execute("LOCK TABLE message")
            window.open("/jobs/new/?kind=restart&state=FAILED")
            expect(page.get_by_text("Estimating…")).to_be_visible()
            check_page(page)
        expect(page.get_by_role("main")).to_contain_text("1 message would be restarted")
        page.get_by_label("Reason").fill("billing is back")
        page.get_by_role("button", name="Restart 1 message").dblclick()
        page.wait_for_url(JOB_PAGE)
        assert Job.objects.count() == 1

    def test_requires_the_number_typed_and_is_sent_once(self, window):
        make_messages(1_200)
        window.log_in("operator")
        page = window.page
        window.open("/jobs/new/?kind=export&service_name=billing")
        page.get_by_label("Reason").fill("for the audit")
        page.get_by_label("Type 1").fill("1 200")
        page.get_by_role("button", name="Export 1").dblclick()
        page.wait_for_url(JOB_PAGE)
        assert Job.objects.count() == 1

    @pytest.mark.slow
    def test_shows_how_long_it_takes_at_the_rate_typed(self, window):
        window.log_in("operator")
        page = window.page
        make_message(state="FAILED")
        window.open("/jobs/new/?kind=restart&state=FAILED&rate=2")
        duration = page.locator("#job-duration")
        expect(duration).to_have_text("under a second at 2/s.")
        page.get_by_label("Max rate").fill("0.01")
        expect(duration).to_have_text("about 100 s at 0.01/s.")
        page.get_by_label("Max rate").fill("0.00002")
        expect(duration).to_contain_text("about 13 h 53 min at")

    @pytest.mark.slow
    def test_works_without_scripts(self, open_window):
        make_message(state="FAILED")
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=FAILED")
        page.locator(".c-bulk-menu summary").click()
        page.get_by_role("link", name="Restart all").first.click()
        page.get_by_label("Reason").fill("again")
        page.get_by_role("button", name="Restart 1").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Job {Job.objects.get().pk}")


class TestJobPage:
    def test_follows_the_job_until_it_ends(self, window):
        job = make_running_job()
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        bar = window.page.get_by_role("progressbar")
        expect(bar).to_have_attribute("aria-valuenow", "0")
        JobChunk.objects.filter(chunk_no=0).update(outcomes={"done": 10})
        expect(bar).to_have_attribute("aria-valuenow", "50")
        window.page.get_by_role("link", name="Settings", exact=True).click()
        JobChunk.objects.filter(chunk_no=1).update(outcomes={"done": 10}, moved={"message": 20})
        Job.objects.update(state=JobState.DONE)
        expect(window.page.get_by_role("cell", name="message", exact=True)).to_be_visible()
        expect(window.page.locator("main [hx-trigger^='every']")).to_have_count(0)
        window.page.get_by_role("link", name="Activity", exact=True).click()
        expect(window.page.locator("#job-activity")).to_be_visible()
        expect(window.page.get_by_role("cell", name="message", exact=True)).to_be_hidden()

    @pytest.mark.slow
    def test_updates_counts_without_moving_the_page(self, window):
        job = make_running_job()
        for msg_id in range(1, 21):
            item = {"msg_id": msg_id, "root_msg_id": msg_id, "old_state": "OK"}
            JobItem.objects.create(job_id=job.pk, chunk_no=(msg_id - 1) // 10, **item)
        window.log_in("admin")
        window.page.set_viewport_size({"width": 1280, "height": 300})
        window.open(f"/jobs/{job.pk}/")
        tab, find = window.page.locator("#ledger-skipped"), window.page.get_by_label("Message id")
        row = window.page.locator("#ledger-table tbody tr").first
        find.fill("12")
        tab.focus()
        scrolled = window.page.evaluate("scrollY")
        assert scrolled > 0

        JobRefusal.objects.create(
            job_id=job.pk, msg_id=1, root_msg_id=1, old_state="OK", outcome="skipped:locked"
        )
        JobChunk.objects.filter(chunk_no=0).update(
            outcomes={"done": 9, "skipped:locked": 1}, moved={"message": 9}, committed_at=Now()
        )
        expect(tab).to_contain_text("1")
        expect(row).to_contain_text("Locked by the hub")
        expect(window.page.get_by_role("table", name="Why messages were skipped")).to_contain_text("1")
        expect(tab).to_be_focused()
        expect(find).to_have_value("12")
        check_page(window.page)
        assert window.page.evaluate("scrollY") >= scrolled

        find.focus()
        JobChunk.objects.filter(chunk_no=1).update(outcomes={"done": 10}, committed_at=Now())
        Job.objects.update(state=JobState.DONE, finished_at=Now())
        expect(window.page.locator("#afterwards")).to_be_visible()
        expect(find).to_be_focused()
        expect(find).to_have_value("12")
        expect(window.page.locator("main [hx-trigger^='every']")).to_have_count(0)

    @pytest.mark.slow
    def test_keeps_a_reason_that_is_being_written_while_the_job_continues(self, window):
        job = make_running_job()
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        window.page.locator("summary").filter(has_text="Stop job").click()
        reason = window.page.get_by_label("Reason (recorded")
        reason.fill("wrong mon")
        Job.objects.update(state=JobState.PAUSED, paused_for="operator")
        expect(window.page.get_by_role("button", name="Resume")).to_be_visible()
        expect(reason).to_have_value("wrong mon")
        expect(reason).to_be_focused()
        reason.press_sequentially("th")
        expect(reason).to_have_value("wrong month")

    @pytest.mark.slow
    def test_changes_its_buttons_when_someone_else_pauses_the_job(self, window):
        job = make_running_job()
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        expect(window.page.get_by_role("button", name="Pause")).to_be_visible()
        Job.objects.update(state=JobState.PAUSED, paused_for="operator")
        expect(window.page.get_by_role("button", name="Resume")).to_be_visible()
        expect(window.page.get_by_role("button", name="Pause")).to_have_count(0)
        check_page(window.page)

    @pytest.mark.slow
    def test_counts_the_seconds_of_a_plan_and_announces_each_step_once(self, window):
        job = make_planning_job(step="starting_spark")
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        window.page.evaluate("window.saidAloud = document.getElementById('job-status')")
        is_as_it_was = "window.saidAloud === document.getElementById('job-status')"
        page = window.page.get_by_role("main")
        elapsed = window.page.locator("[data-so-far]")
        expect(page).to_contain_text("Waiting for Spark to start.")
        seconds = int(elapsed.inner_text().split()[0])
        assert seconds >= 12
        expect(elapsed).not_to_have_text(f"{seconds} s so far")
        assert elapsed.inner_text().endswith(" s so far")
        assert int(elapsed.inner_text().split()[0]) > seconds
        assert window.page.evaluate(is_as_it_was)
        check_page(window.page)

        Job.objects.update(step="")
        expect(page).to_contain_text("Selecting messages.")
        expect(window.page.locator("#job-status")).to_have_text("planning: Selecting messages.")

    def test_stops_the_job(self, window):
        job = make_running_job()
        _stop(window, job)
        expect(window.page.get_by_role("main")).to_contain_text("stopping")
        assert Job.objects.get().state == JobState.STOPPING


def _stop(window: Window, job: Job) -> None:
    window.log_in("admin")
    window.open(f"/jobs/{job.pk}/")
    window.page.locator("summary").filter(has_text="Stop job").click()
    window.page.get_by_label("Reason (recorded").fill("wrong month")
    window.page.get_by_role("button", name="Stop job").click()
