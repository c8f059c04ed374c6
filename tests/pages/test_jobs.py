from playwright.sync_api import expect

from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.states import ChunkContent, JobState
from tests.pages.window import Window


class TestArchive:
    def test_leads_from_the_button_to_the_jobs_page(self, window):
        window.log_in("admin")
        page = window.page
        page.get_by_role("link", name="Archive", exact=True).first.click()
        page.get_by_label("Older than").fill("3")
        page.get_by_label("Reason").fill("November")
        page.get_by_role("button", name="Archive").click()
        page.wait_for_url("**/jobs/*/")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Job {Job.objects.get().pk}")
        expect(page.get_by_role("main")).to_contain_text("November")


class TestJobPage:
    def test_follows_the_job_until_it_ends(self, window):
        job = Job.objects.create(
            kind="archive", state=JobState.RUNNING, reason="x", created_by="ada", attempt=1
        )
        for number in range(2):
            JobChunk.objects.create(job_id=job.pk, chunk_no=number, content=ChunkContent.MESSAGES, planned=10)
        window.log_in("admin")
        window.open(f"/jobs/{job.pk}/")
        bar = window.page.get_by_role("progressbar")
        expect(bar).to_have_attribute("aria-valuenow", "0")
        JobChunk.objects.filter(chunk_no=0).update(outcomes={"done": 10})
        expect(bar).to_have_attribute("aria-valuenow", "50")
        JobChunk.objects.filter(chunk_no=1).update(outcomes={"done": 10}, moved={"message": 20})
        Job.objects.update(state=JobState.DONE)
        expect(window.page.get_by_role("cell", name="message", exact=True)).to_be_visible()
        expect(window.page.locator("[hx-trigger]")).to_have_count(0)

    def test_stops_the_job(self, window):
        job = Job.objects.create(
            kind="archive", state=JobState.RUNNING, reason="x", created_by="ada", attempt=1
        )
        _stop(window, job)
        expect(window.page.get_by_role("main")).to_contain_text("stopping")
        assert Job.objects.get().state == JobState.STOPPING


def _stop(window: Window, job: Job) -> None:
    window.log_in("admin")
    window.open(f"/jobs/{job.pk}/")
    window.page.locator("summary").filter(has_text="Stop this job").click()
    window.page.get_by_label("Reason").fill("wrong month")
    window.page.get_by_role("button", name="Stop the job").click()
