"""
Changes between the steps of a quick move, step by step: they are detected, waited for or blocked.

Source: docs/contributing/spec/promises.md, I-13 to I-16; docs/contributing/spec/design.md, "Moving rows";
docs/contributing/spec/cleverbus.md, "Defects of the archive procedures".
"""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor

import psycopg
import pytest

from messages_app.messages.models import ExternalCall, Message, Response
from spark_tasks.actions.archive_rows import Changed, Picked, families_apart, move_picked, pick_items
from spark_tasks.moves.rows import switch_off_checks
from spark_tasks.tables import HUB_TABLES
from tests.spark_tasks.moves.scenes import AGES, executor, hub, is_waiting, items, make_families, to_tables
from tests.support.eventually import eventually
from tests.support.oracle import Oracle, places

pytestmark = pytest.mark.django_db(transaction=True)

NEW_CALL = (
    "INSERT INTO external_call (msg_id, operation_name, state, entity_id, msg_timestamp, creation_timestamp,"
    " last_update_timestamp) VALUES (%(id)s, 'direct:late', 'OK', gen_random_uuid(), now(), now(), now())"
)
NEW_RESPONSE = (
    "INSERT INTO response (req_id, res_envelope, res_timestamp)"
    " SELECT req_id, '<late/>', now() FROM request WHERE msg_id = %(id)s"
)
NEW_CHILD = (
    "INSERT INTO message (correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,"
    " state, operation_name, payload, parent_msg_id)"
    " VALUES ('late', now(), now(), 's', 'CRM', 'NEW', 'o', '<x/>', %(id)s)"
)
RESTART = "UPDATE message SET state = 'PARTLY_FAILED' WHERE msg_id = %(id)s"
# Changes of the hub to a message between the pick and the move; each takes its id.
CHANGES = {
    "restarts it": RESTART,
    "writes it again as it was": "UPDATE message SET state = state WHERE msg_id = %(id)s",
    "deletes it, and all that is its": (
        "WITH responses AS (DELETE FROM response WHERE msg_id = %(id)s),"
        " requests AS (DELETE FROM request WHERE msg_id = %(id)s),"
        " funnels AS (DELETE FROM funnel WHERE msg_id = %(id)s),"
        " calls AS (DELETE FROM external_call WHERE msg_id = %(id)s)"
        " DELETE FROM message WHERE msg_id = %(id)s"
    ),
    "stores a child of it": NEW_CHILD,
}


@pytest.fixture
def ids() -> list[int]:
    return make_families(5)


def move(found: psycopg.Connection, picked: Picked, wanted: int | None = None) -> Counter[str]:
    many = picked.rows if wanted is None else wanted
    return move_picked(found, picked, expected=many, tables=HUB_TABLES, columns=to_tables().columns)


def start(pool: ThreadPoolExecutor, session: psycopg.Connection, sql: str, msg_id: int) -> Future:
    """Run the statement in a thread, and return once it waits for someone."""
    running = pool.submit(session.execute, sql, {"id": msg_id})
    eventually(lambda: is_waiting(session.info.backend_pid))
    return running


class TestFamiliesApart:
    def test_keeps_families_whole(self):
        chosen = [*items([1, 2]), items([3])[0]._replace(root_msg_id=2)]
        picked = Picked(2, "{1,2}", "{7,7}", "{}")

        whole, odd = families_apart(chosen, picked)

        assert [item.msg_id for item in whole] == [1]
        assert [item.msg_id for item in odd] == [2, 3]

    def test_reports_all_messages_as_irregular_if_none_was_picked(self):
        assert families_apart(items([1]), Picked(0, "{}", "{}", "{}")) == ([], items([1]))


class TestPick:
    def test_does_not_change_messages_that_are_not_final_or_not_old(self, ids):
        Message.objects.filter(pk=ids[0]).update(state="WAITING")
        Message.objects.filter(pk=ids[1]).update(last_process_timestamp="2999-01-01T00:00Z")

        with executor() as found:
            picked = pick_items(found, items(ids), **AGES)

        assert (picked.rows, picked.msg_ids) == (3, "{" + ",".join(map(str, ids[2:])) + "}")


