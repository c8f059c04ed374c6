import pytest
from playwright.sync_api import expect

from messages_app.cp_queue.services.dispatch import dispatch_message
from tests.pages.checks import check_page
from tests.support.queues import guid_of, remaining_messages, store

HOME = "/cp-queue/"


class TestCpQueue:
    def test_leads_from_a_dead_service_to_its_reset(self, window):
        store("A", age="2 hours", lock="indexer-9")
        window.log_in("operator")
        window.open("/messages/")
        page = window.page
        page.get_by_role("navigation", name="Main").get_by_role("link", name="CP queue").click()
        expect(page.get_by_role("alert")).to_contain_text("indexer-9 is probably dead")
        page.get_by_role("alert").get_by_role("link", name="View services").click()
        page.get_by_role("link", name="Reset indexer-9").click()
        expect(page.get_by_role("heading", name="1 message would be released")).to_be_visible()
        page.get_by_label("Reason").fill("Its host is gone.")
        page.get_by_role("button", name="Reset 1").click()
        expect(page.get_by_role("status")).to_contain_text("1 message reset.")
        assert remaining_messages() == {guid_of("A"): None}
        check_page(page)

    @pytest.mark.slow
    def test_makes_messages_after_it_has_shown_them(self, window):
        store("A", age="1 hour")
        window.log_in("operator")
        page = window.page
        window.open(f"{HOME}objects/5/")
        page.get_by_role("link", name="Create messages for this object").click()
        page.get_by_label("RENDITION").check()
        page.get_by_role("button", name="Preview messages").click()
        expect(page.get_by_role("main")).to_contain_text("its pickup deletes it")
        page.get_by_label("Reason").fill("Its rendition was broken.")
        page.get_by_role("button", name="Create 1").click()
        expect(page.get_by_role("status")).to_contain_text("Created 1 message.")
        expect(page.get_by_role("main")).to_contain_text("deleted by the next pickup of this object")
        check_page(page)

    @pytest.mark.slow
    def test_keeps_a_table_wider_than_the_window_in_its_box(self, open_window):
        store("A", age="2 hours", lock="indexer-9")
        window = open_window(viewport={"width": 800, "height": 800})
        window.log_in("operator")
        window.open(f"{HOME}services/")
        box = window.page.get_by_role("region", name="Services")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        check_page(window.page)

    @pytest.mark.slow
    def test_works_without_scripts_and_shows_who_was_faster(self, open_window):
        guid = store("A", lock="indexer-9")
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open(f"{HOME}messages/{guid}/")
        dispatch_message(guid=guid, service="indexer-9", reason="OK")
        page = window.page
        form = page.locator("form").filter(has=page.get_by_role("button", name="Reset"))
        form.get_by_label("Reason").fill("stuck")
        form.get_by_role("button", name="Reset").click()
        expect(page.get_by_role("alert")).to_contain_text("It may have been dispatched")

    @pytest.mark.slow
    def test_draws_the_log_and_leads_from_a_bar_to_its_dispatches(self, window):
        guid = store("A", lock="cache-1")
        dispatch_message(guid=guid, service="cache-1", reason="no such file")
        window.log_in("support")
        page = window.page
        window.open(f"{HOME}dispatches/")
        page.locator(".c-histogram-svg a").first.focus()
        page.locator(".c-histogram-svg a").first.press("Enter")
        page.wait_for_url("**at_from=**")
        expect(page.get_by_role("row").filter(has_text="no such file")).to_have_count(1)
