"""Groups of an earlier rule keep their states, owners and notes, and their messages find their causes."""

from datetime import timedelta

import pytest
from django.db import connection

from messages_app.audit.models import AuditEntry
from messages_app.messages.failures import regrouping
from messages_app.messages.failures.grouping import group_new_failures, rename_all_groups
from messages_app.messages.failures.models import (
    FailureGroup,
    FailureMember,
    FailureMinute,
    GroupState,
    NewFailure,
)
from messages_app.messages.failures.regrouping import UNCHECKED, statements
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db


def make_old_group(
    *texts: str, state: str = "FAILED", example: str | None = None, **columns: object
) -> FailureGroup:
    """Store a group of an earlier rule with a message for each text."""
    group = FailureGroup.objects.create(
        fingerprint=f"of the earlier rule {FailureGroup.objects.count()}",
        service_name="billing",
        operation_name="createInvoice",
        failed_error_code="E103",
        summary="E103: <text>",
        example=example if example is not None else texts[-1],
        failures=len(texts),
        first_seen=NOON,
        last_seen=NOON + timedelta(minutes=FailureGroup.objects.count()),
        regroup_below=UNCHECKED,
        **columns,
    )
    for text in texts:
        message = make_message(state=state, failed_desc=text, failed_error_code="E103")
        FailureMember.objects.create(msg_id=message.pk, group_id=group.pk, at=NOON)
    FailureMinute.objects.create(
        group_id=group.pk, minute=NOON.replace(hour=0, minute=0), failures=len(texts)
    )
    NewFailure.objects.all().delete()
    return group


def run_passes() -> None:
    while FailureGroup.objects.filter(regroup_below__isnull=False).exists():
        group_new_failures()


def counts() -> dict[str, tuple[int, int, int]]:
    """Return the failures, the counts over time and the messages of each group."""
    found = {}
    for group in FailureGroup.objects.all():
        minutes = FailureMinute.objects.filter(group_id=group.pk).values_list("failures", flat=True)
        members = FailureMember.objects.filter(group_id=group.pk).count()
        found[group.summary] = (group.failures, sum(minutes), members)
    return found


class TestRenameGroups:
    def test_new_failures_join_the_group_with_its_state_and_owner(self):
        old = make_old_group("answer 4711 is wrong", owner="Ada")
        FailureGroup.objects.update(state=GroupState.KNOWN)
        make_message(state="FAILED", failed_desc="answer 9 is wrong", failed_error_code="E103")
        group_new_failures()
        group = FailureGroup.objects.get()
        assert (group.pk, group.state, group.owner) == (old.pk, GroupState.KNOWN, "Ada")
        assert (group.summary, group.failures) == ("answer … is wrong", 2)

    def test_has_the_cause_of_its_newest_failed_message(self):
        make_old_group(
            "a.RouteException: failed\n\tat a.B.c(B.java:1)\nCaused by: b.SocketException: Connection reset",
            example="a.RouteException: failed",
        )
        run_passes()
        assert FailureGroup.objects.get().title == "Connection reset"

    def test_reads_its_newest_messages(self, monkeypatch):
        monkeypatch.setattr(regrouping, "_FENCE", 2)
        old = make_old_group("HTTP status 401", "HTTP status 404", "HTTP status 503", example="E103")
        rename_all_groups()
        assert FailureGroup.objects.get(pk=old.pk).title == "Service unavailable (HTTP 503)"

    def test_has_the_cause_of_its_example_if_no_message_is_failed(self):
        make_old_group("later text", state="OK", example="no customer Alpha here")
        run_passes()
        assert FailureGroup.objects.get().title == "No customer … here"

    def test_two_groups_of_one_cause_become_one_with_what_people_wrote_about_both(self):
        make_old_group("No customer Alpha in CRM", owner="Ada", note="ask sales")
        plain = make_old_group("No customer Beta in CRM")
        other = make_old_group("No customer Gamma in CRM", owner="Grace", ticket="T-1", note="known")
        run_passes()
        kept = FailureGroup.objects.get(summary="No customer … in CRM")
        assert kept.pk == other.pk  # of the two with a note, it failed last
        assert kept.owner == "Grace"
        assert kept.note.splitlines() == ["known", f"From group {other.pk - 2}; Ada; ask sales"]
        assert FailureMember.objects.filter(group_id=kept.pk).count() == 3
        assert FailureMember.objects.filter(group_id=plain.pk).count() == 0
        joined = AuditEntry.objects.filter(action="join_group").values_list("subject", flat=True)
        assert set(joined) == {str(other.pk - 2), str(plain.pk)}

    def test_happens_before_a_job_groups_earlier_failures(self):
        old = make_old_group("answer 4711 is wrong")
        rename_all_groups()
        assert FailureGroup.objects.get(pk=old.pk).summary == "answer … is wrong"


class TestRegroupMessages:
    def test_failed_messages_with_another_cause_get_their_own_groups(self):
        FailureGroup.objects.create(
            fingerprint="another", summary="another", owner="Bob", first_seen=NOON, last_seen=NOON
        )
        make_old_group("HTTP status 401", "HTTP status 401", "HTTP status 503", owner="Ada", note="wait")
        FailureGroup.objects.exclude(owner="Bob").update(state=GroupState.KNOWN)
        run_passes()
        assert counts() == {
            "another": (0, 0, 0),
            "Service unavailable (HTTP 503)": (1, 1, 1),
            "Unauthorized (HTTP 401)": (2, 2, 2),
        }
        split = FailureGroup.objects.get(summary="Unauthorized (HTTP 401)")
        assert (split.state, split.owner, split.note) == (GroupState.KNOWN, "Ada", "wait")
        assert split.example == "HTTP status 401"

    def test_split_groups_of_a_fixed_one_have_to_be_reviewed(self):
        make_old_group("HTTP status 401", "HTTP status 503", owner="Ada")
        FailureGroup.objects.update(state=GroupState.FIXED)
        run_passes()
        split = FailureGroup.objects.get(summary="Unauthorized (HTTP 401)")
        assert (split.state, split.owner) == (GroupState.NEW, "Ada")

    def test_messages_that_are_repaired_stay_where_they_are(self):
        make_old_group("HTTP status 401", "HTTP status 503", state="OK")
        run_passes()
        assert counts() == {"Service unavailable (HTTP 503)": (2, 2, 2)}

    def test_continues_where_it_stopped(self, monkeypatch):
        monkeypatch.setattr(regrouping, "MAX_MESSAGES", 2)
        make_old_group(*("HTTP status 401", "HTTP status 503") * 3)
        run_passes()
        assert counts() == {
            "Service unavailable (HTTP 503)": (3, 3, 3),
            "Unauthorized (HTTP 401)": (3, 3, 3),
        }

    def test_reads_members_and_messages_by_their_indexes(self):
        group = make_old_group("HTTP status 401")
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            for name in ("regroup_members", "old_groups"):
                values = {
                    "group_id": group.pk,
                    "below": UNCHECKED,
                    "most": 10,
                    "fence": 5,
                    "unchecked": UNCHECKED,
                }
                cursor.execute("EXPLAIN " + statements.read_text(name), values)
                plan = "\n".join(row for (row,) in cursor.fetchall())
                assert "Seq Scan" not in plan, plan
                assert "failure_member_group_idx" in plan, plan
