"""Checks may be left out only if just the hub's own links would be missed."""

import psycopg
import pytest
from django.db import connection

from spark_tasks.moves.rows import reduce_work, switch_off_checks, switch_on_checks
from spark_tasks.tables import HUB_TABLES
from tests.spark_tasks.moves.scenes import executor, hub

pytestmark = pytest.mark.django_db(transaction=True)

# Objects that an installation may have in addition, and the statements that remove them.
OBSTACLES = {
    "a trigger on a delete": (
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';"
        "CREATE TRIGGER mine BEFORE DELETE ON request FOR EACH ROW EXECUTE FUNCTION nothing()",
        "DROP FUNCTION nothing CASCADE",
    ),
    "a trigger on a store in the archive": (
        "CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';"
        "CREATE TRIGGER mine AFTER INSERT ON archive_funnel FOR EACH ROW EXECUTE FUNCTION nothing()",
        "DROP FUNCTION nothing CASCADE",
    ),
    "another table that hangs on messages": (
        "CREATE TABLE remark (msg_id bigint REFERENCES message (msg_id))",
        "DROP TABLE remark",
    ),
    "another link between the hub's tables": (
        "ALTER TABLE response ADD CONSTRAINT mine FOREIGN KEY (msg_id) REFERENCES message (msg_id)",
        "ALTER TABLE response DROP CONSTRAINT mine",
    ),
    "a link from the archive": (
        "CREATE TABLE place (id bigint PRIMARY KEY);"
        "ALTER TABLE archive_message ADD CONSTRAINT mine FOREIGN KEY (node_id) REFERENCES place (id)",
        "ALTER TABLE archive_message DROP CONSTRAINT mine; DROP TABLE place",
    ),
    "a key of the archive that is checked late": (
        "ALTER TABLE archive_request_other ADD CONSTRAINT mine UNIQUE (req_id) DEFERRABLE INITIALLY DEFERRED",
        "ALTER TABLE archive_request_other DROP CONSTRAINT mine",
    ),
    "a rule": (
        "CREATE RULE mine AS ON DELETE TO funnel DO INSTEAD NOTHING",
        "DROP RULE mine ON funnel",
    ),
}


def role_of_triggers(found: psycopg.Connection) -> str:
    return found.execute("SHOW session_replication_role").fetchone()[0]


class TestSwitchOffChecks:
    def test_switches_them_off_if_only_the_hubs_own_links_exist(self):
        with executor() as found, found.transaction():
            assert switch_off_checks(found, HUB_TABLES)
            assert role_of_triggers(found) == "replica"

    @pytest.mark.parametrize("name", OBSTACLES)
    def test_leaves_them_on_if_another_link_exists(self, name):
        make, undo = OBSTACLES[name]
        with connection.cursor() as cursor:
            cursor.execute(make)
        try:
            with executor() as found, found.transaction():
                assert not switch_off_checks(found, HUB_TABLES)
                assert role_of_triggers(found) == "origin"
        finally:
            with connection.cursor() as cursor:
                cursor.execute(undo)

    def test_leaves_them_on_without_the_permission(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE ROLE hub_guest; GRANT ALL ON ALL TABLES IN SCHEMA public TO hub_guest")
        try:
            with executor() as found, found.transaction():
                found.execute("SET LOCAL ROLE hub_guest")
                assert not switch_off_checks(found, HUB_TABLES)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("DROP OWNED BY hub_guest; DROP ROLE hub_guest")

    def test_keeps_the_tables_unchanged_until_the_transaction_ends(self):
        with executor() as found, hub() as other:
            other.execute("SET lock_timeout = '100ms'")
            with found.transaction():
                assert switch_off_checks(found, HUB_TABLES)
                with pytest.raises(psycopg.errors.LockNotAvailable):
                    other.execute("CREATE TABLE remark (msg_id bigint REFERENCES message (msg_id))")

    def test_lasts_no_longer_than_the_transaction(self):
        with executor() as found:
            with found.transaction():
                switch_off_checks(found, HUB_TABLES)
            assert role_of_triggers(found) == "origin"


class TestSwitchOnChecks:
    def test_checks_them_again_in_the_same_transaction(self):
        with executor() as found, found.transaction():
            switch_off_checks(found, HUB_TABLES)
            switch_on_checks(found)

            assert role_of_triggers(found) == "origin"


class TestReduceWork:
    def test_leaves_page_images_uncompressed_until_the_transaction_ends(self):
        with executor() as found:
            found.execute("SET wal_compression = on")  # as outside of tests
            with found.transaction():
                reduce_work(found)
                assert found.execute("SHOW wal_compression").fetchone()[0] == "off"
            assert found.execute("SHOW wal_compression").fetchone()[0] == "pglz"
