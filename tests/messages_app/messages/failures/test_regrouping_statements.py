"""Each condition of the statements that regroup has a row that only it leaves out."""

from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.messages.failures.models import FailureGroup, FailureMember, NewFailure
from messages_app.messages.failures.regrouping import UNCHECKED, rename_groups, statements
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db


def make_group(name: str, **columns: object) -> FailureGroup:
    defaults = {"service_name": "billing", "operation_name": "a", "summary": name, "example": name}
    times = {"first_seen": NOON, "last_seen": NOON}
    return FailureGroup.objects.create(fingerprint=name, **defaults | times | columns)


def member(group: FailureGroup, **columns: object) -> int:
    message = make_message(**{"state": "FAILED", "failed_desc": "timed out"} | columns)
    FailureMember.objects.create(msg_id=message.pk, group_id=group.pk, at=NOON)
    NewFailure.objects.all().delete()
    return message.pk


class TestMoveMembers:
    def test_skips_a_message_that_is_now_in_another_group(self):
        old, new, other = (make_group(name) for name in "abc")
        mine, moved_on = member(old), member(other)
        values = {"messages": [mine, moved_on], "groups": [new.pk, new.pk], "group_id": old.pk}
        assert statements.count("move_members", values) == 1
        assert dict(FailureMember.objects.values_list("msg_id", "group_id")) == {
            mine: new.pk,
            moved_on: other.pk,
        }


class TestRegroupMembers:
    def test_reads_messages_below_an_id_newest_first(self):
        group = make_group("a")
        ids = [
            member(group, failed_desc="first"),
            member(group, state="OK", failed_desc="second"),
            member(group, failed_desc=None),
            member(group, failed_desc="fourth"),
            member(group, failed_desc="fifth"),
        ]
        member(make_group("b"))
        values = {"group_id": group.pk, "below": ids[4], "most": 10}
        assert statements.fetch_rows("regroup_members", values) == [
            (ids[3], NOON, "fourth"),
            (ids[2], NOON, ""),
            (ids[1], NOON, None),
            (ids[0], NOON, "first"),
        ]
        assert [row[0] for row in statements.fetch_rows("regroup_members", values | {"most": 2})] == ids[
            3:1:-1
        ]


class TestRenameGroup:
    @pytest.mark.parametrize(
        ("below", "taken_by", "is_renamed"),
        [(UNCHECKED, "x", True), (UNCHECKED - 1, "x", False), (None, "x", False), (UNCHECKED, "new", False)],
    )
    def test_renames_a_group_whose_name_is_not_taken(self, below, taken_by, is_renamed):
        group = make_group("a", regroup_below=below)
        other = make_group(taken_by, regroup_below=UNCHECKED)
        values = {
            "group_id": group.pk,
            "fingerprint": "new",
            "summary": "new summary",
            "unchecked": UNCHECKED,
            "checking": 5,
        }
        assert statements.count("rename_group", values) == is_renamed
        group.refresh_from_db()
        renamed = ("new", "new summary", 5)
        assert (group.fingerprint, group.summary, group.regroup_below) == (
            renamed if is_renamed else ("a", "a", below)
        )
        other.refresh_from_db()
        assert (other.fingerprint, other.regroup_below) == (taken_by, UNCHECKED)


class TestOldGroups:
    def test_are_read_with_reviewed_ones_first(self):
        columns = [{"owner": "ada"}, {"ticket": "T-1"}, {"note": "n"}, {"state": "known"}, {}, {}]
        for place, chosen in enumerate(columns):
            last_seen = NOON + timedelta(minutes=place)
            make_group(f"g{place}", regroup_below=UNCHECKED, last_seen=last_seen, **chosen)
        make_group("checked", regroup_below=UNCHECKED - 1)
        make_group("present")
        values = {"unchecked": UNCHECKED, "fence": 5, "most": 10}
        rows = statements.fetch_rows("old_groups", values)
        assert [row[-1] for row in rows] == ["g3", "g2", "g1", "g0", "g5", "g4"]
        assert [row[-1] for row in statements.fetch_rows("old_groups", values | {"most": 1})] == ["g3"]

    def test_have_the_error_of_their_newest_failed_message_among_the_newest(self):
        group = make_group("example", regroup_below=UNCHECKED)
        for text in ("first", "second"):
            member(group, failed_desc=text)
        member(group, state="OK", failed_desc="third")
        values = {"unchecked": UNCHECKED, "most": 10}
        texts = [statements.fetch_rows("old_groups", values | {"fence": fence})[0][-1] for fence in (1, 2, 3)]
        assert texts == ["example", "second", "second"]

    def test_are_regrouped_by_id(self):
        groups = [make_group(name, regroup_below=9) for name in "ab"]
        FailureGroup.objects.filter(pk=groups[0].pk).update(summary="updated")
        ((group_id, *_),) = statements.fetch_rows("regroup_next", {})
        assert group_id == groups[0].pk


class TestJoinDescriptions:
    @pytest.mark.parametrize(
        ("kept", "old", "expected"),
        [
            (("", "", ""), ("", "", ""), ("", "", "")),
            (("", "", "own"), ("", "", ""), ("", "", "own")),
            (("", "", ""), ("ada", "", ""), ("ada", "", "From group {}; ada")),
            (("", "", ""), ("", "T-1", ""), ("", "T-1", "From group {}; T-1")),
            (("", "", ""), ("", "", "old"), ("", "", "From group {}; old")),
            (
                ("bob", "T-2", "own"),
                ("ada", "T-1", "old"),
                ("bob", "T-2", "own\nFrom group {}; ada; T-1; old"),
            ),
        ],
    )
    def test_keeps_what_people_wrote_about_both(self, kept, old, expected):
        names = ("owner", "ticket", "note")
        target = make_group("new", **dict(zip(names, kept, strict=True)))
        source = make_group("a", **dict(zip(names, old, strict=True)))
        make_group("b", owner="eve", ticket="T-9", note="other")
        values = {"group_id": source.pk, "fingerprint": "new"}
        assert statements.fetch_rows("join_descriptions", values) == [(target.pk,)]
        target.refresh_from_db()
        assert (target.owner, target.ticket, target.note) == tuple(
            text.format(source.pk) for text in expected
        )

    def test_records_which_group_was_joined(self):
        texts = {"failed_desc": "timed out"}
        groups = [make_group(name, regroup_below=UNCHECKED, state="known") for name in "ab"]
        for group in groups:
            member(group, **texts)
        rename_groups()
        found = AuditEntry.objects.values_list(
            "actor", "action", "outcome", "subject_kind", "subject", "details"
        )
        ((*facts, subject, details),) = found
        assert facts == ["system", "join_group", "done", "failure_group"]
        assert {int(subject), details["joined"]} == {group.pk for group in groups}


class TestInheritReview:
    @pytest.mark.parametrize(
        ("state", "inherited"), [("known", "known"), ("snoozed", "snoozed"), ("fixed", "new"), ("new", "new")]
    )
    def test_gives_the_review_of_a_group_to_those_that_were_split_off(self, state, inherited):
        until = NOON + timedelta(days=1)
        old = make_group("a", state=state, snoozed_until=until, owner="ada", ticket="T-1", note="n")
        split, other = make_group("b"), make_group("c")
        statements.count("inherit_review", {"group_id": old.pk, "groups": [split.pk]})
        split.refresh_from_db()
        other.refresh_from_db()
        assert (split.state, split.owner, split.ticket, split.note) == (inherited, "ada", "T-1", "n")
        assert split.snoozed_until == (until if state == "snoozed" else None)
        assert (other.state, other.owner) == ("new", "")
