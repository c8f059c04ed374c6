"""Each entry of a change of a watch rule, as a whole row."""

import pytest

from messages_app.messages.alerts.models import WatchRule
from messages_app.messages.alerts.services import change_rule, delete_rule
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.audit_entries import GRACE, audit_rows, by_grace

pytestmark = pytest.mark.django_db


class TestChangeRule:
    def test_is_recorded_with_its_reason_and_columns(self):
        make_rule(name="quiet")
        rule = make_rule(name="loud")
        change_rule(rule_id=rule.pk, actor=GRACE, reason="too loud", limit=7, enabled=False)
        details = {"rule": "loud", "limit": 7, "enabled": False}
        assert audit_rows("change_watch_rule") == [
            by_grace(
                "change_watch_rule",
                subject_kind="watch_rule",
                subject=str(rule.pk),
                reason="too loud",
                details=details,
            )
        ]


class TestDeleteRule:
    def test_is_recorded_with_its_reason(self):
        make_rule(name="quiet")
        rule = make_rule(name="loud")
        delete_rule(rule_id=rule.pk, actor=GRACE, reason="no longer needed")
        assert WatchRule.objects.filter(name="quiet").exists()
        assert not WatchRule.objects.filter(name="loud").exists()
        assert audit_rows("delete_watch_rule") == [
            by_grace(
                "delete_watch_rule",
                subject_kind="watch_rule",
                subject=str(rule.pk),
                reason="no longer needed",
                details={"rule": "loud"},
            )
        ]
