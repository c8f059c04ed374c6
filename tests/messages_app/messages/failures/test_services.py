from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.core.problems import Problem
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.services import GroupConflict, GroupNotFound, describe_group, mark_group
from tests.support.factories import NOON
from tests.support.jobs import ANA, WHY

pytestmark = pytest.mark.django_db


@pytest.fixture
def group() -> FailureGroup:
    return FailureGroup.objects.create(
        fingerprint="f" * 32,
        service_name="billing",
        operation_name="createInvoice",
        failed_error_code="E103",
        summary="timed out",
        example="timed out",
        first_seen=NOON,
        last_seen=NOON,
    )


class TestMarkGroup:
    def test_marks_a_group_as_fixed(self, group):
        assert mark_group(group_id=group.pk, state="fixed", **WHY).state == "fixed"
        entry = AuditEntry.objects.get(action="mark_group")
        assert (entry.actor, entry.reason) == (ANA.username, "the target is back")
        assert (entry.before_state, entry.after_state) == ("new", "fixed")

    def test_snoozes_a_group_and_extends_the_snooze(self, group):
        for hours in (1, 2):
            until = database_clock() + timedelta(hours=hours)
            found = mark_group(group_id=group.pk, state="snoozed", snoozed_until=until, **WHY)
            assert (found.state, found.snoozed_until) == ("snoozed", until)
        assert mark_group(group_id=group.pk, state="known", **WHY).snoozed_until is None

    @pytest.mark.parametrize(
        ("state", "until", "field"),
        [
            ("new", None, "state"),
            ("regressed", None, "state"),
            ("odd", None, "state"),
            ("snoozed", None, "snoozed_until"),
            ("snoozed", NOON, "snoozed_until"),
            ("fixed", NOON, "snoozed_until"),
        ],
    )
    def test_rejects_invalid_states_and_times(self, group, state, until, field):
        with pytest.raises(Problem) as refused:
            mark_group(group_id=group.pk, state=state, snoozed_until=until, **WHY)
        assert refused.value.errors[0].field == field

    def test_rejects_the_current_state(self, group):
        mark_group(group_id=group.pk, state="known", **WHY)
        with pytest.raises(GroupConflict) as refused:
            mark_group(group_id=group.pk, state="known", **WHY)
        assert refused.value.current_state == "known"

    def test_rejects_a_change_if_the_state_is_not_the_expected_one(self, group):
        with pytest.raises(GroupConflict):
            mark_group(group_id=group.pk, state="fixed", expected_state="known", **WHY)
        assert not AuditEntry.objects.exists()

    def test_rejects_unknown_groups(self):
        with pytest.raises(GroupNotFound):
            mark_group(group_id=7, state="fixed", **WHY)


class TestDescribeGroup:
    def test_keeps_fields_that_are_not_named(self, group):
        describe_group(group_id=group.pk, owner="ada", note="ask the bank", actor=ANA)
        found = describe_group(group_id=group.pk, ticket="OPS-7", actor=ANA)
        assert (found.owner, found.note, found.ticket) == ("ada", "ask the bank", "OPS-7")
        last = AuditEntry.objects.order_by("entry_id").last()
        assert last.details == {"ticket": "OPS-7", "old_ticket": ""}

    def test_records_nothing_in_the_audit_if_nothing_changes(self, group):
        describe_group(group_id=group.pk, owner="", actor=ANA)
        assert not AuditEntry.objects.exists()

    def test_rejects_values_that_are_too_long(self, group):
        with pytest.raises(Problem):
            describe_group(group_id=group.pk, owner="x" * 151, actor=ANA)
