import re

import pytest
from playwright.sync_api import Page, expect

from messages_app.audit.models import AuditEntry
from messages_app.payloads.layout import PIECE_LINES
from tests.pages.checks import check_colours_and_width, check_page
from tests.support.factories import make_message, make_request, make_response
from tests.support.parameters import quick_first

ITEMS = 2 * PIECE_LINES
LIST = "<list>" + "".join(f"<item><sku>{n}</sku></item>" for n in range(ITEMS)) + "</list>"
BAD = '<order xmlns="urn:test"><id>7</id><line>1</lines></order>'


def open_payload(window, message) -> Page:
    window.log_in("support", "view_payload", shows_values=True)
    window.open(f"/messages/{message.pk}/")
    window.page.get_by_role("link", name="Payload", exact=True).click()
    window.page.locator("pre.c-source").wait_for()
    return window.page


def expect_shown_lines(page: Page, lines: int) -> None:
    """Wait for it: a loaded part is folded when it arrives."""
    expect(page.locator("pre.c-source > span:not([hidden])")).to_have_count(lines)


class TestPayloadSearch:
    def test_leads_to_the_payload_which_is_open_at_the_text(self, window):
        items = "".join(f"<item><sku>{n}</sku></item>" for n in range(200))
        message = make_message(payload=f"<list>{items}<symbol>NEEDLE</symbol>{items}</list>")
        make_message(payload="<list/>")
        window.log_in("support", "view_payload", shows_values=True)
        page = window.page
        window.open(
            "/messages/?payload_contains=NEEDLE&receive_timestamp_from=2026-10-25T00:00:00Z"
            "&receive_timestamp_to=2026-11-20T00:00:00Z"
        )
        expect(page.locator("#histogram")).to_contain_text("with any payload, not only matches")
        expect(page.locator("#histogram h2")).to_have_text("Searched")
        page.locator(".c-rows-link").click()
        page.wait_for_url(re.compile(rf"/messages/{message.pk}/\?.*payload_contains=NEEDLE"))
        expect(page.get_by_role("status").filter(has_text="1 match for NEEDLE")).to_be_visible()
        expect(page.locator("pre.c-source .is-hit")).to_contain_text("NEEDLE")
        expect(page.locator("pre.c-source .is-hit")).to_be_in_viewport()
        expect(page.locator("#contents details[open]")).to_have_count(1)
        assert [entry.msg_id for entry in AuditEntry.objects.filter(action="view_payload")] == [message.pk]
        check_page(page)

    def test_opens_no_payload_from_other_lists(self, window):
        message = make_message()
        window.log_in("support", "view_payload", shows_values=True)
        window.open("/messages/")
        window.page.locator(".c-rows-link").click()
        window.page.wait_for_url(f"**/messages/{message.pk}/")
        expect(window.page.get_by_text("Open the payload")).to_be_hidden()
        assert not AuditEntry.objects.filter(action="view_payload").exists()


