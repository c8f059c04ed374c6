"""Polling of attached hubs without triggers: counts, history and failures follow the hub's own statements."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection

from messages_app.attach.indexes import index_statements
from messages_app.attach.recognition import recognize_hub
from messages_app.audit.grants import grant_privileges
from messages_app.audit.privileges import Part
from messages_app.audit.services import Actor
from messages_app.jobs.connections import own_dsn
from messages_app.messages import services
from messages_app.messages.actions.causes import cause_of, causes_of
from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.metrics import polling
from messages_app.messages.metrics.models import PolledMessage, Polling
from messages_app.messages.metrics.passes import fold_changes
from messages_app.messages.metrics.tasks import fold_counts
from messages_app.messages.models import Message, MessageEvent
from tests.messages_app.audit.parts import role_of, roles, running_as  # noqa: F401 (a fixture)
from tests.messages_app.messages.metrics.counting import counted_by_day, counts_by_day, entries
from tests.support.attached import ZONE, AttachedHub, attached_hub
from tests.support.eventually import eventually
from tests.support.ledgers import restarting_job, store_large_ledger
from tests.support.plans import faults_in, reads_of
from tests.support.threads import in_threads

# The others take as long again, so they are slow tests.
LAYOUTS = [
    "CleverBus 2.0",
    pytest.param("CleverBus 1.1", marks=pytest.mark.slow),
    pytest.param("OpenHub 2.3", marks=pytest.mark.slow),
]
# A failed message without calls and requests, so that it can be deleted.
OLD = 50
BY_TIME = "(last_process_timestamp, msg_id) >"
LAST_PROCESS = "hubc_message_last_process_idx"
NOW = "timezone('Europe/Prague', clock_timestamp())"
CHANGE = f"UPDATE {{hub}}.message SET state = %s, last_update_timestamp = {NOW} WHERE msg_id = %s"
SILENT = "UPDATE {hub}.message SET state = %s WHERE msg_id = %s"
INSERT = f"""
INSERT INTO {{hub}}.message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service, source_system,
                             state, operation_name, payload, failed_count)
SELECT id, 'new-' || id, {NOW}, {NOW}, 'CUSTOMER', 'CRM', 'PROCESSING', 'setCustomer', '<customer/>', 0
  FROM generate_series(%s::bigint, %s::bigint) AS id
