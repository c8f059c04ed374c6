"""The pages of administrators in the browser."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.pages.checks import check_looks
from tests.pages.every_path import account_paths
from tests.support.eventually import eventually
from tests.support.factories import PASSWORD, make_user
from tests.support.parameters import quick_first

OPENED = {"/users/", "/tokens/new/", "/settings/"}
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


class TestChoiceInForm:
    """A choice that replaces fields keeps what was typed, and its address."""

    def test_keeps_input_of_a_watch_rule_and_of_a_schedule(self, open_window):
        window = open_window(viewport=PHONE)
        window.log_in("admin", username="grace")
        page = window.page
        window.open("/watch-rules/new/")
        page.get_by_label("Name").fill("Billing is late")
        page.get_by_label("Minimum number of messages").fill("77")
        page.get_by_text("Oldest message").click()
        page.wait_for_url("**/watch-rules/new/?measure=age")
        expect(page.get_by_label("Name")).to_have_value("Billing is late")
        expect(page.get_by_role("radio", name="Oldest message")).to_be_focused()
        check_looks(page)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.wait_for_url("**/watch-rules/new/?measure=failure_rate")
        expect(page.get_by_label("Minimum number of messages")).to_have_value("77")

        window.open("/schedules/new/")
        page.get_by_label("Reason").fill("asked by Eva")
        page.get_by_label("Job", exact=True).select_option(label="Restart messages")
        page.wait_for_url("**/schedules/new/?kind=restart")
        expect(page.get_by_label("Reason")).to_have_value("asked by Eva")
        expect(page.get_by_label("From scratch")).to_be_visible()
        check_looks(page)


class TestAdministration:
    def test_has_names_and_contrast_in_both_colours_and_widths(self, open_window):
        window = open_window(viewport=WIDE)
        window.log_in("admin", username="grace", has_confirmed=True)
        # A list, a form and facts; the slow test of test_every_page.py has all of these pages.
        assert set(account_paths()) > OPENED
        for number, path in enumerate(sorted(OPENED)):
            window.page.goto(path, wait_until="networkidle")
            check_looks(window.page, with_frame=number == 0)

    @pytest.mark.parametrize("size", quick_first([PHONE, WIDE]), ids=["phone", "wide"])
    def test_adds_a_user_who_then_logs_in(self, open_window, size):
        window, other = open_window(viewport=size), open_window(viewport=size)
        window.log_in("admin", username="grace")
        page = window.page
        window.open("/users/")
        add_user = page.get_by_role("link", name="Add user")
        expect(add_user).to_be_in_viewport(ratio=1)
        add_user.click()
        page.get_by_label("Username").fill("linus")
        page.get_by_label("Operator").check()
        page.get_by_label("Reason").fill("a ticket")
        page.get_by_role("button", name="Add user").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Confirm your password")
        check_looks(page)
        page.get_by_label("Your password").fill(PASSWORD)
        page.get_by_role("button", name="Confirm password").click()
        page.get_by_role("button", name="Copy link").wait_for()
        check_looks(page)
        other.page.goto(page.locator("#link").inner_text())
        check_looks(other.page)
        for label in ("New password", "New password again"):
            other.page.get_by_label(label, exact=True).fill("a battery of correct horses")
        other.page.get_by_role("button", name="Set password").click()
        expect(other.page.get_by_role("status")).to_contain_text("Password set. Log in with it.")
        other.page.get_by_label("Username").fill("linus")
        other.page.get_by_label("Password").fill("a battery of correct horses")
        other.page.get_by_role("button", name="Log in").click()
        other.page.wait_for_url(f"{other.server}/")

    def test_creates_a_token_and_copies_its_key(self, open_window):
        window = open_window(viewport=WIDE, permissions=["clipboard-read", "clipboard-write"])
        window.log_in("admin", username="grace", has_confirmed=True)
        page = window.page
        window.open("/tokens/")
        page.get_by_role("link", name="New token").click()
        page.get_by_label("Name").fill("nightly")
        page.get_by_text("CP queue", exact=True).last.click()
        page.get_by_label("queue:read").check()
        page.get_by_label("Reason").fill("a ticket")
        page.get_by_role("button", name="Create token").click()
        page.get_by_role("button", name="Copy key").click()
        check_looks(page)
        key = page.locator("#key").inner_text()
        assert page.evaluate("navigator.clipboard.readText()") == key
        answer = page.request.get("/api/v1/me/", headers={"Authorization": f"Bearer {key}"})
        assert answer.json()["scopes"] == ["queue:read"]

    def test_deactivates_a_user_who_is_logged_out(self, open_window):
        window, other = open_window(viewport=WIDE), open_window(viewport=PHONE)
        other.log_in("support", username="ada")
        window.log_in("admin", username="grace", has_confirmed=True)
        page = window.page
        window.open("/users/")
        page.get_by_role("link", name="ada").click()
        page.get_by_role("link", name="Deactivate user…").click()
        page.get_by_label("Reason").fill("a ticket")
        page.get_by_role("button", name="Deactivate user").click()
        expect(page.get_by_role("status")).to_contain_text("User deactivated. 1 session ended.")
        assert not User.objects.get(username="ada").is_active
        other.page.goto("/messages/")
        other.page.wait_for_url("**/login/**")

    def test_shows_the_health_after_the_settings(self, open_window):
        window = open_window(viewport=WIDE)
        window.log_in("admin", username="grace")
        window.open("/settings/")
        health = window.page.locator("section", has=window.page.get_by_role("heading", name="Health"))
        expect(health).to_contain_text("Scheduler (beat): beat has never run.")
        eventually(lambda: "Checking all parts" not in health.inner_text())

    def test_breaks_names_and_values_of_settings_between_their_words(self, open_window):
        window = open_window(viewport={"width": 1024, "height": 768})
        window.log_in("admin", username="grace")
        window.open("/settings/")
        window.page.locator("details.c-panel").evaluate_all(
            "(all) => all.forEach((one) => (one.open = true))"
        )
        assert window.page.evaluate(_BROKEN_WORDS) == []


# The words of settings and values that are on two lines. They may break at spaces, hyphens and <wbr>.
_BROKEN_WORDS = """
() => {
  const broken = [];
  for (const cell of document.querySelectorAll("td.u-key")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (range.getClientRects().length > 1) broken.push(cell.textContent.trim());
      }
    }
  }
  return broken;
}
"""


def test_leads_users_to_their_own_tokens(open_window):
    window = open_window(viewport=WIDE)
    window.log_in("support", username="ada")
    make_user(username="other")
    window.open("/sessions/")
    window.page.get_by_role("link", name="Your API tokens").click()
    expect(window.page.get_by_role("heading", level=1)).to_have_text("API tokens")
