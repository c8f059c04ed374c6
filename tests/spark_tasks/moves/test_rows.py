"""
Moving to the archive while a hub continues: whatever it does meanwhile, no row is lost, doubled or torn.

Source: docs/contributing/spec/promises.md, I-13 to I-20, F-39, F-40.
"""

import random
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.db import connection

from messages_app.jobs.archive_months.tables import this_month
from messages_app.jobs.models import JobChunk, LedgerRow
from messages_app.messages.models import Message
from spark_tasks.actions.archive_rows import ArchiveToTables
from spark_tasks.chunks import decide_items
from spark_tasks.executor import do_chunks
from tests.spark_tasks.actions.test_archive_rows_quick import NEW_CALL, NEW_RESPONSE, RESTART
from tests.spark_tasks.moves.scenes import executor, hub, items, make_families, running_job, to_tables
from tests.support.oracle import Oracle, places
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


def act(ids: list[int], *, action: ArchiveToTables | None = None) -> dict[int, str]:
    """Move the messages as the engine does, and return the outcomes of the ones that stayed."""
    key = running_job(ids, chunk_size=len(ids))
    with executor() as found, found.transaction():
        return dict(decide_items(found, key, action or to_tables(), items(ids)).refusals)


@pytest.fixture(params=["quickly", "carefully"], autouse=True)
def way(request) -> Iterator[None]:
    """Have a hub with nothing else, or with a trigger of its own that forbids the quick way."""
    if request.param == "quickly":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION note_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';"
            "CREATE TRIGGER mine BEFORE DELETE ON message FOR EACH ROW EXECUTE FUNCTION note_it()"
        )
    yield
    with connection.cursor() as cursor:
        cursor.execute("DROP FUNCTION note_it CASCADE")


@pytest.fixture
def ids() -> list[int]:
    return make_families(12)


class TestAct:
    def test_moves_families_with_all_their_rows(self, ids):
        oracle = Oracle()

        assert act(ids) == {}

        assert oracle.verdict().is_clean
        for table in ("message", "external_call", "request", "response", "funnel"):
            assert places(table)[0] == set()

    def test_leaves_restarted_messages_unchanged(self, ids):
        with hub() as other:
            other.execute(RESTART, {"id": ids[3]})
        oracle = Oracle()

        assert act(ids) == {ids[3]: "skipped:moved_on"}

        assert oracle.verdict().is_clean
        assert places("message")[0] == {ids[3]}

    def test_leaves_a_locked_message(self, ids):
        oracle = Oracle()
        with hub() as other, other.transaction():
            other.execute(RESTART, {"id": ids[3]})
            assert act(ids) == {ids[3]: "skipped:locked"}
            raise psycopg.Rollback

        assert oracle.verdict().is_clean
        assert places("message")[0] == {ids[3]}

    def test_leaves_a_family_with_a_locked_call(self, ids):
        oracle = Oracle()
        with hub() as other, other.transaction():
            other.execute("UPDATE external_call SET state = 'FAILED' WHERE msg_id = %s", [ids[3]])
            assert act(ids) == {ids[3]: "skipped:locked"}
            raise psycopg.Rollback

        assert oracle.verdict().is_clean
        assert places("message")[0] == {ids[3]}

    def test_waits_half_a_second_for_a_locked_row(self, ids):
        key = running_job(ids, chunk_size=len(ids))
        with executor() as found, found.transaction():
            decide_items(found, key, to_tables(), items(ids))
            assert found.execute("SHOW lock_timeout").fetchone() == ("500ms",)

    def test_leaves_a_row_that_the_archive_rejects(self, ids):
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO archive_message SELECT * FROM message WHERE msg_id = %s", [ids[3]])

        assert act(ids) == {ids[3]: f"failed:archive_message_{this_month():%Y_%m}_pkey"}

        assert places("message")[0] == {ids[3]}

    def test_keeps_every_row_of_a_hub_that_continues(self):
        many = make_families(1_500)
        key = running_job(many, chunk_size=100)
        action, chunks = to_tables(), list(JobChunk.objects.values_list("chunk_no", flat=True))
        restless = Restless(many)
        oracle = Oracle()

        answers = in_threads(
            *(restless.live for _ in range(2)),
            *(lambda mine=chunks[half::2]: restless.during(do_chunks, key, action, mine) for half in (0, 1)),
        )

        assert [answer for answer in answers if isinstance(answer, Exception)] == []
        verdict = oracle.verdict()
        assert (verdict.lost, verdict.doubled, verdict.torn) == ([], [], [])
        assert {row_id for table, row_id in verdict.altered if table == "message"} == restless.restarted
        assert len(verdict.unexpected) == restless.stored
        assert restless.errors <= {psycopg.errors.ForeignKeyViolation}
        assert_ledger_agrees(many, live=places("message")[0])


def assert_ledger_agrees(ids: list[int], *, live: set[int]) -> None:
    outcomes = dict(LedgerRow.objects.values_list("msg_id", "outcome"))
    assert set(outcomes) == set(ids)
    assert {msg_id for msg_id, outcome in outcomes.items() if outcome == "done"} == set(ids) - live
    assert sum(sum(chunk.outcomes.values()) for chunk in JobChunk.objects.all()) == len(ids)


class Restless:
    """
    A hub that restarts messages, and stores calls and responses of them, until no one moves any more.

    Attributes:
        restarted: messages that it changed.
        stored: how many rows it has stored.
        errors: the kinds of errors that it met.
    """

    def __init__(self, ids: list[int]) -> None:
        self._ids = ids
        self._moving = threading.Semaphore(2)
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._left = 2
        self.restarted: set[int] = set()
        self.stored = 0
        self.errors: set[type] = set()

    def during(self, work: Callable, *arguments: object) -> None:
        """Do the moving; the hub stops with the last mover."""
        try:
            work(*arguments, None)
        finally:
            with self._lock:
                self._left -= 1
                if not self._left:
                    self._ended.set()

    def live(self) -> None:
        chance = random.Random(threading.get_ident())  # noqa: S311
        with hub() as session:
            session.execute("SET lock_timeout = '10s'")
            while not self._ended.is_set():
                self._act(session, chance)

    def _act(self, session: psycopg.Connection, chance: random.Random) -> None:
        msg_id, statement = chance.choice(self._ids), chance.choice([RESTART, NEW_CALL, NEW_RESPONSE])
        call = {"id": msg_id}
        try:
            changed = session.execute(statement, call).rowcount
        except psycopg.Error as error:
            self.errors.add(type(error))
            return
        with self._lock:
            if statement is not RESTART:
                self.stored += changed
            elif changed:
                self.restarted.add(msg_id)


class TestMovedOn:
    def test_is_never_archived_with_a_state_that_is_not_final(self, ids):
        Message.objects.filter(pk__in=ids[:4]).update(state="WAITING")

        refusals = act(ids)

        assert refusals == dict.fromkeys(ids[:4], "skipped:moved_on")
        assert places("message")[1] == set(ids[4:])
