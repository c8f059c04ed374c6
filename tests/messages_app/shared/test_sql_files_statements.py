"""Tests of the statements that executors share with the console, on every row of a table."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.core.statements import Statements
from messages_app.messages.failures.models import FailureGroup
from tests.support.factories import NOON, make_external_call, make_message, make_request

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.shared")


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
        del group["snoozed_until"]
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
