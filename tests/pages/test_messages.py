from playwright.sync_api import expect

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import ExternalCall, Message
from tests.factories import make_external_call, make_message, make_request, make_response
from tests.pages.checks import check_page


class TestMessageList:
    def test_is_filtered_by_a_click_on_a_state_and_by_the_form(self, window):
        make_message(state="OK")
        failed = make_message(state="FAILED", service_name="payment", correlation_id="pay-1")
        make_message(state="FAILED", service_name="billing")
        window.log_in("support")
        page = window.page
        page.get_by_role("list", name="State").get_by_role("link", name="FAILED", exact=True).click()
        expect(page.locator("tbody tr")).to_have_count(2)
        page.get_by_label("Service").fill("payment")
        page.get_by_role("button", name="Filter").click()
        expect(page.locator("tbody tr")).to_have_count(1)
        assert page.url.endswith("/messages/?state=FAILED&service_name=payment")
        page.get_by_role("link", name="pay-1").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Message {failed.pk}")
        page.go_back()
        assert page.url.endswith("state=FAILED&service_name=payment")
        expect(page.get_by_label("Service")).to_have_value("payment")

    def test_is_read_page_by_page(self, window):
        for _ in range(60):
            make_message()
        window.log_in("support")
        window.page.get_by_role("link", name="Older").click()
        expect(window.page.locator("tbody tr")).to_have_count(10)
        window.page.get_by_role("link", name="Newer").click()
        expect(window.page.locator("tbody tr")).to_have_count(50)

    def test_keeps_its_head_in_sight(self, window):
        for _ in range(50):
            make_message()
        window.log_in("support")
        window.page.locator("tbody tr").last.scroll_into_view_if_needed()
        expect(window.page.get_by_role("columnheader", name="State")).to_be_in_viewport()

    def test_finds_any_id(self, window):
        message = make_message(process_id="P-77")
        window.log_in("support")
        window.page.get_by_label("Find a message, correlation or process id").fill("P-77")
        window.page.keyboard.press("Enter")
        window.page.wait_for_url(f"**/messages/{message.pk}/")

    def test_can_be_used_by_keyboard(self, window):
        window.log_in("support")
        window.page.keyboard.press("Tab")
        expect(window.page.get_by_role("link", name="Skip to the content")).to_be_focused()
        window.page.keyboard.press("Enter")
        expect(window.page.locator("main")).to_be_focused()


class TestMessagePage:
    def test_cancels_with_a_reason(self, window):
        message = make_message(state="POSTPONED")
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.get_by_role("link", name="Cancel").click()
        page.get_by_label("Reason").fill("sent by hand")
        page.get_by_role("button", name="Cancel the message").click()
        expect(page.get_by_role("status")).to_contain_text("Cancelled")
        expect(page.get_by_role("region", name="State")).to_contain_text("CANCEL")
        expect(page.locator(".history")).to_contain_text("sent by hand")
        assert Message.objects.get(pk=message.pk).state == "CANCEL"
        assert AuditEntry.objects.get(action="cancel").reason == "sent by hand"

    def test_restarts_from_scratch(self, window):
        message = make_message(state="FAILED", failed_count=4)
        make_external_call(message)
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        page.get_by_role("link", name="Restart from scratch").click()
        expect(page.get_by_role("main")).to_contain_text("one more try")
        expect(page.get_by_role("main")).to_contain_text("may do their work twice")
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
        expect(window.page.get_by_role("heading", level=1)).to_have_text("Forbidden")

    def test_loads_payload_and_exchanges_when_they_are_opened(self, window):
        message = make_message()
        make_response(make_request(message))
        window.log_in("support", "view_payload")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        expect(page.get_by_text("Ada Lovelace")).to_have_count(0)
        for summary in ("Payload", "Request", "Response"):
            page.locator("summary").filter(has_text=summary).click()
        expect(page.get_by_text("Ada Lovelace")).to_have_count(3)
        check_page(page)

    def test_shows_a_payload_that_would_run(self, window):
        message = make_message(payload="<img src=x onerror='document.title=1'/><script>alert(1)</script>")
        window.log_in("support", "view_payload")
        window.open(f"/messages/{message.pk}/payload/")
        expect(window.page.locator("pre")).to_contain_text("<script>alert(1)</script>")
        expect(window.page.locator("pre img, pre script")).to_have_count(0)

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
