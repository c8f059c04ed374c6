import re

from playwright.sync_api import expect

from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.states import ChunkContent, JobState
from tests.factories import make_message, make_messages
from tests.pages.checks import check_page
from tests.pages.window import Window

JOB_PAGE = re.compile(r"/jobs/\d+/$")


def make_running_job() -> Job:
    job = Job.objects.create(kind="archive", state=JobState.RUNNING, reason="x", created_by="ada", attempt=1)
    for number in range(2):
        JobChunk.objects.create(job_id=job.pk, chunk_no=number, content=ChunkContent.MESSAGES, planned=10)
    return job


class TestArchive:
    def test_leads_over_what_would_be_archived_to_the_jobs_page(self, window):
        make_message(state="OK", last_process_timestamp="2020-01-01T00:00Z")
        window.log_in("admin")
        page = window.page
        page.get_by_role("link", name="Archive", exact=True).first.click()
        page.get_by_label("Older than").fill("3")
        page.get_by_role("button", name="See what would be archived").click()
        expect(page.get_by_role("main")).to_contain_text("1 message would be archived")
        page.get_by_label("Reason").fill("November")
        page.get_by_role("button", name="Archive 1").click()
        page.wait_for_url(JOB_PAGE)
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Job {Job.objects.get().pk}")
        expect(page.get_by_role("main")).to_contain_text("November")
        assert Job.objects.get().options == {"older_than_months": 3, "to": "tables"}


class TestNewJob:
    def test_wants_the_number_typed_and_is_sent_once(self, window):
        make_messages(1_200)
        window.log_in("operator")
        page = window.page
        window.open("/jobs/new/?kind=export&service_name=billing")
        page.get_by_label("Reason").fill("for the audit")
        page.get_by_label("Type 1").fill("1 200")
        page.get_by_role("button", name="Export 1").dblclick()
        page.wait_for_url(JOB_PAGE)
        assert Job.objects.count() == 1

    def test_says_how_long_it_takes_at_the_rate_typed(self, window):
        window.log_in("operator")
        page = window.page
        make_message(state="FAILED")
        window.open("/jobs/new/?kind=restart&state=FAILED&rate=2")
        expect(page.locator("[data-takes]")).to_have_text("under a second")
        page.get_by_label("Messages a second").fill("0.01")
        expect(page.locator("[data-takes]")).to_have_text("about 100 s")

    def test_works_without_scripts(self, open_window):
        make_message(state="FAILED")
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=FAILED")
        page.locator(".bulk summary").click()
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
        JobChunk.objects.filter(chunk_no=1).update(outcomes={"done": 10}, moved={"message": 20})
        Job.objects.update(state=JobState.DONE)
        expect(window.page.get_by_role("cell", name="message", exact=True)).to_be_visible()
        expect(window.page.locator("[hx-trigger^='every']")).to_have_count(0)

    def test_changes_its_buttons_when_somebody_else_pauses_the_job(self, window):
        job = make_running_job()
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        expect(window.page.get_by_role("button", name="Pause")).to_be_visible()
        Job.objects.update(state=JobState.PAUSED, paused_for="operator")
        expect(window.page.get_by_role("button", name="Resume")).to_be_visible()
        expect(window.page.get_by_role("button", name="Pause")).to_have_count(0)
        check_page(window.page)

    def test_stops_the_job(self, window):
        job = make_running_job()
        _stop(window, job)
        expect(window.page.get_by_role("main")).to_contain_text("stopping")
        assert Job.objects.get().state == JobState.STOPPING


def _stop(window: Window, job: Job) -> None:
    window.log_in("admin")
    window.open(f"/jobs/{job.pk}/")
    window.page.locator("summary").filter(has_text="Stop this job").click()
    window.page.get_by_label("Reason, kept").fill("wrong month")
    window.page.get_by_role("button", name="Stop the job").click()
