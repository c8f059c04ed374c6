"""The counter of an attempt: of a browser that the user knows or of the account, and of the address."""

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import RequestFactory

from messages_app.access.throttling import code_attempt_at, countable_address, remember_device

ADA, BOB = User(username="ada"), User(username="bob")


def request_of(cookies: dict[str, str], address: str = "192.0.2.7"):
    request = RequestFactory(REMOTE_ADDR=address).get("/login/")
    request.COOKIES.update(cookies)
    return request


def cookies_of(user: User) -> dict[str, str]:
    """Return the cookies of a browser in which the user has logged in."""
    request, response = request_of({}), HttpResponse()
    request.user = user
    remember_device(request, response)
    return {name: morsel.value for name, morsel in response.cookies.items()}


def test_a_browser_of_the_user_has_a_counter_of_its_own():
    cookies = cookies_of(ADA)
    plain, known = code_attempt_at(request_of({}), "ada"), code_attempt_at(request_of(cookies), "ADA")
    assert plain.account.startswith("code-user:")
    assert known.account.startswith("code-device:")
    assert plain.address == known.address == "address:192.0.2.7"
    assert code_attempt_at(request_of(cookies_of(ADA)), "ada").account != known.account


def test_a_browser_of_another_user_counts_for_the_account():
    of_bob = code_attempt_at(request_of(cookies_of(BOB)), "ada")
    assert of_bob == code_attempt_at(request_of({}), "ada")


@pytest.mark.parametrize(
    ("address", "counted"), [("192.0.2.7", "192.0.2.7"), ("127.0.0.1", ""), ("::1", ""), ("no address", "")]
)
def test_no_address_of_a_proxy_is_counted(address, counted):
    assert countable_address(request_of({}, address)) == counted
