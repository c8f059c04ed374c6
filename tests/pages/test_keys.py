import pytest
from playwright.sync_api import expect

from tests.pages.checks import check_page
from tests.support.factories import make_archived_message, make_external_call, make_message


class TestKeys:
    def test_are_listed_by_a_question_mark_and_navigate(self, window):
        window.log_in("admin")
        window.open("/messages/")
        page = window.page
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(dialog).to_contain_text("Go to Jobs")
        check_page(page)
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        page.keyboard.press("g")
        page.keyboard.press("j")
        page.wait_for_url("**/jobs/")
        page.get_by_role("button", name="Shortcuts").click()
        expect(dialog).to_be_visible()

    @pytest.mark.slow
    def test_are_silent_while_someone_types_and_when_turned_off(self, window):
        make_message(
            state="OK", receive_timestamp="2026-01-01T00:00:00Z"
        )  # A job without messages has no form.
        window.log_in("admin")
        page = window.page
        window.open("/jobs/new/?kind=archive&older_than_months=2")
        page.get_by_label("Search or jump to").focus()
        page.keyboard.press("Escape")
        page.get_by_label("Reason").focus()
        page.keyboard.type("?gj")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(dialog).to_be_hidden()
        page.get_by_role("button", name="Shortcuts").click()
        page.get_by_label("Disable single-key shortcuts").check()
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.keyboard.press("?")
        expect(dialog).to_be_hidden()
        page.keyboard.press("Control+k")
        expect(page.get_by_role("dialog", name="Search or jump")).to_be_visible()


class TestActions:
    def test_of_the_page_or_of_the_selection_open_by_a_dot(self, window):
        message = make_message(state="FAILED")
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.keyboard.press(".")
        actions = page.get_by_role("group", name="On this page").get_by_role("option")
        expect(actions.filter(has_text="Restart from scratch")).to_be_visible()
        window.open("/messages/")
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press(".")
        assert page.evaluate("document.activeElement.closest('#selection') !== null")


class TestBack:
    def test_closes_what_is_open_then_clears_the_selection_then_leaves(self, window):
        message = make_message(state="FAILED")
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=FAILED")
        page.keyboard.press("j")
        page.keyboard.press("x")
        page.keyboard.press("Space")
        panel, selection = page.locator("[data-preview]"), page.locator("#selection")
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(dialog).to_contain_text("go back one level")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(selection).to_be_visible()
        expect(panel).to_be_visible()
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()
        expect(selection).to_be_visible()
        page.keyboard.press("Escape")
        expect(selection).to_be_hidden()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/messages/{message.pk}/**")
        page.get_by_label("Search or jump to").focus()
        page.keyboard.press("Escape")
        assert f"/messages/{message.pk}/" in page.url
        page.locator("h1").click()
        page.keyboard.press("Escape")
        page.wait_for_url("**/messages/?state=FAILED")


class TestPalette:
    def test_finds_while_typing_and_opens_with_the_keyboard(self, window):
        message = make_message(state="FAILED", process_id="P-77")
        make_archived_message(process_id="P-77")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.keyboard.press("Control+k")
        page.keyboard.type("P-77")
        options = page.get_by_role("option")
        expect(options).to_have_count(2)
        expect(options.first).to_have_attribute("aria-selected", "true")
        expect(options.nth(1)).to_contain_text("archived")
        check_page(page)
        page.keyboard.press("ArrowDown")
        expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/messages/{message.pk}/")

    @pytest.mark.slow
    def test_opens_from_the_box_at_the_top_and_reports_no_matches(self, window):
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.get_by_label("Search or jump to").click()
        page.keyboard.type("unknown")
        expect(page.get_by_role("dialog", name="Search or jump")).to_contain_text(
            "No id, error, name or page matches unknown"
        )
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Search or jump")).to_be_hidden()

    def test_offers_pages_and_the_actions_of_the_open_page(self, window):
        message = make_message(state="FAILED")
        window.log_in("operator")
        window.open(f"/messages/{message.pk}/")
        page = window.page
        page.keyboard.press("Control+k")
        actions = page.get_by_role("group", name="On this page").get_by_role("option")
        expect(actions.filter(has_text="Restart from scratch")).to_be_visible()
        page.keyboard.type("hand")
        pages = page.get_by_role("group", name="Pages").get_by_role("option")
        expect(pages).to_have_text("Handover")
        check_page(page)
        page.keyboard.press("Control+a")
        page.keyboard.type("resta")
        expect(actions).to_have_text(["Restart", "Restart from scratch"])
        expect(actions.first).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/messages/{message.pk}/restart/**")

    @pytest.mark.slow
    def test_is_a_plain_form_without_scripts(self, open_window):
        message = make_message()
        make_external_call(message, entity_id="CRM_7")
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        window.open("/messages/")
        window.page.get_by_label("Search or jump to").fill("CRM_7")
        window.page.keyboard.press("Enter")
        window.page.wait_for_url(f"**/messages/{message.pk}/")
