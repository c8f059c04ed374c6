"""Counting again on Spark: the counts match the tables, also while a hub continues."""

import threading

import psycopg
import pytest
from django.db.models import Sum

from messages_app.jobs.connections import database_dsn
from messages_app.messages.metrics.counts import fold
from messages_app.messages.metrics.models import MessageRollup, MessageTook
from messages_app.messages.models import Message
from spark_tasks.counts import recount
from spark_tasks.session import spark_session
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day, entries
from tests.support.factories import make_archived_message, make_message, make_messages
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def spark(spark_remote):
    with spark_session(spark_remote) as session:
        yield session


class TestRecount:
    def test_agrees_with_the_counts_of_the_passes(self, spark):
        make_messages(200)
        make_message(state="FAILED", failed_error_code="E103")
        Message.objects.filter(state="OK").update(state="FAILED", failed_error_code="E101")
        Message.objects.filter(failed_error_code="E101").update(state="PARTLY_FAILED")
        fold()
        before = entries(), counts_by_day()
        timed = MessageTook.objects.aggregate(messages=Sum("messages"))
        assert timed == {"messages": 200}
        MessageTook.objects.update(messages=7)
        MessageRollup.objects.all().delete()
        assert recount(spark, dsn=database_dsn()) > 0
        assert (entries(), counts_by_day()) == before
        assert MessageTook.objects.aggregate(messages=Sum("messages")) == timed
        assert fold() == 0

    def test_counts_what_was_archived_as_entered_and_no_longer_there(self, spark):
        make_archived_message(state="OK")
        recount(spark, dsn=database_dsn())
        assert (entries(), counts_by_day()) == ({"OK": 1}, set())

    def test_is_exact_next_to_a_hub_that_continues(self, spark):
        make_messages(2_000)
        ids = list(Message.objects.values_list("pk", flat=True))
        done = threading.Event()

        def go_on() -> None:
            with psycopg.connect(database_dsn(), autocommit=True) as hub:
                for msg_id in ids:
                    hub.execute("UPDATE message SET state = 'CANCEL' WHERE msg_id = %s", [msg_id])
                    if done.is_set():
                        return

        def rebuild() -> None:
            try:
                recount(spark, dsn=database_dsn())
            finally:
                done.set()

        def keep_folding() -> None:
            while not done.wait(0.05):
                fold(most=20)

        assert in_threads(go_on, rebuild, keep_folding) == [None, None, None]
        fold()
        assert counts_by_day() == counted_by_day()
