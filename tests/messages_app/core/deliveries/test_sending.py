"""Reports and tests of targets, sent to servers that refuse what the products refuse."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from messages_app.core.deliveries import webhook_calls
from messages_app.core.deliveries.formats import Report, Target
from messages_app.core.deliveries.sending import send_report, send_test
from messages_app.core.deliveries.ssrf_guard import RefusedAddress
from messages_app.core.deliveries.webhook_calls import NotDelivered
from tests.messages_app.core.deliveries.products import KEYS
from tests.messages_app.core.deliveries.receiver import verify_webhook

LONG = "\n".join(f"{number}: <!channel> [a](http://b) *é* {'x' * 150}" for number in range(500))


@pytest.fixture
def target(product, name) -> Target:
    return Target(url=product.url, format=name, key=KEYS.get(name, ""))


def report(**columns: object) -> Report:
    values = {"title": "Alert: Failed", "facts": {"Value": "3"}, "content": {}, "at": datetime.now(UTC)}
    return Report(**values | {"incident": "alert-7"} | columns)


class TestSendReport:
    def test_is_taken_by_the_product(self, product, target):
        send_report(target, report(), delivery="notice-1")
        assert (len(product.got), product.refusals) == (1, [])

    def test_is_taken_however_long_its_texts_are(self, product, target):
        send_report(target, report(title="t" * 2000, text=LONG), delivery="notice-1")
        assert (len(product.got), product.refusals) == (1, [])

    @pytest.mark.parametrize("name", ["pagerduty", "opsgenie"])
    def test_ends_the_incident_that_it_began(self, product, target):
        send_report(target, report(), delivery="notice-1")
        assert product.is_open == {"alert-7": True}
        send_report(target, report(is_over=True), delivery="notice-2")
        assert product.is_open == {"alert-7": False}

    @pytest.mark.parametrize("name", ["pagerduty", "opsgenie"])
    def test_reports_a_key_that_the_product_does_not_know(self, product, target, name):
        other = Target(url=target.url, format=name, key=KEYS[name][::-1])
        with pytest.raises(NotDelivered, match=r"answered 40[01]"):
            send_report(other, report(), delivery="notice-1")

    @pytest.mark.parametrize(
        ("status", "retry_after", "pause"),
        [
            (429, "120", 120),
            (503, "7", 7),
            (429, "999999", 3600),
            (429, "", 0),
            (429, "soon", 0),
            (429, "-5", 0),
            (500, "", 0),
        ],
    )
    def test_reports_for_how_long_the_product_asks_to_wait(self, product, target, status, retry_after, pause):
        product.status, product.retry_after = status, retry_after
        with pytest.raises(NotDelivered, match=f"127.0.0.1 answered {status}") as failed:
            send_report(target, report(), delivery="notice-1")
        assert failed.value.pause == pause

    @pytest.mark.parametrize("name", ["slack"])
    def test_reads_the_time_at_which_the_product_may_be_called_again(self, product, target):
        product.status = 429
        product.retry_after = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
        with pytest.raises(NotDelivered) as failed:
            send_report(target, report(), delivery="notice-1")
        assert 80 <= failed.value.pause <= 90

    def test_reports_a_product_that_does_not_answer_in_time(self, product, target, monkeypatch):
        monkeypatch.setattr(webhook_calls, "TIMEOUT", 0.3)
        product.is_silent = True
        with pytest.raises(NotDelivered, match="cannot be reached"):
            send_report(target, report(), delivery="notice-1")

    def test_calls_only_hosts_and_networks_that_the_settings_name(self, product, target, settings):
        settings.WEBHOOK_NETWORKS = []
        with pytest.raises(RefusedAddress, match="HUBCONSOLE_WEBHOOK_NETWORKS"):
            send_report(target, report(), delivery="notice-1")
        settings.WEBHOOK_HOSTS = ["hooks.slack.com"]
        with pytest.raises(RefusedAddress, match="HUBCONSOLE_WEBHOOK_HOSTS"):
            send_report(target, report(), delivery="notice-1")
        assert (product.got, product.refusals) == ([], [])


class TestSendTest:
    def test_is_taken_by_the_product_and_leaves_no_incident_open(self, product, target, name):
        send_test(target, name="Failed", actor="ada")
        assert product.refusals == []
        assert "Test of Failed, sent by ada" in str(product.got)
        incidents = name in ("pagerduty", "opsgenie")
        assert (len(product.got), list(product.is_open.values())) == ((2, [False]) if incidents else (1, []))

    def test_of_a_standard_webhook_is_signed(self, receiver):
        send_test(Target(url=receiver.url), name="Failed", actor="ada")
        ((headers, body),) = receiver.got
        assert verify_webhook(headers, body) == {"event": "test", "name": "Failed", "actor": "ada"}
        assert headers["webhook-id"].startswith("test-")
