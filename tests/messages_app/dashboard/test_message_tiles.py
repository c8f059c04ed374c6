"""Whole contents of the tiles of messages, from rows whose numbers all differ."""

from datetime import datetime, timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard import console_tiles, message_tiles
from messages_app.dashboard.snapshot import Snapshot
from messages_app.jobs.models import Job
from messages_app.messages.alerts.models import Alert
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup, FailureMinute
from messages_app.messages.metrics.models import MessageGauge, MessageTook
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_external_call, make_funnel, make_message, make_request, make_response

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return database_clock().replace(microsecond=0)


def snapshot(window: str = "24h") -> Snapshot:
    fold_changes()
    return Snapshot(now=database_clock(), window=window)


def fail(count: int, at: datetime, **columns: object) -> list[Message]:
    return [make_message(state="FAILED", receive_timestamp=at, **columns) for _ in range(count)]


def minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


def gauge(now: datetime, long: dict[str, int]) -> None:
    """Store how many messages were in each state an hour ago: `long` of them for long, and one more."""
    at = minute(now - timedelta(minutes=61))
    MessageGauge.objects.create(minute=at, state="", messages=0, long=0, since=None)
    for state, number in long.items():
        since = at - timedelta(minutes=80 + 10 * number)
        MessageGauge.objects.create(minute=at, state=state, messages=number + 1, long=number, since=since)


class TestFailing:
    def test_has_all_its_numbers(self, now):
        fail(3, now - timedelta(minutes=5))
        fail(2, now - timedelta(minutes=65))
        fail(1, now - timedelta(hours=5))
        for _ in range(4):
            make_message(state="PARTLY_FAILED", receive_timestamp=now - timedelta(minutes=5))
        at = now - timedelta(minutes=61)
        for state, messages in (("", 0), ("FAILED", 9), ("OK", 8)):
            MessageGauge.objects.create(minute=at, state=state, messages=messages, long=7, since=at)
        assert message_tiles.read_failing(snapshot()) == {
            "failing_now": 6,
            "as_of": None,
            "hour_ago": 9,
            "last_hour": 3,
            "hour_before": 2,
            "retrying": 4,
        }

    def test_has_zeros_without_messages(self, now):
        gauge(now, {"OK": 80})
        assert message_tiles.read_failing(snapshot()) == {
            "failing_now": 0,
            "as_of": None,
            "hour_ago": 0,
            "last_hour": 0,
            "hour_before": 0,
            "retrying": 0,
        }


class TestWaiting:
    def test_counts_what_makes_no_progress_by_state(self, now):
        long, short = now - timedelta(minutes=20), now - timedelta(minutes=2)
        for state, count in (("PROCESSING", 2), ("WAITING", 3)):
            for _ in range(count):
                make_message(state=state, receive_timestamp=long, last_process_timestamp=long)
        make_message(state="WAITING_FOR_RES", receive_timestamp=short, last_process_timestamp=short)
        fail(1, long, last_process_timestamp=long)
        found = message_tiles.read_waiting(snapshot())
        assert found == {
            "count": 5,
            "by_state": {"PROCESSING": 2, "WAITING": 3},
            "hour_ago": None,
            "longer_than_seconds": 900.0,
        }

    def test_counts_what_made_no_progress_an_hour_ago(self, now):
        gauge(
            now, {"PROCESSING": 3, "WAITING": 4, "POSTPONED": 50, "PARTLY_FAILED": 60, "FAILED": 70, "OK": 80}
        )
        assert message_tiles.read_waiting(snapshot())["hour_ago"] == 7


class TestOldest:
    def test_has_the_age_of_the_oldest_an_hour_ago(self, now):
        assert message_tiles.read_oldest(snapshot())["seconds_hour_ago"] is None
        gauge(now, {"PROCESSING": 3, "WAITING": 4, "OK": 80})
        since = minute(now - timedelta(minutes=61)) - timedelta(minutes=120)
        seconds = message_tiles.read_oldest(snapshot())["seconds_hour_ago"]
        assert seconds == pytest.approx((now - timedelta(hours=1) - since).total_seconds(), abs=10)

    def test_has_no_age_if_none_was_in_progress_an_hour_ago(self, now):
        gauge(now, {"OK": 80, "FAILED": 90})
        assert message_tiles.read_oldest(snapshot())["seconds_hour_ago"] is None

    def test_names_the_state_and_the_times_of_the_oldest(self, now):
        since = minute(now - timedelta(minutes=31))
        make_message(state="POSTPONED", receive_timestamp=since)
        make_message(state="NEW", receive_timestamp=now - timedelta(minutes=3))
        found = message_tiles.read_oldest(snapshot())
        assert (found["state"], found["since"], found["seconds_hour_ago"]) == ("POSTPONED", since, None)
        assert 31 * 60 <= found["seconds"] < 33 * 60

    def test_has_nothing_without_a_message_in_progress(self):
        nothing = {"state": None, "since": None, "seconds": None, "seconds_hour_ago": None}
        assert message_tiles.read_oldest(snapshot()) == nothing


