"""The Parquet archive in a bucket of a real store: jobs, pages and erasure, checked by the oracle."""

import datetime as dt

import pytest
from django.core.management import call_command

from messages_app.jobs.engine.watch import watch_jobs
from messages_app.jobs.models import Job
from messages_app.messages.models import Message
from messages_app.messages.parquet_archive.models import ColdFile, ColdMessage
from messages_app.shared.job_states import JobState, PauseReason
from spark_tasks.storage import buckets
from spark_tasks.storage.addresses import Storage
from tests.integrations.object_store import ObjectStore
from tests.integrations.store_gate import open_gate
from tests.messages_app.erasure.runs import run as erase
from tests.support import jobs
from tests.support.cold import old_message, to_parquet, undo, with_traffic
from tests.support.oracle import Oracle, places
from tests.support.page_client import reader_of
from tests.support.subjects import KEY, OTHER, make_message
from tests.support.subjects import with_traffic as with_traffic_of

pytestmark = [
    pytest.mark.integrations,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("spark_remote"),
]


def use(settings, store: ObjectStore, storage: Storage) -> Storage:
    settings.HUBCONSOLE_ARCHIVE_URI, settings.S3_ENDPOINT = storage.uri, store.endpoint
    settings.JOB_ROOM_SECONDS = 0
    return storage


@pytest.fixture
def archive(settings, store) -> Storage:
    """Give the archive in an empty bucket without versions."""
    return use(settings, store, store.make_bucket("hub"))


def continue_job(job: Job) -> Job:
    watch_jobs()
    return jobs.work(job).job


class TestArchive:
    def test_moves_every_row_to_the_bucket_and_an_undo_brings_it_back(self, archive):
        ids = {with_traffic(old_message()).pk for _ in range(3)}
        oracle = Oracle()

        archived = to_parquet()

        assert (archived.job.state, archived.job.error) == (JobState.DONE, "")
        assert str(oracle.verdict()) == ""
        assert places("message") == (set(), set())
        assert set(archive.list_paths()) == set(ColdFile.objects.values_list("path", flat=True))
        restored = undo(archived.job)
        assert (restored.job.state, restored.job.error) == (JobState.DONE, "")
        assert str(oracle.verdict()) == ""
        assert places("message") == (ids, set())

    def test_waits_for_a_store_that_is_away_any_number_of_times_and_continues(self, archive, store, settings):
        settings.JOB_MAX_ATTEMPTS = 2
        ids = {with_traffic(old_message()).pk for _ in range(3)}
        oracle = Oracle()
        job = jobs.new_job("archive", {}, to="parquet")
        jobs.plan_only(job)
        store.kill()

        for _ in range(3):
            waiting = continue_job(job)
            assert (waiting.state, waiting.paused_for) == (JobState.PAUSED, PauseReason.STORAGE_AWAY)
            assert waiting.error.startswith("s3://hub/archive does not answer: no connection to its store")
            assert places("message") == (ids, set())
        store.start()
        done = continue_job(job)

        assert (done.state, done.error) == (JobState.DONE, "")
        assert str(oracle.verdict()) == ""
        assert set(ColdMessage.objects.values_list("pk", flat=True)) == ids

    def test_waits_for_a_new_token_and_continues(self, archive, store, settings, tmp_path):
        ids = {with_traffic(old_message()).pk for _ in range(3)}
        oracle = Oracle()
        with open_gate(tmp_path / "nginx", store.endpoint) as gate:
            settings.S3_ENDPOINT = gate.endpoint
            job = jobs.new_job("archive", {}, to="parquet")
            jobs.plan_only(job)
            gate.expired.touch()
            waiting = continue_job(job)
            assert (waiting.state, waiting.paused_for) == (JobState.PAUSED, PauseReason.STORAGE_AWAY)
            assert waiting.error.startswith("s3://hub/archive refuses the request: ExpiredToken")
            assert places("message") == (ids, set())
            gate.expired.unlink()
            done = continue_job(job)
            assert (done.state, done.error) == (JobState.DONE, "")
            assert str(oracle.verdict()) == ""

    def test_waits_before_its_plan_if_the_bucket_is_missing_and_says_so(self, settings, store):
        old_message()
        use(settings, store, Storage("s3://nowhere/archive"))

        job = to_parquet().job

        assert (job.state, job.paused_for) == (JobState.PAUSED, PauseReason.STORAGE_AWAY)
        assert job.error.startswith("The bucket of s3://nowhere/archive does not exist. The job continues")

    def test_gives_up_uploads_of_jobs_that_have_ended_and_no_others(self, archive, store):
        old_message()
        first = to_parquet().job
        run = f"job-{first.pk}-{first.created_at:%Y%m%dT%H%M%S}"
        ours = f"archive/message/month=2026-01/{run}-chunk-0-00.parquet"
        theirs = "archive/message/month=2026-01/job-99-20200101T000000-chunk-0-00.parquet"
        for key in (ours, theirs):
            store.client.create_multipart_upload(Bucket="hub", Key=key)

        to_parquet()

        assert store.list_uploads("hub") == [theirs]

    def test_may_be_read_on_its_pages_and_says_who_refuses_if_it_may_not(self, archive, store, monkeypatch):
        message = with_traffic_of(make_message(), KEY)
        to_parquet()
        reader = reader_of("admin")
        address = f"/api/v1/messages/{message.pk}/payload/"
        assert KEY in reader.get(address).content.decode()

        store.kill()
        answer = reader.get(address)
        assert (answer.status_code, answer.json()["code"]) == (503, "archive_unreadable")
        assert answer.json()["detail"].startswith(
            "The archive cannot be read at the moment. s3://hub/archive does not answer"
        )
        store.start()
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
        for cached in (buckets._make_client, buckets._make_filesystem):
            cached.cache_clear()
        answer = reader.get(address)
        monkeypatch.undo()
        for cached in (buckets._make_client, buckets._make_filesystem):
            cached.cache_clear()
        assert answer.status_code == 503
        assert "s3://hub/archive refuses the request: SignatureDoesNotMatch" in answer.json()["detail"]
        assert KEY in reader.get(address).content.decode()


