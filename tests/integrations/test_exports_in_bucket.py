"""Exports in a bucket of a real store: written by executors, downloaded by a link, and removed."""

import csv
import io
from urllib.request import urlopen

import pytest
from django.db.models.functions import Now

from messages_app.audit.models import AuditEntry
from messages_app.jobs.exports import remove_old_exports
from messages_app.jobs.models import Job
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.storage.addresses import Storage
from tests.integrations.object_store import ObjectStore
from tests.messages_app.erasure.runs import run as erase
from tests.support import jobs
from tests.support.factories import make_message
from tests.support.page_client import reader_of
from tests.support.subjects import KEY

pytestmark = [
    pytest.mark.integrations,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("spark_remote"),
]


@pytest.fixture
def exports(settings, store: ObjectStore) -> Storage:
    storage = store.make_bucket("hub")
    settings.EXPORT_URI, settings.S3_ENDPOINT = storage.uri, store.endpoint
    return storage


def export(**options: object) -> Job:
    options = {"format": "csv", "payload": False} | options
    return jobs.run("export", {"state": "FAILED"}, **options).job


class TestExports:
    @pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
    def test_are_one_file_in_the_bucket(self, exports, format):
        jobs.make_failed(3)
        job = export(format=format)
        assert (job.state, job.error) == (JobState.DONE, "")
        path = f"job-{job.pk}/messages-job-{job.pk}.{format}"
        sizes = exports.list_sizes()
        assert sizes.keys() == {path, f"job-{job.pk}/manifest.json"}
        assert job.report["files"][0]["bytes"] == sizes[path]

    def test_are_downloaded_by_a_link_after_the_right_is_checked(self, exports):
        ids = jobs.make_failed(3)
        job = export()
        address = f"/api/v1/jobs/{job.pk}/download/"
        assert reader_of("support", username="bob").get(address).status_code == 403

        answer = reader_of("admin").get(address)

        assert answer.status_code == 302
        with urlopen(answer["Location"]) as download:
            rows = list(csv.DictReader(io.StringIO(download.read().decode("utf-8-sig"))))
        assert [int(row["msg_id"]) for row in rows] == ids
        assert AuditEntry.objects.filter(action="download_export", job_id=job.pk, actor="ada").count() == 1

    def test_are_removed_when_they_have_expired(self, exports):
        jobs.make_failed(1)
        job = export()
        remove_old_exports()
        assert len(exports.list_paths()) == 2
        report = job.report | {"expires_at": "2026-01-01T00:00:00+00:00"}
        Job.objects.filter(pk=job.pk).update(report=report)
        remove_old_exports()
        assert exports.list_paths() == []
        assert reader_of("admin").get(f"/api/v1/jobs/{job.pk}/download/").status_code == 410

    def test_are_removed_with_a_subject_in_them(self, exports):
        make_message(state="OK", object_id=KEY, last_process_timestamp=Now())
        jobs.run("export", {"state": "OK"}, format="csv", payload=True)
        assert len(exports.list_paths()) == 2
        assert erase().rows["export"] == 1
        assert exports.list_paths() == []

    def test_wait_for_a_store_that_is_away_and_say_so(self, exports, store, settings):
        settings.JOB_ROOM_SECONDS = 0
        jobs.make_failed(1)
        done, waiting = export(), jobs.new_job("export", {"state": "FAILED"}, format="csv", payload=False)
        store.kill()

        job, reader = jobs.work(waiting).job, reader_of("admin")
        answer = reader.get(f"/api/v1/jobs/{done.pk}/download/")
        page = reader.get(f"/jobs/{done.pk}/")
        refused = reader.post(
            "/api/v1/jobs/",
            {"kind": "export", "filter": {"state": "FAILED"}, "options": {"format": "csv"}, "reason": "x"},
            content_type="application/json",
        )

        assert (job.state, job.paused_for) == (JobState.PAUSED, PauseReason.STORAGE_AWAY)
        assert (answer.status_code, answer.json()["code"]) == (503, "storage_away")
        assert page.status_code == 200
        assert "The file cannot be read at the moment." in page.content.decode()
        assert (refused.status_code, refused.json()["code"]) == (503, "storage_away")
        store.start()
        assert jobs.work(Job.objects.get(pk=waiting.pk)).job.state == JobState.PAUSED
