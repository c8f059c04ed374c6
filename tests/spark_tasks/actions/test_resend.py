"""Corrections of a chunk's messages, over a connection like an executor's."""

from collections.abc import Iterator
from functools import partial

import psycopg
import pytest
from django.db import connection

from messages_app.audit.privileges import Part
from messages_app.jobs.connections import database_dsn, own_dsn
from messages_app.jobs.models import Job
from messages_app.messages.attachment import forget_attachment, hub_time_zone
from messages_app.messages.models import Funnel, Message, ResentMessage
from messages_app.shared.replacements import Replacement
from spark_tasks.actions.resend import Resend
from spark_tasks.contract import Decided, Item, JobKey
from spark_tasks.database import connect_to_database
from tests.messages_app.audit.parts import logged_in, roles  # noqa: F401 (a fixture)
from tests.spark_tasks.moves.scenes import executor, hub
from tests.support.attached import attached_hub
from tests.support.factories import make_message, next_id
from tests.support.threads import in_threads

WRONG, RIGHT = "<a>1</a>", "<a>2</a>"
RESEND = Resend(replacement=Replacement(find="1", replace="2"), cancel_original=True, rules="cleverbus")


@pytest.fixture
def key() -> JobKey:
    job = Job.objects.create(kind="resend", state="running", attempt=1, reason="r", created_by="ada")
    return JobKey(dsn=database_dsn(), job_id=job.pk, attempt=1, rivals=())


@pytest.fixture
def session() -> Iterator[psycopg.Connection]:
    with executor() as database:
        yield database


def act(database: psycopg.Connection, key: JobKey, *msg_ids: int, action: Resend = RESEND) -> Decided:
    with database.transaction():
        return action.process_items(database, key, [Item(each, each, "FAILED") for each in msg_ids])


@pytest.mark.django_db(transaction=True)
class TestOwnTables:
    def test_leaves_a_message_that_the_hub_has_locked(self, session, key):
        locked, free = (make_message(state="FAILED", payload=WRONG).pk for _ in range(2))
        with hub() as database, database.transaction():
            database.execute("SELECT FROM message WHERE msg_id = %s FOR UPDATE", [locked])
            assert act(session, key, locked, free).refusals == {locked: "skipped:locked"}
        assert list(ResentMessage.objects.values_list("original_id", flat=True)) == [free]

    def test_two_executors_send_each_message_once(self, key):
        ids = [make_message(state="FAILED", payload=WRONG).pk for _ in range(20)]

        def act_alone() -> int:
            with executor() as database:
                return len(ids) - len(act(database, key, *ids).refusals)

        assert sum(in_threads(*[partial(act_alone)] * 3)) == 20
        assert ResentMessage.objects.count() == Message.objects.filter(payload=RIGHT).count() == 20

    def test_a_message_that_is_too_large_is_not_read(self, session, key):
        msg_id = make_message(state="FAILED", payload="1" * 1_000_001).pk
        assert act(session, key, msg_id).refusals == {msg_id: "skipped:too_large"}

    @pytest.mark.usefixtures("roles")
    def test_the_role_of_executors_has_the_privileges(self, key):
        message = make_message(state="FAILED", payload=WRONG)
        Funnel.objects.create(funnel_id=next_id(), msg_id=message.pk, funnel_value="a")
        with logged_in(Part.SPARK) as database:
            decided = act(database, key, message.pk)
        assert decided.refusals == {}
        sent = ResentMessage.objects.get()
        assert (sent.original_id, sent.job_id) == (message.pk, key.job_id)
        assert Funnel.objects.get(msg_id=sent.msg_id).funnel_value == "a"
        assert Message.objects.get(pk=message.pk).state == "CANCEL"


@pytest.fixture
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.mark.usefixtures("_unblocked")
def test_an_attached_hub_gets_rows_of_its_own():
    with attached_hub("CleverBus 2.0") as attached:
        forget_attachment()
        attached.run("SELECT setval('{hub}.hibernate_sequence', 5000)")
        attached.run("UPDATE {hub}.message SET state = 'FAILED', payload = %s WHERE msg_id = 4", WRONG)
        attached.run("DELETE FROM {hub}.funnel WHERE msg_id = 4")
        attached.run("INSERT INTO {hub}.funnel VALUES (901, 4, 'x')")
        job = Job.objects.create(kind="resend", state="running", attempt=1, reason="r", created_by="ada")
        key = JobKey(dsn=own_dsn(), job_id=job.pk, attempt=1, rivals=())
        action = Resend(
            replacement=RESEND.replacement, cancel_original=True, rules="cleverbus", zone=hub_time_zone()
        )
        with connect_to_database(own_dsn()) as database:
            assert act(database, key, 4, action=action).refusals == {}
        assert attached.run("SELECT state, payload FROM {hub}.message WHERE msg_id = 5001") == [
            ("POSTPONED", RIGHT)
        ]
        assert attached.run("SELECT state FROM {hub}.message WHERE msg_id = 4") == [("CANCEL",)]
        assert attached.run("SELECT funnel_value FROM {hub}.funnel WHERE msg_id = 5001") == [("x",)]
        connection.close()
