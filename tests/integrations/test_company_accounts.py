"""Log-in and log-out through a real identity provider, in a browser."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page, expect

from messages_app.access.models import UserSession
from messages_app.access.providers.models import GroupMapping
from tests.integrations.identity_provider import IdentityProvider
from tests.support.eventually import eventually
from tests.support.factories import make_message

pytestmark = [pytest.mark.integrations, pytest.mark.django_db(transaction=True)]

ADA = {"preferred_username": "ada", "given_name": "Ada", "email": "ada@bank.example"}


@pytest.fixture
def provider(settings, tmp_path, live_server) -> Iterator[IdentityProvider]:
    provider = IdentityProvider(tmp_path, console=live_server.url)
    provider.write_claims(ada=ADA | {"groups": ["night-shift"]})
    provider.start()
    settings.OIDC_PROVIDERS = {"oidc": provider.declared}
    yield provider
    provider.kill()


@pytest.fixture
def page(chromium, live_server) -> Iterator[Page]:
    context = chromium.new_context(base_url=live_server.url)
    yield context.new_page()
    context.close()


def log_in(page: Page, name: str = "ada") -> None:
    """Log in from the log-in page, and agree to what the provider asks."""
    page.get_by_role("link", name="Log in with Bank ID").click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Continue").click()


def give_role(provider: IdentityProvider, group: str, role: str) -> None:
    GroupMapping.objects.create(issuer=provider.issuer, group_name=group, role=Group.objects.get(name=role))


class TestLogIn:
    def test_gives_no_right_until_a_group_has_a_role(self, provider, page, live_server):
        page.goto("/messages/")
        log_in(page)
        expect(page.get_by_role("heading", name="You have no role yet")).to_be_visible()
        expect(page.get_by_role("listitem")).to_have_text(["night-shift"])
        page.goto("/messages/")
        expect(page.get_by_role("main")).to_contain_text("permission")

    def test_leads_back_with_the_roles_of_today(self, provider, page):
        message = make_message(state="FAILED")
        give_role(provider, "night-shift", "support")
        page.goto("/messages/?state=FAILED")
        log_in(page)
        expect(page.locator(f'a[href*="/messages/{message.pk}/"]').first).to_be_visible()
        provider.write_claims(ada=ADA | {"groups": []})
        page.goto("/login/with/oidc/")  # The provider still knows the browser.
        expect(page.get_by_role("heading", name="You have no role yet")).to_be_visible()
        assert not User.objects.get(username="ada").groups.exists()


class TestLogOut:
    def test_ends_the_sessions_there_and_here(self, provider, page, chromium, live_server):
        give_role(provider, "night-shift", "support")
        page.goto("/login/")
        log_in(page)
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        # Another session of the console by the same session of the provider.
        key = UserSession.objects.exclude(user=None).get().provider_session
        assert key
        page.context.clear_cookies(name="sessionid")
        page.goto("/login/with/oidc/")
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()
        assert UserSession.objects.filter(provider_session=key).count() == 2
        page.evaluate("document.querySelector('form[action=\"/logout/\"]').requestSubmit()")
        page.get_by_role("button", name="Yes, sign me out").click()
        expect(page.get_by_role("link", name="Log in with Bank ID")).to_be_visible()
        eventually(lambda: "back-channel: accepted" in provider.log())
        assert not UserSession.objects.filter(provider_session=key).exists()


class TestFaults:
    def test_of_a_killed_provider_leave_sessions_and_local_accounts(self, provider, page):
        give_role(provider, "night-shift", "support")
        page.goto("/login/")
        log_in(page)
        provider.kill()
        page.goto("/messages/")
        expect(page.get_by_role("heading", name="Messages", exact=True)).to_be_visible()
        page.goto("/login/with/oidc/")
        expect(page.get_by_role("alert")).to_contain_text("Bank ID")
        provider.start()
        page.get_by_role("link", name="Try again").click()
        expect(page.locator("input[name=login]")).to_be_visible()
