"""Each part does its work under its role of a deployment, on real servers."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.urls import reverse
from django_celery_beat.models import PeriodicTask
from django_celery_beat.schedulers import DatabaseScheduler

from hubconsole.celery import app
from messages_app.access.models import LoginFailure, UserSession
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.privileges import Part
from messages_app.audit.services import Actor
from messages_app.audit.tasks import seal_audit
from messages_app.document_history.models import DocumentHistory
from messages_app.jobs.models import Job, JobSchedule
from messages_app.jobs.schedules.services import save_schedule
from messages_app.jobs.schedules.tasks import run_schedule
from messages_app.jobs.services.retry_undo import undo_job
from messages_app.jobs.tasks import run_job
from messages_app.jobs.webhooks.events import WebhookEvent
from messages_app.jobs.webhooks.models import Webhook, WebhookDelivery, WebhookPosition
from messages_app.message_store.services.worker_loop import work_for
from messages_app.messages.alerts.models import Alert
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.metrics import failing
from messages_app.messages.metrics.models import MessageRollup
from messages_app.messages.models import ArchiveMessage, ExternalCall, Message
from messages_app.messages.parquet_archive.models import ColdMessage
from messages_app.shared.job_states import JobState
from tests.messages_app.audit.parts import address_of, roles, running_as, url_of  # noqa: F401 (a fixture)
from tests.messages_app.erasure import test_cp_queue, test_parameters
from tests.messages_app.erasure.runs import run as erase
from tests.messages_app.messages.alerts.rules import make_rule
from tests.openapi.walker import Walker
from tests.openapi.world import make_world
from tests.pages.every_path import every_path
from tests.support import jobs, stores
from tests.support.api_client import caller
from tests.support.cold import make_orphans, old_message, to_parquet, undo, with_traffic
from tests.support.eventually import eventually
from tests.support.factories import PASSWORD, make_external_call, make_message, make_user
from tests.support.histories import make_trigger, store_both
from tests.support.subjects import KEY, holding, to_archive
from tests.support.subjects import make_message as make_message_of_subject
from tests.support.subjects import with_traffic as with_traffic_of_subject

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("roles")]

ADA = Actor(username="ada")


def log_in(password: str = PASSWORD) -> Client:
    client = Client()
    client.post("/login/", {"username": "ada", "password": password})
    return client


def admin_paths() -> list[str]:
    """Return the addresses of the admin's lists."""
    names = [f"{model._meta.app_label}_{model._meta.model_name}" for model in admin.site._registry]
    return [reverse(f"admin:{name}_changelist") for name in names]


@contextmanager
def at_work() -> Iterator[None]:
    """Let this process be a worker, and let Spark use its own role for jobs."""
    with override_settings(SPARK_DATABASE=address_of(Part.SPARK)), running_as(Part.WORKER):
        yield


def nightly(owner: User) -> JobSchedule:
    """Save a schedule of an archive job."""
    asked = {
        "kind": "archive",
        "filter": {},
        "options": {"older_than_months": 2},
        "cron": "30 2 * * *",
        "zone": "UTC",
        "enabled": True,
    }
    return save_schedule(**asked, reason="r", user=owner, actor=ADA)


