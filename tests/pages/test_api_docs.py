import pytest
from playwright.sync_api import Page, expect

from tests.support.factories import make_message


def read_payload(page: Page, number: int) -> None:
    """Try out the call that gives a payload, from when it is folded up."""
    # The viewer draws only the calls in view when there are many; a filter leaves few.
    page.get_by_placeholder("Filter by tag").fill("messages")
    call = page.locator("#operations-messages-messages_payload_retrieve")
    call.locator(".opblock-summary-control").click()
    call.get_by_role("button", name="Try it out").click()
    call.locator("[data-param-name=msg_id] input").fill(str(number))
    execute(page)


@pytest.fixture
def window(window):
    """Give the viewer, which takes seconds of a processor to draw a call, more time on a busy machine."""
    window.page.set_default_timeout(60_000)
    return window


def execute(page: Page) -> None:
    page.get_by_role("button", name="Execute").click()


class TestDocsPage:
    @pytest.mark.slow
    def test_shows_and_sends_a_call_without_inline_code(self, window):
        window.log_in("support")
        answer = window.page.goto("/api/v1/docs/", wait_until="networkidle")
        assert "unsafe" not in answer.headers["content-security-policy"]
        window.page.locator(".opblock-get .opblock-summary-control").first.click()
        window.page.get_by_role("button", name="Try it out").first.click()
        window.page.get_by_role("button", name="Execute").first.click()
        window.page.locator(".live-responses-table .response-col_status").first.wait_for()
        assert not window.complaints

    @pytest.mark.slow
    def test_shows_samples_of_a_call_to_copy(self, window):
        window.log_in("support")
        page = window.page
        page.goto("/api/v1/docs/", wait_until="networkidle")
        page.get_by_placeholder("Filter by tag").fill("alerts")
        call = page.locator("#operations-alerts-alerts_list")
        call.locator(".opblock-summary-control").click()
        samples = call.get_by_role("group", name="Language").locator("..")
        expect(samples.get_by_role("button", name="curl", pressed=True)).to_be_visible()
        expect(samples.locator("code")).to_contain_text(
            f"curl -sS --fail-with-body '{window.server}/api/v1/alerts/'"
        )
        samples.get_by_role("button", name="hubconsole-client").click()
        expect(samples.locator("code")).to_contain_text("for entry in hub.alerts.list():")
        expect(samples.get_by_role("button", name="hubconsole-client", pressed=True)).to_be_visible()
        assert not window.complaints

    @pytest.mark.slow
    def test_reports_a_description_that_cannot_be_loaded(self, window):
        window.log_in("support")
        window.page.route("**/api-docs/description/", lambda route: route.fulfill(status=503))
        window.page.goto("/api/v1/docs/")
        expect(window.page.get_by_role("status")).to_have_text(
            "The endpoints could not be loaded. Reload the page to try again."
        )
        assert all("503" in complaint for complaint in window.complaints)
        window.complaints.clear()

    @pytest.mark.slow
    def test_leads_from_a_masked_answer_to_the_reason(self, window):
        window.log_in("support", "view_payload")
        message, page = make_message(), window.page
        page.goto("/api/v1/docs/", wait_until="networkidle")
        read_payload(page, message.pk)
        answer = page.locator(".live-responses-table")
        expect(answer).to_contain_text('"masked": true')
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Show values").click()
        asking = opened.value
        asking.get_by_label("Reason (recorded in the audit log)").fill("to see what a caller gets")
        asking.get_by_role("button", name="Show values").click()
        asking.wait_for_url("**/api/v1/docs/")
        execute(page)
        expect(answer).to_contain_text('"masked": false')
        expect(answer).to_contain_text("Ada Lovelace")
        assert not window.complaints
