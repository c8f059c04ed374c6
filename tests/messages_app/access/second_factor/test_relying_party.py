import pytest
from django.core.exceptions import DisallowedHost
from django.test import RequestFactory

from messages_app.access.second_factor.relying_party import RelyingParty, find_relying_party


def find(address: str) -> RelyingParty | None:
    return find_relying_party(RequestFactory().get("/", HTTP_HOST=address))


class TestFindRelyingParty:
    @pytest.fixture(autouse=True)
    def _production(self, settings):
        settings.ALLOWED_HOSTS = ["Hub.example.org", "hub-2.example.org", ".pattern.example", "192.0.2.7"]
        settings.IS_LOOPBACK = False

    @pytest.mark.parametrize("address", ["hub.example.org", "HUB.example.org", "hub.example.org:8443"])
    def test_is_a_declared_host_by_https_whatever_the_port_of_the_request(self, address):
        assert find(address) == RelyingParty(
            host="hub.example.org", origins=frozenset({"https://hub.example.org"})
        )

    @pytest.mark.parametrize("address", ["a.pattern.example", "pattern.example", "192.0.2.7", "192.0.2.7:80"])
    def test_is_missing_for_a_pattern_or_an_address(self, address):
        assert find(address) is None

    def test_does_not_follow_a_header_that_the_settings_do_not_allow(self):
        with pytest.raises(DisallowedHost):
            find("evil.example")

    def test_has_exactly_the_origins_of_the_setting(self, settings):
        settings.PASSKEY_ORIGINS = ["https://hub.example.org:8443", "https://hub.example.org:9443"]
        assert find("hub.example.org").origins == frozenset(settings.PASSKEY_ORIGINS)
        assert find("hub-2.example.org") is None

    def test_has_no_local_pages_in_production(self, settings):
        settings.ALLOWED_HOSTS = ["hub.example.org", "localhost"]
        assert find("localhost:8000") is None


class TestThisMachine:
    @pytest.fixture(autouse=True)
    def _machine(self, settings):
        settings.ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
        settings.IS_LOOPBACK = True

    def test_is_the_name_with_the_port_of_the_page(self):
        assert find("localhost:8000") == RelyingParty(
            host="localhost", origins=frozenset({"http://localhost:8000"})
        )

    @pytest.mark.parametrize("address", ["127.0.0.1:8000", "[::1]:8000"])
    def test_has_no_passkeys_at_its_addresses(self, address):
        assert find(address) is None
