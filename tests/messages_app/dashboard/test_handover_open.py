"""Open problems of any age by incident, and things to watch, in a handover."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard.handover import read_handover
from messages_app.dashboard.handover_parts import WATCH, describe_shift
from messages_app.dashboard.handover_text import write_handover
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job, JobSchedule
from messages_app.messages.failures.models import FailureGroup, FailureMember
from messages_app.messages.failures.services import mark_group
from messages_app.messages.metrics.passes import fold_changes
from tests.messages_app.dashboard.test_handover import fail, make_incident
from tests.messages_app.incidents.small_outages import fail_messages, gather, start_counting
from tests.messages_app.messages.funnels.rows import in_funnel, stored
from tests.support.jobs import WHY

pytestmark = pytest.mark.django_db

SHIFT = timedelta(hours=8)


def part_of(key: str) -> list:
    """Return the lines of a part of the last eight hours."""
    shift = read_handover(database_clock() - SHIFT)
    return next(part.lines for part in describe_shift(shift) if part.key == key)


def titles(lines: list) -> list[str]:
    return [line.title for line in lines]


class TestOpened:
    def test_are_incidents_whose_failures_began_in_the_shift(self):
        now = database_clock()
        # The console saw the first one in the shift, and its failures began in the hub before it.
        make_incident("seen late", began_at=now - timedelta(hours=20), opened_at=now)
        make_incident("new", began_at=now - timedelta(hours=2), opened_at=now - timedelta(hours=1))
        ended = {"state": "closed", "closed_at": now, "closed_by": "ada", "affected": 7}
        make_incident("short", began_at=now - timedelta(hours=3), **ended)
        lines = part_of("opened")
        assert titles(lines) == ["new", "short"]
        assert lines[0].facts[1:] == ["0 failing", "no owner"]
        assert lines[1].facts[1].startswith("closed by ada ")
        assert lines[1].facts[2] == "7 messages"

    def test_are_not_incidents_that_only_ended_in_it(self):
        now = database_clock()
        make_incident("long", began_at=now - timedelta(days=2), state="closed", closed_at=now)
        assert titles(part_of("opened")) == []
        assert titles(part_of("repaired")) == ["long"]


class TestStillOpen:
    def test_shows_groups_under_their_incident_and_the_others_after_it(self):
        start_counting()
        fail_messages(20, "connection to https://pay.bank.example refused")
        gather()
        fail("other", 2)
        [incident, other] = part_of("still-open")
        assert incident.address == f"/incidents/{Incident.objects.get().pk}/"
        assert incident.facts[0] == "20 failing"
        [group] = incident.lines
        assert (group.address.startswith("/failures/"), group.facts[0]) == (True, "20 failing")
        assert (other.lines, other.facts[0]) == ((), "2 failing")
        lines = write_handover(read_handover(database_clock() - SHIFT)).splitlines()
        place = lines.index("Still open")
        assert lines[place + 1].startswith(f"- {incident.title}: 20 failing")
        assert lines[place + 2].startswith(f"  - {group.title}: 20 failing")
        assert lines[place + 3].startswith(f"- {other.title}: 2 failing")

    def test_includes_groups_whose_last_failure_is_older_than_the_shift(self):
        fail("outage", 3)
        FailureGroup.objects.update(last_seen=database_clock() - timedelta(days=3))
        [older] = part_of("still-open")
        assert (older.title, older.is_folded) == ("1 older group of failures", True)
        assert older.lines[0].facts[0] == "3 failing"
        assert "\n  - billing: Outage: 3 failing" in write_handover(read_handover(database_clock()))

    def test_counts_failing_messages_in_no_group(self):
        fail("outage")
        FailureGroup.objects.all().delete()
        FailureMember.objects.all().delete()
        [line] = part_of("still-open")
        assert (line.title, line.address) == ("1 failing message in no group", "/messages/?state=FAILED")


class TestWatch:
    def test_names_incidents_that_grow_or_that_no_one_owns(self):
        start_counting()
        fail_messages(20, "connection to https://pay.bank.example refused")
        gather()
        [line] = part_of(WATCH)
        assert line.facts == ["20 in the last hour, rising", "no owner"]
        Incident.objects.update(owner="gina")
        [line] = part_of(WATCH)
        assert line.facts == ["20 in the last hour, rising"]
        make_incident("unowned", failures=2)
        make_incident("gina's", failures=2, owner="gina")
        assert len(part_of(WATCH)) == 1

    def test_names_new_groups_without_an_owner_in_no_incident(self):
        fail("outage", 2)
        [line] = part_of(WATCH)
        assert line.facts == ["no owner"]
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        assert part_of(WATCH) == []

    def test_names_jobs_that_run_and_that_failed(self):
        made = {"kind": "restart", "created_by": "ada", "reason": "billing is back"}
        running = Job.objects.create(state="running", **made)
        failed = Job.objects.create(state="failed", error="no room", finished_at=database_clock(), **made)
        lines = part_of(WATCH)
        assert titles(lines) == [f"Restart {failed.pk} by ada", f"Restart {running.pk} by ada"]
        assert (lines[0].facts, lines[1].facts) == (["failed", "no room"], ["running"])

    def test_names_funnels_beyond_their_time(self):
        in_funnel("POSTPONED", value="C-1")
        fold_changes()
        lane = part_of(WATCH)[0]
        assert (lane.title, lane.address) == ("Funnel C-1", "/funnels/?value=C-1&component=f")
        assert lane.facts == ["1 message waits since 2026-11-02 11:59"]

    def test_names_the_values_of_a_message_that_blocks_itself_in_one_line(self):
        stored("POSTPONED", age=60, values=("C-1", "IBAN-1"), funnel_component_id="f")
        fold_changes()
        lanes = [line for line in part_of(WATCH) if "unnel" in line.title]
        assert titles(lanes) == ["Funnel C-1, IBAN-1"]
        assert lanes[0].facts == ["1 message waits since 2026-11-02 11:59"]

    def test_counts_the_funnels_that_it_does_not_name(self):
        for number in range(7):
            in_funnel("POSTPONED", value=f"C-{number}", age=60 + number)
        fold_changes()
        lanes = [line for line in part_of(WATCH) if "unnel" in line.title]
        assert titles(lanes)[0] == "Funnel C-6"
        assert titles(lanes)[5:] == ["2 more funnel values beyond their time"]

    def test_names_schedules_whose_last_run_failed(self):
        made = {"kind": "archive", "cron": "30 2 * * *", "zone": "UTC", "created_by": "ada", "reason": "r"}
        job = Job.objects.create(
            kind="archive", state="failed", error="no room", created_by="ada", reason="r"
        )
        at = "2026-11-20T02:30:00+00:00"
        refused = [{"at": at, "outcome": "refused", "job": None}]
        JobSchedule.objects.create(recent_runs=refused, last_outcome="Refused: no permission.", **made)
        run = [{"at": "2026-11-21T02:30:00+00:00", "outcome": "created", "job": job.pk}]
        JobSchedule.objects.create(recent_runs=run, **made)
        JobSchedule.objects.create(recent_runs=refused, enabled=False, **made)
        JobSchedule.objects.create(recent_runs=[{**run[0], "job": job.pk + 1}, *refused], **made)
        lines = part_of(WATCH)
        assert [line.facts for line in lines] == [
            ["Every day at 02:30", "run 2026-11-21 02:30", f"job {job.pk} failed: no room"],
            ["Every day at 02:30", "run 2026-11-20 02:30", "Refused: no permission."],
        ]

    def test_is_empty_for_a_quiet_hub(self):
        shift = read_handover(database_clock() - SHIFT)
        assert "Nothing to watch".lower() in write_handover(shift).splitlines()[1]
        assert part_of(WATCH) == []
