"""Tests of the statements that executors share with the console, on every row of a table."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.models import ExternalCall, Message
from messages_app.shared.sql_files import with_restart_time
from tests.support.factories import NOON, make_external_call, make_message, make_request

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.shared")


class TestCancelMessages:
    def test_cancels_only_messages_in_the_state_that_was_seen_and_that_allows_it(self):
        cancelled = make_message(state="NEW", failed_count=3)
        moved_on = make_message(state="PARTLY_FAILED")
        not_allowed = make_message(state="PROCESSING")
        not_named = make_message(state="NEW")
        values = {
            "to_state": "CANCEL",
            "ids": [cancelled.pk, moved_on.pk, not_allowed.pk, 777_000],
            "states": ["NEW", "NEW", "PROCESSING", "NEW"],
            "allowed": ["NEW", "PARTLY_FAILED", "POSTPONED"],
        }
        ((msg_id, version),) = statements.fetch_rows("cancel_messages", values)
        assert (msg_id, version.isdigit()) == (cancelled.pk, True)
        assert dict(Message.objects.values_list("msg_id", "state")) == {
            cancelled.pk: "CANCEL",
            moved_on.pk: "PARTLY_FAILED",
            not_allowed.pk: "PROCESSING",
            not_named.pk: "NEW",
        }
        assert Message.objects.get(pk=cancelled.pk).failed_count == 3


class TestRestartMessages:
    def test_restarts_only_messages_in_the_state_that_was_seen_and_that_allows_it(self):
        restarted = make_message(state="FAILED", last_process_timestamp=NOON)
        moved_on = make_message(state="CANCEL")
        not_allowed = make_message(state="OK")
        not_named = make_message(state="FAILED")
        values = {
            "to_state": "PARTLY_FAILED",
            "ids": [restarted.pk, moved_on.pk, not_allowed.pk],
            "states": ["FAILED", "FAILED", "OK"],
            "allowed": ["FAILED", "CANCEL"],
        }
        with connection.cursor() as cursor:
            cursor.execute(with_restart_time(statements.read_text("restart_messages"), zone=None), values)
            ((msg_id, version),) = cursor.fetchall()
        assert (msg_id, version.isdigit()) == (restarted.pk, True)
        assert dict(Message.objects.values_list("msg_id", "state")) == {
            restarted.pk: "PARTLY_FAILED",
            moved_on.pk: "CANCEL",
            not_allowed.pk: "OK",
            not_named.pk: "FAILED",
        }
        stamped = Message.objects.get(pk=restarted.pk).last_process_timestamp
        assert timedelta(0) <= database_clock() - stamped < timedelta(minutes=1)


class TestDeleteExternalCalls:
    @pytest.mark.parametrize(("operation", "removed"), [("confirmation", [0]), (None, [0, 1])])
    def test_removes_calls_of_the_messages_and_of_the_operation(self, operation, removed):
        message, other = make_message(), make_message()
        calls = [
            make_external_call(message, operation_name="confirmation"),
            make_external_call(message, operation_name="direct:billing"),
            make_external_call(other, operation_name="confirmation"),
            make_external_call(other, operation_name="direct:billing"),
        ]
        values = {"msg_ids": [message.pk], "operation_name": operation}
        rows = [json.loads(text) for (text,) in statements.fetch_rows("delete_external_calls", values)]
        gone = {calls[number].pk for number in removed}
        assert {row["call_id"] for row in rows} == gone
        assert {row["entity_id"] for row in rows} == {calls[number].entity_id for number in removed}
        left = set(ExternalCall.objects.values_list("call_id", flat=True))
        assert left == {call.pk for call in calls} - gone


class TestCallsOfMessages:
    def test_are_the_first_ones_of_each_message_with_both_times(self):
        message, other = make_message(), make_message()
        make_external_call(make_message())
        later = NOON + timedelta(hours=2)
        calls = [
            make_external_call(message, operation_name=f"call-{number}", state=state, msg_timestamp=later)
            for number, state in enumerate(("OK", "FAILED", "PROCESSING"))
        ]
        make_external_call(other, operation_name="other", state="FAILED_END", msg_timestamp=later)
        rows = statements.fetch_rows("calls_of_messages", {"ids": [message.pk, other.pk], "most": 2})
        assert sorted(rows) == [
            (message.pk, message.msg_timestamp, message.pk, "call-0", "OK", later),
            (message.pk, message.msg_timestamp, message.pk, "call-1", "FAILED", later),
            (other.pk, other.msg_timestamp, other.pk, "other", "FAILED_END", later),
        ]
        assert len(calls) == 3


class TestTargetsOfMessages:
    def test_are_each_address_once_of_the_first_requests(self):
        message, other = make_message(), make_message()
        for uri in ("http://a/", "http://a/", "http://b/", "http://c/"):
            make_request(message, uri=uri)
        make_request(other, uri="http://a/")
        make_request(make_message(), uri="http://d/")
        rows = statements.fetch_rows("targets_of_messages", {"ids": [message.pk, other.pk], "most": 3})
        assert sorted(rows) == [
            ("http://a/", message.pk),
            ("http://a/", other.pk),
            ("http://b/", message.pk),
        ]


def at(minute: int) -> datetime:
    return datetime(2026, 11, 21, 10, minute, tzinfo=UTC)


class TestJoinGroups:
    def join(self, fingerprint: str, example: str, *, failures: int, first: datetime, last: datetime) -> int:
        """Add failures to the group of a fingerprint. Return its id."""
        values = {
            "fingerprints": [fingerprint],
            "services": ["billing"],
            "operations": ["createInvoice"],
            "codes": ["E103"],
            "summaries": [f"summary of {fingerprint}"],
            "examples": [example],
            "failures": [failures],
            "firsts": [first],
            "lasts": [last],
        }
        ((told, group_id),) = statements.fetch_rows("join_groups", values)
        assert told == fingerprint
        return group_id

    def figures_of(self, group_id: int) -> tuple[object, ...]:
        columns = ("failures", "example", "first_seen", "last_seen")
        return FailureGroup.objects.values_list(*columns).get(pk=group_id)

    def test_creates_a_group_with_each_column(self):
        group_id = self.join("one", "an example", failures=3, first=at(10), last=at(20))
        group = FailureGroup.objects.values().get()
        del group["snoozed_until"], group["regroup_below"]
        assert group == {
            "group_id": group_id,
            "fingerprint": "one",
            "service_name": "billing",
            "operation_name": "createInvoice",
            "failed_error_code": "E103",
            "summary": "summary of one",
            "example": "an example",
            "failures": 3,
            "first_seen": at(10),
            "last_seen": at(20),
            "state": "new",
            "state_at": at(10),
            "owner": "",
            "ticket": "",
            "note": "",
        }

    @pytest.mark.parametrize(
        ("first", "last", "expected"),
        [
            (30, 40, (8, "newer", at(10), at(40))),
            (15, 20, (8, "newer", at(10), at(20))),
            (5, 8, (8, "example", at(5), at(20))),
            (12, 18, (8, "example", at(10), at(20))),
            (5, 25, (8, "newer", at(5), at(25))),
        ],
    )
    def test_adds_failures_in_any_order_of_time(self, first, last, expected):
        other = self.join("other", "another", failures=7, first=at(10), last=at(20))
        group_id = self.join("one", "example", failures=3, first=at(10), last=at(20))
        FailureGroup.objects.filter(pk=group_id).update(state="resolved", owner="ada", ticket="T-1", note="n")
        assert self.join("one", "newer", failures=5, first=at(first), last=at(last)) == group_id
        assert self.figures_of(group_id) == expected
        assert self.figures_of(other) == (7, "another", at(10), at(20))
        group = FailureGroup.objects.get(pk=group_id)
        assert (group.state, group.owner, group.ticket, group.note) == ("resolved", "ada", "T-1", "n")
