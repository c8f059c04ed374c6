"""Each metric with a value of its own, and a row for each condition that no other excludes."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from messages_app.audit.seals import seal_entries
from messages_app.audit.services import Actor, record_entry
from messages_app.audit.stream.models import AuditStream
from messages_app.core.clock import database_clock
from messages_app.core.metric_families import Metric
from messages_app.dashboard.metrics import Family, read_families
from messages_app.jobs.models import Job
from messages_app.messages.alerts.models import Alert, AlertNotice, WatchRule
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.models import RollupPass
from messages_app.messages.metrics.passes import fold_changes
from messages_app.shared.job_states import JobState
from tests.messages_app.audit.tampering import behind_its_back
from tests.messages_app.jobs.stored_jobs import make_restart
from tests.support.factories import NOON, make_message

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


def samples_of(name: str) -> dict[str, float]:
    """Return the values of a metric by their label."""
    (family,) = (each for each in read_families() if each.metric.name == f"hubconsole_{name}")
    return {"".join(labels.values()): value for labels, value in family.samples}


def make_rule(name: str) -> WatchRule:
    return WatchRule.objects.create(name=name, measure="present", state="FAILED", limit=0)


class TestJobs:
    def test_are_counted_by_state_until_they_end(self):
        expected = {"planning": 1, "queued": 2, "running": 3, "stopping": 4, "paused": 5}
        for state in JobState:
            for _ in range(expected.get(state, 6)):
                make_restart(state=state)
        assert samples_of("jobs") == expected

    @pytest.mark.parametrize("state", ["planning", "queued", "running", "stopping"])
    def test_are_overdue_by_the_oldest_lease_of_a_running_job(self, state):
        leases = {make_restart(state=state).pk: minutes for minutes in (20, 5, -30)}
        for other in set(JobState) - {"planning", "queued", "running", "stopping"}:
            leases[make_restart(state=other).pk] = 60
        make_restart(state=state)
        for job_id, minutes in leases.items():
            Job.objects.filter(pk=job_id).update(lease_until=Now() - minutes * MINUTE)
        assert samples_of("job_lease_overdue_seconds")[""] == pytest.approx(1200, abs=60)

    def test_are_not_overdue_before_the_end_of_their_leases(self):
        job = make_restart(state="running")
        assert samples_of("job_lease_overdue_seconds") == {"": 0}
        Job.objects.filter(pk=job.pk).update(lease_until=Now() + MINUTE)
        assert samples_of("job_lease_overdue_seconds") == {"": 0}


class TestAlerts:
    def test_are_counted_while_they_are_open(self):
        for number in range(2):
            Alert.objects.create(rule=make_rule(f"open {number}"), value=1, worst=2)
        for number in range(3):
            Alert.objects.create(rule=make_rule(f"closed {number}"), value=1, worst=2, closed_at=NOON)
        assert samples_of("alerts_open") == {"": 2}

    def test_have_notices_that_are_due_until_they_are_sent_or_given_up(self):
        alert = Alert.objects.create(rule=make_rule("one"), value=1, worst=2)
        for number, columns in enumerate(
            [
                {},  # of now
                {"next_at": NOON, "attempts": 3, "error": "refused"},  # of a later attempt
                {"next_at": None, "sent_at": NOON},  # sent
                {"next_at": None, "attempts": 9, "error": "refused"},  # given up
                {"next_at": None, "attempts": 9},
            ]
        ):
            AlertNotice.objects.create(
                alert=alert, turn="opened", channel="mail", target=f"{number}@example.org", **columns
            )
        assert samples_of("alert_notices_due") == {"": 2}


class TestFailureGroups:
    def test_are_counted_by_state(self):
        states = {"new": 1, "known": 2, "snoozed": 3, "resolved": 4}
        for number, state in enumerate(Counter(states).elements()):
            FailureGroup.objects.create(
                fingerprint=str(number),
                state=state,
                first_seen=NOON,
                last_seen=NOON,
                summary="s",
                example="e",
            )
        assert samples_of("failure_groups") == states


class TestMessages:
    def test_are_counted_by_state_with_the_age_of_the_oldest(self):
        now = database_clock()
        for state, number, hours in (("FAILED", 3, 5), ("WAITING", 2, 7), ("OK", 4, 9)):
            for place in range(number):
                make_message(state=state, receive_timestamp=now - timedelta(hours=hours - place))
        fold_changes()
        assert samples_of("failing_messages") == {"": 3}
        assert samples_of("messages") == {"FAILED": 3, "WAITING": 2}
        ages = samples_of("oldest_message_age_seconds")
        # By the minute, and the test itself takes time.
        assert ages == {
            "FAILED": pytest.approx(5 * 3600 + 60, abs=120),
            "WAITING": pytest.approx(7 * 3600 + 60, abs=120),
        }

    def test_have_the_state_failed_before_the_first_count(self):
        assert samples_of("messages") == {"FAILED": 0}
        assert samples_of("oldest_message_age_seconds") == {"FAILED": 0}

    def test_are_failing_as_counted_at_this_moment(self):
        make_message(state="FAILED"), make_message(state="FAILED")
        fold_changes()
        make_message(state="FAILED")
        assert (samples_of("failing_messages"), samples_of("messages")) == ({"": 3}, {"FAILED": 3})


class TestRollup:
    def test_has_an_age_after_the_first_pass(self):
        assert samples_of("rollup_age_seconds") == {}
        RollupPass.objects.create(name="fold", done_at=Now() - 7 * MINUTE)
        RollupPass.objects.create(name="other", done_at=Now() - 3 * MINUTE)
        assert samples_of("rollup_age_seconds") == {"": pytest.approx(420, abs=30)}


class TestAudit:
    def test_has_the_number_of_unsealed_entries_and_the_age_of_the_oldest(self):
        for minutes in (2, 20, 5):
            entry = record_entry(actor=Actor(username="ada"), action="restart")
            behind_its_back(
                "UPDATE audit_entry SET at = now() - %s WHERE entry_id = %s", [minutes * MINUTE, entry.pk]
            )
        assert samples_of("audit_unsealed") == {"": 3}
        assert samples_of("audit_unsealed_age_seconds") == {"": pytest.approx(1200, abs=60)}


class TestStream:
    def test_has_waiting_seals_and_the_time_of_an_outage(self):
        assert samples_of("audit_stream_waiting_seals") == {}
        AuditStream.objects.create(stream_id=1, seal_id=0, failing_since=Now() - 7 * MINUTE)
        record_entry(actor=Actor(username="ada"), action="restart")
        seal_entries()
        assert samples_of("audit_stream_waiting_seals") == {"": 1}
        assert samples_of("audit_stream_failing_seconds") == {"": pytest.approx(420, abs=30)}
        AuditStream.objects.update(failing_since=None)
        assert samples_of("audit_stream_failing_seconds") == {"": 0}


class TestQueues:
    def test_have_no_length_with_another_broker(self, settings):
        settings.CELERY_BROKER_URL = "amqp://127.0.0.1:1//"
        assert samples_of("queue_length") == {}


class TestFamily:
    def test_writes_whole_numbers_without_a_point_and_others_with_all_digits(self):
        samples = [({}, 3.0), ({"state": 'a"b'}, 2.75), ({"state": "c", "kind": "d"}, 0)]
        assert list(Family(Metric(name="ages", meaning="Ages of things."), samples).write_lines()) == [
            "# HELP ages Ages of things.",
            "# TYPE ages gauge",
            "ages 3",
            'ages{state="a\\"b"} 2.75',
            'ages{state="c",kind="d"} 0',
        ]
