import threading
from collections.abc import Iterator

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.core import trigger_gaps
from messages_app.core.trigger_gaps import TriggerGap
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureMember
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day
from tests.support.factories import make_message
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)


def executed(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture(autouse=True)
def none_lost(db) -> Iterator[None]:
    """Begin and end at 0: a sequence keeps its count even if the transaction is rolled back."""
    executed("SELECT setval('trigger_gap_lost', 1, false)")
    yield
    executed("SELECT setval('trigger_gap_lost', 1, false)")


@pytest.fixture
def broken():
    """Have the triggers fail at the history of states until `mend` is called."""
    executed("ALTER TABLE message_event ADD CONSTRAINT never CHECK (false) NOT VALID")
    yield lambda: executed("ALTER TABLE message_event DROP CONSTRAINT IF EXISTS never")
    executed("ALTER TABLE message_event DROP CONSTRAINT IF EXISTS never")


def fail(message: Message) -> None:
    Message.objects.filter(pk=message.pk).update(
        state="FAILED", failed_error_code="E103", failed_desc="refused"
    )


class TestGaps:
    def test_of_one_reason_become_one(self, broken):
        message = make_message(state="PROCESSING")
        fail(message)
        fail(make_message(state="PROCESSING"))
        executed("UPDATE message SET state = 'OK'")
        before = TriggerGap.objects.earliest("gap_id").first_at, TriggerGap.objects.latest("gap_id").last_at
        trigger_gaps.merge_gaps()
        gap = TriggerGap.objects.get()
        assert (gap.area, gap.sqlstate, gap.statements) == ("messages", "23514", 3)
        assert (gap.first_at, gap.last_at) == before

    def test_that_came_after_a_rebuild_began_stay(self, broken):
        fail(make_message(state="PROCESSING"))
        gaps = trigger_gaps.gaps_to_close()
        fail(make_message(state="PROCESSING"))
        trigger_gaps.close_gaps(gaps)
        assert TriggerGap.objects.count() == 1

    def test_that_were_merged_with_later_ones_stay(self, broken):
        fail(make_message(state="PROCESSING"))
        gaps = trigger_gaps.gaps_to_close()
        fail(make_message(state="PROCESSING"))
        trigger_gaps.merge_gaps()
        trigger_gaps.close_gaps(gaps)
        assert TriggerGap.objects.get().statements == 2

    def test_without_a_row_are_closed_when_their_transactions_are_over(self):
        executed("SELECT nextval('trigger_gap_lost')")
        gaps = trigger_gaps.gaps_to_close()
        executed("SELECT nextval('trigger_gap_lost')")
        trigger_gaps.close_gaps(gaps)
        assert trigger_gaps.count_lost_gaps() == 1
        trigger_gaps.close_gaps(trigger_gaps.gaps_to_close())

    def test_without_a_row_are_closed_again_after_an_earlier_rebuild(self):
        for noted in (2, 5):
            executed(f"SELECT setval('trigger_gap_lost', {noted})")
            trigger_gaps.close_gaps(trigger_gaps.gaps_to_close())
            assert trigger_gaps.count_lost_gaps() == 0
        assert not trigger_gaps.gaps_to_close()

    def test_are_of_the_areas_of_their_rows_and_of_all_areas_if_one_has_no_row(self, broken):
        fail(make_message(state="PROCESSING"))
        with_row = trigger_gaps.gaps_to_close()
        row = TriggerGap.objects.get().pk
        assert (with_row.ids, with_row.areas, with_row.lost) == ((row,), {"messages"}, 0)
        executed("SELECT setval('trigger_gap_lost', 3)")
        without_row = trigger_gaps.gaps_to_close()
        assert (without_row.ids, without_row.lost) == ((row,), 3)
        assert without_row.areas == set(trigger_gaps.areas_of_stores())
        assert len(without_row.areas) > 1

    def test_without_a_row_wait_for_open_transactions(self):
        executed("SELECT nextval('trigger_gap_lost')")
        message = make_message()
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as hub:
            hub.execute("UPDATE message SET custom_data = 'x' WHERE msg_id = %s", [message.pk])
            over = threading.Timer(1.0, hub.commit)
            over.start()
            gaps = trigger_gaps.gaps_to_close()
            with connection.cursor() as cursor:
                cursor.execute("SELECT custom_data FROM message")
                assert cursor.fetchone() == ("x",)
            over.join()
        trigger_gaps.close_gaps(gaps)
        assert trigger_gaps.count_lost_gaps() == 0


class TestRebuilding:
    @pytest.mark.usefixtures("spark_remote")
    def test_closes_a_gap(self, broken, capsys):
        moved, failed = make_message(state="PROCESSING"), make_message(state="PROCESSING")
        fold_changes()
        broken()
        Message.objects.filter(pk=moved.pk).update(state="WAITING")
        executed("ALTER TABLE message_event ADD CONSTRAINT never CHECK (false) NOT VALID")
        Message.objects.filter(pk=moved.pk).update(state="OK")
        fail(failed)
        broken()
        with pytest.raises(CommandError, match="gaps"):
            call_command("doctor")
        told = " ".join(capsys.readouterr().out.split())
        assert "2 statements since " in told
        assert "the history of states, the counts and the groups of failures. Fix the cause" in told
        assert '23514: new row for relation "message_event" violates check constraint "never"' in told
        assert "run `python manage.py rebuild_counts`" in told

        call_command("rebuild_counts")

        assert "Gap closed: 1 history entries and 1 failures were missing." in capsys.readouterr().out
        assert not TriggerGap.objects.exists()
        events = MessageEvent.objects.filter(msg_id=moved.pk).order_by("event_id")
        assert list(events.values_list("from_state", "to_state", "actor")) == [
            ("PROCESSING", "WAITING", None),
            ("WAITING", "OK", "(unknown)"),
        ]
        group_new_failures()
        assert FailureMember.objects.get().msg_id == failed.pk
        fold_changes()
        assert counts_by_day() == counted_by_day()
        with pytest.raises(CommandError) as error:
            call_command("doctor")
        assert "gaps" not in str(error.value)