class TestWeb:
    @pytest.mark.slow
    def test_answers_every_call_of_the_api(self, live_server, settings):
        settings.WEBHOOK_HOSTS = ["hooks.example.org"]
        make_world()
        headers = caller("admin", "view_payload", "edit_payload", "history_service").headers
        with running_as(Part.WEB):
            walker = Walker(live_server.url, headers, "/api/v1/schema/")
            walker.walk()
        undone = {each.name for each in walker.operations if not each.is_done}
        assert undone <= {"GET /api/v1/jobs/{job_id}/download/"}
        assert not [each.name for each in walker.operations if any(code == 500 for code, _ in each.answers)]
        assert len(walker.operations) > 90

    def test_shows_every_page(self):
        paths = every_path()
        make_user("admin", "view_payload", is_superuser=True, is_staff=True)
        with running_as(Part.WEB):
            client = log_in()
            shown = {path: client.get(path).status_code for path in paths}
            lists = {path: client.get(path).status_code for path in ["/admin/", *admin_paths()]}
        assert shown["/messages/"] == shown["/audit/"] == 200
        assert {path: status for path, status in shown.items() if status >= 500} == {}
        assert {path: status for path, status in lists.items() if status != 200} == {}

    def test_counts_failing_messages_above_the_fence(self, monkeypatch):
        make_message(state="FAILED")
        monkeypatch.setattr(failing, "FENCE", 0)
        with running_as(Part.WEB):
            assert failing.failing_now().count == 1

    def test_logs_in_throttles_and_ends_sessions(self):
        make_user("support")
        with running_as(Part.WEB):
            for _ in range(12):
                log_in("wrong")
            assert LoginFailure.objects.exists()
        LoginFailure.objects.all().delete()
        with running_as(Part.WEB):
            client = log_in()
            assert client.get("/messages/").status_code == 200
            assert UserSession.objects.filter(user__username="ada").exists()
            client.post("/logout/")
            assert not UserSession.objects.filter(user__username="ada").exists()

    def test_restarts_all_of_a_message_with_its_external_calls_in_the_audit(self):
        operator, message = caller("operator"), make_message(state="FAILED")
        make_external_call(message)
        with running_as(Part.WEB):
            body = {"reason": "r", "total": True}
            assert operator.post(f"messages/{message.pk}/restart/", body).status_code == 200
        assert not ExternalCall.objects.exists()
        assert AuditEntry.objects.get(action__startswith="restart").actor == "ada"

    def test_steers_jobs_and_changes_rows_of_the_admin(self):
        boss = make_user("admin", is_superuser=True)
        make_message(state="FAILED")
        with running_as(Part.WEB):
            job = jobs.new_job("restart", {"state": "FAILED"})
            client = log_in()
            for action in ("pause", "resume", "stop"):
                client.post(f"/jobs/{job.pk}/{action}/", {"reason": "r"})
            nightly(boss)
        assert AuditEntry.objects.filter(action="stop_job", job_id=job.pk).exists()
        assert PeriodicTask.objects.filter(task__endswith="run_schedule").exists()


class TestWorker:
    def test_runs_all_scheduled_tasks(self):
        make_trigger()
        store_both()
        stores.define()
        stores.store([{"id": 1}])
        make_message(state="FAILED", failed_desc="E103: refused")
        make_rule()
        Job.objects.create(kind="cancel", state="queued", reason="r", attempt=0)
        for event, filter in (("job_ended", {}), ("messages_final", {"service_name": "billing"})):
            Webhook.objects.create(name=event, url="https://hooks.example.org/", event=event, filter=filter)
        WebhookPosition.objects.get_or_create(id=1)
        Job.objects.create(kind="cancel", state="done", reason="r", finished_at=Now())
        message = make_message(state="PROCESSING", service_name="billing")
        Message.objects.filter(pk=message.pk).update(state="OK")
        app.loader.import_default_modules()
        with running_as(Part.WORKER):
            for task in [each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()]:
                app.tasks[task]()
            work_for(seconds=1)
            seal_audit()
        assert MessageRollup.objects.exists()
        assert Alert.objects.exists()
        assert set(WebhookDelivery.objects.values_list("webhook__event", flat=True)) == set(WebhookEvent)
        assert all("not listed" in hook.error for hook in Webhook.objects.all())
        assert stores.current()
        assert AuditEntry.objects.exists()
        assert AuditSeal.objects.count() <= 1

    def test_keeps_beats_table_of_tasks(self):
        with running_as(Part.WORKER):
            DatabaseScheduler(app=app).sync()
        assert set(PeriodicTask.objects.values_list("name", flat=True)) >= set(settings.CELERY_BEAT_SCHEDULE)

    def test_makes_the_job_of_a_schedule(self):
        made = nightly(make_user("admin"))
        with running_as(Part.WORKER):
            run_schedule(schedule_id=made.pk)
        assert Job.objects.get().created_by == f"schedule {made.pk} (ada)"


