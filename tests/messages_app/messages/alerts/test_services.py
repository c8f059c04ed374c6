import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.alerts.services import (
    MAX_WINDOW,
    RuleNotFound,
    change_rule,
    create_rule,
    delete_rule,
)
from tests.messages_app.messages.alerts.rules import make_rule, store
from tests.support.jobs import ANA

pytestmark = pytest.mark.django_db

RULE = {"name": "Many failures", "measure": "entered", "state": "FAILED", "limit": 100}


class TestCreateRule:
    def test_stores_the_rule_and_an_audit_entry(self):
        rule = create_rule(actor=ANA, mail_to=["ops@example.org"], **RULE)
        assert WatchRule.objects.get(pk=rule.pk).mail_to == ["ops@example.org"]
        assert AuditEntry.objects.get().details["rule"] == "Many failures"

    def test_leaves_the_path_of_a_webhook_out_of_the_audit_log(self, settings):
        settings.WEBHOOK_HOSTS = ["hooks.example.org"]
        rule = create_rule(actor=ANA, webhook_url="https://hooks.example.org/T0/secret", **RULE)
        change_rule(rule_id=rule.pk, actor=ANA, webhook_url="https://hooks.example.org/T0/other")
        details = [entry.details["webhook_url"] for entry in AuditEntry.objects.all()]
        assert details == ["https://hooks.example.org/•••"] * 2

    @pytest.mark.parametrize(
        ("columns", "field"),
        [
            ({"name": " "}, "name"),
            ({"measure": "odd"}, "measure"),
            ({"limit": -1}, "limit"),
            ({"limit": float("nan")}, "limit"),
            ({"state": "ODD"}, "state"),
            ({"measure": "present", "state": "OK"}, "state"),
            ({"measure": "saved_view"}, "saved_view"),
            ({"window_minutes": 0}, "window_minutes"),
            ({"quiet_minutes": -1}, "quiet_minutes"),
            ({"mail_to": ["ops"]}, "mail_to"),
            ({"webhook_url": "http://169.254.169.254/"}, "webhook_url"),
            ({"webhook_url": "file:///etc/passwd"}, "webhook_url"),
            ({"webhook_url": "http://[odd"}, "webhook_url"),
            ({"name": "a\nBcc: b@evil.example"}, "name"),
        ],
    )
    def test_refuses_rules_that_cannot_be_measured_or_sent(self, columns, field):
        with pytest.raises(Problem) as refused:
            create_rule(actor=ANA, **RULE | columns)
        assert refused.value.errors[0].field == field

    @pytest.mark.parametrize(
        "columns",
        [
            {"limit": 0},
            {"state": "OK"},
            {"window_minutes": 1},
            {"window_minutes": MAX_WINDOW},
            {"measure": "present", "window_minutes": 0},
            {"measure": "failure_rate", "state": ""},
            {"quiet_minutes": 0, "older_than_seconds": 0, "at_least": 0},
            {"mail_to": [f"ops{number}@example.org" for number in range(20)]},
        ],
    )
    def test_accepts_rules_at_the_edge(self, columns):
        rule = create_rule(actor=ANA, **RULE | columns)
        assert {name: getattr(rule, name) for name in columns} == columns

    @pytest.mark.parametrize(
        ("columns", "field"),
        [
            ({"window_minutes": MAX_WINDOW + 1}, "window_minutes"),
            ({"measure": "failure_rate", "window_minutes": 0}, "window_minutes"),
            ({"mail_to": [f"ops{number}@example.org" for number in range(21)]}, "mail_to"),
            ({"at_least": -1}, "at_least"),
            ({"older_than_seconds": -1}, "older_than_seconds"),
            ({"measure": "age", "state": "OK"}, "state"),
            ({"limit": "5"}, "limit"),
        ],
    )
    def test_refuses_rules_beyond_the_edge(self, columns, field):
        with pytest.raises(Problem) as refused:
            create_rule(actor=ANA, **RULE | columns)
        assert refused.value.errors[0].field == field

    def test_refuses_a_name_that_is_taken(self):
        create_rule(actor=ANA, **RULE)
        with pytest.raises(Problem):
            create_rule(actor=ANA, **RULE)


class TestChangeRule:
    def test_closes_the_alert_of_a_rule_that_is_disabled(self):
        rule = make_rule(mail_to=["ops@example.org"])
        store()
        check_rules()
        change_rule(rule_id=rule.pk, actor=ANA, enabled=False)
        assert Alert.objects.get().closed_at is not None
        assert AlertNotice.objects.count() == 1

    def test_checks_the_whole_rule(self):
        rule = make_rule()
        with pytest.raises(Problem) as refused:
            change_rule(rule_id=rule.pk, actor=ANA, state="OK")
        assert refused.value.errors[0].field == "state"
        assert WatchRule.objects.get(pk=rule.pk).state == "FAILED"
        assert not AuditEntry.objects.exists()

    def test_rejects_an_unknown_id(self):
        with pytest.raises(RuleNotFound):
            change_rule(rule_id=0, actor=ANA, enabled=False)


class TestDeleteRule:
    def test_deletes_the_rule(self):
        rule = make_rule()
        kept = make_rule(name="kept")
        delete_rule(rule_id=rule.pk, actor=ANA, reason="not needed")
        assert list(WatchRule.objects.exclude(is_built_in=True)) == [kept]
        entry = AuditEntry.objects.get()
        facts = (entry.actor, entry.action, entry.outcome, entry.subject_kind, entry.subject, entry.reason)
        assert facts == (
            ANA.username,
            "delete_watch_rule",
            "done",
            "watch_rule",
            str(rule.pk),
            "not needed",
        )
        assert entry.details == {"rule": "Failed"}

    def test_refuses_to_delete_a_built_in_rule(self):
        rule = make_rule(is_built_in=True)
        with pytest.raises(RuleNotFound):
            delete_rule(rule_id=rule.pk, actor=ANA)
