from datetime import timedelta

import pytest
from playwright.sync_api import expect

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ExternalCall, Message
from tests.messages_app.messages.detail.rows import make_children, make_event
from tests.pages.checks import check_page
from tests.support.factories import NOON, make_external_call, make_message, make_request, make_response


class TestMessagePage:
    @pytest.mark.slow
    def test_cancels_with_a_reason(self, window):
        message = make_message(state="POSTPONED")
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.get_by_role("link", name="Cancel").click()
        page.get_by_label("Reason").fill("sent manually")
        page.get_by_role("button", name="Cancel message").click()
        expect(page.get_by_role("status").filter(has_text="Message cancelled.")).to_be_visible()
        expect(page.get_by_role("region", name="State")).to_contain_text("CANCEL")
        expect(page.locator("#timeline")).to_contain_text("Cancelled by ada, “sent manually”")
        assert Message.objects.get(pk=message.pk).state == "CANCEL"
        assert AuditEntry.objects.get(action="cancel").reason == "sent manually"

    @pytest.mark.slow
    def test_restarts_from_scratch(self, window):
        message = make_message(state="FAILED", failed_count=4)
        make_external_call(message)
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.get_by_role("link", name="Restart from scratch").click()
        expect(page.get_by_role("main")).to_contain_text("one more attempt")
        expect(page.get_by_role("main")).to_contain_text("may process them twice")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name="Restart from scratch").click()
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")
        assert not ExternalCall.objects.exists()

    def test_offers_nothing_to_support_and_refuses_it(self, window):
        message = make_message(state="FAILED")
        window.log_in("support")
        window.open(f"/messages/{message.pk}/")
        expect(window.page.get_by_role("link", name="Restart")).to_have_count(0)
        assert window.open(f"/messages/{message.pk}/restart/") == 403
        expect(window.page.get_by_role("heading", level=1)).to_have_text("You may not open this page")

    def test_loads_payload_and_exchanges_when_they_are_opened(self, window):
        message = make_message()
        make_response(make_request(message))
        window.log_in("support", "view_payload", shows_values=True)
        page = window.page
        window.open(f"/messages/{message.pk}/")
        expect(page.get_by_text("Ada Lovelace")).to_have_count(0)
        page.get_by_role("link", name="Payload", exact=True).click()
        page.get_by_role("link", name="Requests 1").click()
        assert page.url.endswith("#exchanges")
        for summary in ("Request", "Response"):
            page.locator("summary").filter(has_text=summary).click()
        expect(page.get_by_text("Ada Lovelace")).to_have_count(3)
        check_page(page)

    def test_shows_the_part_that_its_address_names(self, window):
        message = make_message(state="FAILED")
        make_external_call(message)
        window.log_in("support")
        page = window.page
        for part, tab in (("calls", "Requests"), ("columns", "Columns"), ("timeline", "Story")):
            window.open("/funnels/")
            window.open(f"/messages/{message.pk}/#{part}")
            expect(page.locator(f"#{part}")).to_be_visible()
            expect(page.locator("#message-tabs [aria-current]")).to_have_text(tab)
            expect(page.locator(".c-tab-panel:visible")).to_have_count(1)

    def test_shows_a_payload_that_would_run(self, window):
        message = make_message(payload="<img src=x onerror='document.title=1'/><script>alert(1)</script>")
        window.log_in("support", "view_payload", shows_values=True)
        window.open(f"/messages/{message.pk}/payload/")
        expect(window.page.locator("pre")).to_contain_text("<script>alert(1)</script>")
        expect(window.page.locator("pre img, pre script")).to_have_count(0)

    @pytest.mark.slow
    def test_works_without_scripts(self, open_window):
        message = make_message(state="FAILED")
        window = open_window(java_script_enabled=False)
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.locator("summary").filter(has_text="Payload").click()
        page.get_by_role("link", name="Open the payload").click()
        expect(page.locator("pre")).to_contain_text("customer")
        page.get_by_role("link", name=f"Message {message.pk}").click()
        page.get_by_role("link", name="Restart", exact=True).click()
        page.get_by_label("Reason").fill("again")
        page.get_by_role("button", name="Restart").click()
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")


