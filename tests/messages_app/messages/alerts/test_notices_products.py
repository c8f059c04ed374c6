"""Alerts in products for people: an incident begins and ends with the alert, also after faults there."""

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.notices import send_notices
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.core.deliveries.products import KEYS
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.api_client import caller, problem
from tests.support.page_client import client_of, notices_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def rule(product, name) -> WatchRule:
    return make_rule(webhook_url=product.url, webhook_format=name, webhook_key=KEYS.get(name, ""))


def open_alert() -> None:
    store()
    check_rules()


def close_alert() -> None:
    Message.objects.update(state="OK")
    fold_changes()
    check_rules()


def make_due() -> None:
    AlertNotice.objects.exclude(next_at=None).update(next_at="2026-01-01T00:00:00Z")


class TestAlert:
    def test_is_reported_when_it_opens_and_when_it_closes(self, product, rule):
        open_alert()
        assert send_notices() == 1
        close_alert()
        assert send_notices() == 1
        first, second = map(str, product.got)
        assert "Alert: Failed" in first
        assert "When the number of FAILED messages is above 0" in first
        assert product.refusals == []
        assert "Closed: Failed" in second or "resolve" in second

    @pytest.mark.parametrize("name", ["pagerduty", "opsgenie"])
    def test_opens_an_incident_and_ends_it(self, product, rule):
        open_alert()
        send_notices()
        alert = Alert.objects.get()
        key = f"hubconsole-alert-{alert.pk}-{int(alert.opened_at.timestamp())}"
        assert product.is_open == {key: True}
        close_alert()
        send_notices()
        assert product.is_open == {key: False}

    def test_is_reported_again_after_the_time_that_the_product_asks_for(self, product, rule):
        product.status, product.retry_after = 429, "300"
        open_alert()
        before = database_clock()
        assert send_notices() == 0
        notice = AlertNotice.objects.get()
        assert notice.error == "127.0.0.1 answered 429."
        assert 299 <= (notice.next_at - before).total_seconds() < 320
        product.status, product.retry_after = 0, ""
        assert send_notices() == 0
        make_due()
        assert send_notices() == 1
        assert len(product.got) == 1

    def test_goes_to_no_other_address_with_the_key_of_a_changed_rule(self, product, rule):
        open_alert()
        WatchRule.objects.filter(pk=rule.pk).update(webhook_url="https://hooks.example.org/")
        assert send_notices() == 0
        assert AlertNotice.objects.get().error == "The webhook of the rule has changed."
        assert (product.got, product.refusals) == ([], [])


class TestSendATest:
    def test_reaches_the_product_and_is_recorded(self, product, rule):
        client = client_of("admin")
        answer = client.post(f"/watch-rules/{rule.pk}/test/")
        assert notices_of(answer)[-1] == f"Test sent to {rule.webhook_name}."
        assert product.refusals == []
        assert "Test of Failed, sent by ada" in str(product.got[0])
        entry = AuditEntry.objects.get(action="test_watch_rule")
        assert (entry.actor, entry.subject, entry.details["error"]) == ("ada", str(rule.pk), "")
        assert "/•••" in entry.details["webhook_url"]

    def test_says_why_it_was_not_sent(self, product, rule):
        product.status = 500
        client = client_of("admin")
        answer = client.post(f"/watch-rules/{rule.pk}/test/")
        assert notices_of(answer)[-1] == "The test was not sent: 127.0.0.1 answered 500."
        assert AuditEntry.objects.get(action="test_watch_rule").details["error"] == "127.0.0.1 answered 500."

    @pytest.mark.parametrize(
        ("status", "answer"),
        [
            (0, {"sent": True, "error": ""}),
            (500, {"sent": False, "error": "127.0.0.1 answered 500."}),
        ],
    )
    def test_is_answered_by_the_api(self, product, rule, status, answer):
        product.status = status
        sent = caller("admin").post(f"watch-rules/{rule.pk}/test/", {"reason": "the pager was new"})
        assert (sent.status_code, sent.json()) == (200, answer)
        entry = AuditEntry.objects.get(action="test_watch_rule")
        assert (entry.actor, entry.reason, entry.details["error"]) == (
            "ada",
            "the pager was new",
            answer["error"],
        )

    @pytest.mark.parametrize("name", ["slack"])
    def test_of_a_rule_without_a_webhook_is_not_found_by_the_api(self, product, rule):
        bare = make_rule(name="bare")
        refused = problem(caller("admin").post(f"watch-rules/{bare.pk}/test/", {}))
        assert (refused["status"], refused["detail"]) == (404, f"The watch rule {bare.pk} has no webhook.")
        assert product.got == []

    @pytest.mark.parametrize("name", ["slack"])
    def test_is_for_users_who_may_change_rules_and_for_rules_with_a_webhook(self, product, rule):
        support = client_of("support")
        assert support.post(f"/watch-rules/{rule.pk}/test/").status_code == 403
        assert "Send a test" not in text_of(support.get(f"/watch-rules/{rule.pk}/"))
        admin, other = client_of("admin", username="root"), make_rule(name="Other")
        assert "Send a test" in text_of(admin.get(f"/watch-rules/{rule.pk}/"))
        assert "Send a test" not in text_of(admin.get(f"/watch-rules/{other.pk}/"))
        assert admin.post(f"/watch-rules/{other.pk}/test/").status_code == 404
        assert product.got == []
