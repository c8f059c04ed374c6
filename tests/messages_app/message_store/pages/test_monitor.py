import pytest
from django.db.models.functions import Now
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from messages_app.message_store.tasks import monitor_message_store
from tests.page_client import client_of, text_of
from tests.stores import set_process, store

pytestmark = pytest.mark.django_db
MONITOR = "/message-store/monitor/"


class TestMonitor:
    def test_shows_queue_workers_and_waits(self, settings):
        settings.MESSAGE_STORE_QUEUE = 10
        set_process(store(), status=3)
        page = text_of(client_of("support").get(MONITOR))
        for words in ("1 of 10", "0 of 1", "it waits", "4 h", "40 d"):
            assert words in page

    def test_warns_where_no_scan_came(self):
        page = text_of(client_of("support").get(MONITOR))
        assert "The scheduler knows of no scan yet." in page

    def test_is_calm_while_scans_come(self):
        every = IntervalSchedule.objects.create(every=60, period="seconds")
        task = PeriodicTask.objects.create(name="m", task=monitor_message_store.name, interval=every)
        PeriodicTask.objects.filter(pk=task.pk).update(last_run_at=Now())
        assert "does not run" not in text_of(client_of("support").get(MONITOR))
