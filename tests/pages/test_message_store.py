import pytest
from playwright.sync_api import expect

from messages_app.message_store.models import MessageProcess
from messages_app.message_store.services.worker_loop import work_for
from tests.pages.checks import check_page
from tests.support.stores import define, define_orders, make_older, process, set_process, store

HOME = "/message-store/"
WAVE = 25


class TestMessageStore:
    def test_leads_from_the_overview_to_an_error_and_reprocesses_it(self, window):
        define()
        key = store([{"id": 1, "name": "x" * 50}])
        process(key)
        window.log_in("operator", "view_payload", shows_values=True)
        window.open("/messages/")
        page = window.page
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Message store").click()
        page.get_by_role("link", name="View all groups").click()
        page.get_by_role("row").filter(has_text="25 data invalid").get_by_role("link").first.click()
        page.get_by_role("link", name=key).click()
        page.locator("summary").filter(has_text="Data").click()
        expect(page.locator("pre.c-source")).to_contain_text("xxx")
        form = page.locator("form").filter(has=page.get_by_role("button", name="Reprocess"))
        form.get_by_label("Reason").fill("The schema was too strict.")
        form.get_by_role("button", name="Reprocess").click()
        expect(page.get_by_role("status")).to_contain_text("queued for reprocessing")
        assert MessageProcess.objects.get(pk=key).status == 0
        check_page(page)

    @pytest.mark.slow
    def test_works_without_scripts_and_shows_who_was_faster(self, open_window):
        define_orders()
        key = store([{"id": 1, "customer": 9}], entity="order")
        process(key)
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open(f"{HOME}messages/{key}/")
        set_process(key, status=1)
        form = window.page.locator("form").filter(has=window.page.get_by_role("button", name="Retry message"))
        form.get_by_label("Reason").fill("now")
        form.get_by_role("button", name="Retry message").click()
        expect(window.page.get_by_role("alert")).to_contain_text("cannot be retried now")

    @pytest.mark.slow
    def test_narrows_the_list(self, window):
        define()
        process(store([{"id": 1}]))
        store(entity="order")
        window.log_in("support")
        page = window.page
        window.open(f"{HOME}messages/")
        page.get_by_label("Entity", exact=True).fill("order")
        page.get_by_role("button", name="Filter").click()
        expect(page.get_by_role("row")).to_have_count(2)
        page.get_by_role("link", name="Processed").click()
        expect(page.get_by_role("heading", name="No messages found")).to_be_visible()


class TestReprocessAll:
    @pytest.mark.slow
    def test_repairs_many_messages_that_gave_up(self, window, spark_remote, start_worker):
        define()
        define_orders()
        keys = [store([{"id": number, "customer": 9}], entity="order") for number in range(WAVE)]
        for key in keys:
            make_older(key, "60 days")
            assert process(key).status == 26
        process(store([{"id": 9}]))
        start_worker()
        window.log_in("operator")
        page = window.page
        window.open(f"{HOME}missing/")
        page.get_by_role("link", name=f"Reprocess {WAVE} messages").click()
        expect(page.get_by_role("heading", level=2).first).to_contain_text(
            f"{WAVE} messages would be reprocessed"
        )
        page.get_by_role("button", name="Start a dry run").click()
        expect(page.get_by_role("heading", name="Dry run")).to_be_visible(timeout=150_000)
        expect(page.get_by_role("main")).to_contain_text(f"Records: {WAVE} new")
        check_page(page)
        page.get_by_label("Reason").fill("The customer has come.")
        page.get_by_role("button", name="Reprocess", exact=False).first.click()
        expect(page.locator(".c-progress .c-state").first).to_have_text("done", timeout=150_000)
        work_for(seconds=30)
        assert set(MessageProcess.objects.filter(pk__in=keys).values_list("status", flat=True)) == {10}
        page.reload()
        expect(page.get_by_role("region", name="Now in the hub")).to_contain_text(f"{WAVE} processed")
        check_page(page)
        window.open(HOME)
        expect(page.get_by_role("main")).not_to_contain_text("gave up waiting")
