import ssl
import time
from ipaddress import ip_network

import pytest

from messages_app.core.deliveries import webhook_calls
from messages_app.core.deliveries.ssrf_guard import RefusedAddress
from messages_app.core.deliveries.webhook_calls import NotDelivered, call_webhook, check_address
from tests.messages_app.core.deliveries.receiver import CERTIFICATE, Receiver, receiving

CONTENT = {"alert_id": 1}
HERE = "127.0.0.1"


class Resolver:
    """Resolve every name to the given answers, one after another."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self.answers.pop(0)


def named(receiver: Receiver, name: str, settings) -> str:
    """Return the receiver's address with a name for its host, and allow that name."""
    settings.WEBHOOK_HOSTS = [name]
    return receiver.url.replace(HERE, name)


class TestCheckAddress:
    @pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "169.254.169.254", "[::ffff:10.0.0.1]"])
    def test_refuses_an_internal_address_even_if_the_settings_name_it_as_a_host(self, settings, host):
        settings.WEBHOOK_HOSTS = [host.strip("[]")]
        with pytest.raises(RefusedAddress, match="HUBCONSOLE_WEBHOOK_NETWORKS"):
            check_address(f"http://{host}/")


class TestCallWebhook:
    def test_looks_a_name_up_once_and_calls_the_address_that_it_had_then(self, receiver, settings):
        # The system's own lookup would return the receiver, like a name whose owner has changed its address.
        url = named(receiver, "localhost", settings)
        settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.2")]
        rebinding = Resolver(["127.0.0.2"], [HERE])
        with pytest.raises(NotDelivered):
            call_webhook(url, CONTENT, delivery="1", resolve=rebinding)
        assert rebinding.asked == ["localhost"]
        with pytest.raises(RefusedAddress):
            call_webhook(url, CONTENT, delivery="2", resolve=rebinding)
        assert rebinding.asked == ["localhost"] * 2
        assert receiver.connections == 0

    @pytest.mark.parametrize("address", [HERE, "169.254.169.254", "::1", "::ffff:127.0.0.1"])
    def test_refuses_a_name_with_an_internal_address(self, receiver, settings, address):
        url = named(receiver, "hooks.example", settings)
        settings.WEBHOOK_NETWORKS = []
        with pytest.raises(RefusedAddress, match=f"hooks.example, at {address}, is not on the internet"):
            call_webhook(url, CONTENT, delivery="1", resolve=Resolver([address]))
        assert receiver.connections == 0

    @pytest.mark.parametrize("text", ["localhost", "127.1", "2130706433"])
    def test_refuses_every_spelling_of_this_machine(self, receiver, settings, text):
        url = named(receiver, text, settings)
        settings.WEBHOOK_NETWORKS = []
        with pytest.raises(RefusedAddress):
            call_webhook(url, CONTENT, delivery="1")
        assert receiver.connections == 0

    def test_calls_an_address_of_the_name_that_may_be_called(self, receiver, settings):
        url = named(receiver, "hooks.example", settings)
        call_webhook(url, CONTENT, delivery="1", resolve=Resolver(["169.254.169.254", HERE]))
        assert receiver.connections == 1

    def test_connects_to_the_next_address_if_one_does_not_answer(self, receiver, settings):
        url = named(receiver, "hooks.example", settings)
        settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
        call_webhook(url, CONTENT, delivery="1", resolve=Resolver(["127.0.0.2", HERE]))
        assert receiver.connections == 1

    def test_sends_the_host_name_in_the_host_header(self, receiver, settings):
        call_webhook(
            named(receiver, "hooks.example", settings), CONTENT, delivery="1", resolve=Resolver([HERE])
        )
        ((headers, _),) = receiver.got
        assert headers["Host"] == f"hooks.example:{receiver.server_port}"

    @pytest.mark.parametrize("resolve", [Resolver([]), webhook_calls.look_up_host], ids=["empty", "unknown"])
    def test_reports_a_name_without_an_address(self, settings, resolve):
        settings.WEBHOOK_HOSTS = ["hooks.invalid"]
        with pytest.raises(NotDelivered, match=r"hooks.invalid cannot be reached"):
            call_webhook("http://hooks.invalid/", CONTENT, delivery="1", resolve=resolve)

    def test_stops_waiting_for_a_receiver_that_answers_byte_by_byte(self, receiver, monkeypatch):
        monkeypatch.setattr(webhook_calls, "TIMEOUT", 0.5)
        receiver.drips.set()
        began = time.monotonic()
        with pytest.raises(NotDelivered):
            call_webhook(receiver.url, CONTENT, delivery="1")
        assert 0.4 < time.monotonic() - began < 5


class TestCallWebhookInTls:
    @pytest.fixture
    def secure(self, receiver, settings, monkeypatch):
        monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
        with receiving("https") as server:
            yield server

    def test_checks_the_certificate_against_the_name(self, secure, settings):
        call_webhook(
            named(secure, "hooks.example", settings), CONTENT, delivery="1", resolve=Resolver([HERE])
        )
        assert secure.asked_for == ["hooks.example"]
        assert len(secure.got) == 1

    def test_sends_nothing_to_a_receiver_with_the_certificate_of_another_name(self, secure, settings):
        url = named(secure, "other.example", settings)
        with pytest.raises(NotDelivered) as failed:
            call_webhook(url, CONTENT, delivery="1", resolve=Resolver([HERE]))
        assert isinstance(failed.value.__cause__, ssl.SSLCertVerificationError)
        assert secure.got == []
