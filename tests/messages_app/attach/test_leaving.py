"""Before the console's schema is dropped: jobs end, and the audit log is in a file."""

import json
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.attach.leaving import StillWorking, end_jobs, export_audit
from messages_app.audit import seals, services
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import Actor
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState
from tests.support.audit_entries import audit_rows
from tests.support.eventually import eventually
from tests.support.jobs import new_job


def job_of_a_worker(**columns: object) -> Job:
    job = new_job("restart", {"state": "FAILED"})
    lease = timezone.now() + timedelta(minutes=1)
    Job.objects.filter(pk=job.pk).update(
        **{"state": JobState.RUNNING, "lease_until": lease, "attempt": 1, **columns}
    )
    return job


@pytest.mark.django_db(transaction=True)
class TestEndJobs:
    def test_stops_a_job_and_waits_until_its_worker_has_finished(self):
        job = job_of_a_worker()

        def work() -> None:
            try:
                eventually(lambda: Job.objects.get(pk=job.pk).state == JobState.STOPPING)
                Job.objects.filter(pk=job.pk).update(state=JobState.STOPPED, lease_until=None)
            finally:
                connection.close()

        worker = threading.Thread(target=work)
        worker.start()
        end_jobs()
        worker.join()
        assert Job.objects.get(pk=job.pk).state == JobState.STOPPED

    def test_names_the_job_that_does_not_stop(self):
        job = job_of_a_worker()
        with pytest.raises(StillWorking, match=f"Job {job.pk} is not finished"):
            end_jobs(seconds=0.2)

    def test_does_not_wait_for_a_job_whose_worker_died(self):
        job = job_of_a_worker(lease_until=timezone.now() - timedelta(seconds=1))
        waiting = job_of_a_worker(state=JobState.QUEUED, lease_until=None)
        end_jobs(seconds=0)
        assert {job.pk, waiting.pk} == set(Job.objects.values_list("pk", flat=True))

    def test_stops_waiting_jobs_too_if_their_rows_are_kept(self):
        waiting, paused = (
            job_of_a_worker(state=state, lease_until=None, attempt=0) for state in ("queued", "paused")
        )
        end_jobs(seconds=0, waiting=True)
        assert set(Job.objects.values_list("pk", "state")) == {
            (waiting.pk, "stopped"),
            (paused.pk, "stopped"),
        }
        reason = "The console is detached from its hub."
        assert [(row["job_id"], row["actor"], row["reason"]) for row in audit_rows("stop_job")] == [
            (waiting.pk, "system", reason),
            (paused.pk, "system", reason),
        ]


@pytest.mark.django_db
class TestExportAudit:
    def test_writes_every_entry_and_its_seals(self, tmp_path: Path):
        for number in range(3):
            services.record_entry(
                actor=Actor(username="ada"), action="restart", msg_id=number, reason="é\n\\"
            )
        seals.seal_up_to(AuditEntry.objects.latest("pk").pk)
        entries = AuditEntry.objects.count()
        assert export_audit(tmp_path / "new" / "audit.jsonl") == entries
        rows = [json.loads(line) for line in (tmp_path / "new" / "audit.jsonl").read_text().splitlines()]
        assert [row["msg_id"] for row in rows if row.get("action") == "restart"] == [0, 1, 2]
        assert {row["reason"] for row in rows if row.get("action") == "restart"} == {"é\n\\"}
        assert [row["table"] for row in rows] == ["audit_entry"] * entries + ["audit_seal"]

    def test_overwrites_no_file(self, tmp_path: Path):
        file = tmp_path / "audit.jsonl"
        file.write_text("kept")
        with pytest.raises(FileExistsError):
            export_audit(file)
        assert file.read_text() == "kept"
