"""Notifications of the browser when a job of the person ends."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState
from tests.messages_app.jobs.stored_jobs import make_restart
from tests.pages.checks import check_page

# Notes each notification, and keeps it for a click. The headless shell answers a request for the permission
# like other browsers, but its `permission` is always "denied".
NOTE = """
window.notified = [];
window.Notification = class extends Notification {
  static get permission() {
    return localStorage.getItem("answer") ?? "default";
  }
  static async requestPermission() {
    localStorage.setItem("answer", await super.requestPermission());
    return this.permission;
  }
  constructor(title, options) {
    super(title, options);
    window.notified.push({ title, body: options.body, notification: this });
  }
};
"""
HIDE = "Object.defineProperty(document, 'hidden', { get: () => true })"
TITLES = "window.notified.map(({ title }) => title)"
A_WHILE = 25_000


def open_page(page: Page, path: str) -> Page:
    page.add_init_script(NOTE)
    page.clock.install()
    page.goto(path)
    return page


def end_job(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(state=JobState.DONE, finished_at=timezone.now())


@pytest.fixture
def me(window) -> Page:
    """Open the settings of ada in a browser that allows notifications."""
    window.log_in("operator")
    window.page.context.grant_permissions(["notifications"], origin=window.server)
    return open_page(window.page, "/me/")


def turn_on(page: Page) -> None:
    page.get_by_role("button", name="Turn on notifications").click()
    expect(page.get_by_role("button", name="Turn off notifications")).to_be_focused()


def wait_for_notice(pages: list[Page], title: str) -> Page:
    for _ in range(100):
        if found := [page for page in pages if title in page.evaluate(TITLES)]:
            return found[0]
        pages[0].wait_for_timeout(100)
    raise AssertionError(f"no tab has shown {title}")


class TestNotifications:
    def test_are_shown_once_by_all_tabs_even_hidden_ones_and_lead_to_the_job(self, me):
        first, other = make_restart(), make_restart(created_by="bob")
        turn_on(me)
        hidden = [open_page(me.context.new_page(), "/jobs/") for _ in range(2)]
        for tab in [me, *hidden]:
            tab.evaluate(HIDE)
        end_job(first)
        end_job(other)
        for tab in [me, *hidden]:
            tab.clock.fast_forward(A_WHILE)
        tab = wait_for_notice([me, *hidden], f"Job {first.pk} is done")
        for each in [me, *hidden]:
            each.clock.fast_forward(A_WHILE)
            each.wait_for_timeout(300)
        shown = [title for each in [me, *hidden] for title in each.evaluate(TITLES)]
        assert sorted(shown) == [f"Job {first.pk} is done", "Notifications are on"]
        tab.evaluate("window.notified.at(-1).notification.dispatchEvent(new Event('click'))")
        tab.wait_for_url(f"**/jobs/{first.pk}/")

    def test_are_turned_off_again(self, me):
        turn_on(me)
        me.get_by_role("button", name="Turn off notifications").click()
        expect(me.get_by_role("button", name="Turn on notifications")).to_be_focused()
        end_job(make_restart())
        with me.expect_response("**/failures/now/**") as answered:
            me.clock.fast_forward(A_WHILE)
        assert "jobs_since" not in answered.value.url
        assert me.evaluate(TITLES) == ["Notifications are on"]
        check_page(me)


def test_a_blocked_permission_is_reported(window):
    window.log_in("support")
    window.open("/me/")
    # In the headless shell, the permission is "denied" from the beginning.
    expect(window.page.get_by_text("Your browser blocks notifications of this site.")).to_be_visible()
    expect(window.page.get_by_role("button", name="Turn on notifications")).to_be_hidden()
    check_page(window.page)
