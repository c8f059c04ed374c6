"""The values of columns that the archive table of a hub lacks: kept when rows move there, and given back."""

from dataclasses import replace
from datetime import date

import psycopg
import pytest

from messages_app.jobs.connections import own_dsn
from spark_tasks.moves.rows import copy_rows
from spark_tasks.tables import Behind, HubTable

pytestmark = pytest.mark.django_db

TABLES = """
CREATE TEMPORARY TABLE hub_message (msg_id bigint PRIMARY KEY, payload text, node_id bigint, queued date);
CREATE TEMPORARY TABLE hub_archive (msg_id bigint, payload text);
CREATE TEMPORARY TABLE archive_extra (msg_id bigint PRIMARY KEY, node_id bigint, queued date);
INSERT INTO hub_message
VALUES (1, 'one', 11, '2024-01-01'), (2, 'two', 12, NULL), (3, 'three', 13, '2024-01-03');
INSERT INTO archive_extra VALUES (1, 91, '2020-01-01'), (2, 92, '2020-01-02'), (3, 93, NULL);
"""
MESSAGES = HubTable(
    live="message",
    archive="archive_message",
    key="msg_id",
    chosen="msg_id = ANY (%(msg_ids)s::bigint[])",
    behind=Behind(live="hub_message", archive="hub_archive", zone="UTC", extra=("node_id", "queued")),
)
COLUMNS = ("msg_id", "payload")


def test_replace_those_of_an_earlier_archive_job():
    with psycopg.connect(own_dsn()) as session:
        session.execute(TABLES)
        assert copy_rows(session, MESSAGES, COLUMNS, {"msg_ids": "{1,2}"}) == 2
        kept = session.execute("SELECT msg_id, node_id, queued FROM archive_extra ORDER BY 1").fetchall()
        assert kept == [(1, 11, date(2024, 1, 1)), (2, 12, None), (3, 93, None)]
        assert session.execute("SELECT * FROM hub_archive ORDER BY 1").fetchall() == [(1, "one"), (2, "two")]


def test_return_with_their_rows_and_are_forgotten():
    with psycopg.connect(own_dsn()) as session:
        session.execute(TABLES)
        session.execute("DELETE FROM archive_extra")
        copy_rows(session, MESSAGES, COLUMNS, {"msg_ids": "{1,3}"})
        session.execute("DELETE FROM hub_message")
        back = replace(MESSAGES.mirror_table(), chosen=MESSAGES.chosen)
        assert copy_rows(session, back, COLUMNS, {"msg_ids": "{3}"}) == 1
        assert session.execute("SELECT msg_id, payload, node_id, queued FROM hub_message").fetchall() == [
            (3, "three", 13, date(2024, 1, 3))
        ]
        assert session.execute("SELECT msg_id FROM archive_extra").fetchall() == [(1,)]
