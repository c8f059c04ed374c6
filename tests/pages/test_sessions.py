from datetime import timedelta

import pytest
from playwright.sync_api import expect

from messages_app.access.models import UserSession
from tests.messages_app.access.sessions.test_store import let_pass
from tests.pages.checks import check_page
from tests.support.eventually import eventually
from tests.support.factories import make_message
from tests.support.parameters import quick_first

NEW_JOB = "/jobs/new/?kind=archive&older_than_months=2"


@pytest.fixture
def page(window):
    """Give a page whose clock the test moves on."""
    make_message(state="OK", receive_timestamp="2026-01-01T00:00:00Z")  # A job without messages has no form.
    window.page.clock.install()
    window.log_in("admin", is_staff=True, is_superuser=True, has_confirmed=True)
    return window.page


def use() -> object:
    return UserSession.objects.get().last_used_at


def age(page, seconds: int, *, session: timedelta) -> None:
    """Make the session older, and let the given seconds pass on the page."""
    let_pass(session)
    page.clock.fast_forward(seconds * 1000)


class TestNotice:
    @pytest.mark.parametrize("path", quick_first([NEW_JOB, "/users/"]))
    def test_warns_before_the_end_and_keeps_what_is_typed(self, page, path):
        page.goto(path)
        field = page.get_by_label("Reason") if path == NEW_JOB else page.locator("[name=username]")
        field.fill("half a sentence")
        age(page, 61, session=timedelta(minutes=13, seconds=5))
        notice = page.get_by_role("alertdialog", name="Still there?")
        expect(notice).to_contain_text("Your session ends at")
        expect(page.get_by_role("button", name="Stay logged in")).to_be_focused()
        if path == NEW_JOB:
            check_page(page)
        before = use()
        page.keyboard.press("Enter")
        expect(notice).to_be_hidden()
        eventually(lambda: use() > before)
        expect(field).to_be_focused()
        expect(field).to_have_value("half a sentence")

    @pytest.mark.slow
    def test_leads_to_the_log_in_if_no_one_answers(self, page):
        page.goto(NEW_JOB)
        age(page, 61, session=timedelta(minutes=13, seconds=5))
        expect(page.get_by_role("alertdialog")).to_be_visible()
        age(page, 20, session=timedelta(minutes=2))
        page.wait_for_url("**/login/?next=/jobs/new/%3Fkind%3Darchive**")

    @pytest.mark.slow
    def test_closes_if_the_session_is_used_in_another_window(self, page):
        page.goto(NEW_JOB)
        age(page, 61, session=timedelta(minutes=13, seconds=5))
        expect(page.get_by_role("alertdialog")).to_be_visible()
        let_pass(-timedelta(minutes=10))
        before = use()
        page.clock.fast_forward(20_000)
        expect(page.get_by_role("alertdialog")).to_be_hidden()
        assert use() == before

    @pytest.mark.slow
    def test_shows_that_nothing_extends_the_session(self, page):
        page.goto(NEW_JOB)
        end = UserSession.objects.get().ends_at - timedelta(minutes=13, seconds=20)
        UserSession.objects.update(began_at=end - timedelta(hours=12), ends_at=end)
        page.clock.fast_forward(61_000)
        notice = page.get_by_role("alertdialog", name="Your session is about to end")
        expect(notice).to_contain_text("Submit your input")
        page.keyboard.press("Escape")
        page.clock.fast_forward(16_000)
        expect(notice).to_be_hidden()


class TestPresence:
    def test_is_reported_while_someone_types(self, page):
        page.goto(NEW_JOB)
        age(page, 61, session=timedelta(minutes=10))
        before = use()
        page.get_by_label("Reason").press_sequentially("a")
        eventually(lambda: use() > before)
