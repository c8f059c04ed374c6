"""Parts of a page that cannot be loaded, and forms that are refused as a whole."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from playwright.sync_api import expect

from messages_app.access.models import UserSession
from tests.pages.checks import check_looks
from tests.support.factories import make_message


@contextmanager
def hide_keys() -> Iterator[None]:
    """Make every read of keys fail."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE business_key RENAME TO elsewhere")
        try:
            yield
        finally:
            cursor.execute("ALTER TABLE elsewhere RENAME TO business_key")


@pytest.fixture
def page(window):
    window.loses_server = window.loses_part = True
    window.log_in("admin")
    return window.page


class TestPartOfPage:
    def test_says_why_it_is_missing_and_is_loaded_again(self, page):
        message = make_message(state="FAILED")
        keys = page.locator("[hx-get*='keys/of-message']")
        with hide_keys():
            page.goto(f"/messages/{message.pk}/")
            fault = keys.get_by_role("alert")
            expect(fault).to_contain_text("An internal error occurred.")
            expect(fault).to_contain_text("Request id ")
            check_looks(page)
        fault.get_by_role("button", name="Try again").click()
        expect(fault).to_be_hidden()
        expect(keys).to_contain_text("No keys were found in this message.")

    def test_says_that_the_user_is_logged_out(self, page):
        message = make_message(state="FAILED", payload="<a/>", envelope="<b/>")
        page.goto(f"/messages/{message.pk}/#contents")
        page.wait_for_load_state("networkidle")
        UserSession.objects.all().delete()
        part = page.locator("details[hx-get*='/envelope/']")
        part.locator("summary").click()
        expect(part.get_by_role("alert")).to_contain_text("You are logged out.")
        expect(page.locator("#connection")).to_contain_text("You are logged out.")


class TestRefusedForm:
    def test_has_its_input_again_on_the_way_back(self, page):
        page.goto("/error-codes/new/")
        page.get_by_role("textbox", name="Code").fill("X1")
        page.get_by_role("textbox", name="Meaning").fill("The bank is closed")
        page.wait_for_timeout(300)
        page.evaluate(
            "document.querySelectorAll('[name=csrfmiddlewaretoken]').forEach((one) => one.value = 'x')"
        )
        page.get_by_label("Reason").fill("a new partner")
        page.get_by_role("button", name="Add code").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("This form is out of date")
        expect(page.get_by_text("Your input is kept in this tab")).to_be_visible()
        check_looks(page)
        page.get_by_role("link", name="Back").click()
        expect(page.get_by_role("textbox", name="Meaning")).to_have_value("The bank is closed")
        expect(page.get_by_role("textbox", name="Code")).to_have_value("X1")
