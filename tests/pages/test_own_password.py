import re

import pytest
from playwright.sync_api import Page, expect

from tests.pages.checks import check_page
from tests.pages.window import log_out, open_account_page
from tests.support.factories import PASSWORD

NEW = "quite another story"


class TestOwnPassword:
    @pytest.mark.slow
    def test_is_changed_by_a_user_who_is_not_an_administrator(self, window):
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        open_account_page(page, "Change password")
        expect(page.get_by_label("New password", exact=True)).to_have_accessible_description(
            re.compile("at least 12 characters")
        )
        check_page(page)
        send(page, old="wrong", new="password1234")
        expect(page.get_by_role("alert").first).to_have_text("Incorrect password.")
        old = page.get_by_label("Old password")
        expect(old).to_have_accessible_description("Incorrect password.")
        expect(old).to_have_value("")
        expect(page.get_by_role("alert").last).to_contain_text("too common")
        check_page(page)
        send(page, old=PASSWORD, new=NEW)
        expect(page.get_by_role("status")).to_have_text("Password changed.")
        log_out(page)
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password").fill(NEW)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{window.server}/")


def send(page: Page, *, old: str, new: str) -> None:
    page.get_by_label("Old password").fill(old)
    page.get_by_label("New password", exact=True).fill(new)
    page.get_by_label("New password again").fill(new)
    page.keyboard.press("Enter")