class TestMovePicked:
    def test_moves_families_whole(self, ids):
        oracle = Oracle()

        with executor() as found, found.transaction():
            switch_off_checks(found, HUB_TABLES)
            moved = move(found, pick_items(found, items(ids), **AGES))

        assert oracle.verdict().is_clean
        assert places("message") == (set(), set(ids))
        assert moved["message"] == moved["external_call"] == moved["request"] == moved["funnel"] == 5
        assert moved["response"] == 10
        assert not Response.objects.exists()

    @pytest.mark.parametrize("change", CHANGES)
    def test_moves_nothing_when_the_hub(self, ids, change):
        with executor() as found, hub() as other, found.transaction(force_rollback=True):
            switch_off_checks(found, HUB_TABLES)
            picked = pick_items(found, items(ids), **AGES)
            other.execute(CHANGES[change], {"id": ids[2]})
            oracle = Oracle()
            with pytest.raises(Changed):
                move(found, picked)

        assert oracle.verdict().is_clean
        assert places("message")[1] == set()

    def test_moves_nothing_if_fewer_messages_were_picked_than_must_move(self, ids):
        with executor() as found, hub() as other, found.transaction(force_rollback=True):
            other.execute(RESTART, {"id": ids[2]})
            switch_off_checks(found, HUB_TABLES)
            with pytest.raises(Changed):
                move(found, pick_items(found, items(ids), **AGES), wanted=len(ids))

        assert places("message") == (set(ids), set())

    def test_waits_for_a_change_in_progress_and_then_moves_nothing(self, ids):
        with (
            executor() as found,
            hub() as other,
            ThreadPoolExecutor(1) as pool,
            found.transaction(force_rollback=True),
        ):
            switch_off_checks(found, HUB_TABLES)
            picked = pick_items(found, items(ids), **AGES)
            with other.transaction():
                other.execute(RESTART, {"id": ids[2]})
                moving = pool.submit(move, found, picked)
                eventually(lambda: is_waiting(found.info.backend_pid))
            with pytest.raises(Changed):
                moving.result()

        assert places("message") == (set(ids), set())

    def test_moves_a_call_that_was_being_stored_with_its_message(self, ids):
        with executor() as found, hub() as other, ThreadPoolExecutor(1) as pool, found.transaction():
            switch_off_checks(found, HUB_TABLES)
            picked = pick_items(found, items(ids), **AGES)
            with other.transaction():
                other.execute(NEW_CALL, {"id": ids[2]})
                moving = pool.submit(move, found, picked)
                eventually(lambda: is_waiting(found.info.backend_pid))
            assert moving.result()["external_call"] == 6

        assert not ExternalCall.objects.exists()
        assert Oracle().verdict().is_clean

    @pytest.mark.parametrize("new", [NEW_CALL, NEW_RESPONSE], ids=["call", "response"])
    def test_makes_new_rows_of_a_moved_message_wait_and_then_rejects_them(self, ids, new):
        with executor() as found, hub() as other, ThreadPoolExecutor(1) as pool:
            with found.transaction():
                switch_off_checks(found, HUB_TABLES)
                move(found, pick_items(found, items(ids), **AGES))
                late = start(pool, other, new, ids[2])
            with pytest.raises(psycopg.errors.ForeignKeyViolation):
                late.result()

        assert Oracle().verdict().is_clean
        assert not ExternalCall.objects.exists()
        assert not Response.objects.exists()

    @pytest.mark.parametrize("new", [NEW_CALL, NEW_RESPONSE], ids=["call", "response"])
    def test_accepts_them_if_the_move_is_rolled_back(self, ids, new):
        with executor() as found, hub() as other, ThreadPoolExecutor(1) as pool:
            with found.transaction() as moving:
                switch_off_checks(found, HUB_TABLES)
                move(found, pick_items(found, items(ids), **AGES))
                late = start(pool, other, new, ids[2])
                raise psycopg.Rollback(moving)
            assert late.result().rowcount == 1

        assert Oracle().verdict().is_clean
        assert places("message") == (set(ids), set())
