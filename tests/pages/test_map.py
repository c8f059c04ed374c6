"""The map by keyboard and at the width of a phone."""

import re

from playwright.sync_api import expect

from tests.messages_app.service_map.counted import begin_counting, count_calls
from tests.pages.checks import check_page


class TestTheEdges:
    def test_tell_their_numbers_by_keyboard_and_choose_their_row(self, window):
        begin_counting()
        count_calls("billing", "bank.example", ok=90, failed=10)
        count_calls("order", "crm.example", ok=20)
        window.log_in("support")
        page = window.page
        window.open("/map/")
        edge = page.get_by_role("link", name=re.compile("^order → crm.example: 20 calls, 0 failed"))
        label = edge.locator(".c-flows-label")
        expect(label).to_have_css("opacity", "0")
        height = page.evaluate("document.documentElement.scrollHeight")
        page.get_by_role("link", name=re.compile("^billing → bank.example:")).focus()
        page.keyboard.press("Tab")
        expect(edge).to_be_focused()
        expect(label).to_have_css("opacity", "1")
        expect(label).to_be_in_viewport()
        assert page.evaluate("document.documentElement.scrollHeight") == height
        check_page(page)
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile(r"\?service_name=order&external_system=crm\.example$"))
        rows = page.get_by_role("table", name="Calls").get_by_role("row")
        expect(rows).to_have_count(2)
        expect(rows.nth(1)).to_contain_text("crm.example")

    def test_take_the_pointer_only_on_their_curve(self, window):
        begin_counting()
        count_calls("billing", "bank.example", ok=90)
        count_calls("order", "crm.example", ok=20)
        window.log_in("support")
        page = window.page
        window.open("/map/")
        box = page.locator(".c-flows-curves").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 54)
        labels = page.locator(".c-flows-label")
        expect(labels.nth(1)).to_have_css("opacity", "1")
        expect(labels.nth(0)).to_have_css("opacity", "0")
