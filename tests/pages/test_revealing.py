import pytest
from playwright.sync_api import Page, expect

from messages_app.access.models import UserSession
from messages_app.audit.models import AuditEntry
from tests.pages.checks import check_colours_and_width, check_page
from tests.support.factories import make_message, make_request

PLAIN = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light"}
NARROW = {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark"}


def open_part(page: Page, title: str) -> None:
    if title == "Payload":
        page.get_by_role("link", name=title, exact=True).click()
    else:
        page.get_by_role("link", name="Requests 1").click()
        page.locator("summary").filter(has_text=title).click()
    expect(page.locator("pre.c-source")).to_contain_text("•••")


def give_reason(page: Page) -> None:
    """Write the reason, and send it only with the keyboard."""
    page.get_by_label("Reason").press_sequentially("a call of the customer")
    page.keyboard.press("Enter")


class TestRevealing:
    @pytest.mark.parametrize("options", [PLAIN, pytest.param(NARROW, marks=pytest.mark.slow)])
    def test_shows_the_content_that_was_asked_for_and_masks_it_again(self, open_window, options):
        message = make_message()
        make_request(message)
        window = open_window(**options)
        window.log_in("support", "view_payload")
        page = window.page
        for title in ("Payload", "Request"):
            window.open(f"/messages/{message.pk}/?state=NEW")
            open_part(page, title)
            # Above the part, a button is half behind the bar at the top.
            page.evaluate("window.scrollTo(0, 0)")
            check_page(page)
            check_colours_and_width(page)
            give_reason(page)
            expect(page.locator("pre.c-source")).to_contain_text("Ada Lovelace")
            expect(page.locator("summary").filter(has_text=title)).to_be_focused()
            assert f"/messages/{message.pk}/?state=NEW#" in page.url
            until = UserSession.objects.get().revealed_until
            expect(page.get_by_role("main")).to_contain_text(f"shown until {until:%H:%M} UTC")
            page.evaluate("window.scrollTo(0, 0)")
            check_page(page)
            check_colours_and_width(page)
            page.get_by_role("button", name="Mask again").press("Enter")
            expect(page.get_by_role("button", name="Mask again")).to_have_count(0)
            open_part(page, title)
        assert AuditEntry.objects.filter(action="reveal_values").count() == 2
        assert AuditEntry.objects.filter(action="mask_values").count() == 2

    @pytest.mark.slow
    def test_works_without_scripts(self, open_window):
        message = make_message()
        window = open_window(java_script_enabled=False)
        window.log_in("support", "view_payload")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.locator("summary").filter(has_text="Payload").click()
        page.get_by_role("link", name="Open the payload").click()
        expect(page.locator("pre")).to_contain_text("•••")
        give_reason(page)
        expect(page.locator("pre")).to_contain_text("Ada Lovelace")
        expect(page.locator("pre")).to_be_focused()
        page.get_by_role("button", name="Mask again").click()
        expect(page.locator("pre")).to_contain_text("•••")

    @pytest.mark.slow
    @pytest.mark.parametrize("options", [PLAIN, pytest.param(NARROW, marks=pytest.mark.slow)])
    def test_asks_on_a_separate_page_if_there_is_no_content(self, open_window, options):
        window = open_window(**options)
        window.log_in("support", "view_payload")
        page = window.page
        window.open("/jobs/new/?kind=export&state=FAILED")
        expect(page.get_by_label("With payloads")).to_have_count(0)
        page.get_by_role("link", name="Show values").click()
        check_page(page)
        check_colours_and_width(page)
        page.get_by_label("Reason").fill("  ")
        page.get_by_role("button", name="Show values").click()
        expect(page.get_by_role("main")).to_contain_text("Enter a reason")
        check_page(page)
        page.get_by_label("Reason").fill("a report")
        page.get_by_role("button", name="Show values").click()
        expect(page.get_by_label("With payloads")).to_be_visible()
        assert page.url.endswith("/jobs/new/?kind=export&state=FAILED")

    @pytest.mark.slow
    def test_leads_on_from_a_refused_download_and_a_comparison(self, window):
        good, bad = (
            make_message(state="OK"),
            make_message(state="FAILED", payload="<order><id>8</id></order>"),
        )
        window.log_in("support", "view_payload")
        page = window.page
        assert window.open(f"/messages/{good.pk}/payload/download/") == 403
        expect(page.get_by_role("link", name="Show values")).to_be_visible()
        window.open(f"/messages/{bad.pk}/compare/")
        expect(page.get_by_role("main")).to_contain_text("values are masked")
        give_reason(page)
        expect(page.get_by_role("main")).to_contain_text("Ada Lovelace")
        expect(page.locator("#differences")).to_be_focused()
        check_page(page)
