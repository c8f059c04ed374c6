"""The layout of a phone: the filter as a sheet, two lines for each row, the main action at the lower edge."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.pages.checks import check_page
from tests.pages.page_rules import PHONE, SIZES
from tests.support.factories import make_message
from tests.support.histories import make_trigger
from tests.support.stores import store

THUMB = 44


@pytest.fixture
def phone(open_window) -> Page:
    width, height = SIZES[PHONE]
    window = open_window(viewport={"width": width, "height": height}, has_touch=True)
    window.log_in("admin")
    return window.page


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
        box = phone.locator("tbody tr").bounding_box()
        assert THUMB <= box["height"] <= 64
        assert phone.evaluate("document.documentElement.scrollWidth") == phone.viewport_size["width"]
        phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] - 4)
        expect(phone).to_have_url(re.compile(f"/messages/{message.pk}/"))

    def test_has_the_main_action_at_the_lower_edge(self, phone):
        make_trigger()
        phone.goto("/document-history/")
        box = phone.get_by_role("link", name="New trigger").bounding_box()
        assert box["height"] >= THUMB
        assert box["y"] + box["height"] > phone.viewport_size["height"] - 20
        assert phone.get_by_role("link", name="History", exact=True).bounding_box()["height"] >= THUMB
        check_page(phone)
