"""Input in a form survives a log-in in the middle of it, and Back after a refusal."""

import psycopg
import pytest
from playwright.sync_api import Page, expect

from messages_app.access.models import UserSession
from messages_app.audit.models import AuditEntry
from messages_app.jobs.connections import database_dsn
from messages_app.jobs.models import Job
from messages_app.jobs.views.create import views as new_job
from messages_app.messages.models import Message
from tests.pages.checks import check_page
from tests.pages.test_document_history import doubt
from tests.pages.window import log_out
from tests.support.eventually import eventually
from tests.support.factories import PASSWORD, make_message, make_messages, make_user
from tests.support.histories import make_trigger
from tests.support.parameters import quick_first
from tests.support.queues import store as store_cp
from tests.support.stores import define, set_process, store

REASON = "The gateway is back, and the partner has agreed to a second delivery."
FILLED_IN = "Your input was restored. Nothing was sent."
KEPT = "Your input is kept in this tab"


def single_action() -> str:
    return f"/messages/{make_message(state='FAILED').pk}/restart/"


def bulk_preview() -> str:
    make_message(state="FAILED")
    return "/jobs/new/?kind=restart&state=FAILED"


def archive_preview() -> str:
    make_message(state="OK", last_process_timestamp="2020-01-01T00:00Z")
    return "/jobs/new/?kind=archive&older_than_months=3"


def schedule() -> str:
    return "/schedules/new/?kind=archive"


def in_doubt() -> str:
    make_trigger()
    return f"/document-history/in-doubt/{doubt().pk}/"


def stored() -> str:
    define()
    identifier = store()
    set_process(identifier, status=20)
    return f"/message-store/messages/{identifier}/"


def cp_message() -> str:
    return f"/cp-queue/messages/{store_cp('A', lock='indexer-9')}/"


FORMS = (single_action, bulk_preview, archive_preview, schedule, in_doubt, stored, cp_message)


def field(page: Page):
    """Return the first reason of the page, in whatever form."""
    return page.locator("main form[method=post] [name=reason]:visible").first


def button(page: Page):
    return (
        page.locator("main form[method=post]")
        .filter(has=page.locator("[name=reason]"))
        .first.locator("button:not([name]):not([type=button])")
        .first
    )


def typed(page: Page, path: str) -> None:
    page.goto(path)
    field(page).fill(REASON)


def log_in(page: Page, username: str = "ada") -> None:
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def storage(page: Page) -> str:
    return page.evaluate("JSON.stringify({...sessionStorage})")


def drafts(page: Page) -> list[str]:
    return page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('draft:'))")


def kept(page: Page) -> None:
    """Wait until what was typed is kept."""
    eventually(lambda: drafts(page))


def forgotten(page: Page) -> None:
    """Wait until nothing is kept."""
    eventually(lambda: not drafts(page))


def send(page: Page) -> None:
    """Send the form with what is filled in, however much a browser would still ask for."""
    field(page).evaluate("(field) => { field.form.noValidate = true; }")
    button(page).click()


@pytest.fixture
def page(window):
    window.log_in("admin")
    return window.page


