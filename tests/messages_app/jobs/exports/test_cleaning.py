import shutil
from datetime import timedelta

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.core.clock import database_clock
from messages_app.jobs.exports import remove_old_exports
from messages_app.jobs.models import Job
from tests.support.exports import file_of, folder_of, folder_of_exports, parts_folder_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_exports():
    yield
    shutil.rmtree(folder_of_exports(), ignore_errors=True)


def export(state: str, *, hours_left: float = 1) -> Job:
    expires_at = database_clock() + timedelta(hours=hours_left)
    job = Job.objects.create(
        kind="export",
        state=state,
        options={"format": "csv"},
        reason="x",
        created_by="ada",
        report={"expires_at": expires_at.isoformat()},
    )
    parts_folder_of(job.pk).mkdir(parents=True)
    (parts_folder_of(job.pk) / "1-1-0a.csv").write_text("1\r\n")
    file_of(job).write_text("msg_id\r\n")
    return job


class TestRemoveOldExports:
    def test_removes_and_records_an_expired_file(self):
        old, young = export("done", hours_left=-0.01), export("done", hours_left=0.01)
        remove_old_exports()
        assert not folder_of(old.pk).exists()
        assert file_of(young).exists()
        old.refresh_from_db()
        young.refresh_from_db()
        assert "removed_at" in old.report
        assert "removed_at" not in young.report
        assert list(AuditEntry.objects.values_list("action", "actor", "job_id")) == [
            ("remove_export", "system", old.pk)
        ]

    @pytest.mark.parametrize("state", ["failed", "stopped"])
    def test_removes_leftovers_of_a_job_without_a_file(self, state):
        job = export(state)
        remove_old_exports()
        assert not folder_of(job.pk).exists()

    @pytest.mark.parametrize("state", ["planning", "queued", "running", "paused", "stopping"])
    def test_keeps_the_parts_of_a_job_that_continues(self, state):
        job = export(state, hours_left=-100)
        remove_old_exports()
        assert parts_folder_of(job.pk).exists()

    def test_keeps_only_the_file_of_a_job_that_is_done(self):
        job = export("done")
        remove_old_exports()
        assert file_of(job).exists()
        assert not parts_folder_of(job.pk).exists()

    def test_removes_only_the_folder_of_a_job_that_does_not_exist(self):
        for folder in (folder_of(987654321), folder_of_exports() / "job-notes"):
            folder.mkdir(parents=True)
            (folder / "a.csv").write_text("1\r\n")
        remove_old_exports()
        assert not folder_of(987654321).exists()
        assert (folder_of_exports() / "job-notes").exists()
