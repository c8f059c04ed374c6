"""Each condition of a measurement and of an alert's statements has rows that only it leaves out."""

from datetime import timedelta

import pytest

from messages_app.messages.alerts.checks import check_rule, check_rules
from messages_app.messages.alerts.measures import holds_since, measure_rule
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.metrics.models import MessageRollup
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.transaction_time import transaction_time

pytestmark = pytest.mark.django_db

MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
OF_RULE = {
    "service_name": "orders",
    "operation_name": "createOrder",
    "source_system": "ERP",
    "failed_error_code": "E103",
}
OF_OTHERS = {
    "service_name": "billing",
    "operation_name": "createInvoice",
    "source_system": "CRM",
    "failed_error_code": "E101",
}


def count(
    ago: timedelta, *, state: str = "FAILED", present: int = 0, entered: int = 0, **columns: str
) -> None:
    MessageRollup.objects.create(
        minute=transaction_time() - ago, state=state, present=present, entered=entered, **OF_RULE | columns
    )


def count_others(ago: timedelta, **counts: object) -> None:
    """Count messages that differ from those of the rule in one column each."""
    for name, value in OF_OTHERS.items():
        count(ago, **counts | {name: value})


class TestMeasure:
    def test_present_counts_messages_of_the_state_and_the_values(self):
        rule = make_rule(**OF_RULE)
        count(5 * MINUTE, present=1)
        count(9 * MINUTE, present=10)
        count(5 * MINUTE, present=100, state="WAITING")
        count_others(5 * MINUTE, present=1_000)
        assert measure_rule(rule) == 11
        assert measure_rule(make_rule(name="all")) == 4_011

    def test_present_counts_a_minute_that_is_as_old_as_required(self):
        rule = make_rule(older_than_seconds=600)
        for place, ago in enumerate((11 * MINUTE + SECOND, 11 * MINUTE, 11 * MINUTE - SECOND, MINUTE)):
            count(ago, present=10**place)
        assert measure_rule(rule) == 11

    def test_present_counts_the_current_minute_without_a_required_age(self):
        count(timedelta(), present=1)
        assert measure_rule(make_rule()) == 1

    def test_entered_counts_the_window_without_its_start(self):
        rule = make_rule(measure="entered", window_minutes=15, **OF_RULE)
        for place, ago in enumerate((15 * MINUTE + SECOND, 15 * MINUTE, 15 * MINUTE - SECOND, MINUTE)):
            count(ago, entered=10**place)
        count(MINUTE, entered=100_000, state="WAITING")
        count_others(MINUTE, entered=1_000_000)
        assert measure_rule(rule) == 1_100

    def test_failure_rate_counts_what_ended_in_the_window_without_its_start(self):
        rule = make_rule(measure="failure_rate", window_minutes=15, at_least=8, **OF_RULE)
        count(15 * MINUTE, entered=100)
        count(MINUTE, entered=2)
        count(2 * MINUTE, entered=6, state="OK")
        count(MINUTE, entered=100, state="CANCEL")
        count_others(MINUTE, entered=100)
        assert measure_rule(rule) == 0.25
        rule.at_least = 9
        assert measure_rule(rule) == 0

    def test_failure_rate_of_nothing_is_zero(self):
        assert measure_rule(make_rule(measure="failure_rate", at_least=0)) == 0

    def test_age_is_that_of_the_oldest_message_of_the_state_and_the_values(self):
        rule = make_rule(measure="age", **OF_RULE)
        count(7 * MINUTE, present=1)
        count(5 * MINUTE, present=1)
        count(9 * MINUTE, present=1, state="WAITING")
        count(9 * MINUTE, entered=1)
        count_others(9 * MINUTE, present=1)
        assert measure_rule(rule) == 420

    @pytest.mark.parametrize("name", ["present", "age"])
    def test_messages_that_are_ok_are_not_counted(self, name):
        count(MINUTE, present=3, state="OK")
        assert measure_rule(make_rule(measure=name, state="OK")) == 0


