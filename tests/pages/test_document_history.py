import pytest
from playwright.sync_api import expect

from messages_app.audit.services import Actor
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.in_doubt import settle_document
from tests.pages.checks import check_page
from tests.support.histories import entries_of, make_trigger, store_both, store_entry

HOME = "/document-history/"


def doubt(uuid: str = "u-1", **more: object) -> DocumentInDoubt:
    """Store a document whose process died, and a later copy of it."""
    store_entry("processing", uuid=uuid, age="2 hours")
    check_document(trigger_id="t-1", uuid=uuid, redelivery_count=1, document_name="invoice", **more)
    return DocumentInDoubt.objects.get(document_uuid=uuid)


class TestDocumentHistory:
    def test_leads_from_the_triggers_to_a_doubt_and_settles_it(self, window):
        make_trigger(name="Invoices")
        doubt(document={"total": 7})
        window.log_in("operator", "view_payload", shows_values=True)
        window.open("/messages/")
        page = window.page
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Document history").click()
        row = page.get_by_role("row").filter(has_text="Invoices")
        row.locator(".u-alarm").click()
        page.get_by_role("link", name="u-1").click()
        expect(page.get_by_role("main")).to_contain_text("Processing started and did not end")
        page.locator("summary").filter(has_text="Document").click()
        expect(page.locator("pre.c-source")).to_contain_text("total")
        settle = page.locator("form").filter(has=page.get_by_role("button", name="Settle"))
        settle.get_by_label("Reason").fill("It is in the ledger.")
        settle.get_by_role("button", name="Settle").click()
        expect(page.get_by_role("status")).to_contain_text("Later copies are duplicates")
        assert set(entries_of()) == {"processing", "completed"}
        check_page(page)

    @pytest.mark.slow
    def test_works_without_scripts_and_shows_who_was_faster(self, open_window):
        make_trigger()
        line = doubt()
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open(f"{HOME}in-doubt/{line.pk}/")
        settle_document(in_doubt_id=line.pk, actor=Actor(username="grace"), reason="done")
        page = window.page
        form = page.locator("form").filter(has=page.get_by_role("button", name="Resubmit"))
        form.get_by_label("Reason").fill("run it")
        form.get_by_role("button", name="Resubmit").click()
        expect(page.get_by_role("alert")).to_contain_text("Already settled by grace")

    @pytest.mark.slow
    def test_narrows_the_history_and_draws_the_statistics(self, window):
        make_trigger()
        store_both()
        doubt("u-2")
        check_document(trigger_id="t-1", uuid="u-1")
        window.log_in("support")
        page = window.page
        window.open(f"{HOME}entries/")
        page.get_by_label("Document starts with").fill("u-2")
        page.get_by_role("button", name="Filter").click()
        expect(page.get_by_role("row")).to_have_count(2)
        window.open(f"{HOME}statistics/")
        page.locator(".c-histogram-svg a").first.focus()
        page.locator(".c-histogram-svg a").first.press("Enter")
        page.wait_for_url("**at_from=**")
        expect(page.get_by_role("row").filter(has_text="u-1")).to_have_count(1)
