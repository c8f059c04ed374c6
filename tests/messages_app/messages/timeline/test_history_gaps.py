import psycopg
import pytest
from django.db import connection

from messages_app.messages.models import Message, MessageEvent
from messages_app.messages.timeline.history import timeline_of
from messages_app.messages.timeline.history_gaps import mend_history
from tests.messages_app.messages.detail.rows import make_event
from tests.support.factories import NOON, make_message
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)


def events(message: Message) -> list[tuple]:
    rows = MessageEvent.objects.filter(msg_id=message.pk).order_by("event_id")
    return list(rows.values_list("from_state", "to_state", "actor"))


class TestMendHistory:
    def test_adds_an_entry_if_the_last_one_has_another_state(self):
        stale = make_message(state="OK", last_process_timestamp=NOON)
        right = make_message(state="OK")
        without = make_message(state="OK")
        make_event(stale, "PROCESSING", "WAITING", at=NOON.replace(hour=9))
        make_event(right, "PROCESSING", "OK", at=NOON)
        assert mend_history() == 1
        assert events(stale) == [("PROCESSING", "WAITING", None), ("WAITING", "OK", "(unknown)")]
        assert MessageEvent.objects.latest("event_id").at == NOON
        assert (len(events(right)), events(without)) == (1, [])
        assert mend_history() == 0

    def test_compares_only_the_last_of_several_entries(self):
        stale = make_message(state="OK", last_process_timestamp=NOON)
        right = make_message(state="OK")
        steps = [("NEW", "OK"), ("OK", "PROCESSING"), ("PROCESSING", "FAILED")]
        for minute, (before, after) in enumerate(steps):
            make_event(stale, before, after, at=NOON.replace(hour=9, minute=minute))
        for minute, (before, after) in enumerate(
            [("NEW", "FAILED"), ("FAILED", "PROCESSING"), ("PROCESSING", "OK")]
        ):
            make_event(right, before, after, at=NOON.replace(hour=9, minute=minute))
        assert mend_history() == 1
        assert events(stale)[-1] == ("FAILED", "OK", "(unknown)")
        assert len(events(right)) == 3

    def test_marks_the_entry_in_the_timeline(self):
        message = make_message(state="OK")
        make_event(message, "PROCESSING", "WAITING", at=NOON)
        mend_history()
        entry = next(entry for entry in timeline_of(message).entries if entry.actor == "(unknown)")
        assert entry.text == "WAITING → OK"
        assert entry.note.startswith("The states in between were not recorded")

    def test_skips_a_message_that_the_hub_is_changing(self):
        message = make_message(state="OK")
        make_event(message, "PROCESSING", "WAITING", at=NOON)
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as hub:
            hub.execute("UPDATE message SET state = 'CANCEL' WHERE msg_id = %s", [message.pk])
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = 2000")
            assert mend_history() == 0
            hub.commit()
        assert events(message)[-1] == ("OK", "CANCEL", None)
