from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django_celery_beat.models import IntervalSchedule, PeriodicTask

import hubconsole.celery  # noqa: F401 (whose broker the scans' tasks go to)
from messages_app.audit.models import AuditEntry
from messages_app.message_store.monitor_models import StoreScan
from messages_app.message_store.services.monitor import fill_queue, keep_interval, take_back_dead
from messages_app.message_store.settings import changed_settings, current_limits, environment_limits
from messages_app.message_store.tasks import monitor_message_store
from tests.support.page_client import client_of, text_of
from tests.support.page_tables import read_texts
from tests.support.stores import make_held_longer, set_process, status_of, store

pytestmark = pytest.mark.django_db
MONITOR = "/message-store/monitor/"
SETTINGS = f"{MONITOR}settings/"


def scheduled_task() -> PeriodicTask:
    """Store the monitor's row of the scheduler, of every minute."""
    every = IntervalSchedule.objects.create(every=60, period="seconds")
    return PeriodicTask.objects.create(name="m", task=monitor_message_store.name, interval=every)


def seconds_of(task: PeriodicTask) -> float:
    return PeriodicTask.objects.get(pk=task.pk).schedule.run_every.total_seconds()


class TestMonitor:
    def test_shows_queue_workers_and_waits(self, settings):
        settings.MESSAGE_STORE_QUEUE = 10
        set_process(store(), status=3)
        answer = client_of("support").get(MONITOR)
        context = answer.context
        assert (context["queue_share"], context["worker_share"], context["form"].is_bound) == (10, 0, False)
        assert (context["may_set"], context["may_archive"]) == (False, False)
        page = text_of(answer)
        for words in ("1 of 10", "0 of 1", "Wait", "4 h", "40 d"):
            assert words in page

    def test_warns_if_there_was_no_scan(self):
        page = text_of(client_of("support").get(MONITOR))
        assert "There has been no scan yet." in page

    def test_shows_stuck_messages_and_timeouts(self):
        stuck, fresh = store(), store()
        for key in (stuck, fresh):
            set_process(key, status=1)
        make_held_longer(stuck, "7 hours")
        client = client_of("operator")
        answer = client.get(MONITOR)
        assert (answer.context["queue_share"], answer.context["worker_share"]) == (0, 100)
        page = text_of(answer)
        assert page.index(stuck) < page.index(fresh)
        assert page.count("Stuck: the next scan releases it") == 1
        assert "0 of attempts, 0 in the queue" in page
        take_back_dead()
        page = text_of(client.get(MONITOR))
        assert "1 of attempts, 0 in the queue" in page
        assert stuck not in page

    def test_shows_the_effect_of_other_settings(self):
        client = client_of("support")
        page = text_of(client.get(f"{MONITOR}?maximum_delay=7200.5&message_timeout=1234567&minimum_delay="))
        assert "New wait" in page
        assert "<strong>7200.5</strong> instead of 14400" in page
        assert "<strong>1234567</strong> instead of 3456000" in page
        assert 'name="back"' not in page
        waits = read_texts(client.get(f"{MONITOR}?message_timeout=60"), "Wait before", "New wait")
        assert waits.count(("gives up",)) == 5
        for wrong in ("age_exponent=9", "minimum_delay=-1", "maximum_delay=x", "queue=0", "queue=1.5"):
            page = text_of(client.get(f"{MONITOR}?{wrong}"))
            assert "c-field-error" in page
            assert "New wait" not in page

    def test_sets_them_for_every_process_and_back(self):
        key = store()
        client = client_of("admin")
        asked = {"maximum_delay": "7200", "queue": "0", "reason": "calmer"}
        assert client.post(SETTINGS, asked).status_code == 400
        assert client.post(SETTINGS, asked | {"queue": "", "reason": ""}).status_code == 400
        assert client.post(SETTINGS, {"maximum_delay": "14400", "reason": "as it is"}).status_code == 400
        assert changed_settings() == {}
        assert client.post(SETTINGS, asked | {"queue": "1"}).status_code == 302
        other = store()
        assert fill_queue() == 1
        assert (current_limits().queue, current_limits().timing.maximum_delay) == (1, 7200)
        assert current_limits().timing.minimum_delay == environment_limits().timing.minimum_delay
        page = text_of(client.get(MONITOR))
        assert "Changed here:" in page
        assert "1 of 1" in page
        assert client.post(SETTINGS, {"back": "yes", "reason": "enough"}).status_code == 302
        assert current_limits() == environment_limits()
        assert fill_queue() == 1
        assert {status_of(key), status_of(other)} == {3}
        entries = AuditEntry.objects.filter(action="set_store_monitor").order_by("pk")
        assert [(entry.reason, entry.details["after"]) for entry in entries] == [
            ("calmer", {"maximum_delay": 7200, "queue": 1}),
            ("enough", {}),
        ]
        assert client_of("operator", username="bob").post(SETTINGS, asked).status_code == 403

    def test_sets_the_interval_and_the_number_of_workers(self):
        task = scheduled_task()
        client = client_of("admin")
        for wrong in ({"threads": "17"}, {"threads": "1.5"}, {"interval": "0"}, {"interval": "x"}):
            assert client.post(SETTINGS, wrong | {"reason": "more"}).status_code == 400
        asked = {"interval": "15", "threads": "3", "reason": "a wave"}
        assert client.post(SETTINGS, asked).status_code == 302
        page = text_of(client.get(MONITOR))
        assert "15 s" in page
        assert "0 of 3" in page
        assert seconds_of(task) == 15
        # The scheduler's start has the environment's again, until the next scan.
        task.interval, _ = IntervalSchedule.objects.get_or_create(every=60, period="seconds")
        task.save()
        assert keep_interval()
        assert not keep_interval()
        assert seconds_of(task) == 15
        assert client.post(SETTINGS, {"back": "yes", "reason": "enough"}).status_code == 302
        assert seconds_of(task) == 60
        assert (current_limits().threads, current_limits().interval) == (1, 60)

    def test_shows_no_warning_while_scans_are_done(self):
        scheduled_task()
        monitor_message_store()
        assert "Check that the scheduler" not in text_of(client_of("support").get(MONITOR))

    def test_warns_if_the_scheduler_continues_and_no_scan_is_done(self):
        task = scheduled_task()
        monitor_message_store()
        StoreScan.objects.update(done_at=Now() - timedelta(minutes=4))
        PeriodicTask.objects.filter(pk=task.pk).update(last_run_at=Now())
        assert "The last scan was 4 min ago" in text_of(client_of("support").get(MONITOR))