class TestContentPanel:
    def test_folds_by_mouse_and_by_keyboard(self, window):
        page = open_payload(window, make_message(payload="<a><b><c>1</c></b><d><e>2</e></d></a>"))
        expect_shown_lines(page, 8)
        page.get_by_role("button", name="Fold line 2").click()
        expect_shown_lines(page, 7)
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("button", name="Fold line 5")).to_be_focused()
        page.keyboard.press("ArrowLeft")
        expect_shown_lines(page, 6)
        page.get_by_role("button", name="Unfold all").click()
        expect_shown_lines(page, 8)
        page.get_by_role("button", name="Fold all", exact=True).click()
        expect_shown_lines(page, 6)
        check_page(page)

    @pytest.mark.slow
    def test_shows_other_forms_in_its_place(self, window):
        page = open_payload(window, make_message())
        page.get_by_role("link", name="Hex").click()
        expect(page.locator("pre.c-source")).to_contain_text("3c 6f 72 64 65 72")
        page.get_by_role("link", name="Raw").click()
        expect(page.locator("pre.c-source > span")).to_have_count(1)
        expect(page.locator("details[open] > summary").filter(has_text="Payload")).to_be_visible()
        check_page(page)

    @pytest.mark.slow
    def test_loads_more_and_continues_folding(self, window):
        page = open_payload(window, make_message(payload=LIST))
        expect(page.locator("pre.c-source > span")).to_have_count(PIECE_LINES)
        page.get_by_role("link", name="Show more").click()
        expect(page.locator("pre.c-source > span")).to_have_count(2 * PIECE_LINES)
        expect(page.locator("pre.c-source > span").last).to_have_attribute("data-n", str(2 * PIECE_LINES))
        page.get_by_role("button", name="Fold all", exact=True).click()
        page.get_by_role("button", name="Fold line 1", exact=True).click()
        expect_shown_lines(page, 1)
        page.get_by_role("link", name="Show more").click()
        expect(page.locator("pre.c-source > span")).to_have_count(3 * PIECE_LINES)
        expect_shown_lines(page, 1)
        check_page(page)

    @pytest.mark.slow
    def test_finds_in_what_is_loaded_and_in_the_rest(self, window):
        page = open_payload(window, make_message(payload=LIST))
        box = page.get_by_role("searchbox", name="Find in the payload")
        box.fill("sku>123<")
        expect(page.locator(".c-source .is-hit")).to_have_count(1)
        expect(page.locator(".c-source .is-hit")).to_be_in_viewport()
        box.fill(f">{ITEMS - 1}<")
        expect(page.locator(".c-source .is-hit")).to_have_count(0)
        box.press("Enter")
        expect(page.locator(".c-content-hits")).to_contain_text("1 match for")
        expect(page.locator(".c-source .is-hit")).to_be_in_viewport()
        expect(page.locator(".c-source .is-hit")).to_contain_text(str(ITEMS - 1))
        check_page(page)
        page.get_by_role("link", name="Close").click()
        expect(page.locator(".c-content-hits")).to_have_count(0)

    def test_copies_what_is_shown(self, window):
        page = open_payload(window, make_message(payload="<a><b>1</b></a>"))
        page.get_by_role("button", name="Copy", exact=True).click()
        expect(page.locator("#copy-status")).to_have_text("Copied")
        box = page.get_by_role("searchbox", name="Find in the payload")
        box.focus()
        page.keyboard.press("Control+V")
        expect(box).to_have_value(re.compile(r"<a>\s*<b>1</b>\s*</a>"))

    @pytest.mark.slow
    def test_leads_to_the_place_where_a_text_is_not_well_formed(self, window):
        page = open_payload(window, make_message(payload=BAD))
        expect(page.locator(".c-content-fault mark")).to_have_text("<")
        page.get_by_role("link", name="Show the location").click()
        expect(page.locator("pre.c-source")).to_contain_text("</lines>")
        check_page(page)


class TestContentPage:
    @pytest.mark.slow
    def test_works_without_scripts(self, open_window):
        message = make_message(payload=LIST)
        window = open_window(java_script_enabled=False)
        window.log_in("support", "view_payload", shows_values=True)
        page = window.page
        window.open(f"/messages/{message.pk}/payload/")
        page.get_by_role("link", name="Show more").click()
        expect(page.locator("pre.c-source > span").first).to_have_attribute("data-n", str(PIECE_LINES + 1))
        page.get_by_role("searchbox", name="Find in the payload").fill(f">{ITEMS - 1}<")
        page.keyboard.press("Enter")
        page.locator(".c-content-hits li a").click()
        expect(page.locator(".c-source .is-hit")).to_be_in_viewport()
        page.get_by_role("link", name="Hex").click()
        page.get_by_label("Go to byte").fill("0x2000")
        page.get_by_role("button", name="Go", exact=True).click()
        expect(page.locator("pre.c-source")).to_contain_text("00002000")
        expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(0)

    @pytest.mark.slow
    def test_has_space_for_20_megabytes_in_one_line(self, open_window):
        window = open_window(viewport={"width": 1280, "height": 800})
        message = make_message(payload="x" * 20_000_000)
        window.log_in("support", "view_payload", shows_values=True)
        for query in ("", "?view=hex", "?find=y"):
            window.page.set_viewport_size({"width": 1280, "height": 800})
            window.open(f"/messages/{message.pk}/payload/{query}")
            check_page(window.page)
            window.page.set_viewport_size({"width": 390, "height": 800})
            check_colours_and_width(window.page)


