import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from messages_app.messages.models import Message
from tests.pages.checks import check_page
from tests.support.factories import make_archived_message, make_message, make_messages
from tests.support.parameters import quick_first

RANGE = "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T13:00:00Z"


class TestHistogram:
    @pytest.fixture
    def bars(self, window):
        for minutes in (90, 60, 60, 5):
            make_message(state="FAILED", receive_timestamp=timezone.now() - timedelta(minutes=minutes))
        window.log_in("support")
        window.open("/messages/?state=FAILED")
        bars = window.page.locator(".c-histogram-svg a")
        expect(bars.first).to_be_visible()
        return bars

    @pytest.mark.slow
    def test_narrows_the_list_by_dragging_and_widens_it_again(self, window, bars):
        page = window.page
        frame = page.locator(".c-histogram-svg").bounding_box()
        middle = frame["y"] + frame["height"] / 2
        # Of 85 minutes: the first message is at the left edge, the last at the right one.
        page.mouse.move(frame["x"] + frame["width"] * 0.2, middle)
        page.mouse.down()
        page.mouse.move(frame["x"] + frame["width"] * 0.6, middle, steps=3)
        page.mouse.up()
        page.wait_for_url("**receive_timestamp_from=*")
        assert "state=FAILED" in page.url
        expect(page.locator("table[data-rows] tbody tr")).to_have_count(2)
        first = page.url
        page.get_by_role("link", name="Zoom out").click()
        page.wait_for_function("address => location.href !== address", arg=first)
        expect(page.locator(".c-histogram-svg a").first).to_be_visible()

    @pytest.mark.slow
    def test_leads_from_a_bar_to_its_messages_by_keyboard(self, window, bars):
        page = window.page
        page.get_by_text("As a table").click()
        check_page(page)
        bars.first.focus()
        for _ in range(bars.count() - 1):
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.wait_for_url("**receive_timestamp_to=*")
        expect(page.locator("table[data-rows] tbody tr")).to_have_count(1)

    @pytest.mark.slow
    def test_is_there_without_scripts_and_as_a_table(self, open_window):
        make_message(state="FAILED", receive_timestamp=timezone.now())
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        window.open("/messages/")
        window.page.get_by_role("link", name="Messages over time").click()
        window.page.get_by_text("As a table").click()
        expect(window.page.get_by_role("columnheader", name="FAILED")).to_be_visible()
        window.page.locator(".c-histogram-svg a").click(force=True)
        window.page.wait_for_url("**/messages/?receive_timestamp_from=*")


class TestCount:
    @pytest.mark.slow
    def test_is_exact_on_request(self, window):
        make_messages(60)
        window.log_in("support")
        # The totals that give other lists an exact number have no times.
        window.open(f"/messages/?{RANGE}")
        window.page.get_by_role("link", name="count exactly").click()
        expect(window.page.locator("#count-line")).to_contain_text("1–50 of exactly 60")


class TestNewer:
    def test_shows_new_rows_without_moving_the_others(self, window):
        make_message(state="FAILED")
        page = window.page
        page.clock.install()
        window.log_in("support")
        window.open("/messages/?state=FAILED")
        make_message(state="FAILED")
        make_message(state="OK")
        page.clock.run_for(16_000)
        pill = page.get_by_role("link", name="1 new")
        expect(pill).to_be_visible()
        expect(page.locator("table[data-rows] tbody tr")).to_have_count(1)
        pill.click()
        expect(page.locator("table[data-rows] tbody tr")).to_have_count(2)
        assert page.url.endswith("/messages/?state=FAILED")

    @pytest.mark.parametrize("how", quick_first(["selected", "off"]))
    def test_does_not_ask_while_something_is_selected_or_it_is_off(self, window, how):
        make_message()
        page = window.page
        asked = []
        page.on("request", lambda request: asked.append(request.url) if "/newer/" in request.url else None)
        page.clock.install()
        window.log_in("support")
        window.open("/messages/")
        if how == "selected":
            page.locator("input[name=msg_id][type=checkbox]").check()
        else:
            page.get_by_role("button", name="Live").click()
        page.clock.run_for(60_000)
        assert asked == []


