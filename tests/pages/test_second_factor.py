import pytest
from django.contrib.auth import get_user_model
from playwright.sync_api import expect

from messages_app.access.second_factor import devices
from tests.messages_app.access.second_factor.factors import code_of, next_code_of
from tests.pages.checks import check_page
from tests.pages.window import log_out, open_account_page
from tests.support.factories import PASSWORD


class TestSecondFactor:
    @pytest.mark.slow
    def test_is_set_up_and_asked_for(self, window):
        window.log_in("admin")
        window.open("/messages/")
        page = window.page
        open_account_page(page, "Second factor")
        page.get_by_label("Your password").last.fill(PASSWORD)
        page.get_by_role("button", name="Create key").click()
        picture = page.get_by_role("img", name="QR code")
        assert picture.evaluate("(image) => image.complete && image.naturalWidth") > 100
        check_page(page)
        device = devices.unconfirmed_device_of(user())
        page.get_by_label("Current code from the app").fill(code_of(device))
        page.get_by_role("button", name="Turn on second factor").click()
        expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(10)
        check_page(page)
        page.goto("/second-factor/")
        check_page(page)
        log_out(page)
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        field = page.get_by_label("Code from the app")
        expect(field).to_be_focused()
        check_page(page)
        field.fill(next_code_of(device))
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"{window.server}/")


def user() -> object:
    return get_user_model().objects.get()
