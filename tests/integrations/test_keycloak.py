"""Log-in and log-out through Keycloak, in a browser."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page, expect

from messages_app.access.models import UserSession
from messages_app.access.providers.models import GroupMapping
from tests.integrations.keycloak import GROUP, USER, Keycloak, password
from tests.support.eventually import eventually

pytestmark = [pytest.mark.integrations, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(chromium, live_server) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_server.url)
    yield context.new_page()
    context.close()


def log_in(page: Page) -> None:
    page.goto("/login/")
    page.get_by_role("link", name="Log in with Keycloak").click()
    page.locator("#username").fill(USER)
    page.locator("#password").fill(password())
    page.locator("#kc-login").click()


def expect_logged_in(page: Page) -> None:
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_users_log_in_and_out_with_the_roles_of_their_groups(settings, tmp_path, live_server, page):
    """One test, because a start takes minutes."""
    keycloak = Keycloak(tmp_path, console=live_server.url)
    keycloak.start()
    try:
        settings.OIDC_PROVIDERS = {"oidc": keycloak.declared}
        log_in(page)
        expect(page.get_by_role("heading", name="You have no role yet")).to_be_visible()
        expect(page.get_by_role("listitem")).to_have_text([GROUP])
        GroupMapping.objects.create(
            issuer=keycloak.issuer, group_name=GROUP, role=Group.objects.get(name="support")
        )

        # Keycloak still knows the browser.
        page.goto("/login/with/oidc/")
        expect_logged_in(page)
        user = User.objects.get(username=USER)
        assert (user.first_name, user.email) == ("Ada", "ada@bank.example")
        assert [group.name for group in user.groups.all()] == ["support"]

        # An administrator of Keycloak ends the session.
        keycloak.log_out_user()
        eventually(lambda: not UserSession.objects.filter(user=user).exists())
        page.goto("/messages/")
        expect(page.get_by_role("link", name="Log in with Keycloak")).to_be_visible()

        # The key is one that the console has not read.
        keycloak.replace_keys()
        log_in(page)
        expect_logged_in(page)

        # The user logs out here, and Keycloak asks for the password again.
        page.evaluate("document.querySelector('form[action=\"/logout/\"]').requestSubmit()")
        page.locator("#kc-logout").click()
        expect(page.get_by_role("link", name="Log in with Keycloak")).to_be_visible()
        assert not UserSession.objects.filter(user=user).exists()

        keycloak.leave_group()
        log_in(page)
        expect(page.get_by_role("heading", name="You have no role yet")).to_be_visible()
        assert not user.groups.exists()
    finally:
        keycloak.stop()
