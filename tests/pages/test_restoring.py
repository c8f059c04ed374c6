"""From archived messages to the job that restores them."""

import pytest
from playwright.sync_api import expect

from messages_app.jobs.models import Job
from tests.pages.checks import check_page
from tests.support.factories import make_archived_message, make_message


class TestChosenMessages:
    @pytest.mark.slow
    def test_are_restored_as_one_job(self, window):
        chosen = [make_archived_message(state="FAILED") for _ in range(2)]
        make_archived_message(state="FAILED")
        window.log_in("admin")
        page = window.page
        window.open("/messages/?archived=true")
        for message in chosen:
            page.locator(f"input[name=msg_id][type=checkbox][value='{message.pk}']").check()
        bar = page.locator("#selection")
        expect(bar.get_by_role("button", name="Restart")).to_have_count(0)
        check_page(page)
        bar.get_by_role("button", name="Restore").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Restore messages")
        page.get_by_label("Reason").fill("the partner asks for them")
        page.get_by_role("button", name="Restore 2").click()
        page.wait_for_url("**/jobs/*/")
        job = Job.objects.get()
        assert (job.kind, job.filter["archived"]) == ("restore", "true")
        assert set(job.filter["msg_id"].split(",")) == {str(one.pk) for one in chosen}

    @pytest.mark.slow
    def test_report_that_live_messages_cannot_be_restored(self, window):
        archived, live = make_archived_message(), make_message()
        window.log_in("admin")
        page = window.page
        window.open("/messages/?archived=any")
        for message in (archived, live):
            page.locator(f"input[name=msg_id][type=checkbox][value='{message.pk}']").check()
        bar = page.locator("#selection")
        expect(bar.get_by_role("button", name="Restore")).to_be_disabled()
        expect(bar).to_contain_text("Restore is not possible: 1 not archived.")


class TestOneMessage:
    @pytest.mark.slow
    def test_is_restored_from_its_page(self, window):
        message = make_archived_message(state="FAILED")
        make_archived_message(state="FAILED")
        window.log_in("admin")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.get_by_role("link", name="Restore…").click()
        page.get_by_label("Reason").fill("the partner asks for it")
        page.get_by_role("button", name="Restore 1").click()
        page.wait_for_url("**/jobs/*/")
        assert Job.objects.get().filter["msg_id"] == str(message.pk)
