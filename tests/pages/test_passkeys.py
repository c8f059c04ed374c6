"""Passkeys in a real browser, with its own virtual device."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from messages_app.access.second_factor.models import Passkey
from tests.pages.checks import check_looks, check_page
from tests.pages.page_rules import SIZES, list_faults, measure_page
from tests.pages.window import log_out
from tests.support.factories import PASSWORD

_DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def plug_in(window) -> Callable[..., Callable[[bool], object]]:
    """Give a function that adds a device to the browser, and returns its methods."""
    tools = window.page.context.new_cdp_session(window.page)
    tools.send("WebAuthn.enable")

    def add(**options: object) -> Callable[[bool], object]:
        device = tools.send("WebAuthn.addVirtualAuthenticator", {"options": _DEVICE | options})
        name = {"authenticatorId": device["authenticatorId"]}
        return lambda verified: tools.send("WebAuthn.setUserVerified", {**name, "isUserVerified": verified})

    return add


def add_passkey(page: Page, name: str) -> None:
    page.get_by_label("Name of the passkey").fill(name)
    page.get_by_role("button", name="Add passkey").click()


def enter_password(page: Page) -> None:
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


class TestPasskey:
    def test_is_added_used_to_log_in_and_to_confirm_its_removal(self, window, plug_in):
        plug_in()
        window.log_in("admin")
        window.open("/second-factor/")
        page = window.page
        check_page(page)
        page.get_by_label("Your password").first.fill(PASSWORD)
        add_passkey(page, "Laptop")
        check_page(page)
        page.get_by_role("button", name="Create passkey").click()
        expect(page.get_by_role("main").get_by_role("listitem")).to_have_count(10)
        window.open("/second-factor/")
        expect(page.get_by_role("cell", name="Laptop", exact=True)).to_be_visible()
        check_page(page)

        log_out(page)
        enter_password(page)
        check_page(page)
        page.get_by_role("button", name="Use a passkey").click()
        page.wait_for_url(f"{window.server}/")
        assert Passkey.objects.get().last_used_at is not None

        window.open("/second-factor/")
        page.get_by_role("button", name="Remove Laptop").click()
        expect(page.get_by_role("heading", name="Confirm who you are")).to_be_visible()
        check_page(page)
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_text("You have no second factor now.")).to_be_visible()
        assert not Passkey.objects.exists()

    def test_of_an_unverified_user_is_refused_by_the_browser_with_words(self, window, plug_in):
        set_verified = plug_in()
        window.log_in("admin")
        window.open("/second-factor/")
        page = window.page
        page.get_by_label("Your password").first.fill(PASSWORD)
        add_passkey(page, "Laptop")
        page.get_by_role("button", name="Create passkey").click()
        expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
        log_out(page)
        enter_password(page)
        set_verified(False)
        page.get_by_role("button", name="Use a passkey").click()
        expect(page.get_by_role("status")).to_have_text("No passkey was used. Try again, or use a code.")
        set_verified(True)
        page.get_by_role("button", name="Use a passkey").click()
        page.wait_for_url(f"{window.server}/")

    def test_is_not_offered_by_a_browser_without_passkeys(self, open_window):
        window = open_window()
        window.page.add_init_script("delete window.PublicKeyCredential")
        window.log_in("admin")
        window.open("/second-factor/")
        expect(window.page.get_by_text("This browser has no passkeys at this address")).to_be_visible()
        expect(window.page.get_by_role("button", name="Add passkey")).to_be_hidden()
        expect(window.page.get_by_role("button", name="Create key")).to_be_visible()

    def test_is_not_offered_at_an_address_instead_of_a_name(self, window):
        window.log_in("admin")
        window.page.context.add_cookies(
            [
                {"name": cookie["name"], "value": cookie["value"], "domain": "127.0.0.1", "path": "/"}
                for cookie in window.page.context.cookies()
            ]
        )
        window.page.goto(window.server.replace("localhost", "127.0.0.1") + "/second-factor/")
        expect(window.page.get_by_text("This address of the console can have no passkeys.")).to_be_visible()


class TestPages:
    @pytest.mark.slow
    def test_follow_the_rules_of_pages_at_every_size_and_in_all_colours(self, window, plug_in):
        plug_in()
        window.log_in("admin")
        window.open("/second-factor/")
        page = window.page
        check_all(page)
        page.get_by_label("Your password").first.fill(PASSWORD)
        add_passkey(page, "The laptop with a long name that a person has chosen for it")
        expect(page.get_by_role("button", name="Create passkey")).to_be_visible()
        check_all(page)
        page.get_by_role("button", name="Create passkey").click()
        expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()
        check_all(page)
        window.open("/second-factor/")
        check_all(page)
        page.get_by_role("button", name="Create new recovery codes").click()
        expect(page.get_by_role("heading", name="Confirm who you are")).to_be_visible()
        check_all(page)
        window.open("/second-factor/")
        log_out(page)
        enter_password(page)
        expect(page.get_by_role("button", name="Use a passkey")).to_be_visible()
        check_looks(page)


def check_all(page: Page) -> None:
    """Check the page that is open, which may be the answer to a form."""
    faults = [
        (size, scheme, fault.rule, fault.detail)
        for size in SIZES
        for scheme in ("light", "dark")
        for fault in list_faults(measure_page(page, size, scheme), size, is_loaded_here=False)
    ]
    assert faults == []
    check_looks(page)
    page.set_viewport_size({"width": 1440, "height": 900})