class TestHoldsSince:
    def open_alert(self, **columns: object) -> Alert:
        rule = make_rule(**OF_RULE | columns)
        return Alert.objects.create(rule=rule, value=9, worst=9, opened_at=transaction_time())

    def test_is_when_the_messages_together_exceeded_the_limit(self):
        alert = self.open_alert(limit=3, older_than_seconds=60)
        for minutes, present in ((20, 2), (15, 1), (10, 1), (5, 5)):
            count(minutes * MINUTE, present=present)
        count(30 * MINUTE, present=9, state="WAITING")
        count(30 * MINUTE, entered=9)
        count_others(30 * MINUTE, present=9)
        assert holds_since(alert) == transaction_time() - 9 * MINUTE

    def test_is_when_the_oldest_message_reached_the_age_of_the_limit(self):
        alert = self.open_alert(measure="age", limit=120, older_than_seconds=30)
        count(20 * MINUTE, present=1)
        count(10 * MINUTE, present=1)
        assert holds_since(alert) == transaction_time() - 18 * MINUTE

    def test_is_not_after_the_alert_opened(self):
        alert = self.open_alert(limit=0)
        Alert.objects.update(opened_at=transaction_time() - 9 * MINUTE)
        alert.refresh_from_db()
        count(5 * MINUTE, present=1)
        assert holds_since(alert) == alert.opened_at
        MessageRollup.objects.all().delete()
        assert holds_since(alert) == alert.opened_at

    @pytest.mark.parametrize("name", ["entered", "failure_rate"])
    def test_is_when_the_alert_opened_for_measures_of_a_window(self, name):
        alert = self.open_alert(measure=name)
        count(30 * MINUTE, present=9)
        assert holds_since(alert) == alert.opened_at


def states() -> dict[str, tuple[object, ...]]:
    """Return, by rule: its value, and the value, the worst value and the state of its newest alert."""
    found: dict[str, tuple[object, ...]] = {}
    for rule in WatchRule.objects.exclude(is_built_in=True):
        alert = rule.alerts.order_by("-alert_id").first()
        of_alert = (alert.value, alert.worst, alert.closed_at is None) if alert else ()
        found[rule.name] = (rule.value, rule.error, rule.told_at is not None, *of_alert)
    return found


class TestAlerts:
    def test_of_each_rule_have_its_own_values(self):
        for name, state in (("a", "FAILED"), ("b", "WAITING"), ("c", "POSTPONED")):
            make_rule(name=name, state=state, limit=2)
        count(MINUTE, present=5)
        count(MINUTE, present=3, state="WAITING")
        check_rules()
        assert states() == {
            "a": (5, "", True, 5, 5, True),
            "b": (3, "", True, 3, 3, True),
            "c": (0, "", False),
        }
        MessageRollup.objects.filter(state="FAILED").update(present=3)
        MessageRollup.objects.filter(state="WAITING").update(present=2)
        check_rules()
        assert states() == {
            "a": (3, "", True, 3, 5, True),
            "b": (2, "", True, 2, 3, False),
            "c": (0, "", False),
        }
        MessageRollup.objects.filter(state="WAITING").update(present=9)
        check_rules()
        assert states()["b"] == (9, "", True, 9, 9, True)
        assert Alert.objects.count() == 3

    def test_that_are_closed_stay_as_they_are(self):
        make_rule(mail_to=["ops@example.org"], webhook_url="https://hooks.example.org/in")
        count(MINUTE, present=5)
        check_rules()
        MessageRollup.objects.all().delete()
        check_rules()
        closed = Alert.objects.values().get()
        check_rules()
        assert Alert.objects.values().get() == closed
        assert list(AlertNotice.objects.order_by("pk").values_list("turn", "channel", "target")) == [
            ("opened", "mail", "ops@example.org"),
            ("opened", "webhook", "https://hooks.example.org/in"),
            ("closed", "mail", "ops@example.org"),
            ("closed", "webhook", "https://hooks.example.org/in"),
        ]

    def test_are_not_opened_for_a_rule_that_was_disabled_meanwhile(self):
        rule = make_rule()
        count(MINUTE, present=5)
        WatchRule.objects.update(enabled=False)
        check_rule(rule)
        assert not Alert.objects.exists()

    def test_stay_open_while_their_rule_cannot_be_measured(self):
        rule = make_rule()
        count(MINUTE, present=5)
        check_rules()
        WatchRule.objects.filter(pk=rule.pk).update(measure="saved_view")
        check_rules()
        assert states() == {"Failed": (None, "Its saved view was deleted.", True, 5, 5, True)}

    @pytest.mark.parametrize(("seconds", "is_quiet"), [(1790, True), (1810, False)])
    def test_are_quiet_for_the_quiet_time_after_a_notice(self, seconds, is_quiet):
        rule = make_rule(quiet_minutes=30, mail_to=["ops@example.org"])
        told_at = transaction_time() - timedelta(seconds=seconds)
        WatchRule.objects.filter(pk=rule.pk).update(told_at=told_at)
        count(MINUTE, present=5)
        check_rules()
        alert = Alert.objects.get()
        rule.refresh_from_db()
        assert (alert.is_quiet, alert.notices.count(), rule.told_at == told_at) == (
            is_quiet,
            int(not is_quiet),
            is_quiet,
        )