class TestSessionThatEnds:
    @pytest.mark.parametrize("make_path", quick_first(FORMS))
    def test_leads_back_to_the_filled_form(self, page, make_path):
        path = make_path()
        before = AuditEntry.objects.count()
        typed(page, path)
        UserSession.objects.all().delete()
        send(page)
        page.wait_for_url("**/login/?next=**")
        expect(page.get_by_text(KEPT)).to_be_visible()
        log_in(page)
        page.wait_for_url(f"**{path}")
        expect(page.get_by_text(FILLED_IN)).to_be_visible()
        expect(field(page)).to_have_value(REASON)
        expect(field(page)).to_be_focused()
        assert AuditEntry.objects.exclude(action="log_in").count() == before
        assert not Job.objects.exists()
        check_page(page)

    def test_fills_a_form_that_arrives_later_with_its_estimate(self, page, monkeypatch):
        typed(page, bulk_preview())
        UserSession.objects.all().delete()
        send(page)
        page.wait_for_url("**/login/?next=**")
        monkeypatch.setattr(new_job, "_FIRST_SECONDS", 0.1)
        with psycopg.connect(database_dsn()) as other:
            other.execute("LOCK TABLE message")
            log_in(page)
            expect(page.get_by_text("Estimating…")).to_be_visible()
            page.wait_for_timeout(500)
            other.rollback()
        expect(page.get_by_text(FILLED_IN)).to_be_visible()
        expect(field(page)).to_have_value(REASON)
        expect(field(page)).to_be_focused()

    @pytest.mark.slow
    def test_leads_back_to_a_form_that_then_works(self, page):
        path = single_action()
        typed(page, path)
        UserSession.objects.all().delete()
        send(page)
        page.wait_for_url("**/login/?next=**")
        log_in(page)
        expect(field(page)).to_have_value(REASON)
        send(page)
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")
        assert AuditEntry.objects.get(action="restart").reason == REASON
        forgotten(page)

    @pytest.mark.slow
    def test_keeps_the_other_fields_too(self, page):
        typed(page, bulk_preview())
        page.get_by_label("Max rate").fill("3")
        UserSession.objects.all().delete()
        send(page)
        page.wait_for_url("**/login/?next=**")
        log_in(page)
        expect(field(page)).to_have_value(REASON)
        expect(page.get_by_label("Max rate")).to_have_value("3")

    @pytest.mark.slow
    def test_leads_there_if_both_cookies_are_gone(self, page):
        path = single_action()
        typed(page, path)
        kept(page)
        page.context.clear_cookies()
        send(page)
        expect(page.get_by_role("main")).to_contain_text("You are logged out. Nothing was changed.")
        check_page(page)
        page.get_by_role("link", name="Log in").click()
        log_in(page)
        page.wait_for_url(f"**{path}")
        expect(field(page)).to_have_value(REASON)
        assert Message.objects.get().state == "FAILED"


class TestLogIn:
    def test_says_nothing_about_input_where_nothing_was_typed(self, open_window):
        page = open_window().page
        page.goto("/login/?next=/messages/")
        expect(page.get_by_text(KEPT)).to_have_count(1)
        expect(page.get_by_text(KEPT)).to_be_hidden()
        check_page(page)


class TestOthersAtTheBrowser:
    @pytest.mark.slow
    def test_do_not_see_it(self, page):
        make_user("admin", username="grace")
        path = single_action()
        typed(page, path)
        kept(page)
        UserSession.objects.all().delete()
        send(page)
        page.wait_for_url("**/login/?next=**")
        assert "gateway" not in storage(page)
        log_in(page, "grace")
        page.wait_for_url(f"**{path}")
        forgotten(page)
        expect(field(page)).to_have_value("")

    def test_find_nothing_after_a_log_out(self, page):
        typed(page, single_action())
        kept(page)
        log_out(page)
        page.wait_for_url("**/login/")
        assert drafts(page) == []


class TestSecrets:
    def test_are_never_kept(self, page):
        page.goto("/password/")
        for password in page.locator("main input[type=password]").all():
            password.fill("correct horse battery")
        typed(page, single_action())
        kept(page)
        assert len(drafts(page)) == 1


class TestSentForm:
    @pytest.mark.slow
    def test_is_not_filled_in_again(self, page):
        path = single_action()
        typed(page, path)
        kept(page)
        send(page)
        expect(page.get_by_role("region", name="State")).to_contain_text("PARTLY_FAILED")
        forgotten(page)


class TestBack:
    @pytest.mark.slow
    def test_does_not_ask_to_send_again_after_a_refusal_and_keeps_what_was_typed(self, page):
        make_messages(1_200)
        path = "/jobs/new/?kind=export&service_name=billing"
        typed(page, path)
        page.get_by_role("button", name="Export 1").click()
        expect(page.get_by_text("Type 1200 to confirm.")).to_be_visible()
        expect(page).to_have_url(page.url.partition("/jobs/")[0] + path)
        expect(field(page)).to_have_value(REASON)
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Jobs").click()
        page.wait_for_url("**/jobs/")
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Export messages")
        expect(page.get_by_text("to confirm.")).to_have_count(0)
        assert not Job.objects.exists()

    @pytest.mark.slow
    def test_does_not_ask_to_send_again_after_a_change(self, page):
        make_message(state="FAILED")
        page.goto("/messages/?state=FAILED")
        page.locator("input[name=msg_id][type=checkbox]").first.check()
        page.locator("#selection").get_by_role("button", name="Restart", exact=True).click()
        page.get_by_label("Reason").fill(REASON)
        page.get_by_role("button", name="Restart 1").click()
        expect(page.get_by_role("main")).to_contain_text(REASON)
        page.go_back()
        expect(page.get_by_role("heading", level=1)).to_have_text("Messages")
        assert AuditEntry.objects.filter(action="restart").count() == 1
