"""The bounds of an archive plan, if the tables are views of a hub."""

import pytest
from django.db import connection
from django.utils import timezone

from messages_app.shared.message_states import FINAL_STATES
from messages_app.shared.sql_files import SqlFiles
from tests.support.factories import make_messages
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db


def bounds() -> tuple:
    with connection.cursor() as cursor:
        values = {
            "final_states": list(FINAL_STATES),
            "cutoff": timezone.now(),
            "last_msg_id": 10**9,
            "most": 500,
        }
        cursor.execute(SqlFiles("spark_tasks").read_text("plan_bounds"), values)
        return cursor.fetchone()


def test_counts_the_table_behind_a_view():
    make_messages(2_000)
    found = bounds()
    put_behind_views("message")
    assert found[:2] == (2_000, 500)
    assert bounds() == found
