from dataclasses import dataclass

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.access.token_services import digest_key
from messages_app.core.statements import Statements

pytestmark = pytest.mark.django_db

statements = Statements("messages_app.access")
_KEY = digest_key("no such key")
_VALUES = {"user_id": None, "key": _KEY}


def _prepared_count() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM auth_user%'")
        return cursor.fetchone()[0]


class TestPreparedStatements:
    def test_are_prepared_once_in_a_session(self):
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
        for _ in range(3):
            assert statements.fetch_row("load_user", _VALUES, prepare=True) is None
        assert _prepared_count() == 1

    def test_have_their_text_in_a_log_of_statements(self):
        with CaptureQueriesContext(connection) as queries:
            statements.fetch_row("load_user", _VALUES, prepare=True)
        (logged,) = queries
        assert "FROM auth_user" in logged["sql"]
        assert _KEY in logged["sql"]


@dataclass(frozen=True, kw_only=True)
class _Limit:
    before: str
    set_config: str


class TestRecords:
    def test_have_a_field_for_each_column(self):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '7s'")
        limits = Statements("messages_app.core").fetch_records("limit_time", {"limit": "9s"}, _Limit)
        assert limits == [_Limit(before="7s", set_config="9s")]

    def test_of_one_column_are_its_values(self):
        names = Statements("messages_app.cp_queue").fetch_column("queue_names", {"most": 9})
        assert names == []