class TestThroughput:
    def test_counts_the_last_hour_and_the_one_before(self, now):
        for count, minutes in ((6, 5), (3, 65)):
            for _ in range(count):
                make_message(state="OK", receive_timestamp=now - timedelta(minutes=minutes))
        assert message_tiles.read_throughput(snapshot()) == {"per_minute": 0.1, "per_minute_before": 0.05}


class TestFlow:
    def test_has_slices_and_the_jobs_that_started(self, now):
        at = now - timedelta(minutes=5)
        fail(2, at)
        make_message(state="OK", receive_timestamp=at)
        begin, end = now - timedelta(minutes=4), now - timedelta(minutes=3)
        ran = {"created_by": "ana", "reason": "x"}
        job = Job.objects.create(kind="restart", state="done", started_at=begin, finished_at=end, **ran)
        Job.objects.create(kind="cancel", dry_run=True, started_at=begin, **ran)
        Job.objects.create(kind="cancel", started_at=now - timedelta(hours=2), **ran)
        Job.objects.create(kind="cancel", **ran)
        shot = snapshot("1h")
        assert message_tiles.read_flow(shot) == {
            "start": shot.start,
            "end": shot.now,
            "slice_seconds": 60.0,
            "slices": [
                {"at": minute(at), "state": "FAILED", "count": 2},
                {"at": minute(at), "state": "OK", "count": 1},
            ],
            "week_before": [],
            "jobs": [
                {
                    "job_id": job.pk,
                    "kind": "restart",
                    "state": "done",
                    "started_at": begin,
                    "finished_at": end,
                }
            ],
        }
        assert shot.start < at < shot.now

    def test_shares_the_counts_of_an_hour_a_week_before_among_its_slices(self, now):
        fail(2, now - timedelta(days=7))
        shot = snapshot("24h")
        slices = message_tiles.read_flow(shot)["week_before"]
        hour = minute(shot.now).replace(minute=0)
        assert {one["count"] for one in slices if one["at"] >= hour} == {0.5}
        assert {one["count"] for one in slices if one["at"] < hour} == {0}
        assert len(slices) == 97
        assert slices[0]["at"] == shot.start

    def test_compares_a_whole_week_with_nothing(self, now):
        fail(2, now - timedelta(days=7))
        snapshot("7d")
        assert message_tiles.read_flow(snapshot("7d"))["week_before"] == []


class TestServices:
    def test_have_all_their_numbers(self, now):
        at = now - timedelta(minutes=5)
        fail(1, at, service_name="crm", last_process_timestamp=at)
        for _ in range(3):
            make_message(
                state="OK",
                service_name="crm",
                receive_timestamp=at - timedelta(seconds=64),
                last_process_timestamp=at,
            )
        fail(2, at, service_name="erp", last_process_timestamp=at)
        shot = snapshot()
        MessageTook.objects.all().delete()
        for step, messages in ((8, 90), (20, 10)):
            minute_of_took = minute(now).replace(minute=0)
            MessageTook.objects.create(
                minute=minute_of_took, service_name="crm", step=step, messages=messages
            )
        erp, crm = message_tiles.read_services(shot)["services"]
        assert (erp["service_name"], erp["through"], erp["failed"], erp["failure_rate"]) == ("erp", 0, 2, 1.0)
        seconds = crm.pop("p95_seconds")
        assert crm == {"service_name": "crm", "through": 3, "failed": 1, "failure_rate": 0.25}
        # The middle of the step from 32 s to 38 s.
        assert round(seconds, 1) == 34.9


class TestGroups:
    def test_have_all_their_numbers(self, now):
        fail(9, now - timedelta(minutes=5), failed_error_code="E103", failed_desc="E103: timed out")
        fail(1, now - timedelta(minutes=5), failed_error_code="E104", failed_desc="E104: refused")
        fold_changes(), group_new_failures()
        group = FailureGroup.objects.get(failed_error_code="E103")
        FailureMinute.objects.all().delete()
        for failures, hours in ((2, 0), (3, 2), (4, 12), (5, 100)):
            at = minute(now - timedelta(hours=hours, minutes=5))
            FailureMinute.objects.create(group_id=group.pk, minute=at, failures=failures)
        Message.objects.filter(failed_error_code="E104").update(state="OK")
        found = message_tiles.read_groups(snapshot())
        (line,) = (each for each in found.pop("groups") if each["group_id"] == group.pk)
        assert found == {"is_exact": True, "ungrouped": 0}
        assert line == {
            "group_id": group.pk,
            "service_name": "billing",
            "failed_error_code": "E103",
            "title": "Timed out",
            "state": "new",
            "last_seen": group.last_seen,
            "failing_now": 9,
            "is_settled": False,
            "hour": 2,
            "hours_3": 5,
            "day": 9,
            "days_7": 14,
        }

    def test_count_failing_messages_that_are_in_none(self, now):
        fail(3, now - timedelta(minutes=5))
        assert message_tiles.read_groups(snapshot())["ungrouped"] == 3


