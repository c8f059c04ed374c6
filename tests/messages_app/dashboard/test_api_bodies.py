"""Bodies of the handover, compared as a whole, with all numbers different."""

from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.core.representation import represent_value
from messages_app.dashboard import api
from messages_app.incidents.models import Incident
from messages_app.jobs.models import Job, JobChunk
from messages_app.jobs.outcomes import CurrentStatus
from messages_app.jobs.repairs import Repair
from messages_app.jobs.selectors import JobProgress
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message
from messages_app.messages.services import restart_message
from messages_app.notes.models import Note
from tests.messages_app.dashboard.test_handover import fail, make_incident, restart
from tests.support.api_client import ApiClient, caller
from tests.support.factories import NOON, make_archived_message, make_message
from tests.support.jobs import WHY
from tests.support.ledgers import store_ledger


@pytest.fixture
def reader() -> ApiClient:
    return caller("support")


def since(hours: int = 8) -> str:
    return (database_clock() - timedelta(hours=hours)).isoformat().replace("+00:00", "Z")


def text_of(time: object) -> str:
    return time.isoformat().replace("+00:00", "Z")


PROGRESS = JobProgress(
    job=Job(
        job_id=9001,
        kind="restart",
        state="stopped",
        reason="the target is back",
        created_by="ana",
        finished_at=NOON,
    ),
    planned=199,
    done=101,
    skipped=31,
    failed=32,
    outcomes=[],
    orphans={},
)
ENDED = {
    "job_id": 9001,
    "kind": "restart",
    "state": "stopped",
    "finished_at": "2026-11-01T12:00:00Z",
    "done": 101,
    "skipped": 31,
    "failed": 32,
}


class TestRecords:
    def test_of_ended_jobs(self):
        assert represent_value(api.EndedJobSerializer, api._represent_ended_job(PROGRESS)) == ENDED

    def test_of_repairs(self):
        status = CurrentStatus(
            done=101, looked_at=100, ok=41, failed=42, cancelled=43, under_way=44, gone=45, archived=46
        )
        repair = Repair(progress=PROGRESS, status=status)
        assert represent_value(api.RepairSerializer, api._represent_repair(repair)) == ENDED | {
            "created_by": "ana",
            "reason": "the target is back",
            "looked_at": 100,
            "ok": 41,
            "failed_again": 42,
            "cancelled": 43,
            "in_progress": 44,
            "gone": 45,
        }


