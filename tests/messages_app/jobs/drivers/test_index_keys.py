import pytest
from django.db import connection

from messages_app.business_keys.models import BusinessKey, KeyDefinition
from messages_app.jobs.engine import runner, watch
from messages_app.jobs.models import Job
from messages_app.jobs.selectors import job_progress
from messages_app.messages.models import Message
from messages_app.shared.job_states import FINAL_STATES
from tests.support import jobs
from tests.support.cold import into_parquet
from tests.support.eventually import eventually
from tests.support.factories import make_archived_message, make_message
from tests.support.workers import kill, make_old_messages

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("spark_remote")]


def define(path: str = "//order/id", **columns: object) -> KeyDefinition:
    values = {"service_name": "billing", "operation_name": "createInvoice", "name": "order"} | columns
    return KeyDefinition.objects.create(path=path, **values)


def order(number: str) -> str:
    return f"<order xmlns='urn:o'><id>{number}</id><customer>C{number}</customer></order>"


def rows() -> list[tuple[str, int]]:
    return list(BusinessKey.objects.order_by("msg_id", "value").values_list("value", "msg_id"))


class TestIndexingKeys:
    def test_stores_the_keys_of_all_messages_live_and_archived(self):
        define()
        live = make_message(payload=order("N1"))
        archived = make_archived_message(payload=order("N2"))
        define(active=False, name="paused", path="//customer")

        done = jobs.run("index_keys", {})

        assert (done.job.state, done.done, done.failed, done.job.error) == ("done", 2, 0, "")
        assert done.moved == {"business_key": 2}
        assert sorted(rows()) == [("N1", live.pk), ("N2", archived.pk)]
        stored = BusinessKey.objects.get(msg_id=live.pk)
        assert stored.receive_timestamp == live.receive_timestamp

    def test_stores_the_keys_of_messages_in_parquet_files(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        define()
        cold, other = (make_message(payload=order(number), state="OK") for number in ("N1", "N2"))
        unread = make_message(payload="<order>", state="OK")
        into_parquet(cold, other, unread)
        live = make_message(payload=order("N3"))

        done = jobs.run("index_keys", {})

        assert (done.job.state, dict(done.outcomes)) == ("done", {"done": 3, "failed:payload_unreadable": 1})
        assert rows() == [("N1", cold.pk), ("N2", other.pk), ("N3", live.pk)]
        assert BusinessKey.objects.get(msg_id=cold.pk).receive_timestamp == cold.receive_timestamp

    def test_fails_for_messages_whose_parquet_file_is_missing(self, settings, tmp_path):
        settings.HUBCONSOLE_ARCHIVE_URI = str(tmp_path / "archive")
        define()
        into_parquet(make_message(payload=order("N1"), state="OK"))
        live = make_message(payload=order("N2"))
        for path in (tmp_path / "archive").rglob("*.parquet"):
            path.unlink()

        done = jobs.run("index_keys", {})

        assert dict(done.outcomes) == {"done": 1, "failed:archive_file_unreadable": 1}
        assert rows() == [("N2", live.pk)]

    def test_stores_nothing_twice(self):
        define()
        make_message(payload=order("N1"))
        jobs.run("index_keys", {})
        before = rows()

        done = jobs.run("index_keys", {})

        assert (done.job.state, done.done, done.moved, rows()) == ("done", 1, {}, before)

    def test_says_which_messages_have_no_key_and_why(self):
        define()
        make_message(payload="<order>")
        make_message(payload="<order/>")
        make_message(payload=order("N1"), operation_name="other")

        done = jobs.run("index_keys", {})

        assert dict(done.outcomes) == {"failed:payload_unreadable": 1, "skipped:no_key": 2}
        assert rows() == []

    def test_stores_only_the_keys_of_one_definition_and_of_a_filter(self):
        define()
        customer = define("//customer", name="customer")
        make_message(payload=order("1"), source_system="ERP")
        message = make_message(payload=order("2"), source_system="CRM2")

        jobs.run("index_keys", {"source_system": "CRM2"}, definition_id=customer.pk)

        assert rows() == [("C2", message.pk)]

    def test_stores_times_outside_the_years_of_python(self):
        define()
        make_message(payload=order("N1"))
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET receive_timestamp = 'infinity'")

        done = jobs.run("index_keys", {})

        with connection.cursor() as cursor:
            cursor.execute("SELECT value FROM business_key WHERE receive_timestamp = 'infinity'")
            assert (done.done, cursor.fetchall()) == (1, [("N1",)])

    def test_skips_a_message_that_was_deleted_after_the_plan(self):
        define()
        make_message(payload=order("N1"))
        message = make_message(payload=order("N2"))
        job = jobs.new_job("index_keys", {})
        jobs.plan_only(job)
        Message.objects.exclude(pk=message.pk).delete()

        done = jobs.work(job)

        assert (dict(done.outcomes)["skipped:vanished"], rows()) == (1, [("N2", message.pk)])

    def test_counts_without_storing_in_a_dry_run(self):
        define()
        make_message(payload=order("N1"))
        job = jobs.work(jobs.new_job("index_keys", {}, dry_run=True)).job
        assert (job.state, job.report["planned"], rows()) == ("planned", 1, [])


class TestStopping:
    @pytest.mark.parametrize(("change", "state"), [("stopping", "stopped"), ("paused", "paused")])
    def test_stores_nothing_more(self, change, state):
        define()
        make_message(payload=order("N1"))
        job = jobs.new_job("index_keys", {})
        jobs.plan_only(job)
        Job.objects.filter(pk=job.pk).update(state=change, paused_for="operator")

        assert jobs.work(job).job.state == state

        assert rows() == []

    def test_continues_after_a_worker_has_died(self, monkeypatch):
        define()
        message = make_message(payload=order("N1"))
        job = jobs.new_job("index_keys", {})
        monkeypatch.setattr(runner, "_finish_job", None)  # The worker fails after the chunks.
        assert jobs.work(job).job.state == "running"
        monkeypatch.undo()

        done = jobs.work(job)

        assert (done.job.state, done.job.attempt, done.done) == ("done", 2, 1)
        assert rows() == [("N1", message.pk)]

    @pytest.mark.slow  # In each run, engine/test_runner.py kills the worker of a job.
    def test_loses_and_duplicates_nothing_when_its_worker_is_killed(self, start_worker):
        messages = 8_000
        define()
        make_old_messages(messages)
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET payload = '<order><id>N' || msg_id || '</id></order>'")
        worker = start_worker()
        job = jobs.new_job("index_keys", {})
        eventually(lambda: job_progress(job.pk).done, seconds=120)

        kill(worker)
        assert 0 < BusinessKey.objects.count() < messages
        start_worker()
        eventually(lambda: sweep_until_ended(job), seconds=120)

        progress = job_progress(job.pk)
        assert (progress.job.state, progress.job.attempt, progress.done) == ("done", 2, messages)
        assert progress.moved == {"business_key": messages}
        values = BusinessKey.objects.values_list("value", flat=True)
        assert sorted(values) == sorted(f"N{pk}" for pk in Message.objects.values_list("pk", flat=True))


def sweep_until_ended(job: Job) -> bool:
    watch.sweep_jobs()
    return Job.objects.filter(pk=job.pk, state__in=FINAL_STATES).exists()
