from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.dashboard.handover import read_handover
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job, JobChunk
from messages_app.messages.alerts.checks import check_rules
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.failures.services import mark_group
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from messages_app.messages.services import restart_message
from tests.messages_app.incidents.small_outages import fail_messages, gather, start_counting
from tests.messages_app.messages.alerts.rules import make_rule
from tests.support.factories import make_message
from tests.support.jobs import WHY
from tests.support.ledgers import store_ledger

pytestmark = pytest.mark.django_db


def fail(summary: str, count: int = 1, *, hours_ago: int = 0) -> list[int]:
    """Store messages that failed with the same error, and their group."""
    at = database_clock() - timedelta(hours=hours_ago)
    ids = [make_message(state="FAILED", failed_desc=summary, receive_timestamp=at).pk for _ in range(count)]
    fold_changes(), group_new_failures()
    return ids


def restart(ids: list[int], *, became: str, hours_ago: int = 0, **columns: object) -> Job:
    """Store a restart job with its messages, and their later states in the hub."""
    ended = database_clock() - timedelta(hours=hours_ago)
    made = {"created_by": "ana", "reason": "the target is back", "finished_at": ended}
    job = Job.objects.create(kind="restart", state="done", attempt=1, **made | columns)
    store_ledger(job, dict.fromkeys(ids, "done"), new_state="PARTLY_FAILED")
    JobChunk.objects.filter(job_id=job.pk).update(attempt=1)
    Message.objects.filter(pk__in=ids).update(state=became)
    fold_changes()
    return job


class TestRepairs:
    def test_are_reported_with_their_job_its_maker_its_reason_and_the_outcome_of_the_messages(self):
        ids = fail("outage", 3)
        job = restart(ids, became="OK")
        found = read_handover(database_clock() - timedelta(hours=8))
        [repair] = found.repairs
        assert (repair.job.pk, repair.job.created_by, repair.job.reason) == (
            job.pk,
            "ana",
            "the target is back",
        )
        assert (repair.progress.done, repair.status.ok, repair.status.failed) == (3, 3, 0)
        [group] = found.repaired
        assert (group.group.summary, group.outcome.ok, [one.pk for one in group.jobs]) == (
            "outage",
            3,
            [job.pk],
        )
        assert found.open_groups == []

    def test_keep_failures_open_that_failed_again(self):
        ids = fail("outage", 3)
        restart(ids[:2], became="OK")
        found = read_handover(database_clock() - timedelta(hours=8))
        assert found.repaired == []
        [group] = found.open_groups
        assert (group.outcome.failed, group.outcome.ok) == (1, 2)

    def test_are_not_claimed_by_a_job_that_ran_before_the_failure_or_skipped_it(self):
        ids = fail("outage", 2)
        before = database_clock() - timedelta(hours=1)
        restart(ids, became="OK", watermark=before)
        skipping = Job.objects.create(kind="restart", state="done", created_by="ana", reason="x")
        store_ledger(skipping, dict.fromkeys(ids, "skipped:state_conflict"))
        [group] = read_handover(before).repaired
        assert group.jobs == []

    def test_are_those_of_the_shift_for_failures_of_any_age(self):
        old, new = fail("old", hours_ago=9), fail("older", hours_ago=10)
        group_id = FailureGroup.objects.get(summary="old").pk
        job = restart(old, became="OK", filter={"state": "FAILED", "failure_group": str(group_id)})
        restart(new, became="OK", hours_ago=9)
        found = read_handover(database_clock() - timedelta(hours=8))
        assert [one.job.pk for one in found.repairs] == [job.pk]
        assert [one.group.summary for one in found.repaired] == ["old"]

    def test_report_restarts_without_a_job_by_person(self):
        ids = fail("outage", 2)
        for msg_id in ids:
            restart_message(msg_id=msg_id, **WHY)
        [act] = read_handover(database_clock() - timedelta(hours=8)).by_hand.acts
        assert (act.actor, act.action, act.messages) == (WHY["actor"].username, "restart", 2)
        assert read_handover(database_clock()).by_hand.acts == []


