"""A console that is attached to a hub sends corrected messages as that hub stores them, or says why not."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection, transaction

from messages_app.audit.services import Actor
from messages_app.messages.attachment import Feature, NotAttachedForThis, forget_attachment, refusal_of
from messages_app.messages.corrections.services import resend_message
from messages_app.messages.models import Message, ResentMessage
from messages_app.shared import corrections
from tests.support.attached import ZONE, attached_hub, hub_read_by_guest
from tests.support.parameters import quick_first
from tests.support.plans import nodes_of

FAILED = 4
WHY = {"actor": Actor(username="ada"), "reason": "wrong customer"}
SEQUENCES = {
    "OpenHub 2.3": "openhub_sequence",
    "CleverBus 1.1": "hibernate_sequence",
    "CleverBus 2.0": "hibernate_sequence",
}
# The columns that the new row copies, by the names of the hub.
SAME = (
    "process_id, msg_timestamp, service, source_system, object_id, entity_type, operation_name, envelope,"
    " parent_msg_id, parent_binding_type, funnel_value, funnel_component_id, guaranteed_order,"
    " exclude_failed_state"
)


@pytest.fixture(autouse=True)
def _unblocked(django_db_setup, django_db_blocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        yield


@pytest.mark.parametrize("layout", quick_first([*SEQUENCES]))
def test_the_hub_gets_a_row_of_its_own(layout):
    with attached_hub(layout) as hub:
        forget_attachment()
        hub.run(f"SELECT setval('{{hub}}.{SEQUENCES[layout]}', 5000)")
        hub.run("UPDATE {hub}.message SET state = 'FAILED', payload = '<a>1</a>' WHERE msg_id = %s", FAILED)
        before = hub.run(f"SELECT {SAME} FROM {{hub}}.message WHERE msg_id = %s", FAILED)
        sent = resend_message(msg_id=FAILED, payload="<a>2</a>", **WHY)

        assert sent.msg_id == 5001
        assert hub.run(f"SELECT {SAME} FROM {{hub}}.message WHERE msg_id = 5001") == before
        ((state, payload, count, code, correlation, *times),) = hub.run(
            "SELECT state, payload, failed_count, failed_error_code, correlation_id, receive_timestamp,"
            " start_process_timestamp, last_update_timestamp FROM {hub}.message WHERE msg_id = 5001"
        )
        assert (state, payload, count, code) == ("POSTPONED", "<a>2</a>", 0, None)
        ((old,),) = hub.run("SELECT correlation_id FROM {hub}.message WHERE msg_id = %s", FAILED)
        assert correlation == f"{old}_r5001"
        local = datetime.now(UTC).astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
        assert all(timedelta(0) <= local - time < timedelta(minutes=1) for time in times)
        assert Message.objects.get(pk=5001).last_process_timestamp == times[-1].replace(tzinfo=ZoneInfo(ZONE))
        assert hub.run("SELECT state FROM {hub}.message WHERE msg_id = %s", FAILED) == [("CANCEL",)]
        assert ResentMessage.objects.get().msg_id == 5001


@pytest.mark.parametrize("layout", ["CleverBus 2.0"])
def test_funnel_values_go_along(layout):
    with attached_hub(layout) as hub:
        forget_attachment()
        hub.run("SELECT setval('{hub}.hibernate_sequence', 5000)")
        hub.run("DELETE FROM {hub}.funnel WHERE msg_id = %s", FAILED)
        hub.run("INSERT INTO {hub}.funnel VALUES (901, %s, 'x'), (902, %s, 'y')", FAILED, FAILED)
        resend_message(msg_id=FAILED, payload="<a>2</a>", **WHY)
        assert hub.run(
            "SELECT funnel_id, funnel_value FROM {hub}.funnel WHERE msg_id = 5001 ORDER BY funnel_id"
        ) == [(5002, "x"), (5003, "y")]


MANY_VALUES = """
SET session_replication_role = replica;
INSERT INTO {hub}.funnel SELECT n, n, 'x' FROM generate_series(100001, 400000) AS n;
ANALYZE {hub}.funnel;
RESET session_replication_role;
"""
INDEX = "CREATE INDEX hubc_funnel_msg_idx ON {hub}.funnel (msg_id, funnel_id)"


def explain_copy(size: int) -> list[tuple[str, int]]:
    """Return how the funnel values of `size` messages are read, and how often."""
    ids = list(range(100_001, 100_001 + size))
    sql = corrections.statements.read_text("copy_funnel_values")
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # The messages do not exist.
        cursor.execute(
            f"EXPLAIN (ANALYZE, FORMAT JSON, TIMING OFF) {sql}",
            {"ids": ids, "new_ids": [-number for number in ids]},
        )
        found = cursor.fetchone()[0]
        transaction.set_rollback(True)
    plan = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    reads = [
        node for node in nodes_of(plan) if node["Node Type"].endswith("Scan") and "Relation Name" in node
    ]
    return [(node["Node Type"], node["Actual Loops"]) for node in reads]


@pytest.mark.parametrize("layout", ["CleverBus 2.0"])
def test_funnel_values_are_read_once_without_an_index_and_by_keys_with_it(layout):
    with attached_hub(layout) as hub:
        hub.run(MANY_VALUES)
        assert [explain_copy(size) for size in (1, 200, 1000)] == [[("Seq Scan", 1)]] * 3
        hub.run(INDEX)
        for size in (1, 200, 1000):
            ((scan, loops),) = explain_copy(size)
            assert (scan in {"Index Scan", "Bitmap Heap Scan"}, loops) == (True, 1)


def test_a_missing_right_refuses_with_the_grant():
    with hub_read_by_guest("OpenHub 2.3") as hub:
        forget_attachment()
        refusal = refusal_of(Feature.RESEND)
        assert refusal.status == 403
        assert f"GRANT INSERT ON {hub.place}.message TO guest" in refusal.script
        with pytest.raises(NotAttachedForThis, match="cannot correct and resend messages without GRANT"):
            resend_message(msg_id=FAILED, payload="<a>2</a>", **WHY)
        assert not ResentMessage.objects.exists()

        hub.run("GRANT INSERT ON {hub}.message TO guest")
        hub.run("GRANT UPDATE (failed_count) ON {hub}.message TO guest")
        forget_attachment()
        assert refusal_of(Feature.RESEND) is None


def test_a_missing_right_to_the_sequence_refuses_with_the_grant():
    with hub_read_by_guest("OpenHub 2.3") as hub:
        hub.run("GRANT INSERT ON {hub}.message TO guest")
        hub.run("GRANT UPDATE (failed_count) ON {hub}.message TO guest")
        with connection.cursor() as cursor:
            cursor.execute("ALTER FUNCTION next_hub_id() OWNER TO guest")
        forget_attachment()
        assert refusal_of(Feature.RESEND).script == (
            f"GRANT USAGE ON SEQUENCE {hub.place}.openhub_sequence TO guest;"
        )
