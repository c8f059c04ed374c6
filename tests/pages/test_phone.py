"""The layout of a phone: the filter as a sheet, two lines for each row, the main action at the lower edge."""

import re

import pytest
from playwright.sync_api import Page, expect

from messages_app.incidents.models import Incident
from tests.pages.checks import check_page
from tests.pages.page_rules import PHONE, SIZES
from tests.support.factories import NOON, make_message, make_user
from tests.support.histories import make_trigger
from tests.support.queues import store as hold_message
from tests.support.stores import store

THUMB = 44
# Of WCAG 2.2, in pixels.
SMALLEST_TARGET = 24


@pytest.fixture
def phone(open_window) -> Page:
    width, height = SIZES[PHONE]
    window = open_window(viewport={"width": width, "height": height}, has_touch=True)
    window.log_in("admin")
    return window.page


class TestTitle:
    def test_keeps_its_width_next_to_the_note_that_values_are_shown(self, open_window):
        width, height = SIZES[PHONE]
        window = open_window(viewport={"width": width, "height": height}, has_touch=True)
        window.log_in("admin", "view_payload", shows_values=True)
        user = make_user("support", username="n" * 150)
        window.page.goto(f"/users/{user.pk}/")
        title = window.page.get_by_role("heading", level=1).bounding_box()
        assert title["width"] > width / 2
        assert title["height"] < height / 4


class TestPhone:
    def test_filters_a_list_of_two_lines_for_each_row_in_a_sheet(self, phone):
        key = store([{"id": 1}])
        store([{"id": 2}], entity="order")
        phone.goto("/message-store/messages/")
        form = phone.get_by_role("form", name="Filter")
        expect(form).to_be_hidden()
        phone.get_by_role("button", name="Filter").tap()
        form.get_by_label("Entity", exact=True).fill("customer")
        assert form.bounding_box()["y"] + form.bounding_box()["height"] == phone.viewport_size["height"]
        form.get_by_role("button", name="Filter").tap()
        expect(phone).to_have_url(re.compile("source_entity=customer"))
        expect(phone.get_by_role("button", name="Filter 1")).to_be_visible()
        row = phone.locator("tbody tr")
        expect(row).to_have_count(1)
        box = row.bounding_box()
        assert THUMB <= box["height"] <= 64
        # The end of the row is far from the link.
        phone.touchscreen.tap(box["x"] + box["width"] - 4, box["y"] + box["height"] - 4)
        expect(phone).to_have_url(re.compile(f"/message-store/messages/{key}/"))

    def test_shows_a_message_on_two_lines_that_lead_to_it(self, phone):
        error = "Connection refused by a system whose name is too long for a phone"
        message = make_message(state="FAILED", failed_error_code="E103", failed_desc=error, funnel_value="F1")
        phone.goto("/messages/")
        box = phone.locator("tr[data-row]").bounding_box()
        assert THUMB <= box["height"] <= 64
        assert phone.evaluate("document.documentElement.scrollWidth") == phone.viewport_size["width"]
        phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
        expect(phone).to_have_url(re.compile(f"/messages/{message.pk}/"))

    def test_has_whole_boxes_to_select_messages_that_a_thumb_hits(self, phone):
        make_message(state="FAILED", failed_error_code="E103", failed_desc="refused")
        make_message(state="OK")
        phone.goto("/messages/")
        for row in phone.locator("tr[data-row]").all():
            box = row.get_by_role("checkbox")
            assert box.bounding_box()["width"] >= SMALLEST_TARGET
            assert box.bounding_box()["height"] >= SMALLEST_TARGET
            assert box.evaluate("box => getComputedStyle(box.closest('td')).overflow") == "visible"

    def test_has_the_main_action_at_the_lower_edge(self, phone):
        make_trigger()
        phone.goto("/document-history/")
        box = phone.get_by_role("link", name="New trigger").bounding_box()
        assert box["height"] >= THUMB
        assert box["y"] + box["height"] > phone.viewport_size["height"] - 20
        assert phone.get_by_role("link", name="History", exact=True).bounding_box()["height"] >= THUMB
        check_page(phone)

    def test_keeps_the_controls_next_to_the_title_of_a_front_page(self, phone):
        make_message(state="FAILED")
        phone.goto("/")
        phone.get_by_role("link", name="7 d", exact=True).tap()
        expect(phone).to_have_url(re.compile("window=7d"))
        phone.goto("/jobs/")
        phone.get_by_role("link", name="Mine", exact=True).tap()
        expect(phone).to_have_url(re.compile("mine"))

    def test_shows_the_titles_of_incidents_next_to_their_dots(self, phone):
        title = "Connection refused by a system whose name is too long for a phone"
        make_message(state="FAILED")
        Incident.objects.create(title=title, began_at=NOON, last_failure_at=NOON, failures=1, affected=1)
        phone.goto("/")
        link = phone.get_by_role("main").get_by_role("link", name=title)
        box, cell = link.bounding_box(), link.locator("..").bounding_box()
        assert box["width"] > 200
        assert box["x"] + box["width"] <= cell["x"] + cell["width"] + 1

    def test_marks_the_way_back_also_if_it_is_not_the_first_step(self, phone):
        key = store([{"id": 1}])
        phone.goto(f"/message-store/messages/{key}/rehearsal/")
        expect(phone.locator(".c-crumbs li")).to_have_count(3)
        back = phone.locator(".c-crumbs li:visible")
        expect(back).to_have_text("Message")
        assert "none" not in back.evaluate("(one) => getComputedStyle(one, '::before').display")

    def test_shows_the_current_section_of_many(self, phone):
        phone.goto("/cp-queue/reset/")
        box = phone.locator(".c-sections-nav [aria-current]").bounding_box()
        assert box["x"] > 0
        assert box["x"] + box["width"] <= phone.viewport_size["width"]

    def test_shows_the_current_view_of_many(self, phone):
        phone.goto("/messages/")
        phone.goto(phone.get_by_role("link", name="Postponed").get_attribute("href"))
        expect(phone.locator(".c-tabs-links [aria-current]")).to_have_text("Postponed")
        box, line = (
            phone.locator(f".c-tabs-links {part}").bounding_box() for part in ("[aria-current]", "ul")
        )
        assert box["x"] >= line["x"]
        assert box["x"] + box["width"] <= line["x"] + line["width"]

    def test_leaves_out_the_sections_above_the_page_of_an_object(self, phone):
        make_trigger()
        phone.goto("/document-history/")
        expect(phone.get_by_role("navigation", name="Document history")).to_be_visible()
        phone.locator("tbody a").first.click()
        expect(phone).to_have_url(re.compile("/triggers/"))
        expect(phone.get_by_role("navigation", name="Document history")).to_be_hidden()


class TestSmallScreen:
    """A window of 1024 pixels, with the menu at its side."""

    def test_gives_sections_a_line_below_the_title_and_shows_rows_with_their_buttons(self, open_window):
        hold_message("A", age="2 hours", lock="indexer-9")
        window = open_window(viewport={"width": 1024, "height": 768})
        window.log_in("admin")
        page = window.page
        page.goto("/cp-queue/services/")
        title = page.get_by_role("heading", level=1).bounding_box()
        assert title["height"] < 30
        assert page.locator(".c-sections-nav").bounding_box()["y"] >= title["y"] + title["height"]
        button = page.get_by_role("link", name="Dispatch for indexer-9").bounding_box()
        assert button["x"] + button["width"] <= 1024 - 24