@pytest.mark.usefixtures("spark_remote")
class TestSpark:
    @pytest.mark.slow
    def test_moves_to_the_archive_and_back(self):
        message = with_traffic(old_message())
        make_orphans()
        with at_work():
            done = jobs.run("archive", {})
            assert (done.job.state, done.job.error) == (JobState.DONE, "")
            assert ArchiveMessage.objects.filter(pk=message.pk).exists()
            restored = jobs.run("restore", {"correlation_id": message.correlation_id})
            assert (restored.job.state, restored.done) == (JobState.DONE, 1)
            assert Message.objects.filter(pk=message.pk).exists()

    @pytest.mark.slow
    def test_moves_to_parquet_and_back(self):
        message = with_traffic(old_message())
        make_orphans()
        with at_work():
            done = to_parquet()
            assert (done.job.state, done.job.error) == (JobState.DONE, "")
            assert ColdMessage.objects.filter(pk=message.pk).exists()
            assert undo(done.job).job.state == JobState.DONE
            assert Message.objects.filter(pk=message.pk).exists()

    @pytest.mark.slow
    def test_restarts_cancels_and_undoes_a_cancel(self):
        for _ in range(2):
            make_external_call(make_message(state="FAILED"))
        waiting = make_message(state="POSTPONED")
        with at_work():
            assert jobs.run("restart", {"state": "FAILED"}, total=True).done == 2
            assert not ExternalCall.objects.exists()
            done = jobs.run("cancel", {"state": "POSTPONED"})
            assert done.done == 1
            assert jobs.work(undo_job(job_id=done.job.pk, **jobs.WHY)).job.state == JobState.DONE
            assert Message.objects.get(pk=waiting.pk).state == "POSTPONED"

    @pytest.mark.slow
    def test_reprocesses_the_message_store_and_archives_its_attempts(self):
        stores.define_orders()
        key = stores.store([{"id": 1, "customer": 9}], entity="order")
        stores.make_older(key, "60 days")
        assert stores.process(key).status == 26
        stores.execute(
            "INSERT INTO message_history (message_identifier, processed_timestamp, status)"
            " SELECT message_identifier, processed_timestamp - interval '100 days', 20"
            "   FROM message_history"
        )
        with at_work():
            assert jobs.run("reprocess", {"source_entity": "order"}).done == 1
            assert dict(jobs.run("archive_history", {}, older_than_months=2).moved) == {"message_history": 1}

    @pytest.mark.slow
    def test_exports_and_groups_failures(self):
        make_message(state="FAILED", failed_desc="E103: refused")
        stores.execute("DELETE FROM new_failure")
        with at_work():
            assert jobs.run("export", {"state": "FAILED"}, format="csv").done == 1
            assert jobs.run("group_failures", {}).job.report["grouped"] == 1

    def test_is_given_its_role_by_the_worker(self, start_worker):
        message = with_traffic(old_message())
        start_worker(
            DATABASE_URL=url_of(Part.WORKER),
            HUBCONSOLE_SPARK_DATABASE_URL=url_of(Part.SPARK),
        )
        job = jobs.new_job("archive", {})
        run_job.delay(job.pk)
        eventually(lambda: Job.objects.get(pk=job.pk).state == JobState.DONE, seconds=120)
        assert ArchiveMessage.objects.filter(pk=message.pk).exists()


class TestErase:
    def test_erases_a_subject_from_everywhere(self, spark_remote, settings, tmp_path):
        settings.ERASED_LIST = tmp_path / "erased.jsonl"
        with_traffic_of_subject(make_message_of_subject())
        to_parquet()
        to_archive(with_traffic_of_subject(make_message_of_subject()))
        with_traffic_of_subject(make_message_of_subject())
        make_trigger()
        store_both(uuid=KEY)
        test_parameters.make_job(report={"filter": KEY}, error=KEY)
        test_parameters.make_group(KEY)
        FailureGroup.objects.update(fingerprint="f" * 32)
        test_cp_queue.dispatched(471147)
        test_cp_queue.deferred("one", 471147)
        # Under another role, Spark could not do it.
        with override_settings(SPARK_DATABASE=address_of(Part.WEB)), running_as(Part.ERASE):
            assert erase().left == []
            assert erase("471147").left == []
        assert holding(KEY) == {}
        assert not DocumentHistory.objects.exists()
