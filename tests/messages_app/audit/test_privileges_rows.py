"""Rows of the table of privileges: how they are read, and what changes for a view of an attached hub."""

import pytest

from messages_app.audit.privileges import (
    FURTHER,
    OF_EXTRA,
    Part,
    Privileges,
    privileges_of,
    privileges_of_view,
)
from messages_app.core.stores import Store, installed_stores

ALL = ("SELECT", "INSERT", "UPDATE", "DELETE")


def row_of(*texts: str) -> dict[Part, Privileges]:
    """Return the row of a store with one table whose row has these texts."""
    store = Store(
        address="", urls="", menu=(), models=(), erasure="", functions="", privileges={"of_tests": texts}
    )
    return dict(privileges_of([store])["of_tests"])


class TestPrivilegesOf:
    def test_read_each_part_with_its_words_and_columns(self):
        assert row_of("r a w d", "r:id,name a", "r w:state,at d", "") == {
            Part.WEB: Privileges(ALL),
            Part.WORKER: Privileges(("INSERT",), (), ("id", "name")),
            Part.SPARK: Privileges(("SELECT", "DELETE"), ("state", "at")),
            Part.ERASE: Privileges(()),
        }

    def test_have_the_tables_of_the_console_and_of_each_store(self):
        rows = privileges_of(installed_stores())
        assert {"job", "audit_entry", "message", "alert"} <= set(rows)
        assert "message" not in privileges_of([])


class TestClauses:
    @pytest.mark.parametrize(
        ("given", "clauses"),
        [
            (Privileges(("SELECT", "DELETE")), ["SELECT", "DELETE"]),
            (Privileges(("SELECT",), ("state", "at")), ["SELECT", "UPDATE (state, at)"]),
            (Privileges(("DELETE",), (), ("id", "name")), ["DELETE", "SELECT (id, name)"]),
            (Privileges((), ("state",), ("id",)), ["UPDATE (state)", "SELECT (id)"]),
            (Privileges(()), []),
        ],
    )
    def test_name_words_changed_and_read_columns(self, given, clauses):
        assert list(given.iterate_clauses()) == clauses


class TestOnView:
    ROW = {
        Part.WEB: Privileges(("SELECT", "INSERT", "DELETE"), ("state", "last_process_timestamp")),
        Part.WORKER: Privileges(("INSERT",), (), ("msg_id",)),
        Part.SPARK: Privileges(ALL, ("last_process_timestamp",), ("state",)),
        Part.ERASE: Privileges(("SELECT", "DELETE"), ("payload",)),
    }

    def common(self) -> dict[Part, Privileges]:
        return self.ROW | {Part.WEB: Privileges(("SELECT", "INSERT", "DELETE"), ("state", "hub_last_update"))}

    def test_lets_spark_add_no_row_and_writes_another_column(self):
        spark = Privileges(("SELECT", "UPDATE", "DELETE"), ("hub_last_update",), ("state",))
        assert privileges_of_view("message", self.ROW) == self.common() | {Part.SPARK: spark}

    def test_lets_spark_also_remove_none_of_the_archive(self):
        spark = Privileges(("SELECT", "UPDATE"), ("hub_last_update",), ("state",))
        assert privileges_of_view("archive_message", self.ROW) == self.common() | {Part.SPARK: spark}


class TestOtherRows:
    def test_are_those_of_further_tables_and_of_missing_values(self):
        assert {
            Part.WEB: Privileges(("SELECT",)),
            Part.WORKER: Privileges(("SELECT",)),
            Part.SPARK: Privileges(("SELECT", "INSERT", "UPDATE", "DELETE")),
            Part.ERASE: Privileges(("SELECT", "DELETE")),
        } == FURTHER
        assert {
            Part.WEB: Privileges(()),
            Part.WORKER: Privileges(()),
            Part.SPARK: Privileges(("SELECT", "INSERT", "UPDATE", "DELETE")),
            Part.ERASE: Privileges(("SELECT", "DELETE")),
        } == OF_EXTRA