class TestComparePage:
    @pytest.mark.parametrize("width", quick_first([1280, 390]))
    def test_follows_the_differences(self, open_window, width):
        window = open_window(viewport={"width": width, "height": 800})
        good = make_message(state="OK", payload="<a><b>1</b><c/><d/><e/><f/><g/><h/><i>2</i></a>")
        bad = make_message(state="FAILED", payload="<a><b>3</b><c/><d/><e/><f/><g/><h/><i>4</i></a>")
        window.log_in("support", "view_payload", shows_values=True)
        page = window.page
        window.open(f"/messages/{bad.pk}/payload/")
        page.get_by_role("link", name="Compare").click()
        expect(page.get_by_role("region", name="Differences")).to_contain_text("2 differences")
        expect(page.locator(".c-compare-side").first).to_contain_text(str(good.pk))
        page.get_by_role("link", name="Next").click()
        assert page.url.endswith("#difference-2")
        check_page(page)
        page.get_by_role("link", name="Unified").click()
        expect(page.locator(".c-diff-unified .is-left")).to_have_count(2)
        check_page(page)
        page.get_by_role("link", name="Compare exactly").click()
        expect(page.get_by_role("link", name="Ignore times")).to_be_visible()
        page.get_by_label("Another message").fill(str(bad.pk))
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_role("heading", name="The two are identical")).to_be_visible()
        check_page(page)

    @pytest.mark.parametrize("width", quick_first([390, 1280]))
    def test_names_segments_unseen_characters_and_ignored_times(self, open_window, width):
        window = open_window(viewport={"width": width, "height": 800})
        pairs = [
            ("MSH|^~\\&|A\rPID|1||42\r", "MSH|^~\\&|A\rPID|1||43\r", "PID Patient identification"),
            ("<a>10 000</a>", "<a>10\xa0000</a>", "U+00A0 NO-BREAK SPACE"),
            ("<a>2026-11-01T12:00:00Z</a>", "<a>2026-11-01T12:01:00Z</a>", "No difference apart from 1 time"),
        ]
        messages = [[make_message(payload=payload) for payload in pair] for *pair, _ in pairs]
        window.log_in("support", "view_payload", shows_values=True)
        window.open(f"/messages/{messages[0][0].pk}/payload/?find=42")
        expect(window.page.get_by_label("Matches")).to_contain_text("PID Patient identification")
        check_page(window.page)
        for (left, right), (*_, words) in zip(messages, pairs, strict=True):
            window.open(f"/messages/{right.pk}/compare/?with={left.pk}")
            expect(window.page.get_by_role("main")).to_contain_text(words)
            check_page(window.page)

    @pytest.mark.slow
    def test_compares_attempts_and_reports_a_missing_one(self, window):
        message = make_message()
        first, second = (make_request(message, req_envelope=f"<a>{n}</a>") for n in range(2))
        make_response(first)
        window.log_in("support", "view_payload", shows_values=True)
        window.open(f"/messages/{message.pk}/requests/{second.pk}/")
        window.page.get_by_role("link", name="Compare").click()
        expect(window.page.get_by_role("main")).to_contain_text("1 difference")
        check_page(window.page)
        window.page.get_by_role("link", name="The next attempt").click()
        expect(window.page.get_by_role("main")).to_contain_text("Nothing to compare with")
        check_page(window.page)


class TestPhone:
    def test_shows_a_long_name_on_the_line_of_its_indentation(self, window):
        payload = f"<order>\n        <variableSymbol>{'4' * 60}</variableSymbol>\n</order>"
        window.page.set_viewport_size({"width": 390, "height": 844})
        page = open_payload(window, make_message(payload=payload))
        line = page.locator("pre.c-source > span").nth(1)
        assert line.locator(".t").first.bounding_box()["y"] - line.bounding_box()["y"] < 16
