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
    def test_says_that_a_group_is_fixed(self, group):
        assert mark_group(group_id=group.pk, state="fixed", **WHY).state == "fixed"
        entry = AuditEntry.objects.get(action="mark_group")
        assert (entry.actor, entry.reason) == (ANA.username, "the target is back")
        assert (entry.before_state, entry.after_state) == ("new", "fixed")

    def test_lets_a_group_sleep_and_sleep_longer(self, group):
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
    def test_refuses_what_is_none(self, group, state, until, field):
        with pytest.raises(Problem) as refused:
            mark_group(group_id=group.pk, state=state, snoozed_until=until, **WHY)
        assert refused.value.errors[0].field == field

    def test_refuses_a_state_that_it_has(self, group):
        mark_group(group_id=group.pk, state="known", **WHY)
        with pytest.raises(GroupConflict) as refused:
            mark_group(group_id=group.pk, state="known", **WHY)
        assert refused.value.current_state == "known"

    def test_refuses_where_someone_was_faster(self, group):
        with pytest.raises(GroupConflict):
            mark_group(group_id=group.pk, state="fixed", expected_state="known", **WHY)
        assert not AuditEntry.objects.exists()

    def test_rejects_any_other_group(self):
        with pytest.raises(GroupNotFound):
            mark_group(group_id=7, state="fixed", **WHY)


class TestDescribeGroup:
    def test_keeps_what_is_not_named(self, group):
        describe_group(group_id=group.pk, owner="ada", note="ask the bank", actor=ANA)
        found = describe_group(group_id=group.pk, ticket="OPS-7", actor=ANA)
        assert (found.owner, found.note, found.ticket) == ("ada", "ask the bank", "OPS-7")
        last = AuditEntry.objects.order_by("entry_id").last()
        assert last.details == {"ticket": "OPS-7", "old_ticket": ""}

    def test_notes_nothing_that_stays(self, group):
        describe_group(group_id=group.pk, owner="", actor=ANA)
        assert not AuditEntry.objects.exists()

    def test_refuses_what_is_too_long(self, group):
        with pytest.raises(Problem):
            describe_group(group_id=group.pk, owner="x" * 151, actor=ANA)
