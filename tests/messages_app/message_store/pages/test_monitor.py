import pytest
from django.db.models.functions import Now
from django_celery_beat.models import IntervalSchedule, PeriodicTask

from messages_app.message_store.services import take_back_dead
from messages_app.message_store.tasks import monitor_message_store
from tests.page_client import client_of, text_of
from tests.stores import make_held_longer, set_process, store

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

    def test_shows_what_is_stuck_and_the_timeouts_that_have_fired(self):
        stuck, fresh = store(), store()
        for key in (stuck, fresh):
            set_process(key, status=1)
        make_held_longer(stuck, "7 hours")
        client = client_of("operator")
        page = text_of(client.get(MONITOR))
        assert page.index(stuck) < page.index(fresh)
        assert page.count("Stuck: the next scan takes it back") == 1
        assert "0 of attempts, 0 of places in the queue" in page
        take_back_dead()
        page = text_of(client.get(MONITOR))
        assert "1 of attempts, 0 of places in the queue" in page
        assert stuck not in page

    def test_tells_what_other_settings_would_come_to(self):
        client = client_of("support")
        page = text_of(client.get(f"{MONITOR}?maximum_delay=7200.5&message_timeout=1234567&minimum_delay="))
        assert "it would wait" in page
        assert text_of(client.get(f"{MONITOR}?message_timeout=60")).count("gives up") == 6
        lines = "HUBCONSOLE_STORE_MAXIMUM_DELAY=7200.5\nHUBCONSOLE_STORE_MESSAGE_TIMEOUT=1234567\n"
        assert lines in page
        for wrong in ("age_exponent=9", "minimum_delay=-1", "maximum_delay=x", "minimum_delay=nan"):
            page = text_of(client.get(f"{MONITOR}?{wrong}"))
            assert "field-error" in page
            assert "it would wait" not in page

    def test_is_calm_while_scans_come(self):
        every = IntervalSchedule.objects.create(every=60, period="seconds")
        task = PeriodicTask.objects.create(name="m", task=monitor_message_store.name, interval=every)
        PeriodicTask.objects.filter(pk=task.pk).update(last_run_at=Now())
        assert "does not run" not in text_of(client_of("support").get(MONITOR))
