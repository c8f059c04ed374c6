"""The first two minutes: an outage is seen on the first page, understood, and repaired by a bulk restart."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from messages_app.core.clock import database_clock
from messages_app.jobs.models import Job
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.pages.checks import check_page
from tests.support.factories import make_external_call, make_message, make_request, make_response
from tests.support.jobs import hub_ends

FAILED = 15


def make_outage() -> list[int]:
    """Store similar failures of one service, one of another, and run the tasks that group them."""
    now = database_clock()
    ids = [
        make_message(
            state="FAILED",
            service_name="payment",
            failed_error_code="E103",
            failed_desc=f"E103: the gateway refused order {number}\n\tat a.b.C\n",
            object_id=f"order-{number % 3}",
            receive_timestamp=now - timedelta(minutes=20 - number),
        ).pk
        for number in range(FAILED)
    ]
    make_message(state="FAILED", failed_desc="something else", receive_timestamp=now)
    fold_changes(), group_new_failures()
    return ids


def look_again(window) -> None:
    """Have the first page ask for fresh numbers now, as it does when it is seen again."""
    with window.page.expect_response(re.compile("/dashboard/part/")):
        window.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


class TestAnOutage:
    @pytest.mark.slow
    def test_is_seen_understood_and_repaired(self, window, spark_remote, start_worker):
        ids = make_outage()
        start_worker()
        window.log_in("operator")
        page = window.page
        window.open("/")
        strip = page.get_by_role("region", name="Getting started")
        expect(strip).to_contain_text(f"{FAILED} messages in payment fail with the same error")
        check_page(page)
        strip.get_by_role("link", name="See what broke").click()

        main = page.get_by_role("main")
        expect(main).to_contain_text("Target system cannot be reached")
        objects = page.get_by_role("region", name="Objects of FAILED messages")
        expect(objects.get_by_role("row")).to_have_count(4)
        check_page(page)
        page.get_by_role("link", name=f"Restart {FAILED} failed messages").click()

        expect(page.get_by_role("heading", level=2).first).to_contain_text(
            f"{FAILED} messages would be restarted"
        )
        expect(main).to_contain_text("Failure group")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name=f"Restart {FAILED}").click()
        page.wait_for_url(re.compile(r"/jobs/\d+/$"))
        expect(page.locator(".c-progress .c-state").first).to_have_text("done", timeout=60_000)
        assert Job.objects.get().filter.keys() == {"state", "failure_group"}
        assert set(Message.objects.filter(state="PARTLY_FAILED").values_list("pk", flat=True)) == set(ids)

        hub_ends("OK", ids)
        fold_changes()
        window.open("/")
        tile = page.get_by_role("link", name="Failing now")
        expect(tile.locator("strong")).to_have_text("1")
        expect(page.get_by_role("img", name="State changes over the last")).to_be_visible()
        [group_id] = {row.group_id for row in FailureMember.objects.filter(msg_id__in=ids)}
        window.open(f"/failures/{group_id}/")
        repaired = page.get_by_role("region", name="Repaired")
        expect(repaired).to_contain_text(f"None of the {FAILED} messages in this group are FAILED")
        expect(repaired.get_by_role("link", name="Job ")).to_be_visible()
        check_page(page)
        window.open("/handover/?since=-8h")
        check_page(page)
        expect(page.get_by_role("region", name="Repairs", exact=True)).to_contain_text("the gateway is back")
        expect(page.get_by_role("region", name="Still open")).not_to_contain_text("the gateway refused")
        window.open(f"/failures/{group_id}/")
        repaired.get_by_role("button", name="Close").click()
        expect(page.get_by_role("main")).to_contain_text("Group marked as fixed.")
        window.open("/")
        page.get_by_role("button", name="Dismiss").click()
        expect(page.get_by_role("region", name="Getting started")).to_have_count(0)


class TestTheFirstPage:
    @pytest.mark.slow
    @pytest.mark.parametrize("width", [390, 1024, 1440])
    def test_keeps_long_names_of_external_systems_within_its_width(self, window, width):
        message = make_message(state="FAILED", receive_timestamp=database_clock())
        for number, host in enumerate(("billing-gateway.integration.branch.example.com", "crm.example")):
            for state in ("PROCESSING", "FAILED", "FAILED_END"):
                name = f"http://{host}/{number}{state}"
                make_external_call(message, operation_name=name, state=state)
            make_response(make_request(message, uri=f"http://{host}/ws"), failed=True)
        window.log_in("support")
        page = window.page
        page.set_viewport_size({"width": width, "height": 800})
        window.open("/")
        expect(page.get_by_text("1 of 1 failed")).to_have_count(2)
        check_page(page)

    def test_fits_its_answer_on_the_first_screen(self, window):
        make_outage()
        window.log_in("support")
        page = window.page
        page.set_viewport_size({"width": 1440, "height": 900})
        window.open("/")
        for name in ("Open incidents", "Current failures"):
            region = page.get_by_role("region", name=name, exact=True).first
            assert region.bounding_box()["y"] + region.bounding_box()["height"] <= 900
        assert page.locator(".c-current").bounding_box()["y"] < 900
        heights = page.locator(".c-figure").evaluate_all("(all) => all.map((one) => one.offsetHeight)")
        assert heights == [72] * 4

    def test_updates_numbers_and_keeps_open_sections_open(self, window):
        make_outage()
        window.log_in("support")
        window.open("/")
        page = window.page
        page.locator("summary").filter(has_text="As a table").click()
        make_message(state="FAILED", receive_timestamp=database_clock())
        fold_changes()
        look_again(window)
        tile = page.get_by_role("link", name="Failing now")
        expect(tile.locator("strong")).to_have_text(str(FAILED + 2))
        expect(page.get_by_role("region", name="Traffic as a table")).to_be_visible()
        assert window.complaints == []

    def test_shows_a_repair_within_seconds_on_every_open_page(self, window):
        ids = make_outage()
        window.log_in("operator")
        page = window.page
        [group_id] = {row.group_id for row in FailureMember.objects.filter(msg_id__in=ids)}
        window.open("/")
        group = page.locator(f"[data-failing-group='{group_id}']")
        pages = {path: page.context.new_page() for path in ("/failures/", f"/failures/{group_id}/")}
        lists = page.context.new_page()
        lists.goto("/messages/?state=FAILED")
        for path, other in pages.items():
            other.goto(path)
        expect(group).to_have_text(str(FAILED))

        Message.objects.filter(pk__in=ids).update(state="PARTLY_FAILED")

        failing_now = page.get_by_role("link", name="Failing now").locator("strong")
        expect(failing_now).to_have_text("1", timeout=5_000)
        expect(group).to_have_text("0")
        expect(page.get_by_role("region", name="Getting started")).to_contain_text("1 message in billing")
        expect(pages["/failures/"].locator(f"[data-failing-group='{group_id}']")).to_have_count(0)
        expect(pages["/failures/"].get_by_role("main")).to_contain_text("1 message failing now")
        expect(lists.locator(".c-tabs .c-count-badge")).to_have_text("1")
        expect(lists.locator("#count-line")).to_contain_text("of 1 failing now")
        in_progress = pages[f"/failures/{group_id}/"].get_by_role("region", name="In progress")
        expect(in_progress).to_contain_text("In progress: no messages are FAILED")

        hub_ends("OK", ids)
        repaired = pages[f"/failures/{group_id}/"].get_by_role("region", name="Repaired")
        expect(repaired).to_contain_text(f"None of the {FAILED} messages", timeout=7_000)
        expect(repaired).to_contain_text("No jobs restarted or cancelled its newest messages.")
        assert window.complaints == []