def make_failed_message() -> Message:
    """Store a message that failed in two attempts a minute apart, with a call that succeeded and one not."""
    second = {number: NOON + timedelta(seconds=number) for number in (0, 1, 61, 62)}
    message = make_message(state="FAILED", receive_timestamp=NOON, failed_count=4)
    make_event(message, "PROCESSING", "PARTLY_FAILED", at=second[1])
    make_event(message, "PARTLY_FAILED", "PROCESSING", at=second[61])
    make_event(message, "PROCESSING", "FAILED", at=second[62])
    for name, state in (("direct:ledger", "OK"), ("direct:gateway", "FAILED")):
        make_external_call(message, operation_name=name, state=state, last_update_timestamp=second[62])
    return message


class TestTimeline:
    def test_names_gaps_and_shows_only_failures(self, window):
        message = make_failed_message()
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        timeline = page.locator("#timeline")
        expect(timeline.get_by_text("60 s until the next attempt")).to_be_visible()
        expect(timeline.get_by_role("listitem").filter(has_text="direct:ledger")).to_be_visible()
        assert timeline.locator(".c-waterfall-bar rect").count() == 5
        check_page(page)
        timeline.get_by_role("link", name="Failures only (3)").click()
        expect(timeline.get_by_role("listitem")).to_have_count(3)
        expect(timeline.get_by_text("direct:ledger")).to_have_count(0)
        timeline.get_by_role("link", name="All", exact=True).click()
        expect(timeline.get_by_text("direct:ledger")).to_be_visible()

    @pytest.mark.slow
    def test_needs_no_scripts(self, open_window):
        message = make_failed_message()
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        window.open(f"/messages/{message.pk}/")
        window.page.get_by_role("link", name="Failures only").click()
        expect(window.page.locator("#timeline").get_by_role("listitem")).to_have_count(3)


class TestFamily:
    @pytest.mark.slow
    def test_shows_failed_branches_open_and_loads_thousands_page_by_page(self, window):
        parent = make_message(state="WAITING")
        make_children(parent.pk, count=5000)
        hard = {"parent_msg_id": parent.pk, "parent_binding_type": "HARD"}
        broken = make_message(msg_id=7_000_000, state="WAITING", **hard)
        soft = {"parent_msg_id": broken.pk, "parent_binding_type": "SOFT"}
        culprit = make_message(msg_id=7_000_001, state="FAILED", **soft)
        make_children(5_000_000, count=1, first=6_000_000)
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{parent.pk}/#family")
        family = page.locator("#family")
        expect(family).to_contain_text("5\u202f001 children: 5\u202f000 OK, 1 WAITING")
        expect(family.get_by_role("link", name=str(culprit.pk))).to_be_visible()
        expect(family.locator("li").filter(has=page.get_by_text("SOFT")).first).to_be_visible()
        # A branch in which nothing failed is read when it is opened.
        family.locator("summary").filter(has_text="1 child:").last.click()
        expect(family.get_by_role("link", name="6000000")).to_be_visible()
        family.get_by_role("link", name="More children").click()
        expect(family.get_by_role("link", name="5000060")).to_be_visible()
        check_page(page)

    @pytest.mark.slow
    def test_leads_from_a_child_up_to_its_root(self, window):
        root = make_message()
        parent = make_message(parent_msg_id=root.pk)
        child = make_message(parent_msg_id=parent.pk, parent_binding_type="HARD")
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{child.pk}/#family")
        parents = page.get_by_role("navigation", name="Parents")
        expect(parents.get_by_role("listitem")).to_contain_text(
            [str(root.pk), str(parent.pk), "this message"]
        )
        parents.get_by_role("link", name=str(root.pk)).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Message {root.pk}")

    @pytest.mark.slow
    def test_needs_no_scripts(self, open_window):
        parent = make_message()
        make_children(parent.pk, count=60)
        window = open_window(java_script_enabled=False)
        window.log_in("support")
        window.open(f"/messages/{parent.pk}/")
        window.page.get_by_role("link", name="More children").click()
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Children")
        window.page.get_by_role("link", name="5000059").click()
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Message 5000059")
