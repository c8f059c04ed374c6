"""Jobs whose disk is full or whose storage is away wait, keep their attempts, and continue automatically."""

import errno

import psycopg
import pytest

from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import Job
from messages_app.jobs.safeguards.passing_faults import what_is_away, what_is_full
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.storage.faults import StorageAway, StorageRefused
from tests.support.jobs import make_failed, new_job, run, without_disk_space, work


class TestWhatIsFull:
    def test_finds_a_full_disk_behind_another_error(self):
        wrapped = RuntimeError("the job broke")
        wrapped.__cause__ = psycopg.errors.DiskFull("could not extend file\nHINT: free some")

        assert what_is_full(wrapped) == "could not extend file."

    def test_finds_one_in_the_error_of_an_executor(self):
        text = "Traceback:\n  File x\npsycopg.errors.DiskFull: could not extend file.\n"

        assert what_is_full(RuntimeError(text)) == "could not extend file."

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            (
                "(java.io.IOException) No space left on device",
                "(java.io.IOException) No space left on device.",
            ),
            (
                "Job aborted: java.io.IOException: No space left on device\n\tat java.base/java.io",
                "java.io.IOException: No space left on device.",
            ),
        ],
    )
    def test_finds_one_in_the_error_of_spark_about_its_own_files(self, text, found):
        assert what_is_full(RuntimeError(text)) == found

    def test_finds_a_file_that_could_not_grow(self):
        assert what_is_full(OSError(errno.ENOSPC, "Kein Platz")) == "[Errno 28] Kein Platz."

    def test_finds_none_in_any_other_error(self):
        assert what_is_full(OSError(errno.EACCES, "Permission denied")) is None
        assert what_is_full(psycopg.errors.DeadlockDetected("deadlock")) is None


class TestWhatIsAway:
    @pytest.mark.parametrize("fault", [StorageAway, StorageRefused])
    def test_finds_a_storage_that_does_not_answer_or_refuses(self, fault):
        wrapped = RuntimeError("the job broke")
        wrapped.__cause__ = fault("s3://hub refuses the request: InvalidToken")

        assert what_is_away(wrapped) == "s3://hub refuses the request: InvalidToken."

    def test_finds_one_in_the_error_of_an_executor(self):
        text = "Traceback:\n  File x\nspark_tasks.storage.faults.StorageAway: s3://hub asks to wait: 503.\n"

        assert what_is_away(RuntimeError(text)) == "s3://hub asks to wait: 503."

    def test_finds_none_in_a_missing_file(self):
        assert what_is_away(FileNotFoundError("part.parquet")) is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestRestWithoutRoom:
    def test_pauses_a_running_job_and_says_why(self):
        make_failed(3)
        with without_disk_space("message", when="UPDATE"):
            progress = run("restart", {"state": "FAILED"})

        job = progress.job
        assert (job.state, job.paused_for, job.lease_until) == (JobState.PAUSED, PauseReason.DISK_FULL, None)
        assert "No space left on device" in job.error
        assert progress.done == 0

    @pytest.mark.slow
    def test_pauses_a_job_that_is_being_planned_and_plans_it_again(self, settings):
        settings.JOB_ROOM_SECONDS = 0
        make_failed(3)
        with without_disk_space("job_item", when="INSERT"):
            job = run("restart", {"state": "FAILED"}).job
        assert job.paused_for == PauseReason.DISK_FULL
        watch_jobs()
        assert Job.objects.get(pk=job.pk).state == JobState.PLANNING

        assert work(job).done == 3


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("spark_remote")
class TestTryAgain:
    @pytest.mark.slow
    def test_lets_a_job_continue_once_there_is_space_after_any_number_of_attempts(self, settings):
        settings.JOB_ROOM_SECONDS = 0
        settings.JOB_MAX_ATTEMPTS = 1
        make_failed(3)
        job = new_job("restart", {"state": "FAILED"})
        with without_disk_space("message", when="UPDATE"):
            for _ in range(4):
                assert work(job).job.paused_for == PauseReason.DISK_FULL
                watch_jobs()

        progress = work(job)

        assert (progress.job.state, progress.done, progress.job.error) == (JobState.DONE, 3, "")

    def test_waits_a_while_before_it(self):
        make_failed(1)
        with without_disk_space("message", when="UPDATE"):
            job = run("restart", {"state": "FAILED"}).job

        watch_jobs()

        assert Job.objects.get(pk=job.pk).state == JobState.PAUSED
