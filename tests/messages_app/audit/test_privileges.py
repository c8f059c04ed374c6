from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from messages_app.audit.privileges import PRIVILEGES, Part
from tests.messages_app.audit.parts import logged_in, refused, roles  # noqa: F401 (a fixture)

_COLUMNS = """
SELECT relname, relkind = 'v', array_agg(attname ORDER BY attnum)
  FROM pg_class
  JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
 WHERE relnamespace = current_schema::regnamespace
   AND relkind IN ('r', 'p', 'v', 'm', 'f')
   AND relispartition = %s
 GROUP BY pg_class.oid
 ORDER BY relname
"""


def columns_of_tables(*, partitions: bool = False) -> dict[str, tuple[bool, list[str]]]:
    """Return for each table and view, or for each partition, whether it is a view, and its columns."""
    with connection.cursor() as cursor:
        cursor.execute(_COLUMNS, [partitions])
        return {name: (is_view, columns) for name, is_view, columns in cursor.fetchall()}


def tries(table: str, *, is_view: bool, columns: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the possible actions on a table, each with a statement that does it without affecting a row."""
    yield "SELECT", f"SELECT FROM {table} WHERE false"
    yield "INSERT", f"INSERT INTO {table} SELECT WHERE false"
    yield "DELETE", f"DELETE FROM {table} WHERE false"
    for column in columns:
        yield f"UPDATE {column}", f'UPDATE {table} SET "{column}" = DEFAULT WHERE false'
    if not is_view:
        yield "TRUNCATE", f"TRUNCATE {table} CASCADE"
        yield "ALTER", f"ALTER TABLE {table} ADD COLUMN of_tests int"
        yield "INDEX", f"CREATE INDEX ON {table} ((1))"
        yield "TRIGGER", f"CREATE RULE of_tests AS ON INSERT TO {table} DO ALSO NOTHING"
        yield "DROP", f"DROP TABLE {table} CASCADE"


def declared(table: str, part: Part, columns: list[str]) -> set[str]:
    """Return the actions that the table of privileges allows a part, by the names of `tries`."""
    given = PRIVILEGES[table][part]
    changed = columns if "UPDATE" in given.words else given.columns
    words = {word for word in given.words if word != "UPDATE"} | {"SELECT" for _ in given.read}
    return words | {f"UPDATE {column}" for column in changed}


def allowed(database: psycopg.Connection, table: str, is_view: bool, columns: list[str]) -> set[str]:
    """Return the actions that a role can really do with a table."""
    return {
        what
        for what, statement in tries(table, is_view=is_view, columns=columns)
        if not refused(database, statement)
    }


@pytest.mark.django_db
class TestPrivileges:
    def test_have_a_line_for_each_table_and_view(self):
        assert set(columns_of_tables()) == set(PRIVILEGES)

    def test_name_only_existing_columns(self):
        for table, (_, columns) in columns_of_tables().items():
            for given in PRIVILEGES[table].values():
                assert {*given.columns, *given.read} <= set(columns), table

    def test_let_no_part_rewrite_the_audit(self):
        for table in ("audit_entry", "audit_seal", "audit_tombstone"):
            for given in PRIVILEGES[table].values():
                assert set(given.words) <= {"SELECT", "INSERT"}
                assert not given.columns

    def test_let_the_web_add_messages_and_change_only_state_and_time(self):
        web = {table: PRIVILEGES[table][Part.WEB] for table in PRIVILEGES}
        assert (web["message"].words, web["message"].columns) == (
            ("SELECT", "INSERT"),
            ("state", "last_process_timestamp"),
        )
        assert web["external_call"].words == ("SELECT", "DELETE")
        for table in (
            "request",
            "response",
            *(name for name in web if name.startswith("archive_")),
        ):
            assert web[table].words == ("SELECT",)
            assert not web[table].columns
        assert (web["funnel"].words, web["funnel"].columns) == (("SELECT", "INSERT"), ())


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("roles")
class TestMatrix:
    @pytest.mark.parametrize("part", Part)
    def test_matches_what_the_role_of_the_part_can_do(self, part):
        with logged_in(part) as database:
            for table, (is_view, columns) in columns_of_tables().items():
                assert allowed(database, table, is_view, columns) == declared(table, part, columns), table

    @pytest.mark.parametrize("part", Part)
    def test_gives_no_part_a_partition_of_its_own(self, part):
        partitions = columns_of_tables(partitions=True)
        assert partitions
        with logged_in(part) as database:
            for table, (is_view, columns) in partitions.items():
                assert allowed(database, table, is_view, columns) == set(), table

    @pytest.mark.parametrize(
        ("part", "read"),
        [
            (
                Part.WORKER,
                {"auth_user": "username", "user_session": "ends_at", "idempotency_key": "created_at"},
            ),
            (Part.SPARK, {}),
            (Part.ERASE, {"idempotency_key": "body"}),
        ],
    )
    def test_lets_only_the_web_read_credentials(self, part, read):
        secrets = {
            "auth_user": "password",
            "user_session": "data",
            "api_token": "key_sha256",
            "otp_totp_totpdevice": "key",
            "recovery_code": "code_sha256",
        }
        with logged_in(part) as database:
            for table, column in secrets.items():
                assert refused(database, f"SELECT {column} FROM {table}"), table
                assert refused(database, f"SELECT * FROM {table}"), table
            for table, column in read.items():
                assert not refused(database, f"SELECT {column} FROM {table}"), table
