"""The columns that an archive job moves, if the tables are views of a hub."""

import pytest
from django.db import connection

from spark_tasks.actions.archive_rows import shared_columns
from spark_tasks.parquet.parts import held_columns
from spark_tasks.tables import HUB_TABLES
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db

NAMES = [name for table in HUB_TABLES for name in (table.live, table.archive)]


@pytest.mark.parametrize("columns", [shared_columns, held_columns], ids=["to tables", "to files"])
def test_leaves_out_the_columns_that_views_have_for_the_console(columns):
    connection.ensure_connection()
    found = columns(connection.connection, HUB_TABLES)
    put_behind_views(*NAMES)
    assert columns(connection.connection, HUB_TABLES) == found
