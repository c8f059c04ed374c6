import re

import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import Locator, Page, expect

from messages_app.audit.models import AuditEntry
from messages_app.messages.listing.models import SavedView
from tests.pages.checks import check_page
from tests.support.factories import make_message


class TestMessageList:
    def test_is_filtered_by_its_facets(self, window):
        failed = make_message(
            state="FAILED",
            service_name="payment",
            correlation_id="pay-1",
            failed_desc="refused " * 40,
            funnel_value="F-1",
        )
        make_message(state="OK")
        make_message(state="FAILED", service_name="billing")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.get_by_role("link", name="FAILED 2", exact=True).click()
        expect(rows(page)).to_have_count(2)
        page.get_by_role("link", name="payment 1", exact=True).click()
        expect(rows(page)).to_have_count(1)
        facets = page.locator("#facets")
        page.get_by_role("button", name="Hide the filters").click()
        expect(facets).to_be_hidden()
        page.reload()
        expect(rows(page)).to_have_count(1)
        expect(facets).to_be_hidden()
        page.set_viewport_size({"width": 1024, "height": 768})
        page.keyboard.press("s")
        chosen = facets.get_by_role("link", name="payment 1", exact=True)
        expect(chosen).to_have_attribute("aria-current", "true")
        page.keyboard.press("Escape")
        expect(facets).to_be_hidden()
        page.set_viewport_size({"width": 1440, "height": 900})
        assert page.url.endswith("/messages/?state=FAILED&service_name=payment")
        expect(line(page)).to_have_value("state:FAILED service:payment")
        error = page.locator("td.c-rows-error")
        error.hover()
        expect(error).to_have_attribute("title", re.compile("refused refused"))
        funnel = page.get_by_role("link", name="Messages in funnel F-1")
        funnel.hover()
        expect(funnel).to_have_attribute("title", "Messages in funnel F-1")
        page.get_by_role("link", name="pay-1").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Message {failed.pk}")
        page.go_back()
        assert page.url.endswith("state=FAILED&service_name=payment")

    @pytest.mark.slow
    def test_is_read_page_by_page(self, window):
        for _ in range(60):
            make_message()
        window.log_in("support")
        window.open("/messages/")
        window.page.get_by_role("link", name="Older").click()
        expect(rows(window.page)).to_have_count(10)
        window.page.get_by_role("link", name="Newer").click()
        expect(rows(window.page)).to_have_count(50)

    def test_shows_the_longest_state_whole(self, window):
        make_message(state="WAITING_FOR_RES")
        window.log_in("support")
        for width in (1440, 1280):
            window.page.set_viewport_size({"width": width, "height": 900})
            window.open("/messages/")
            room, text = window.page.locator("td.c-rows-state").evaluate(
                "(cell) => [cell.clientWidth - 2 * parseFloat(getComputedStyle(cell).paddingLeft),"
                " cell.querySelector('.c-state').getBoundingClientRect().width]"
            )
            assert text <= room, width

    @pytest.mark.slow
    def test_keeps_its_header_in_sight(self, window):
        for _ in range(50):
            make_message()
        window.log_in("support")
        window.open("/messages/")
        rows(window.page).last.scroll_into_view_if_needed()
        expect(window.page.get_by_role("columnheader", name="State", exact=True)).to_be_in_viewport()

    @pytest.mark.slow
    def test_finds_any_id(self, window):
        message = make_message(process_id="P-77")
        window.log_in("support")
        window.open("/messages/")
        window.page.get_by_label("Search or jump to").fill("P-77")
        window.page.keyboard.press("Enter")
        window.page.wait_for_url(f"**/messages/{message.pk}/")

    @pytest.mark.slow
    def test_can_be_used_by_keyboard(self, window):
        window.log_in("support")
        window.open("/messages/")
        window.page.keyboard.press("Tab")
        expect(window.page.get_by_role("link", name="Skip to content")).to_be_focused()
        window.page.keyboard.press("Enter")
        expect(window.page.locator("main")).to_be_focused()

    @pytest.mark.slow
    def test_opens_a_message_by_a_click_on_its_row(self, window):
        message = make_message()
        window.log_in("support")
        window.open("/messages/")
        window.page.get_by_role("cell", name="billing").click()
        window.page.wait_for_url(f"**/messages/{message.pk}/")

    def test_is_navigated_by_keyboard(self, window):
        first, second = make_message(), make_message()
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        for key in ("j", "j", "x"):
            page.keyboard.press(key)
        expect(page.get_by_label(f"Select message {first.pk}")).to_be_checked()
        exact = page.locator(".c-rows-exact:visible")
        expect(exact).to_have_text(re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$"))
        page.keyboard.press("k")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/messages/{second.pk}/")

    def test_shows_a_message_next_to_the_list(self, window):
        first, second = make_message(state="OK"), make_message(state="FAILED", failed_desc="E103: refused")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        preview = page.get_by_role("complementary", name="Preview")
        page.keyboard.press("j")
        expect(preview).to_be_hidden()
        page.keyboard.press("Space")
        expect(preview.get_by_role("heading", level=2)).to_have_text(f"Message {second.pk}")
        expect(preview).to_contain_text("E103: refused")
        expect(preview).to_contain_text("•••")
        page.keyboard.press("j")
        expect(preview.get_by_role("heading", level=2)).to_have_text(f"Message {first.pk}")
        page.keyboard.press("k")
        expect(preview.get_by_role("heading", level=2)).to_have_text(f"Message {second.pk}")
        page.keyboard.press("Escape")
        expect(preview).to_be_hidden()
        expect(page.get_by_role("link", name=second.correlation_id).first).to_be_focused()
        page.keyboard.press("Space")
        page.keyboard.press("Space")
        expect(preview).to_be_hidden()
        assert not AuditEntry.objects.filter(action="view_payload").exists()

    @pytest.mark.slow
    def test_shows_the_chosen_columns_and_then_the_defaults_again(self, window):
        make_message(process_id="P-77")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        menu(page, "Table").click()
        page.get_by_role("checkbox", name="Process id").check()
        page.get_by_label("Compact").check()
        page.get_by_role("button", name="Apply").click()
        expect(page.get_by_role("cell", name="P-77")).to_be_visible()
        check_page(page)
        menu(page, "Table").click()
        page.get_by_role("button", name="Reset").click()
        expect(page.get_by_role("cell", name="P-77")).to_have_count(0)


class TestQueryLine:
    def test_is_written_with_suggestions_by_keyboard(self, window):
        make_message(state="FAILED", service_name="payment")
        make_message(state="OK")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.keyboard.press("/")
        expect(line(page)).to_be_focused()
        page.keyboard.type("sta")
        take_first(page, leaving="state:")
        page.keyboard.type("fai")
        take_first(page, leaving="state:FAILED")
        page.keyboard.type(" service:pa")
        take_first(page, leaving="state:FAILED service:payment ")
        page.keyboard.press("Enter")
        page.wait_for_url("**/messages/?state=FAILED&service_name=payment")
        expect(rows(page)).to_have_count(1)

    def test_marks_what_is_wrong_and_keeps_what_was_typed(self, window):
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        line(page).fill("servce:payment state:OK")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Did you mean 'service'?")
        expect(page.locator("mark")).to_have_text("servce:payment")
        expect(line(page)).to_have_value("servce:payment state:OK")
        expect(line(page)).to_have_accessible_description(re.compile("Did you mean"))
        check_page(page)

    @pytest.mark.slow
    def test_looks_up_an_id(self, window):
        message = make_message(correlation_id="pay-1")
        window.log_in("support")
        window.open("/messages/")
        line(window.page).fill("pay-1")
        window.page.keyboard.press("Enter")
        window.page.wait_for_url(f"**/messages/{message.pk}/")


class TestSavedViews:
    @pytest.mark.slow
    def test_are_saved_shared_renamed_and_deleted_without_scripts(self, open_window):
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        page = window.page
        window.open("/messages/?state=FAILED&receive_timestamp_from=-2h")
        menu(page, "Save view").click()
        page.get_by_label("View name").fill("My failures")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_role("link", name="My failures")).to_have_attribute("aria-current", "page")
        assert page.url.endswith("?state=FAILED&receive_timestamp_from=-2h")
        page.get_by_role("link", name="Views", exact=True).click()
        page.get_by_role("button", name="Share with everyone").click()
        page.get_by_label("New name of My failures").fill("Failures")
        page.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("heading", name="Failures", exact=True)).to_be_visible()
        expect(page.get_by_text("shared by you")).to_be_visible()
        page.get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No saved views yet")).to_be_visible()

    @pytest.mark.slow
    def test_have_a_page_that_everyone_can_read(self, window):
        window.log_in("support")
        owner = get_user_model().objects.get()
        for number in range(3):
            name = f"View {number}"
            SavedView.objects.create(owner=owner, name=name, query="state=OK", shared=bool(number))
        window.page.set_viewport_size({"width": 390, "height": 800})
        for path in ("/messages/views/", "/messages/"):
            window.open(path)
            check_page(window.page)


def rows(page: Page) -> Locator:
    return page.locator("[data-row]")


def line(page: Page) -> Locator:
    return page.get_by_label("Filter", exact=True)


def menu(page: Page, name: str) -> Locator:
    return page.locator("summary").filter(has_text=re.compile(rf"^\s*{name}\b"))


def take_first(page: Page, *, leaving: str) -> None:
    """Take the first suggestion for what is there, however soon it is pressed."""
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(line(page)).to_have_value(leaving)
