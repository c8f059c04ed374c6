"""Tasks of users, from the list to the answer: an outage, a held message, a broken family."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from messages_app.messages.models import Message
from tests.support.factories import make_external_call, make_funnel, make_message, make_request


def some_time_ago(minutes: float):
    return timezone.now() - timedelta(minutes=minutes)


def make_outage() -> list[Message]:
    """Store an hour of one service, whose last twenty minutes failed with one error."""
    for number in range(20):
        make_message(state="OK", service_name="payment", receive_timestamp=some_time_ago(60 - 2 * number))
    return [
        make_message(
            state="FAILED",
            service_name="payment",
            failed_count=4,
            failed_error_code="E103",
            failed_desc=f"E103: the gateway refused order {number} (ConnectException)\n\tat a.b.C\n",
            payload=f'<order xmlns="urn:test"><id>{number}</id><customer/></order>',
            receive_timestamp=some_time_ago(20 - number),
            last_process_timestamp=some_time_ago(19 - number),
        )
        for number in range(15)
    ]


class TestAnOutage:
    def test_is_found_and_understood(self, window):
        failed = make_outage()
        window.log_in("support", "view_payload", shows_values=True)
        window.open("/messages/")
        page = window.page
        page.get_by_role("link", name="Failing now").click()
        expect(page.locator(".c-rows tbody tr")).to_have_count(len(failed))
        # Drawn over time, the failures are at the end of the hour.
        bars = page.get_by_role("group", name="Bar chart of messages over time")
        expect(bars.get_by_role("link").last).to_have_accessible_name(re.compile("FAILED"))
        page.locator(".c-rows tbody tr").first.get_by_role("link", name=failed[-1].correlation_id).click()
        lead = page.get_by_role("region", name="State")
        expect(lead).to_contain_text("E103")
        expect(lead).to_contain_text("4")
        expect(page.get_by_role("main")).to_contain_text("the gateway refused order 14")
        page.get_by_role("link", name="Payload", exact=True).click()
        page.get_by_role("link", name="Compare").first.click()
        expect(page.get_by_role("main")).to_contain_text("Ada Lovelace")


class TestAPostponedMessage:
    @pytest.mark.slow
    def test_is_explained_up_to_its_failed_root(self, window):
        ordered = {"guaranteed_order": True, "service_name": "meter"}
        root = make_message(
            state="FAILED",
            failed_count=4,
            failed_error_code="E103",
            failed_desc="E103: no meter",
            receive_timestamp=some_time_ago(9),
            **ordered,
        )
        waiting = make_message(
            state="POSTPONED",
            receive_timestamp=some_time_ago(2),
            last_process_timestamp=some_time_ago(0.5),
            **ordered,
        )
        for message in (root, waiting):
            make_funnel(message, funnel_value="meter-7")
        window.log_in("support")
        page = window.page
        window.open("/messages/?state=POSTPONED")
        page.get_by_role("link", name=waiting.correlation_id).click()
        lead = page.get_by_role("region", name="State")
        lead.get_by_role("link", name=str(root.pk)).click()
        expect(page.get_by_role("heading", level=1)).to_contain_text(str(root.pk))
        expect(page.get_by_role("region", name="State")).to_contain_text("FAILED")

    @pytest.mark.slow
    def test_is_found_in_its_funnel(self, window):
        holder = make_message(
            state="WAITING_FOR_RES",
            funnel_component_id="funnel_1",
            start_process_timestamp=some_time_ago(4),
            receive_timestamp=some_time_ago(5),
        )
        waiting = make_message(
            state="POSTPONED",
            funnel_component_id="funnel_1",
            receive_timestamp=some_time_ago(3),
            last_process_timestamp=some_time_ago(0.5),
        )
        for message in (holder, waiting):
            make_funnel(message, funnel_value="account-7")
        window.log_in("support")
        window.open("/messages/")
        page = window.page
        page.get_by_role("link", name="Funnels").click()
        page.get_by_role("link", name="account-7").first.click()
        page.get_by_role("main").get_by_role("link", name=str(holder.pk)).first.click()
        expect(page.get_by_role("region", name="State")).to_contain_text("WAITING_FOR_RES")


class TestAFamilyWithOneFailedChild:
    @pytest.mark.slow
    def test_is_repaired(self, window):
        started = some_time_ago(30)
        parent = make_message(
            state="FAILED",
            receive_timestamp=started,
            failed_count=4,
            failed_error_code="E103",
            failed_desc="E103: refused",
        )
        family = {"parent_msg_id": parent.pk, "parent_binding_type": "HARD", "receive_timestamp": started}
        for _ in range(2):
            make_message(state="OK", **family)
        child = make_message(
            state="FAILED", failed_count=4, failed_error_code="E103", failed_desc="E103: refused", **family
        )
        make_external_call(child, operation_name="direct:ledger", state="OK")
        make_external_call(child, operation_name="direct:gateway", state="FAILED")
        make_request(child)
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{parent.pk}/")
        expect(page.get_by_role("main")).to_contain_text("3 children: 2 OK, 1 FAILED")
        page.get_by_role("region", name="State").get_by_role("link", name=str(child.pk), exact=True).click()
        page.get_by_role("link", name="Restart", exact=True).click()
        calls = page.get_by_role("table", name="What happens to each external call")
        expect(calls.get_by_role("row").filter(has_text="direct:ledger")).to_contain_text("skipped")
        expect(calls.get_by_role("row").filter(has_text="direct:gateway")).to_contain_text("sent again")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name="Restart").click()
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")
        # The hub processes it; the page shows it without a reload.
        Message.objects.filter(pk=child.pk).update(state="OK", last_process_timestamp=timezone.now())
        expect(page.get_by_role("main")).to_contain_text("It completed")