@pytest.mark.django_db
class TestHandover:
    def test_counts_the_messages_of_a_repair_by_their_current_state(self, reader):
        states = ["OK"] * 2 + ["FAILED"] * 6 + ["CANCEL"] * 4 + ["PROCESSING"] * 5
        ids = [make_message(state="FAILED").pk for _ in states]
        gone = 2**40
        job = Job.objects.create(
            kind="restart",
            state="done",
            attempt=1,
            created_by="ana",
            reason="the target is back",
            finished_at=database_clock(),
        )
        refused = {gone + place: "failed:too_slow" for place in range(1, 8)}
        skipped = {gone + place: "skipped:moved_on" for place in range(10, 18)}
        archived = make_archived_message(state="OK").pk
        outcomes = dict.fromkeys([*ids, archived, gone], "done") | refused | skipped
        store_ledger(job, outcomes, new_state="PARTLY_FAILED")
        JobChunk.objects.update(attempt=1)
        for msg_id, state in zip(ids, states, strict=True):
            Message.objects.filter(pk=msg_id).update(state=state)
        fold_changes()
        body = reader.get(f"handover/?since={since()}").json()
        job.refresh_from_db()
        ended = {
            "job_id": job.pk,
            "kind": "restart",
            "state": "done",
            "finished_at": text_of(job.finished_at),
            "done": 19,
            "skipped": 8,
            "failed": 7,
        }
        assert body["repairs"] == [
            ended
            | {
                "created_by": "ana",
                "reason": "the target is back",
                "looked_at": 19,
                "ok": 3,
                "failed_again": 6,
                "cancelled": 4,
                "in_progress": 5,
                "gone": 1,
            }
        ]
        assert body["jobs"] == [ended]
        assert body["archive_runs"] == []

    def test_lists_running_jobs_and_actions_of_people(self, reader):
        running = Job.objects.create(kind="cancel", state="planning", created_by="grace", reason="r")
        Job.objects.create(kind="cancel", state="planning", created_by="grace", reason="r", dry_run=True)
        for msg_id in fail("outage", 2):
            restart_message(msg_id=msg_id, **WHY)
        body = reader.get(f"handover/?since={since()}").json()
        assert body["running"] == [
            {"job_id": running.pk, "kind": "cancel", "state": "planning", "created_by": "grace"}
        ]
        (act,) = body["by_hand"]
        assert (act["actor"], act["action"], act["messages"]) == (WHY["actor"].username, "restart", 2)
        assert act["last"] > since(1)

    def test_lists_incidents_that_are_open_and_that_ended(self, reader):
        now = database_clock()
        still_open = make_incident("bank: Timed out", owner="gina")
        note = {"kind": "incident", "subject": still_open.pk, "author": "gina"}
        Note.objects.create(text="called the bank", **note)
        ended = make_incident("crm: Refused", state="closed", closed_at=now, services=["crm"], affected=7)
        body = reader.get(f"handover/?since={since()}").json()
        [incident] = body["open_incidents"]
        assert incident == {
            "incident_id": still_open.pk,
            "state": "open",
            "title": "bank: Timed out",
            "opened_at": text_of(Incident.objects.get(pk=still_open.pk).opened_at),
            "last_failure_at": text_of(still_open.last_failure_at),
            "closed_at": None,
            "external_system": "",
            "services": [],
            "error_codes": [],
            "failing_now": 0,
            "affected": 0,
            "owner": "gina",
            "note": "called the bank",
        }
        [incident] = body["ended_incidents"]
        named = ("incident_id", "state", "closed_at", "services", "affected", "owner")
        assert [incident[name] for name in named] == [ended.pk, "closed", text_of(now), ["crm"], 7, None]

    def test_has_the_watched_lines_and_the_text(self, reader):
        fail("outage", 2)
        body = reader.get(f"handover/?since={since()}").json()
        group_id = FailureGroup.objects.get().pk
        assert body["watch"] == [
            {
                "title": "billing: Outage",
                "facts": ["no owner"],
                "note": "",
                "address": f"/failures/{group_id}/",
            }
        ]
        assert "\nWatch this\n- billing: Outage: no owner\n" in body["text"]
        assert body["until"] > body["since"]

    def test_lists_incidents_that_began_in_the_shift(self, reader):
        began = make_incident("bank", began_at=database_clock() - timedelta(hours=1))
        make_incident("crm")
        body = reader.get(f"handover/?since={since()}").json()
        assert [one["incident_id"] for one in body["opened_incidents"]] == [began.pk]

    def test_lists_groups_by_what_is_open(self, reader):
        restart(fail("outage", 2), became="OK")
        fail("other", 3)
        make_message(state="WAITING", receive_timestamp=database_clock() - timedelta(minutes=30))
        fold_changes()
        body = reader.get(f"handover/?since={since()}").json()
        names = {
            name: [line["group"]["summary"] for line in body[name]] for name in ("repaired", "open_groups")
        }
        assert names == {"repaired": ["outage"], "open_groups": ["other"]}
        assert [group["summary"] for group in body["groups"]] == ["other", "outage"]
        assert {group["group_id"] for group in body["groups"]} == set(
            FailureGroup.objects.values_list("pk", flat=True)
        )
        assert (body["oldest"]["state"], body["oldest"]["count"]) == ("WAITING", 1)

    def test_lists_archive_runs_apart_from_jobs_that_failed(self, reader):
        ended = {"state": "done", "created_by": "ana", "reason": "x", "finished_at": database_clock()}
        archive = Job.objects.create(kind="archive", **ended)
        failed = Job.objects.create(kind="cancel", **ended | {"state": "failed"}, error="no room")
        body = reader.get(f"handover/?since={since()}").json()
        assert [job["job_id"] for job in body["archive_runs"]] == [archive.pk]
        assert [job["job_id"] for job in body["jobs"]] == [failed.pk]
