import pytest

from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db


def repair() -> None:
    Message.objects.update(state="OK")
    fold_changes()


def fail_again() -> None:
    Message.objects.update(state="FAILED")
    fold_changes()


class TestCheckRules:
    def test_opens_an_alert_once_and_closes_it(self):
        rule = make_rule(mail_to=["ops@example.org", "boss@example.org"])
        check_rules()
        assert not Alert.objects.exists()
        store()
        check_rules()
        store(2)
        check_rules()
        alert = Alert.objects.get()
        assert (alert.rule_id, alert.value, alert.worst, alert.closed_at) == (rule.pk, 3, 3, None)
        assert AlertNotice.objects.filter(turn="opened").count() == 2
        repair()
        check_rules()
        check_rules()
        alert.refresh_from_db()
        assert (alert.value, alert.worst, alert.closed_at is None) == (0, 3, False)
        assert AlertNotice.objects.filter(turn="closed").count() == 2

    def test_sends_no_notices_in_the_quiet_time_after_one(self):
        rule = make_rule(mail_to=["ops@example.org"])
        store()
        check_rules()
        repair()
        check_rules()
        told = AlertNotice.objects.count()
        fail_again()
        check_rules()
        repair()
        check_rules()
        assert (Alert.objects.filter(is_quiet=True).count(), AlertNotice.objects.count()) == (1, told)
        WatchRule.objects.filter(pk=rule.pk).update(quiet_minutes=0)
        fail_again()
        check_rules()
        assert AlertNotice.objects.count() == told + 1

    def test_records_why_a_rule_cannot_be_measured_and_checks_the_others(self):
        broken = make_rule(name="broken", measure="saved_view")
        make_rule()
        store()
        check_rules()
        broken.refresh_from_db()
        assert (broken.error, broken.value) == ("Its saved view was deleted.", None)
        assert Alert.objects.get().rule.name == "Failed"

    def test_does_not_check_a_disabled_rule(self):
        make_rule(enabled=False)
        store()
        check_rules()
        assert not Alert.objects.exists()


class TestBuiltInRule:
    def test_is_the_hubs_alert_for_messages_that_wait_long(self):
        """Of a fresh database: the migration stores it."""
        rule = WatchRule.objects.get(is_built_in=True)
        assert (rule.measure, rule.state, rule.older_than_seconds, rule.limit) == (
            "present",
            "WAITING_FOR_RES",
            3600,
            0,
        )
        store(state="WAITING_FOR_RES")
        check_rules()
        assert Alert.objects.get().rule == rule


@pytest.mark.django_db(transaction=True)
class TestConcurrentChecks:
    def test_open_and_close_one_alert(self):
        make_rule(mail_to=["ops@example.org"])
        store()
        assert in_threads(*[check_rules] * 6) == [None] * 6
        repair()
        assert in_threads(*[check_rules] * 6) == [None] * 6
        assert Alert.objects.count() == 1
        assert sorted(AlertNotice.objects.values_list("turn", flat=True)) == ["closed", "opened"]