def make_incident(title: str, **columns: object) -> Incident:
    """Store an incident that began a day ago."""
    began = database_clock() - timedelta(days=1)
    return Incident.objects.create(**{"title": title, "began_at": began, "last_failure_at": began} | columns)


class TestIncidents:
    def test_that_are_open_are_reported_whenever_they_began_with_their_failing_rows(self):
        start_counting()
        fail_messages(20, "connection to https://pay.bank.example refused")
        gather()
        quiet = make_incident("an older one")
        [failing, older] = read_handover(database_clock()).open_incidents
        assert (failing.line.incident.external_system, failing.line.failing_now) == ("pay.bank.example", 20)
        assert (older.line.incident.pk, older.line.failing_now) == (quiet.pk, 0)

    def test_that_ended_in_the_shift_are_reported_latest_first(self):
        now = database_clock()
        for title, hours in (("first", 2), ("last", 1), ("before", 9)):
            make_incident(title, state="closed", closed_at=now - timedelta(hours=hours))
        make_incident("merged", state="closed", closed_at=now, merged_into=1)
        make_incident("open", state="open")
        found = read_handover(now - timedelta(hours=8))
        assert [line.incident.title for line in found.ended_incidents] == ["last", "first"]
        assert [one.line.incident.title for one in found.open_incidents] == ["open"]

    def test_are_at_most_30_of_each_the_newest(self):
        now = database_clock()
        for number in range(31):
            make_incident(f"open {number}")
            make_incident(f"ended {number}", state="closed", closed_at=now - timedelta(minutes=number))
        found = read_handover(now - timedelta(hours=8))
        assert len(found.open_incidents) == len(found.ended_incidents) == 30
        assert "open 0" not in {one.line.incident.title for one in found.open_incidents}
        assert found.has_more_incidents
        assert "ended 30" not in {line.incident.title for line in found.ended_incidents}


class TestHandover:
    def test_reports_nothing_about_a_quiet_time(self):
        found = read_handover(database_clock())
        assert (found.open_incidents, found.ended_incidents) == ([], [])
        lists = (found.groups, found.alerts, found.jobs, found.archive_runs, found.repairs, found.repaired)
        assert lists == ([],) * 6
        assert (found.open_groups, found.running, found.oldest) == ([], [], None)

    def test_reports_new_groups_and_open_alerts_and_what_waits(self):
        now = database_clock()
        make_rule()
        make_message(state="FAILED", receive_timestamp=now)
        make_message(state="WAITING", receive_timestamp=now - timedelta(days=2))
        group_new_failures()
        fold_changes()
        check_rules()
        found = read_handover(now - timedelta(hours=8))
        assert [group.state for group in found.groups] == ["new"]
        assert [alert.rule.name for alert in found.alerts] == ["Failed"]
        assert found.oldest.state == "WAITING"
        mark_group(group_id=FailureGroup.objects.get().pk, state="known", **WHY)
        found = read_handover(now - timedelta(hours=8))
        assert found.groups == []
        assert [one.group.state for one in found.open_groups] == ["known"]

    def test_reports_jobs_that_failed_and_archive_runs(self):
        now = database_clock()
        ended = {"created_by": "ana", "reason": "x", "finished_at": now}
        failed = Job.objects.create(kind="restart", state="failed", error="no room", **ended)
        archived = Job.objects.create(kind="archive", state="done", **ended)
        Job.objects.create(kind="restart", state="done", **ended)
        Job.objects.create(kind="archive", state="done", **ended | {"finished_at": now - timedelta(days=2)})
        found = read_handover(now - timedelta(hours=8))
        assert [one.job.pk for one in found.jobs] == [failed.pk]
        assert [one.job.pk for one in found.archive_runs] == [archived.pk]