class TestErasure:
    def test_leaves_no_version_of_a_subject_in_the_bucket(self, settings, store):
        use(settings, store, store.make_bucket("hub", has_versions=True))
        with_traffic_of(make_message(), KEY)
        with_traffic_of(make_message(OTHER), OTHER)
        to_parquet()
        erased = erase()

        assert (erased.rows["cold_message"], erased.left) == (1, [])
        paths = {f"archive/{path}" for path in ColdFile.objects.values_list("path", flat=True)}
        assert set(store.list_versions("hub")) == paths

    def test_says_what_a_retention_lock_keeps(self, settings, store):
        storage = use(settings, store, store.make_bucket("hub", has_locks=True))
        mine = with_traffic_of(make_message(), KEY)
        to_parquet()
        until = dt.datetime.now(dt.UTC) + dt.timedelta(days=3)
        for path in storage.list_paths():
            store.client.put_object_retention(
                Bucket="hub",
                Key=f"archive/{path}",
                Retention={"Mode": "COMPLIANCE", "RetainUntilDate": until},
            )

        erased = erase()

        assert not Message.objects.filter(pk=mine.pk).exists()
        assert not ColdMessage.objects.filter(pk=mine.pk).exists()
        (reason,) = {why for _, _, why in erased.left}
        assert f"until {until:%Y-%m-%d}: a retention lock protects it" in reason
        assert erased.rows["cold_message"] == 1


class TestMoveArchive:
    def test_moves_it_from_disk_to_the_bucket_and_back(self, settings, store, tmp_path):
        disk = str(tmp_path / "disk")
        settings.HUBCONSOLE_ARCHIVE_URI = disk
        for _ in range(2):
            with_traffic(old_message())
            to_parquet()
        oracle = Oracle()
        on_disk = Storage(disk).list_paths()
        bucket = use(settings, store, store.make_bucket("hub"))

        settings.ARCHIVE_FORMER_URI = disk
        assert str(oracle.verdict()) == ""
        call_command("move_archive")

        assert (Storage(disk).list_paths(), set(bucket.list_paths())) == ([], set(on_disk))
        assert str(oracle.verdict()) == ""
        settings.HUBCONSOLE_ARCHIVE_URI, settings.ARCHIVE_FORMER_URI = disk, bucket.uri
        call_command("move_archive")
        assert (set(Storage(disk).list_paths()), bucket.list_paths()) == (set(on_disk), [])
        assert str(oracle.verdict()) == ""