class TestSelection:
    def test_is_kept_across_pages_and_submitted_together(self, window):
        for _ in range(60):
            make_message(state="FAILED")
        window.log_in("operator")
        page = window.page
        window.open("/messages/?state=FAILED")
        boxes = page.locator("input[name=msg_id][type=checkbox]")
        boxes.nth(1).check()
        boxes.nth(4).click(modifiers=["Shift"])
        bar = page.locator("#selection")
        expect(bar).to_contain_text("4 selected")
        page.get_by_role("link", name="Older").click()
        page.get_by_label("Select all on this page").check()
        expect(bar).to_contain_text("14 selected on 2 pages")
        expect(bar.get_by_role("button", name="Cancel")).to_be_disabled()
        expect(bar).to_contain_text("Cancel is not possible: 14 FAILED.")
        check_page(page)
        with page.expect_request(re.compile("/messages/act/")) as sent:
            bar.get_by_role("button", name="Restart", exact=True).click()
        assert sent.value.post_data.count("msg_id=") == 14
        assert "action=restart" in sent.value.post_data

    @pytest.mark.slow
    def test_names_what_prevents_an_action(self, window):
        make_message(state="OK")
        make_archived_message(state="FAILED")
        make_message(state="FAILED")
        window.log_in("operator")
        window.open("/messages/?archived=any")
        window.page.get_by_label("Select all on this page").check()
        why = window.page.locator("[data-selection-reason]")
        expect(why).to_contain_text("Restart is not possible: 1 archived, 1 OK.")
        window.page.get_by_role("button", name="Clear", exact=True).click()
        expect(window.page.locator("#selection")).to_be_hidden()

    @pytest.mark.slow
    def test_is_separate_for_each_filter(self, window):
        make_message(state="FAILED")
        window.log_in("operator")
        window.open("/messages/")
        window.page.locator("input[name=msg_id][type=checkbox]").check()
        window.open("/messages/?state=FAILED")
        expect(window.page.locator("input[name=msg_id][type=checkbox]")).not_to_be_checked()
        window.open("/messages/?ordering=msg_id")
        expect(window.page.locator("input[name=msg_id][type=checkbox]")).to_be_checked()

    @pytest.mark.slow
    def test_works_for_one_page_without_scripts(self, open_window):
        message = make_message(state="FAILED")
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        window.open("/messages/")
        window.page.locator("input[name=msg_id][type=checkbox]").check()
        window.page.get_by_role("button", name="Restart", exact=True).click()
        expect(window.page.get_by_role("main")).to_contain_text(str(message.pk))

    @pytest.mark.slow
    def test_is_exported_as_a_file(self, window):
        make_message(object_id="first")
        make_message(object_id="second")
        window.log_in("support")
        window.open("/messages/")
        window.page.locator("input[name=msg_id][type=checkbox]").first.check()
        with window.page.expect_download() as download:
            window.page.get_by_role("button", name="Export").click()
        assert download.value.suggested_filename == "messages.csv"
        text = download.value.path().read_text()
        assert "second" in text
        assert "first" not in text


class TestSearch:
    @pytest.fixture
    def haystack(self):
        make_messages(40_000, step=timedelta(milliseconds=90))
        ids = Message.objects.order_by("msg_id").values_list("pk", flat=True)
        Message.objects.filter(pk__in=[ids[100], ids[30_000]]).update(payload="<a>needle</a>")

    def test_searches_payloads_step_by_step(self, window, haystack):
        window.log_in("support", "view_payload", shows_values=True)
        window.open(f"/messages/?payload_contains=needle&{RANGE}")
        page = window.page
        expect(page.locator("table[data-rows] tbody tr")).to_have_count(2)
        expect(page.locator("#search-progress")).to_have_count(0)
        check_page(page)
