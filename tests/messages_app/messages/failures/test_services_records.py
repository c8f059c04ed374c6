"""Changes of groups: their whole entries in the audit log, and the rows that each statement leaves alone."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.core.problems import Problem
from messages_app.messages.failures import grouping
from messages_app.messages.failures.grouping import coarsen_minutes, group_new_failures
from messages_app.messages.failures.models import (
    MAX_NOTE,
    MAX_OWNER,
    MAX_TICKET,
    FailureGroup,
    FailureMember,
    FailureMinute,
    NewFailure,
)
from messages_app.messages.failures.selectors import GroupOutcome, affected_objects, outcomes_of_groups
from messages_app.messages.failures.services import describe_group, mark_group
from tests.support.factories import NOON, make_message
from tests.support.jobs import ANA, WHY
from tests.support.threads import in_threads
from tests.support.transaction_time import transaction_time

SECOND = timedelta(seconds=1)


def make_group(name: str = "f", **columns: object) -> FailureGroup:
    defaults = {"service_name": "billing", "operation_name": "a", "summary": name, "example": name}
    times = {"first_seen": NOON, "last_seen": NOON}
    return FailureGroup.objects.create(fingerprint=name, **defaults | times | columns)


def entries() -> list[dict[str, object]]:
    """Return the entries of the audit log, without what the database and the request add."""
    names = ("actor", "action", "outcome", "subject_kind", "subject", "reason", "details")
    return list(AuditEntry.objects.order_by("entry_id").values(*names, "before_state", "after_state"))


def entry(action: str, group: FailureGroup, **columns: object) -> dict[str, object]:
    return {
        "actor": ANA.username,
        "action": action,
        "outcome": "done",
        "subject_kind": "failure_group",
        "subject": str(group.pk),
        "reason": "",
        "details": {},
        "before_state": "",
        "after_state": "",
    } | columns


@pytest.mark.django_db
class TestEntries:
    def test_record_marking(self):
        group, until = make_group(), transaction_time() + timedelta(hours=1)
        mark_group(group_id=group.pk, state="snoozed", snoozed_until=until, **WHY)
        mark_group(group_id=group.pk, state="fixed", **WHY)
        states = [{"before_state": "new", "after_state": "snoozed"}]
        states += [{"before_state": "snoozed", "after_state": "fixed"}]
        details = [{"snoozed_until": until.isoformat()}, {}]
        assert entries() == [
            entry("mark_group", group, reason=WHY["reason"], details=facts, **states_of)
            for facts, states_of in zip(details, states, strict=True)
        ]

    def test_record_describing(self):
        group = make_group(owner="bob", note="old note", ticket="T-1")
        texts = {"owner": "ada", "note": "ask the bank", "ticket": "T-1"}
        describe_group(group_id=group.pk, actor=ANA, reason="as agreed", **texts)
        details = {
            "owner": "ada",
            "old_owner": "bob",
            "note": "ask the bank",
            "old_note": "old note",
        }
        assert entries() == [entry("describe_group", group, reason="as agreed", details=details)]

    def test_record_only_snoozes_that_end(self):
        now = transaction_time()
        over = make_group("over", state="snoozed", snoozed_until=now)
        make_group("later", state="snoozed", snoozed_until=now + timedelta(hours=1))
        make_group("known", state="known", snoozed_until=now)
        group_new_failures()
        states = {"before_state": "snoozed", "after_state": "known"}
        assert entries() == [entry("wake_group", over, actor="system", **states)]
        over.refresh_from_db()
        assert (over.state, over.snoozed_until) == ("known", None)
        assert dict(FailureGroup.objects.exclude(pk=over.pk).values_list("summary", "state")) == {
            "later": "snoozed",
            "known": "known",
        }

    def test_record_a_message_that_fails_after_its_group_was_fixed(self):
        make_message(state="FAILED", failed_desc="timed out")
        group_new_failures()
        group = FailureGroup.objects.get()
        FailureGroup.objects.update(state="fixed", state_at=NOON)
        make_group("other", state="fixed", state_at=NOON, last_seen=NOON + SECOND)
        make_message(state="FAILED", failed_desc="timed out")
        group_new_failures()
        states = {"before_state": "fixed", "after_state": "regressed"}
        assert entries() == [entry("regress_group", group, actor="system", **states)]
        assert FailureGroup.objects.get(fingerprint="other").state == "fixed"


@pytest.mark.django_db
class TestLimits:
    @pytest.mark.parametrize(
        ("name", "most"), [("owner", MAX_OWNER), ("ticket", MAX_TICKET), ("note", MAX_NOTE)]
    )
    def test_apply_to_the_length_of_a_text(self, name, most):
        group = make_group()
        described = describe_group(group_id=group.pk, actor=ANA, **{name: "x" * most})
        assert getattr(described, name) == "x" * most
        for text in ("x" * (most + 1), "a\0b"):
            with pytest.raises(Problem) as refused:
                describe_group(group_id=group.pk, actor=ANA, **{name: text})
            assert refused.value.errors[0].field == name

    @pytest.mark.parametrize(("seconds", "regresses"), [(-1, False), (0, False), (1, True)])
    def test_apply_to_the_time_of_a_regression(self, seconds, regresses):
        group = make_group(state="fixed", state_at=NOON, last_seen=NOON + seconds * SECOND)
        other = make_group("other", state="fixed", state_at=NOON, last_seen=NOON + SECOND)
        assert grouping.statements.fetch_rows("regress", {"groups": [group.pk]}) == [(group.pk,)] * regresses
        group.refresh_from_db()
        other.refresh_from_db()
        assert (group.state, other.state) == ("regressed" if regresses else "fixed", "fixed")

    def test_of_one_batch_takes_the_oldest_failures(self):
        for number in range(5):
            make_message(state="FAILED", failed_desc="timed out", failed_count=number)
        ids = list(NewFailure.objects.order_by("failure_id").values_list("pk", flat=True))
        assert (
            grouping._group_batch(2, grouping.Readers(grouping.KnownFailures(), grouping.SystemNames())) == 2
        )
        assert list(NewFailure.objects.order_by("failure_id").values_list("pk", flat=True)) == ids[2:]
        assert FailureGroup.objects.get().failures == 2
        assert (group_new_failures(batch=2), FailureGroup.objects.get().failures) == (3, 5)

    def test_of_the_age_of_minutes_that_are_added_up(self):
        now = transaction_time()
        old, young = now - timedelta(hours=25) - SECOND, now - timedelta(hours=25)
        for minute in (old, young):
            FailureMinute.objects.create(group_id=7, minute=minute, failures=3)
        assert coarsen_minutes() == 1
        minutes = dict(FailureMinute.objects.values_list("minute", "failures"))
        assert minutes[young] == 3
        assert old not in minutes
        assert sum(minutes.values()) == 6


@pytest.mark.django_db
class TestSelectors:
    def test_add_up_all_states_that_are_in_progress(self):
        group = make_group()
        states = ["PROCESSING", "WAITING", "WAITING", "POSTPONED"] + ["OK"] * 2
        for state in states:
            FailureMember.objects.create(msg_id=make_message(state=state).pk, group_id=group.pk, at=NOON)
        outcome = outcomes_of_groups([group.pk])[group.pk]
        assert outcome == GroupOutcome(in_progress=4, ok=2)

    def test_know_the_total_of_an_outcome(self):
        outcome = GroupOutcome(failed=1, ok=10, cancelled=100, in_progress=1_000, gone=10_000)
        assert outcome.total == 11_111

    @pytest.mark.parametrize(
        ("numbers", "is_repaired"),
        [
            ({}, False),
            ({"ok": 1}, True),
            ({"cancelled": 1}, True),
            ({"gone": 999}, True),
            ({"gone": 1_000}, False),
            ({"ok": 5, "failed": 1}, False),
            ({"ok": 5, "in_progress": 1}, False),
        ],
    )
    def test_know_whether_a_group_is_repaired(self, numbers, is_repaired):
        assert GroupOutcome(**numbers).is_repaired is is_repaired

    def test_show_an_object_without_a_type(self):
        group, message = make_group(), make_message(state="FAILED", entity_type=None, object_id="o-1")
        FailureMember.objects.create(msg_id=message.pk, group_id=group.pk, at=NOON)
        (found,) = affected_objects(group.pk)
        assert (found.entity_type, found.object_id) == ("", "o-1")


@pytest.mark.django_db(transaction=True)
def test_another_process_that_groups_is_not_waited_for():
    make_message(state="FAILED", failed_desc="timed out")
    FailureMinute.objects.create(group_id=7, minute=NOON - timedelta(days=99, minutes=7), failures=3)

    def group_and_coarsen() -> tuple[int, int]:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '2s'")
        return group_new_failures(), coarsen_minutes()

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended('hubconsole failure_group', 0))")
        try:
            assert in_threads(group_and_coarsen) == [(0, 0)]
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtextextended('hubconsole failure_group', 0))")
    assert NewFailure.objects.count() == 1
    assert in_threads(group_and_coarsen) == [(1, 1)]
