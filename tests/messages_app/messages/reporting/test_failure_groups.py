from datetime import timedelta

import pytest

from messages_app.grouping.groups import SAMPLES
from messages_app.messages.models import Message
from messages_app.messages.reporting.failure_groups import FENCE, failure_groups
from messages_app.messages.reporting.time_ranges import TimeRange
from tests.factories import NOON, make_message, message_columns, store_messages

pytestmark = pytest.mark.django_db

RANGE = TimeRange(NOON, NOON + timedelta(hours=1))


def _failed(minutes: int = 0, **columns: object) -> Message:
    return make_message(
        **{
            "state": "FAILED",
            "receive_timestamp": NOON + timedelta(minutes=minutes),
            "failed_error_code": "E103",
            "failed_desc": "E103: order 1 refused\n\tat x",
        }
        | columns
    )


class TestFailureGroups:
    def test_puts_together_what_failed_alike(self):
        oldest = _failed(1)
        newest = _failed(2, failed_desc="E103: order 77 refused")
        found = failure_groups(RANGE)
        (group,) = found.groups
        assert group.key == ("billing", "E103")
        assert (group.summary, group.example) == ("E103: order <n> refused", "E103: order 77 refused")
        assert (group.count, group.ids) == (2, [newest.pk, oldest.pk])
        assert group.first_at == oldest.receive_timestamp
        assert group.last_at == newest.receive_timestamp
        assert not found.truncated

    @pytest.mark.parametrize(
        "columns",
        [
            {"service_name": "crm"},
            {"failed_error_code": "E104"},
            {"failed_desc": "E103: out of paper"},
            {"failed_error_code": None, "failed_desc": None},
        ],
    )
    def test_parts_what_failed_otherwise(self, columns):
        _failed(), _failed(), _failed(**columns)
        assert [group.count for group in failure_groups(RANGE).groups] == [2, 1]

    @pytest.mark.parametrize(
        "columns", [{"state": "PARTLY_FAILED"}, {"state": "OK"}, {"minutes": -1}, {"minutes": 61}]
    )
    def test_leaves_out_other_states_and_times(self, columns):
        _failed(**columns)
        assert failure_groups(RANGE).groups == []

    def test_gives_a_few_of_many_messages(self):
        made = [_failed(minute).pk for minute in range(SAMPLES + 2)]
        assert failure_groups(RANGE).groups[0].ids == made[::-1][:SAMPLES]

    def test_reads_the_newest_and_says_so(self):
        store_messages(
            message_columns(
                number,
                state="FAILED",
                failed_desc="first" if number == 1 else "other",
                receive_timestamp=NOON + timedelta(milliseconds=number),
            )
            for number in range(1, FENCE + 2)
        )
        found = failure_groups(RANGE)
        assert [(group.summary, group.count) for group in found.groups] == [("other", FENCE)]
        assert found.truncated