class TestAlerts:
    def test_have_all_their_values(self, now):
        make_rule(name="other")
        rule = make_rule(name="Too many")
        opened = now - timedelta(minutes=7)
        alert = Alert.objects.create(rule=rule, opened_at=opened, value=23.5, worst=24.5)
        (found,) = message_tiles.read_alerts(snapshot())["alerts"]
        assert found.pop("holds_since") <= opened
        assert found == {
            "alert_id": alert.pk,
            "rule_id": rule.pk,
            "rule": "Too many",
            "measure": "present",
            "notifies": False,
            "opened_at": opened,
            "value": 23.5,
        }
        assert alert.pk != rule.pk


class TestFunnels:
    def test_have_all_their_values(self, now):
        since = now - timedelta(hours=1)
        held = {"funnel_component_id": "route-a", "receive_timestamp": since}
        holder = make_message(state="PROCESSING", start_process_timestamp=now - timedelta(minutes=1), **held)
        waiters = [make_message(state="POSTPONED", **held) for _ in range(2)]
        for message in (holder, *waiters):
            make_funnel(message, funnel_value="account-7")
        found = message_tiles.read_funnels(snapshot())
        (lane,) = found.pop("lanes")
        assert found == {"found": 1, "waiting": 2, "is_exact": True}
        assert lane.pop("since") == since
        assert lane == {
            "value": "account-7",
            "component_id": "route-a",
            "waiting": 2,
            "holders": [holder.pk],
        }

    def test_are_only_those_with_messages_that_wait(self, now):
        for value, waits in (("account-7", True), ("account-8", False), ("account-9", True)):
            held = {"funnel_component_id": "route-a", "receive_timestamp": now - timedelta(hours=1)}
            holder = make_message(state="PROCESSING", start_process_timestamp=now, **held)
            members = [holder, *([make_message(state="POSTPONED", **held)] if waits else [])]
            for message in members:
                make_funnel(message, funnel_value=value)
        found = message_tiles.read_funnels(snapshot())
        assert sorted(lane["value"] for lane in found["lanes"]) == ["account-7", "account-9"]
        assert found["found"] == 2


class TestSystems:
    def test_have_all_their_numbers(self, now):
        message = make_message(state="PROCESSING", receive_timestamp=now - timedelta(minutes=9))
        for state, count in (("PROCESSING", 3), ("FAILED", 2)):
            for _ in range(count):
                make_external_call(message, operation_name="http://crm.example/ws", state=state)
        for failed in (True, False, False, False, False, False):
            sent = now - timedelta(minutes=8)
            request = make_request(message, uri="http://crm.example/ws", req_timestamp=sent)
            make_response(request, failed=failed, res_timestamp=sent + timedelta(seconds=7))
        assert message_tiles.read_systems(snapshot()) == {
            "looked_at": 2_000,
            "most_counted": 1_999,
            "systems": [
                {
                    "name": "crm.example",
                    "calls": {"FAILED": 2, "PROCESSING": 3},
                    "responses": 6,
                    "failed": 1,
                    "p95_seconds": 7.0,
                    "health": "partly failing",
                }
            ],
        }


class TestArchive:
    def test_sums_up_its_tables(self):
        ran = {"created_by": "ana", "reason": "x"}
        ended = database_clock()
        job = Job.objects.create(kind="archive", state="done", finished_at=ended, **ran)
        Job.objects.create(kind="restart", state="done", finished_at=ended, **ran)
        Job.objects.create(kind="archive", state="done", dry_run=True, finished_at=ended, **ran)
        Job.objects.create(kind="archive", state="running", **ran)
        found = console_tiles.read_archive(snapshot())
        assert found["last"] == {"job_id": job.pk, "state": "done", "finished_at": ended}
        names = [table["table"] for table in found["tables"]]
        assert names[:2] == ["archive_message", "archive_external_call"]
        assert found["rows"] == sum(table["rows"] or 0 for table in found["tables"])
        assert found["bytes"] == sum(table["stored_bytes"] for table in found["tables"])
        assert found["bytes"] > found["rows"]
        assert all(
            table["rows"] is None or table["rows"] < table["stored_bytes"] for table in found["tables"]
        )
        assert found["next_at"] is None
