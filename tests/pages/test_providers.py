"""The pages of identity providers: the log-in, the roles of groups, and what users without a role see."""

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import expect

from messages_app.access.provider_settings import Provider
from messages_app.access.providers.models import GroupMapping, ProviderAccount
from tests.pages.checks import check_colours_and_width, check_page
from tests.pages.page_rules import SCHEMES, SIZES
from tests.pages.test_page_rules import find_faults, list_broken
from tests.support.factories import make_user

PROVIDER = Provider(
    key="oidc", name="Bank ID", issuer="http://127.0.0.1:1", client_id="hub", client_secret="s3cret"
)


@pytest.fixture
def account(settings, transactional_db) -> User:
    """Set up a provider with a user whose group has a role, and one whose group has none."""
    settings.OIDC_PROVIDERS = {PROVIDER.key: PROVIDER}
    GroupMapping.objects.create(
        issuer=PROVIDER.issuer, group_name="night-shift " * 9, role=Group.objects.get(name="operator")
    )
    user = make_user("operator", username="linus")
    ProviderAccount.objects.create(
        user=user, issuer=PROVIDER.issuer, subject="s-1", groups=["night-shift " * 9, "g" * 200]
    )
    return user


def test_pages_of_administrators_follow_the_rules(open_window, account):
    window = open_window(viewport={"width": 1440, "height": 900}, color_scheme="light")
    window.log_in("admin", has_confirmed=True)
    mapping = GroupMapping.objects.get()
    paths = ["/users/groups/", f"/users/groups/{mapping.pk}/remove/", f"/users/{account.pk}/", "/users/"]
    looks = [("1440", "light"), *((size, scheme) for size in SIZES for scheme in SCHEMES)]
    assert list_broken(find_faults(window.page, paths, looks)) == []
    for path in paths:
        window.open(path)
        check_page(window.page)
        check_colours_and_width(window.page)


@pytest.mark.parametrize(
    "options", [{"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}], ids=str
)
def test_pages_of_the_log_in_have_one_way_first(open_window, account, options):
    window = open_window(**options)
    page = window.page
    page.goto("/login/")
    expect(page.locator(".c-button-main")).to_have_text("Log in with Bank ID")
    expect(page.get_by_label("Username")).to_be_hidden()
    check_page(page)
    check_colours_and_width(page)
    page.get_by_text("Local account").click()
    expect(page.get_by_label("Username")).to_be_visible()
    page.goto("/login/with/oidc/")
    expect(page.get_by_role("alert")).to_contain_text("Bank ID cannot be reached: no connection.")
    check_page(page)
    window.complaints.clear()  # of the status, 503
    window.log_in(username="grace")
    ProviderAccount.objects.create(
        user=User.objects.get(username="grace"), issuer=PROVIDER.issuer, subject="s-2", groups=["g" * 200]
    )
    page.goto("/login/no-role/")
    expect(page.get_by_role("listitem")).to_have_text("g" * 200)
    check_page(page)
    check_colours_and_width(page)
