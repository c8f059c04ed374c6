"""Bodies of failure groups, compared as a whole."""

from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.messages.failures.api import (
    AffectedSerializer,
    GroupOutcomeSerializer,
    LastingGroupSerializer,
    WindowsSerializer,
)
from messages_app.messages.failures.listing import Windows
from messages_app.messages.failures.models import (
    ErrorCode,
    FailureGroup,
    FailureMember,
    FailureMinute,
    NewFailure,
)
from messages_app.messages.failures.selectors import AffectedObject, GroupOutcome
from messages_app.messages.metrics import failing
from tests.support.api_client import ApiClient, caller
from tests.support.distinct_rows import as_json, check_body, distinct_columns
from tests.support.factories import make_archived_message, make_message, next_id


@pytest.fixture
def operator() -> ApiClient:
    return caller("operator")


class TestRecords:
    def test_have_each_value_of_groups(self):
        columns = {"summary": "order … timed out", "failed_error_code": "E103", "state": "snoozed"}
        title = FailureGroup(summary="order … timed out").title
        assert title
        check_body(
            LastingGroupSerializer,
            FailureGroup,
            without={"fingerprint"},
            also={"title": title},
            **columns,
        )

    def test_have_each_value_of_windows(self):
        check_body(WindowsSerializer, Windows)

    def test_have_each_value_of_affected_objects(self):
        check_body(AffectedSerializer, AffectedObject)

    def test_have_each_value_of_outcomes(self):
        check_body(GroupOutcomeSerializer, GroupOutcome, also={"is_repaired": False})


def store_group(**columns: object) -> dict[str, object]:
    """Store a group whose columns all differ, and return it as the API shows it."""
    fixed = {"summary": "order … timed out", "failed_error_code": "E103", "state": "known"}
    columns = distinct_columns(FailureGroup, **fixed | {"snoozed_until": None} | columns)
    group = FailureGroup.objects.create(**columns)
    kept = {name: value for name, value in columns.items() if name != "fingerprint"}
    return as_json(kept) | {"title": group.title}


@pytest.mark.django_db
class TestGroups:
    def test_show_the_numbers_of_each_window_and_of_failing_messages(self, operator):
        group = store_group()
        now = database_clock()
        for minutes, failures in ((10, 1), (100, 10), (600, 100), (3 * 1440, 1_000), (8 * 1440, 10_000)):
            minute = (now - timedelta(minutes=minutes)).replace(second=0, microsecond=0)
            FailureMinute.objects.create(group_id=group["group_id"], minute=minute, failures=failures)
        for state in ["FAILED"] * 3 + ["OK"]:
            message = make_message(state=state, failed_error_code="E103")
            FailureMember.objects.create(msg_id=message.pk, group_id=group["group_id"], at=now)
        for _ in range(2):
            make_message(state="FAILED", failed_error_code="E104")
        NewFailure.objects.all().delete()
        code = ErrorCode.objects.get(pk="E103")
        assert code.description
        assert code.action
        assert operator.get("failure-groups/").json() == {
            "next": None,
            "previous": None,
            "results": [
                {
                    "group": group,
                    "windows": {"hour": 1, "hours_3": 11, "day": 111, "days_7": 1_111},
                    "failing_now": 3,
                    "is_quiet": False,
                    "known": {
                        "code": "E103",
                        "description": code.description,
                        "action": code.action,
                        "is_own": True,
                    },
                }
            ],
            "failing_now": 5,
            "ungrouped": 2,
            "quiet": 0,
            "as_of": None,
        }

    def test_show_no_number_of_messages_in_no_group_while_too_many_fail(self, operator, monkeypatch):
        for _ in range(2):
            make_message(state="FAILED", failed_error_code="E104")
        path, names = "failure-groups/", ("failing_now", "ungrouped", "as_of")
        body = operator.get(path).json()
        assert [body[name] for name in names] == [2, 2, None]
        monkeypatch.setattr(failing, "FENCE", 2)
        body = operator.get(path).json()
        assert [body[name] for name in names] == [2, 2, None]
        monkeypatch.setattr(failing, "FENCE", 1)
        body = operator.get(path).json()
        assert [body[name] for name in names] == [2, None, None]

    def test_show_the_current_states_of_their_newest_messages_and_their_objects(self, operator):
        group = store_group()
        states = ["FAILED"] * 2 + ["OK"] * 3 + ["CANCEL"] * 4 + ["PROCESSING"] * 5
        ids = [
            make_message(
                state=state,
                failed_error_code="E103",
                entity_type="order",
                object_id="a" if place < 6 else "b",
            ).pk
            for place, state in enumerate(states)
        ]
        ids += [make_archived_message(entity_type="order", object_id="c").pk]
        other = make_message(state="FAILED", failed_error_code="E103").pk
        for msg_id in ids:
            FailureMember.objects.create(msg_id=msg_id, group_id=group["group_id"], at=database_clock())
        FailureMember.objects.create(msg_id=other, group_id=next_id(), at=database_clock())
        body = operator.get(f"failure-groups/{group['group_id']}/").json()
        assert {name: body[name] for name in group} == group
        assert body["known"]["code"] == "E103"
        assert body["msg_ids"] == ids[:-6:-1]
        assert body["failing_now"] == 2
        assert body["outcome"] == {
            "failed": 2,
            "ok": 3,
            "cancelled": 4,
            "in_progress": 5,
            "gone": 1,
            "is_repaired": False,
        }
        assert body["affected"] == [
            {"entity_type": "order", "object_id": "a", "messages": 6, "failed": 2, "msg_id": ids[5]},
            {"entity_type": "order", "object_id": "b", "messages": 8, "failed": 0, "msg_id": ids[13]},
            {"entity_type": "order", "object_id": "c", "messages": 1, "failed": 0, "msg_id": ids[14]},
        ]

    def test_are_described_with_each_value_in_its_own_column(self, operator):
        group = store_group()
        path = f"failure-groups/{group['group_id']}/describe/"
        changes = {"owner": "grace", "ticket": "OPS-1", "note": "Ask the bank."}
        answer = operator.post(path, changes)
        assert answer.json() == group | changes
        stored = FailureGroup.objects.get()
        assert {name: getattr(stored, name) for name in changes} == changes
        entry = AuditEntry.objects.get(action="describe_group")
        assert (entry.actor, entry.outcome, entry.subject) == ("ada", "done", str(stored.pk))

    def test_are_marked_with_a_state_a_time_and_a_reason(self, operator):
        group = store_group()
        answer = operator.post(
            f"failure-groups/{group['group_id']}/mark/", {"state": "fixed", "reason": "new release"}
        )
        assert answer.status_code == 200, answer.content
        entry = AuditEntry.objects.get(action="mark_group")
        assert (entry.actor, entry.subject, entry.before_state, entry.after_state, entry.reason) == (
            "ada",
            str(group["group_id"]),
            "known",
            "fixed",
            "new release",
        )


@pytest.mark.django_db
class TestErrorCodes:
    def test_have_each_value_of_their_own_column(self, operator):
        ErrorCode.objects.all().delete()
        columns = {"code": "X1", "description": "No answer", "action": "Ask the bank.", "is_own": False}
        others = {"code": "A1", "description": "No order", "action": "Ask sales.", "is_own": True}
        for each in (columns, others):
            ErrorCode.objects.create(**each)
        assert operator.get("error-codes/").json()["results"] == [others, columns]
