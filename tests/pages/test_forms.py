"""Refused forms in a browser: the focus moves to what has to be corrected."""

import re

import pytest
from playwright.sync_api import expect

from tests.pages.checks import check_page
from tests.pages.every_path import incident_paths
from tests.support.factories import make_message


@pytest.fixture
def page(window):
    window.log_in("admin")
    return window.page


def send(page, button: str) -> None:
    """Send the form of a button without the checks of the browser."""
    page.evaluate("for (const form of document.forms) form.noValidate = true")
    page.get_by_role("button", name=button, exact=True).click()


class TestRefusedForm:
    def test_shows_and_focuses_links_to_several_faulty_fields(self, page):
        page.goto("/tokens/new/")
        send(page, "Create token")
        summary = page.locator("[data-errors]")
        expect(summary).to_be_focused()
        expect(summary).to_have_text(
            "3 fields need a correction: Name, Scopes, Reason (recorded in the audit log)"
        )
        summary.get_by_role("link", name="Scopes").click()
        expect(page.get_by_role("group", name="Scopes")).to_be_focused()
        expect(page.get_by_role("group", name="Scopes")).to_have_accessible_description(
            "Choose a scope, or all permissions of the user."
        )
        summary.get_by_role("link", name="Name").click()
        expect(page.get_by_label("Name", exact=True)).to_be_focused()
        check_page(page)

    def test_focuses_its_only_faulty_field(self, page):
        page.goto("/users/new/")
        page.get_by_label("Username").fill("nina")
        send(page, "Add user")
        reason = page.get_by_label("Reason (recorded in the audit log)")
        expect(reason).to_be_focused()
        expect(reason).to_have_accessible_description("Enter a reason. It is recorded in the audit log.")
        expect(page.get_by_label("Username")).to_have_value("nina")

    def test_does_so_in_a_dialog(self, page):
        page.goto(incident_paths()[1])
        page.get_by_role("link", name="Close", exact=True).click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_label("Reason")).to_be_focused()
        dialog.get_by_role("button").last.focus()
        send(page, "Close incident")
        expect(dialog.get_by_label("Reason")).to_be_focused()
        expect(dialog.get_by_label("Reason")).to_have_attribute("aria-invalid", "true")


class TestKeyboard:
    @pytest.mark.parametrize("path", ["/users/new/", "/error-codes/new/"])
    def test_reaches_the_form_before_the_list_at_its_left(self, page, path):
        page.goto(path)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # skips to the content
        page.keyboard.press("Tab")
        expect(page.locator("main form[method=post] input:not([type=hidden])").first).to_be_focused()
        form = page.locator("main form[method=post]").bounding_box()
        side_list = page.get_by_role("navigation", name=re.compile("Users|Error codes")).bounding_box()
        assert side_list["x"] + side_list["width"] < form["x"]

    def test_skips_the_figures_of_a_new_job(self, page):
        make_message(state="FAILED")
        page.goto("/jobs/new/?kind=restart&state=FAILED")
        link = page.get_by_role("link", name="Skip to the options")
        link.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Max rate (messages/s)")).to_be_focused()