"""
RESTORE = """
INSERT INTO {hub}.message
SELECT * FROM {hub}.kept WHERE msg_id NOT IN (SELECT msg_id FROM {hub}.message)
"""


@pytest.fixture(scope="module", params=LAYOUTS)
def module_hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub(request.param) as hub:
        hub.run(INSERT, OLD, OLD)
        hub.run(
            "UPDATE {hub}.message SET state = 'FAILED', receive_timestamp = '2024-07-01' WHERE msg_id = %s",
            OLD,
        )
        hub.run("CREATE TABLE {hub}.kept AS SELECT * FROM {hub}.message")
        yield hub


@pytest.fixture
def hub(module_hub: AttachedHub) -> Iterator[AttachedHub]:
    """Give a hub that is polled, and put its rows back after the test."""
    begin_again()
    pass_over()
    yield module_hub
    module_hub.run("DELETE FROM {hub}.message WHERE msg_id NOT IN (SELECT msg_id FROM {hub}.kept)")
    module_hub.run(RESTORE)
    module_hub.run(
        "UPDATE {hub}.message AS now"
        "   SET state = kept.state, last_update_timestamp = kept.last_update_timestamp"
        "  FROM {hub}.kept WHERE kept.msg_id = now.msg_id"
    )


def begin_again() -> None:
    with connection.cursor() as cursor:
        for table in ("polling", "polled_message", "message_change", "message_rollup", "message_event"):
            cursor.execute(f"DELETE FROM {table}")
        for table in ("new_failure", "failure_member", "failure_minute", "failure_group"):
            cursor.execute(f"DELETE FROM {table}")
        for table in ("job_refusal", "job_item", "job_chunk", "job"):
            cursor.execute(f"DELETE FROM {table}")


def pass_over() -> int:
    """Poll, with a pass over all messages."""
    Polling.objects.update(swept=0, swept_at=None)
    differences = polling.poll_messages(seconds=30)
    fold_changes()
    return differences


def events(msg_id: int) -> list[tuple[str, str, str | None]]:
    found = MessageEvent.objects.filter(msg_id=msg_id).order_by("event_id")
    return [(event.from_state, event.to_state, event.actor) for event in found]


class TestPoll:
    def test_counts_the_messages_that_were_there_as_not_new(self, hub):
        assert Message.objects.count() in (11, 13)
        assert counts_by_day() == counted_by_day()
        assert entries() == {}
        assert not MessageEvent.objects.exists()

    def test_records_what_triggers_would_record(self, hub):
        hub.run(INSERT, 500, 502)
        fold_counts()
        assert entries() == {"PROCESSING": 3}
        hub.run(CHANGE, "OK", 500)
        hub.run(CHANGE, "FAILED", 501)
        fold_counts()
        assert counts_by_day() == counted_by_day()
        assert entries() == {"PROCESSING": 3, "OK": 1, "FAILED": 1}
        assert events(500) == [("PROCESSING", "OK", None)]
        assert events(501) == [("PROCESSING", "FAILED", None)]
        assert group_new_failures() == 1

    def test_records_changes_under_the_role_of_the_worker(self, hub, roles):  # noqa: F811 (a fixture)
        grant_privileges(role_of(Part.WORKER), Part.WORKER)  # on the tables of this layout
        hub.run(INSERT, 510, 510)
        hub.run(CHANGE, "FAILED", 1)
        with running_as(Part.WORKER):
            fold_counts()
            assert group_new_failures() == 1
        assert events(1)[-1][1:] == ("FAILED", None)
        assert counts_by_day() == counted_by_day()

    def test_records_the_time_of_the_hub(self, hub):
        hub.run(CHANGE.replace("clock_timestamp()", "now() - interval '3 minutes'"), "OK", 1)
        polling.poll_messages()
        event = MessageEvent.objects.get(msg_id=1)
        assert event.at == Message.objects.get(pk=1).last_process_timestamp

    def test_notices_a_change_that_leaves_the_time_as_it_was(self, hub):
        before = Message.objects.get(pk=4).last_process_timestamp
        hub.run(SILENT, "CANCEL", 4)
        fold_counts()
        event = MessageEvent.objects.get(msg_id=4)
        assert (event.from_state, event.to_state) == ("FAILED", "CANCEL")
        assert event.at - before > timedelta(days=1)
        assert counts_by_day() == counted_by_day()

    def test_actions_of_the_console_have_their_user(self, hub):
        services.restart_message(msg_id=4, actor=Actor(username="ada"), reason="back")
        services.cancel_message(msg_id=3, actor=Actor(username="bob"), reason="not needed")
        polling.poll_messages()
        assert events(4) == [("FAILED", "PARTLY_FAILED", "ada")]
        assert events(3) == [("PARTLY_FAILED", "CANCEL", "bob")]
        for msg_id in (3, 4):
            event = MessageEvent.objects.get(msg_id=msg_id)
            assert cause_of(event, causes_of(msg_id)) is not None

    def test_changes_of_a_job_have_its_user(self, hub):
        hub.run(CHANGE, "PARTLY_FAILED", 9)
        restarting_job(Message.objects.get(pk=9))
        polling.poll_messages()
        assert events(9) == [("OK", "PARTLY_FAILED", "ada")]
        for state in ("OK", "PARTLY_FAILED"):
            hub.run(CHANGE, state, 9)
            polling.poll_messages()
        assert events(9)[1:] == [("PARTLY_FAILED", "OK", None), ("OK", "PARTLY_FAILED", None)]

    @pytest.mark.parametrize(
        ("msg_id", "outcome", "state"),
        [
            pytest.param(2, "skipped:state_conflict", "PARTLY_FAILED", id="skipped"),
            pytest.param(2, "done", "PROCESSING", id="the hub has changed it again"),
            pytest.param(1, "done", "PARTLY_FAILED", id="from another state"),
        ],
    )
    def test_other_changes_have_no_user_of_a_job(self, hub, msg_id: int, outcome: str, state: str):
        before = Message.objects.get(pk=msg_id)
        hub.run(CHANGE, state, msg_id)
        restarting_job(before, outcome=outcome)
        polling.poll_messages()
        assert events(msg_id) == [(before.state, state, None)]

    def test_a_second_poll_writes_nothing(self, hub):
        hub.run(INSERT, 500, 502)
        hub.run(CHANGE, "FAILED", 500)
        assert polling.poll_messages() == 3
        assert polling.poll_messages() == 0
        assert pass_over() == 0
        assert entries() == {"PROCESSING": 2, "FAILED": 1}
        assert counts_by_day() == counted_by_day()

    def test_a_pass_over_all_messages_finds_deletions_and_silent_changes(self, hub):
        hub.run(SILENT, "OK", OLD)
        pass_over()
        hub.run("DELETE FROM {hub}.message WHERE msg_id = %s", OLD)
        hub.run(SILENT, "PARTLY_FAILED", 9)
        assert pass_over() == 2
        assert not PolledMessage.objects.filter(pk=OLD).exists()
        assert events(9) == [("OK", "PARTLY_FAILED", None)]
        assert counts_by_day() == counted_by_day()

    def test_a_pass_reads_all_messages_in_parts(self, hub):
        hub.run(SILENT, "OK", OLD)
        pass_over()
        hub.run("DELETE FROM {hub}.message WHERE msg_id = %s", OLD)
        hub.run(SILENT, "PARTLY_FAILED", 9)
        Polling.objects.update(swept=0, swept_at=None)
        steps = 0
        while Polling.objects.filter(swept_at=None).exists():
            polling.poll_once(most=4, is_first=False)
            steps += 1
        assert steps in (3, 4)
        assert not PolledMessage.objects.filter(pk=OLD).exists()
        assert events(9) == [("OK", "PARTLY_FAILED", None)]

    def test_all_open_messages_are_read_in_turn(self, hub, monkeypatch):
        monkeypatch.setattr(polling, "RECENT", 0)
        hub.run(SILENT, "CANCEL", 8)  # the sixth
        assert [polling.poll_once(most=4).differences for _ in range(3)] == [0, 1, 0]

    def test_a_further_step_continues_after_the_open_messages_of_the_first(self, hub, monkeypatch):
        monkeypatch.setattr(polling, "RECENT", 0)
        polling.poll_once(most=4)
        watched = Polling.objects.get().watched
        polling.poll_once(most=4, is_first=False)
        assert Polling.objects.get().watched == watched != 0

    def test_the_newest_messages_are_read_again(self, hub, monkeypatch):
        hub.run(INSERT, 500, 503)
        hub.run(SILENT.replace("= %s WHERE", "= 'OK' WHERE").replace("= %s", ">= %s"), 500)
        pass_over(), pass_over()
        monkeypatch.setattr(polling, "RECENT", 2)
        hub.run(SILENT, "PARTLY_FAILED", 502)
        assert polling.poll_once().differences == 1
        assert events(502)[-1] == ("OK", "PARTLY_FAILED", None)

    def test_a_message_that_comes_back_has_not_entered_its_state_again(self, hub):
        hub.run("DELETE FROM {hub}.message WHERE msg_id = %s", OLD)
        assert pass_over() == 1
        hub.run(RESTORE)
        assert pass_over() == 1
        assert entries() == {}
        assert counts_by_day() == counted_by_day()
        assert group_new_failures() == 0


class TestLateCommit:
    def test_a_message_that_commits_after_later_ones_is_counted_once(self, hub):
        with psycopg.connect(own_dsn()) as session:
            session.execute(INSERT.replace("{hub}", hub.place), [500, 500])
            hub.run(INSERT, 501, 501 + 3 * polling.RECENT)
            for _ in range(3):
                polling.poll_messages()
            assert not PolledMessage.objects.filter(pk=500).exists()
            session.commit()
        fold_counts()
        fold_counts()
        assert PolledMessage.objects.filter(pk=500).exists()
        assert entries() == {"PROCESSING": 3 * polling.RECENT + 2}
        assert counts_by_day() == counted_by_day()

    def test_a_change_that_commits_after_the_poll_is_noticed_by_the_next(self, hub):
        with psycopg.connect(own_dsn()) as session:
            session.execute(CHANGE.replace("{hub}", hub.place), ["OK", 1])
            assert polling.poll_messages() == 0
            session.commit()
        assert polling.poll_messages() == 1
        assert events(1) == [("PROCESSING", "OK", None)]


def kill_itself_before(start: str) -> Callable:
    def wrap(execute, sql, params, many, context):
        if start in sql:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(sql, params, many, context)

    return wrap


class TestKilled:
    def test_a_poll_that_dies_before_its_commit_is_repeated(self, hub):
        hub.run(CHANGE, "FAILED", 1)
        child = os.fork()
        if not child:
            kept, connection.connection = connection.connection, None
            with connection.execute_wrapper(kill_itself_before("UPDATE polling")):
                polling.poll_messages()
            os._exit(kept is None)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        assert not MessageEvent.objects.exists()
        eventually(lambda: polling.poll_messages() == 1)
        fold_changes()
        assert events(1) == [("PROCESSING", "FAILED", None)]
        assert entries() == {"FAILED": 1}
        assert counts_by_day() == counted_by_day()


class TestAtTheSameTime:
    def test_polls_and_passes_count_each_change_once(self, hub):
        hub.run(INSERT, 500, 559)
        pass_over()
        states = ("OK", "FAILED", "PARTLY_FAILED", "PROCESSING")

        def write() -> None:
            with psycopg.connect(own_dsn(), autocommit=True) as session:
                for turn in range(6):
                    for msg_id in range(500, 560):
                        state = states[(turn + msg_id) % 4]
                        session.execute(CHANGE.replace("{hub}", hub.place), [state, msg_id])

        def count() -> None:
            for _ in range(20):
                fold_counts()

        assert in_threads(write, count, count, count) == [None] * 4
        pass_over()
        assert counts_by_day() == counted_by_day()
        assert sum(entries().values()) == 60 + MessageEvent.objects.count()
        assert PolledMessage.objects.count() == Message.objects.count()


class TestPlans:
    def test_no_statement_scans_a_table(self, hub):
        hub.run(INSERT, 1_000, 9_000)
        hub.run("UPDATE {hub}.message SET state = 'OK', last_update_timestamp = now() WHERE msg_id > 2000")
        store_large_ledger(last=9_000)
        pass_over()
        hub.run("ANALYZE {hub}.message")
        hub.run("ANALYZE polled_message")
        assert not any(BY_TIME in statement for statement, _ in well_planned_poll(hub, "FAILED"))
        (create,) = [
            one for one in index_statements(recognize_hub(hub.place), zone=ZONE) if LAST_PROCESS in one
        ]
        hub.run(create)
        try:
            assert any(BY_TIME in statement for statement, _ in well_planned_poll(hub, "OK"))
        finally:
            hub.run(f"DROP INDEX {{hub}}.{LAST_PROCESS}")


def well_planned_poll(hub: AttachedHub, state: str) -> list[tuple[str, tuple]]:
    """Poll one change, with the next part of all messages; return the statements, whose plans are checked."""
    most, readings = 200, 9
    hub.run(CHANGE, state, 1_000)
    Polling.objects.update(swept_at=None, swept=0)
    sent: list[tuple[str, tuple]] = []
    with connection.execute_wrapper(reads_of(sent)):
        step = polling.poll_once(most=most)
    assert step is not None
    assert step.differences == 1
    assert faults_in(sent, most_rows=readings * (most + polling.RECENT)) == []
    return sent


class TestRebuild:
    @pytest.mark.slow
    @pytest.mark.usefixtures("spark_remote")
    def test_counts_what_the_polls_found(self, hub):
        hub.run(INSERT, 500, 509)
        fold_counts()
        hub.run(CHANGE, "OK", 500)
        call_command("rebuild_counts", stdout=StringIO())
        assert counts_by_day() == counted_by_day()
        assert events(500) == [("PROCESSING", "OK", None)]
        hub.run(CHANGE, "FAILED", 501)
        fold_counts()
        assert counts_by_day() == counted_by_day()
        assert polling.poll_messages() == 0


class TestTriggersLater:
    def test_triggers_replace_the_polls_and_polls_the_triggers(self, hub):
        attach_again(hub, "--create-triggers")
        try:
            assert not Polling.objects.exists()
            hub.run(CHANGE, "OK", 1)
            assert events(1) == [("PROCESSING", "OK", None)]
            assert polling.poll_messages() == 0
        finally:
            attach_again(hub)
        pass_over()
        assert counts_by_day() == counted_by_day()
        assert entries() == {"OK": 1}


def attach_again(hub: AttachedHub, *options: str) -> None:
    call_command("attach", hub.place, *options, time_zone=ZONE, stdout=StringIO(), stderr=StringIO())
