"""An outage in the browser: found, repaired, watched and handed over, without the right to payloads."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Locator, Page, expect

from messages_app.incidents.models import Incident
from messages_app.incidents.services import close_incident
from messages_app.jobs.models import Job
from tests.messages_app.incident_pages.outage import make_outage
from tests.messages_app.incidents.small_outages import restart_messages
from tests.pages.checks import Look, check_looks, check_page
from tests.support.jobs import ANA
from tests.support.parameters import quick_first

# Set to a folder, the pages are also stored as pictures.
PICTURES = "PICTURES_OF_INCIDENTS"
MAX_CLICKS, MAX_SECONDS = 3, 10


@pytest.fixture
def incident(transactional_db) -> Incident:
    return make_outage()


def take_picture(page: Page, name: str) -> None:
    if folder := os.environ.get(PICTURES):
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def click(page: Page, role: str, name: str | re.Pattern, clicks: list[str]) -> None:
    """Click, and count it."""
    clicks.append(str(name))
    page.get_by_role("main").get_by_role(role, name=name).first.click()


class TestAnOutage:
    def test_is_found_and_repaired_with_three_clicks(self, window, incident):
        window.log_in("operator")
        page, clicks = window.page, []
        began = time.monotonic()
        window.open("/")
        expect(page.get_by_role("heading", name="Open incidents")).to_be_visible()
        take_picture(page, "overview")
        click(page, "link", incident.title, clicks)
        expect(page.get_by_role("region", name="State")).to_contain_text("18 messages failing now")
        found_after = time.monotonic() - began
        take_picture(page, "incident")
        click(page, "link", re.compile("Restart 18 messages"), clicks)
        page.get_by_label("Reason").fill("the bank answers again")
        take_picture(page, "restart")
        with page.expect_navigation(url=re.compile(r"/jobs/\d+/$")):
            click(page, "button", re.compile("Restart 18"), clicks)
        job = Job.objects.get()
        assert (job.kind, job.filter["state"], int(job.filter["incident"])) == (
            "restart",
            "FAILED",
            incident.pk,
        )
        assert len(clicks) == MAX_CLICKS
        assert found_after < MAX_SECONDS

    def test_is_watched_until_its_page_says_that_it_is_repaired(self, window, incident):
        window.log_in("operator")
        page = window.page
        window.open(f"/incidents/{incident.pk}/")
        state = page.get_by_role("region", name="State")
        expect(state).to_contain_text("18 messages failing now")
        restart_messages()
        expect(state).to_contain_text("All 18 were processed by")
        expect(state).to_have_attribute("data-state", "skipped")
        take_picture(page, "repaired")
        page.get_by_role("button", name="Close").click()
        expect(state).to_contain_text("closed")
        assert Incident.objects.get().state == "closed"

    def test_is_handed_over_with_an_owner_and_a_note_by_support(self, window, incident):
        window.log_in("support")
        page = window.page
        window.open("/")
        page.get_by_role("button", name="Take").first.click()
        expect(page.get_by_role("region", name="State")).to_contain_text("owner: ada")
        page.get_by_role("textbox", name="Note").fill("Bank called, ETA 20:00.")
        # The part of the page with the form is replaced every five seconds.
        with page.expect_response(re.compile(r"/incidents/\d+/$")):
            pass
        page.get_by_role("button", name="Add note").click()
        expect(page.locator("#notes")).to_contain_text("Bank called, ETA 20:00.")
        take_picture(page, "handed_over")

    def test_answers_on_the_first_screen(self, open_window, incident):
        for name, size in (("wide", (1440, 900)), ("phone", (390, 844))):
            window = open_window(viewport={"width": size[0], "height": size[1]})
            window.log_in("operator", username=f"ada {name}")
            window.open(f"/incidents/{incident.pk}/")
            box = window.page.locator("[data-answer]").bounding_box()
            assert box["y"] + box["height"] < size[1], name
            assert window.page.get_by_role("main").locator(".c-button-main").count() == 1
            take_picture(window.page, name)

    def test_is_worked_with_by_the_keyboard(self, window, incident):
        window.log_in("operator")
        page = window.page
        window.open("/messages/")
        page.keyboard.press("g")
        page.keyboard.press("i")
        page.wait_for_url(re.compile(r"/incidents/$"))
        page.get_by_role("link", name=incident.title).press("Enter")
        page.wait_for_url(re.compile(rf"/incidents/{incident.pk}/$"))
        take = page.get_by_role("button", name="Take")
        take.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("region", name="State")).to_contain_text("owner: ada")

    def test_is_shown_without_a_script(self, open_window, incident):
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open(f"/incidents/{incident.pk}/")
        expect(window.page.get_by_role("region", name="State")).to_contain_text("18 messages failing now")
        window.page.get_by_role("link", name="Merge").click()
        expect(window.page.get_by_role("heading", name="Merge incidents")).to_be_visible()

    def test_hides_buttons_that_need_a_script_from_browsers_without_one(self, open_window, incident):
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open("/handover/")
        expect(window.page.locator(".u-needs-script")).to_have_count(2)
        assert [button.is_visible() for button in window.page.locator(".u-needs-script").all()] == [False] * 2


@pytest.fixture
def open_dialog(window, incident) -> Callable[[str], Locator]:
    """Open the page of the incident, and then a decision with the keyboard."""
    window.log_in("operator")
    window.open(f"/incidents/{incident.pk}/")

    def open_by_link(name: str) -> Locator:
        window.page.get_by_role("link", name=name, exact=True).press("Enter")
        dialog = window.page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        return dialog

    return open_by_link


class TestDialogs:
    def test_take_the_focus_and_give_it_back_with_escape(self, window, open_dialog):
        dialog = open_dialog("Assign")
        expect(dialog).to_have_accessible_name("Assign")
        expect(dialog.get_by_label("Owner")).to_be_focused()
        # The part of the page with the link is replaced every five seconds.
        with window.page.expect_response(re.compile(r"/incidents/\d+/$")):
            pass
        window.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(window.page.get_by_role("link", name="Assign")).to_be_focused()

    def test_keep_the_input_that_is_refused_and_say_why(self, window, open_dialog):
        dialog = open_dialog("Split")
        dialog.get_by_label("Or messages").fill("12 x")
        dialog.get_by_label("Reason").fill("two causes")
        dialog.get_by_role("button", name="Split incident").click()
        expect(dialog.get_by_role("alert").filter(has_text="x")).to_be_visible()
        expect(dialog.get_by_label("Or messages")).to_be_focused()
        expect(dialog.get_by_label("Or messages")).to_have_value("12 x")
        expect(dialog.get_by_label("Reason")).to_have_value("two causes")
        check_page(window.page)
        take_picture(window.page, "dialog_refused")

    def test_show_a_conflict_with_another_person(self, open_dialog, incident):
        dialog = open_dialog("Close")
        dialog.get_by_label("Reason").fill("the bank answers")
        close_incident(incident_id=incident.pk, actor=ANA, reason="r")
        dialog.get_by_role("button", name="Close incident").click()
        expect(dialog.get_by_role("alert").filter(has_text="Nothing was changed")).to_be_visible()

    def test_say_that_the_right_was_taken_away_and_keep_the_input(self, window, open_dialog, incident):
        dialog = open_dialog("Close")
        dialog.get_by_label("Reason").fill("the bank answers")
        window.loses_right = True
        User.objects.get(username="ada").groups.set([Group.objects.get(name="support")])
        dialog.get_by_role("button", name="Close incident").click()
        alert = dialog.get_by_role("alert").filter(has_text="permission")
        expect(alert).to_have_text(
            "You need the permission change_incident (role operator or admin). Ask an administrator."
        )
        take_picture(window.page, "dialog_without_right")
        expect(dialog.get_by_label("Reason")).to_have_value("the bank answers")
        incident.refresh_from_db()
        assert incident.state == "open"

    def test_lead_to_the_changed_incident(self, window, open_dialog):
        dialog = open_dialog("Close")
        dialog.get_by_label("Reason").fill("the bank answers")
        dialog.get_by_role("button", name="Close incident").click()
        expect(window.page.get_by_role("region", name="State")).to_contain_text("closed")
        expect(dialog).to_be_hidden()
        expect(window.page.get_by_text("Incident closed.")).to_be_visible()

    def test_keep_the_form_if_the_server_gives_no_answer(self, window, open_dialog):
        dialog = open_dialog("Close")
        dialog.get_by_label("Reason").fill("the bank answers")
        window.loses_server = True
        window.page.context.set_offline(True)
        dialog.get_by_role("button", name="Close incident").click()
        expect(dialog.get_by_role("alert").filter(has_text="did not accept")).to_be_visible()
        expect(dialog.get_by_label("Reason")).to_have_value("the bank answers")

    def test_have_names_and_contrast_in_both_colours_and_on_a_phone(self, window, open_dialog):
        dialog = open_dialog("Merge")
        check_looks(window.page, axe_in=tuple(Look))
        expect(dialog).to_be_visible()


class TestPages:
    # The slow test of test_every_page.py has these pages too, with any content.
    @pytest.mark.parametrize(
        "path",
        quick_first(
            ["{own}", "{own}split/", "", "{own}merge/", "{own}assign/", "{own}note/", "{own}close/"], quick=2
        ),
    )
    def test_have_names_and_contrast_in_both_colours_and_on_a_phone(self, open_window, incident, path):
        window = open_window(color_scheme="light")
        window.log_in("operator")
        window.open("/incidents/" + path.format(own=f"{incident.pk}/"))
        check_looks(window.page, axe_in=tuple(Look))

    @pytest.mark.parametrize("path", quick_first(["/deployments/", "/deployments/new/"]))
    def test_of_deployments_have_them_too(self, open_window, incident, path):
        window = open_window(color_scheme="light")
        window.log_in("operator")
        window.open(path)
        check_looks(window.page, axe_in=tuple(Look))

    def test_are_dark_too(self, open_window, incident):
        window = open_window(viewport={"width": 1440, "height": 900}, color_scheme="dark")
        window.log_in("operator")
        window.open(f"/incidents/{incident.pk}/")
        check_page(window.page)
        take_picture(window.page, "incident_dark")
        window.open("/incidents/")
        take_picture(window.page, "list_dark")
        window.open("/deployments/")
        take_picture(window.page, "deployments_dark")
