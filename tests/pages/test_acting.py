import pytest
from playwright.sync_api import expect

from messages_app.audit.services import Actor
from messages_app.messages import services
from messages_app.messages.models import Message
from tests.pages.checks import check_page
from tests.support.factories import make_external_call, make_message

# A list that picks messages posts them to this address; so does this form.
_PICK = """
([action, ids]) => {
  const form = document.querySelector("form[action='/logout/']");
  form.action = "/messages/act/";
  for (const [name, value] of [["action", action], ...ids.map((id) => ["msg_id", id])]) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    form.append(field);
  }
  form.submit();
}
"""


def pick(page, action: str, messages: list[Message]) -> None:
    with page.expect_navigation():
        page.evaluate(_PICK, [action, [str(message.pk) for message in messages]])


class TestBeforeActing:
    def test_shows_each_call_and_its_outcome(self, window):
        message = make_message(state="FAILED", failed_count=4)
        make_external_call(message, state="OK", operation_name="direct:a")
        make_external_call(message, state="FAILED", operation_name="direct:b")
        window.log_in("operator")
        page = window.page
        window.open(f"/messages/{message.pk}/restart/")
        calls = page.get_by_role("table", name="What happens to each external call")
        expect(calls.get_by_role("row").nth(1)).to_contain_text("skipped")
        expect(calls.get_by_role("row").nth(2)).to_contain_text("sent again")
        expect(page.get_by_role("main")).to_contain_text("exactly one more attempt")
        page.get_by_role("link", name="Restart from scratch instead").click()
        expect(page.get_by_role("main")).to_contain_text("1 of them already succeeded")
        check_page(page)


class TestAfterActing:
    def test_follows_the_message_until_it_has_ended(self, window):
        message = make_message(state="FAILED", failed_count=4)
        make_external_call(message, state="OK", operation_name="direct:a")
        window.log_in("operator", "view_payload", shows_values=True)
        page = window.page
        window.open(f"/messages/{message.pk}/restart/")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name="Restart").click()
        followed, state = page.get_by_role("region", name="Outcome"), page.get_by_role("region", name="State")
        expect(followed).to_contain_text("The hub picks it up between")
        page.get_by_role("link", name="Payload", exact=True).click()
        page.get_by_role("button", name="Copy link").focus()

        Message.objects.filter(pk=message.pk).update(state="PROCESSING")
        expect(state.locator(".c-state")).to_have_text("PROCESSING", timeout=5_000)
        expect(page.get_by_role("button", name="Copy link")).to_be_focused()
        Message.objects.filter(pk=message.pk).update(state="OK")
        expect(state.locator(".c-state")).to_have_text("OK", timeout=5_000)

        expect(state).not_to_contain_text("will be retried")
        expect(state.get_by_role("link", name="Cancel")).to_have_count(0)
        expect(followed).to_contain_text("It completed")
        expect(page.locator("#history")).to_contain_text("OK", use_inner_text=False)
        expect(page.locator("#followed-status")).to_contain_text("OK.")
        expect(page.get_by_role("button", name="Copy link")).to_be_focused()
        expect(page.locator("#contents details").first).to_have_attribute("open", "")
        check_page(page)

        assert page.locator("#message-tabs [aria-current]").inner_text() == "Payload"
        assert page.locator("#following").get_attribute("hx-trigger").startswith("every 15s")
        assert window.complaints == []

    def test_keeps_a_note_that_is_being_written(self, window):
        message = make_message(state="PROCESSING")
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        note = page.get_by_role("textbox", name="Note")
        note.fill("The customer called.")
        Message.objects.filter(pk=message.pk).update(state="OK")
        expect(page.get_by_role("region", name="State").locator(".c-state")).to_have_text("OK")
        expect(note).to_have_value("The customer called.")
        page.get_by_role("button", name="Add note").click()
        expect(page.locator("#notes")).to_contain_text("The customer called.")

    def test_follows_a_failed_message_that_someone_else_restarts(self, window):
        message = make_message(state="FAILED")
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{message.pk}/")
        state = page.get_by_role("region", name="State")
        services.restart_message(msg_id=message.pk, actor=Actor(username="ada"), reason="billing is back")
        # As if the user returned to the page.
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(state.locator(".c-state")).to_have_text("PARTLY_FAILED")
        expect(page.locator("#timeline")).to_contain_text("Restarted by ada, “billing is back”")
        expect(page.locator("#followed-status")).to_contain_text("PARTLY_FAILED.")
        Message.objects.filter(pk=message.pk).update(state="OK")
        expect(state.locator(".c-state")).to_have_text("OK", timeout=5_000)
        assert window.complaints == []

    def test_is_not_asked_for_again_while_nothing_changes(self, window):
        message = make_message(state="FAILED")
        window.log_in("support")
        window.open(f"/messages/{message.pk}/")
        with window.page.expect_response(f"**/messages/{message.pk}/") as answer:
            window.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        assert answer.value.status == 204


class TestSeveral:
    @pytest.mark.slow
    def test_are_shown_confirmed_and_reported_one_by_one(self, window):
        failed, moved, ok = (make_message(state=state) for state in ("FAILED", "FAILED", "OK"))
        window.log_in("operator")
        window.open("/messages/")
        page = window.page
        pick(page, "restart", [failed, moved, ok])
        expect(page.get_by_role("main")).to_contain_text("2 will be restarted")
        check_page(page)
        Message.objects.filter(pk=moved.pk).update(state="OK")
        page.get_by_label("Reason").fill("the gateway is back")
        page.get_by_role("button", name="Restart 2").click()
        expect(page.get_by_role("status").first).to_contain_text("1 restarted, 1 not changed")
        rows = page.get_by_role("table", name="Outcome of each message").get_by_role("row")
        expect(rows.nth(1)).to_contain_text(f"Message {moved.pk} is OK, not FAILED")
        expect(rows.nth(2)).to_contain_text("PARTLY_FAILED")
        check_page(page)


class TestNeighbours:
    @pytest.mark.slow
    def test_are_reached_by_keyboard_inside_the_result(self, window):
        older = make_message(state="FAILED")
        make_message(state="OK")
        newer = make_message(state="FAILED")
        window.log_in("support")
        page = window.page
        window.open(f"/messages/{newer.pk}/?state=FAILED")
        page.keyboard.press("j")
        page.wait_for_url(f"**/messages/{older.pk}/?state=FAILED")
        page.keyboard.press("k")
        page.wait_for_url(f"**/messages/{newer.pk}/?state=FAILED")
        page.keyboard.press("u")
        page.wait_for_url("**/messages/?state=FAILED")
