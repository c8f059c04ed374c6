"""Columns of the hub that its own indexes begin with, among indexes that each miss one condition."""

import pytest
from django.db import connection

from messages_app.attach.indexes import PREFIX
from messages_app.attach.recognition import statements

pytestmark = pytest.mark.django_db

INDEXES = """
CREATE INDEX b_whole ON hub_one.message (whole);
CREATE INDEX a_whole ON hub_one.message (whole, other);
CREATE UNIQUE INDEX of_key ON hub_one.message (key);
CREATE INDEX of_part ON hub_one.message (part) WHERE other > 0;
CREATE INDEX {prefix}of_ours ON hub_one.message (ours);
CREATE INDEX of_expression ON hub_one.message (abs(second));
CREATE INDEX of_broken ON hub_one.message (broken);
CREATE INDEX of_archive ON hub_two.archive (second);
CREATE INDEX of_namesake ON hub_two.message (second);
CREATE INDEX of_namesake ON hub_one.archive (other);
CREATE INDEX of_unknown ON hub_one.unknown (key);
"""


@pytest.fixture
def tables() -> None:
    columns = "(key int, whole int, part int, ours int, second int, other int, broken int)"
    with connection.cursor() as cursor:
        for schema in ("hub_one", "hub_two"):
            cursor.execute(f"CREATE SCHEMA {schema}")
            for name in ("message", "archive", "unknown"):
                cursor.execute(f"CREATE TABLE {schema}.{name} {columns}")
        cursor.execute(INDEXES.format(prefix=PREFIX))
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'hub_one.of_broken'::regclass"
        )


class TestLeadingColumns:
    def test_are_of_complete_indexes_of_the_hub_on_the_given_tables(self, tables):
        asked = {"schemas": ["hub_one", "hub_two"], "tables": ["message", "archive"], "prefix": PREFIX}
        assert set(statements.fetch_rows("leading_columns", asked)) == {
            ("message", "whole", "a_whole"),
            ("message", "key", "of_key"),
            ("archive", "second", "of_archive"),
        }

    def test_are_empty_without_tables(self, tables):
        assert statements.fetch_rows("leading_columns", {"schemas": [], "tables": [], "prefix": PREFIX}) == []
