from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.messages.metrics import counts as metrics_counts
from messages_app.messages.metrics.counts import (
    ServiceEnds,
    ends_by_service,
    entered_over_time,
    now_by_state,
    read_freshness,
    then_by_state,
)
from messages_app.messages.metrics.models import MessageRollup, MessageTook
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db


class TestNowByState:
    def test_returns_the_number_of_messages_and_the_oldest_change(self):
        make_message(state="FAILED", last_process_timestamp=NOON)
        make_message(state="FAILED", last_process_timestamp=NOON + timedelta(hours=2))
        make_message(state="OK")
        fold_changes()
        found = now_by_state(before=NOON + timedelta(hours=1))
        assert set(found) == {"FAILED"}
        failed = found["FAILED"]
        assert (failed.count, failed.long, failed.since) == (2, 1, NOON)

    def test_leaves_out_a_state_without_messages(self):
        make_message(state="FAILED")
        Message.objects.update(state="OK")
        fold_changes()
        assert now_by_state(before=NOON) == {}


class TestThenByState:
    def test_returns_the_gauges_that_the_pass_recorded_once_a_minute(self):
        make_message(state="FAILED")
        fold_changes()
        make_message(state="FAILED")
        fold_changes()
        soon = database_clock() + timedelta(minutes=2)
        assert then_by_state(soon)["FAILED"].count in {1, 2}  # the minute may have ended between
        assert then_by_state(soon + timedelta(hours=1)) is None

    def test_returns_no_states_if_there_were_no_messages(self):
        fold_changes()
        assert then_by_state(database_clock()) == {}


class TestEnteredOverTime:
    def test_counts_entries_by_slice(self):
        row = {"service_name": "s", "operation_name": "o", "source_system": "s", "failed_error_code": ""}
        MessageRollup.objects.create(minute=NOON, state="CANCEL", present=3, entered=0, **row)
        for minutes in (-1, 0, 1, 5, 60):
            make_message(state="OK", receive_timestamp=NOON + timedelta(minutes=minutes))
        fold_changes()
        found = entered_over_time(start=NOON, end=NOON + timedelta(hours=1), width=timedelta(minutes=5))
        assert [(one.at, one.state, one.count) for one in found] == [
            (NOON, "OK", 2),
            (NOON + timedelta(minutes=5), "OK", 1),
        ]

    @pytest.mark.parametrize("width", [timedelta(seconds=1), timedelta(minutes=1)])
    def test_rejects_more_slices_than_a_chart_has(self, width):
        with pytest.raises(ValueError, match="slices"):
            entered_over_time(start=NOON, end=NOON + timedelta(days=1), width=width)


class TestEndsByService:
    def test_returns_the_share_of_failures(self):
        for state in ("OK", "OK", "OK", "FAILED", "NEW"):
            make_message(state=state, service_name="orders", receive_timestamp=NOON)
        make_message(state="OK", receive_timestamp=NOON - timedelta(minutes=1))
        fold_changes()
        (found,) = ends_by_service(since=NOON)
        assert found == ServiceEnds(service_name="orders", through=3, failed=1, p95_seconds=None)
        assert found.failure_rate == 0.25

    def test_sorts_services_by_failures_then_by_successes_then_by_name(self, monkeypatch):
        monkeypatch.setattr(metrics_counts, "MAX_SERVICES", 5)
        ended = {"a": (9, 1), "b": (2, 3), "c": (7, 1), "d": (0, 2), "e": (7, 1), "z": (1, 1)}
        for name, (through, failed) in ended.items():
            for state, times in (("OK", through), ("FAILED", failed)):
                for _ in range(times):
                    make_message(state=state, service_name=name, receive_timestamp=NOON)
        fold_changes()
        ends = [(one.service_name, one.through, one.failed) for one in ends_by_service(since=NOON)]
        assert ends == [("b", 2, 3), ("d", 0, 2), ("a", 9, 1), ("c", 7, 1), ("e", 7, 1)]

    def test_leaves_out_services_whose_messages_ended_earlier_or_not_at_all(self):
        make_message(state="OK", service_name="earlier", receive_timestamp=NOON - timedelta(minutes=1))
        make_message(state="NEW", service_name="begun", receive_timestamp=NOON)
        make_message(state="PARTLY_FAILED", service_name="partly", receive_timestamp=NOON)
        row = {
            "minute": NOON,
            "state": "OK",
            "operation_name": "o",
            "source_system": "s",
            "failed_error_code": "",
        }
        MessageRollup.objects.create(service_name="restored", present=3, entered=0, **row)
        fold_changes()
        assert ends_by_service(since=NOON) == []

    def test_returns_the_95th_percentile_of_the_times(self):
        now = database_clock()
        make_message(state="OK", service_name="orders", receive_timestamp=now)
        for step, messages in ((0, 90), (8, 6), (40, 4)):
            MessageTook.objects.create(minute=now, service_name="orders", step=step, messages=messages)
        fold_changes()
        (found,) = ends_by_service(since=now - timedelta(minutes=1))
        assert found.p95_seconds == pytest.approx(4.36, abs=0.01)


class TestFreshness:
    def test_is_missing_before_the_first_pass(self):
        assert read_freshness() == (None, None)

    def test_returns_the_last_pass(self):
        fold_changes()
        at, seconds = read_freshness()
        assert at <= database_clock()
        assert 0 <= seconds < 60
