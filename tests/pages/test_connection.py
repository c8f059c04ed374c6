"""The bar on top of a page whose server is away, or whose session is over."""

import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from hubconsole.devserver.programs import is_serving
from messages_app.access.models import UserSession
from messages_app.core.embedded_servers import find_free_port
from tests.pages.checks import check_page
from tests.support.eventually import eventually
from tests.support.factories import PASSWORD, make_message
from tests.support.parameters import quick_first
from tests.support.workers import database_of_tests

# After this long a page has asked again.
A_WHILE = 16_000
# After this long the page of a message has asked again.
FOLLOWED_EVERY = 3_100
LOST, OVER = "Not connected since", "You are logged out. This page may be out of date."


@pytest.fixture
def server(window) -> Iterator[tuple[str, subprocess.Popen]]:
    """Give the address of a server of its own, which the test may stop, and its process."""
    port = find_free_port()
    environment = os.environ | database_of_tests() | {"DJANGO_SETTINGS_MODULE": "hubconsole.settings"}
    command = [sys.executable, "-m", "gunicorn", "hubconsole.wsgi", "--bind", f"localhost:{port}"]
    process = subprocess.Popen([*command, "--log-level", "error"], env=environment)
    try:
        eventually(lambda: is_serving("localhost", port))
        yield f"http://localhost:{port}", process
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def page(window):
    """Give a page whose clock the test moves on."""
    window.loses_server = True
    window.page.clock.install()
    window.log_in("admin")
    return window.page


def bar(page):
    return page.locator("#connection")


def is_live(page):
    return page.locator(".c-live-switch")


class TestWithoutNetwork:
    @pytest.mark.parametrize("path", quick_first(["/", "/messages/", "/funnels/", "/audit/"]))
    def test_reports_immediately_that_the_page_is_old_and_closes_automatically(self, page, path):
        make_message()
        page.goto(path)
        expect(bar(page)).to_be_hidden()
        page.context.set_offline(True)
        expect(bar(page)).to_contain_text(LOST)
        expect(bar(page)).to_contain_text("This page may be out of date.")
        page.context.set_offline(False)
        expect(bar(page)).to_be_hidden()

    @pytest.mark.slow
    def test_shows_no_live_list(self, page):
        make_message()
        page.goto("/messages/")
        expect(is_live(page)).to_have_text("Live")
        page.context.set_offline(True)
        expect(is_live(page)).to_have_text("Not live")
        expect(is_live(page)).to_be_disabled()
        check_page(page)
        page.context.set_offline(False)
        expect(is_live(page)).to_have_text("Live")

    def test_sends_no_form_and_keeps_its_input(self, page):
        page.goto("/users/new/")
        page.get_by_label("Username").fill("nina")
        page.get_by_label("Reason").fill("a colleague")
        page.context.set_offline(True)
        expect(bar(page)).to_contain_text(LOST)
        page.get_by_role("button", name="Add user").click()
        expect(bar(page)).to_contain_text("Not connected: the form was not sent. Your input stays here.")
        page.context.set_offline(False)
        expect(bar(page)).to_be_hidden()
        expect(page.get_by_label("Username")).to_have_value("nina")
        page.get_by_role("button", name="Add user").click()
        expect(page.get_by_role("heading", name="Confirm your password")).to_be_visible()


class TestWithoutServer:
    @pytest.mark.parametrize("path", quick_first(["/", "/funnels/"]))
    def test_is_reported_once_the_page_asks_again(self, page, server, path):
        address, process = server
        page.goto(f"{address}{path}")
        process.terminate()
        process.wait()
        page.clock.fast_forward(A_WHILE)
        expect(bar(page)).to_contain_text(LOST)
        retry = bar(page).get_by_role("button", name="Retry")
        retry.focus()
        page.keyboard.press("Enter")
        expect(retry).to_be_enabled()
        expect(bar(page)).to_contain_text(LOST)
        check_page(page)


class TestWithoutSession:
    @pytest.mark.parametrize(
        "path", quick_first(["/jobs/new/?kind=archive&older_than_months=2", "/", "/messages/", "/funnels/"])
    )
    def test_leads_to_the_log_in_and_back_after_the_session_was_ended_elsewhere(self, page, path):
        make_message()
        page.goto(path)
        UserSession.objects.all().delete()
        page.clock.fast_forward(A_WHILE)
        expect(bar(page)).to_contain_text(OVER)
        if path == "/messages/":
            expect(is_live(page)).to_have_text("Not live")
            check_page(page)
        bar(page).get_by_role("link", name="Log in").click()
        page.wait_for_url("**/login/?next=**")
        page.get_by_label("Username").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"**{path}")

    def test_is_noticed_by_a_page_that_follows_a_message_and_then_stops_asking(self, page):
        path = f"/messages/{make_message(state='PROCESSING').pk}/"
        page.goto(path)
        # From now on only the test moves the clock: no check is due every 15 s when the bar appears.
        page.clock.pause_at(datetime.now(UTC) + timedelta(seconds=1))
        with page.expect_response(f"**{path}") as answered:
            page.clock.fast_forward(FOLLOWED_EVERY)
        assert answered.value.status == 204
        UserSession.objects.all().delete()
        with page.expect_response(f"**{path}") as answered:
            page.clock.fast_forward(FOLLOWED_EVERY)
        assert answered.value.status == 401
        expect(bar(page)).to_contain_text(OVER)
        expect(page.get_by_role("region", name="State")).to_contain_text("PROCESSING")
        asked = []
        page.on("request", lambda request: asked.append(request.url))
        for _ in range(20):
            page.clock.run_for(FOLLOWED_EVERY)
        assert asked == []

    def test_shows_nothing_about_a_lasting_session(self, page):
        page.goto("/funnels/")
        with page.expect_response("**/sessions/left/") as answered:
            page.clock.fast_forward(A_WHILE)
        assert answered.value.status == 200
        expect(bar(page)).to_be_hidden()
