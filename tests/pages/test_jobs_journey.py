"""From the list to the ledger and back: a real worker, Spark, and a hub that moves what was restarted."""

import re

import pytest
from playwright.sync_api import Page, expect

from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import Job, LedgerRow
from messages_app.messages.models import Message
from messages_app.shared.job_states import JobState
from tests.pages.checks import check_page
from tests.support.eventually import eventually
from tests.support.factories import make_message

RESTARTED, CANARY = 60, 4
JOB_PAGE = re.compile(r"/jobs/\d+/$")


def open_actions(page: Page, choice: str) -> None:
    """Choose the action for all messages of the list, only with the keyboard."""
    page.keyboard.press("a")
    link = page.get_by_role("list", name="For all matching messages").get_by_role("link", name=choice)
    for _ in range(10):
        if link.evaluate("link => link === document.activeElement"):
            break
        page.keyboard.press("Tab")
    with page.expect_navigation():
        page.keyboard.press("Enter")


def end_of_job(page: Page) -> None:
    """Wait until the page says that the job has ended; what follows it loads on its own."""
    expect(page.locator(".c-progress .c-state").first).to_have_text("done", timeout=60_000)


def page_says(page: Page, text: str) -> None:
    """Wait for a text, and do meanwhile what the console's watcher does every few seconds."""
    eventually(lambda: watch_jobs() or text in page.get_by_role("main").inner_text(), seconds=60)


class TestRestart:
    @pytest.mark.slow
    def test_goes_from_the_list_through_test_batch_and_pause_to_its_ledger(self, window, worker, start_hub):
        messages = [make_message(state="FAILED") for _ in range(RESTARTED)]
        start_hub("--rate", "0", "--speed", "600")
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=FAILED")
        open_actions(page, f"Restart {RESTARTED} matching messages")

        expect(page.get_by_role("heading", level=2).first).to_contain_text(
            f"{RESTARTED} messages would be restarted"
        )
        check_page(page)
        page.get_by_label("Max rate").fill("3")
        page.get_by_label("Test batch size").fill(str(CANARY))
        page.get_by_label("Stop if failures exceed").fill("100")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name=f"Restart {RESTARTED}").press("Enter")

        page.wait_for_url(JOB_PAGE)
        page_says(page, f"Test batch of {CANARY} messages")
        check_page(page)
        page_says(page, "Restarting.")
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("main")).to_contain_text("Paused by an operator")
        check_page(page)
        job = Job.objects.get()
        assert LedgerRow.objects.filter(job_id=job.pk, outcome=None).exists()
        page.get_by_role("button", name="Resume").click()
        end_of_job(page)

        rows = page.get_by_role("table", name="Messages of this job").get_by_role("row")
        expect(rows).to_have_count(26)
        expect(rows.nth(1)).to_contain_text("PARTLY_FAILED")
        expect(page.get_by_role("region", name="Now in the hub")).not_to_contain_text("Show current message")
        check_page(page)
        assert LedgerRow.objects.filter(job_id=job.pk, outcome="done").count() == RESTARTED
        rows.nth(1).get_by_role("link").click()
        jobs = page.locator("#jobs")
        expect(jobs).to_contain_text(f"Job {job.pk}")
        expect(jobs).to_contain_text("done")
        assert not Message.objects.filter(
            pk__in=[message.pk for message in messages], failed_count__gt=4
        ).exists()


class TestCancel:
    @pytest.mark.slow
    def test_is_reverted_by_its_undo(self, window, worker):
        messages = [make_message(state="POSTPONED") for _ in range(3)]
        changed = messages[0]
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=POSTPONED")
        open_actions(page, "Cancel all")
        page.get_by_label("Reason").fill("no longer wanted")
        page.get_by_role("button", name="Cancel 3").click()
        page.wait_for_url(JOB_PAGE)
        end_of_job(page)
        assert set(Message.objects.values_list("state", flat=True)) == {"CANCEL"}
        Message.objects.filter(pk=changed.pk).update(custom_data="touched")

        page.locator("summary").filter(has_text="Undo").click()
        check_page(page)
        page.get_by_label("Reason").fill("they were wanted")
        page.get_by_role("button", name="Undo job").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Job {Job.objects.latest('pk').pk}")
        end_of_job(page)
        rows = page.get_by_role("table", name="Messages of this job").get_by_role("row")
        expect(rows.nth(1)).to_contain_text("skipped")
        expect(rows.nth(2)).to_contain_text("POSTPONED")
        check_page(page)
        assert Message.objects.get(pk=changed.pk).state == "CANCEL"
        assert Message.objects.filter(state="POSTPONED").count() == 2

        cancelled = Job.objects.earliest("pk")
        window.open(f"/jobs/{cancelled.pk}/")
        expect(page.get_by_role("main")).to_contain_text("undoes this job")
        assert cancelled.state == JobState.DONE
