"""A migration leaves the trigger functions of an attached hub, which only `attach` replaces."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

MIGRATION = import_module("messages_app.migrations.0015_changes_of_one_message")
EARLIER = (
    "CREATE OR REPLACE FUNCTION note_deleted_messages() RETURNS trigger LANGUAGE plpgsql"
    " AS $$ BEGIN /* of an earlier version */ RETURN NULL; END $$"
)
IS_EARLIER = "SELECT prosrc LIKE '%earlier%' FROM pg_proc WHERE oid = 'note_deleted_messages'::regproc"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "is_left"),
    [
        ("CREATE TABLE message (msg_id bigint)", False),
        ("CREATE VIEW message AS SELECT 1 AS msg_id", True),  # attached
        ("DROP TABLE IF EXISTS message", True),  # suspended
    ],
)
def test_the_migration_replaces_functions_of_the_console_s_own_table_only(statement: str, is_left: bool):
    with connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA attached_console")
        cursor.execute("SET LOCAL search_path = attached_console")
        cursor.execute(statement)
        cursor.execute("CREATE TABLE message_event ()")
        cursor.execute(EARLIER)
        MIGRATION._replace_functions(apps, connection.schema_editor())
        cursor.execute(IS_EARLIER)
        assert cursor.fetchone() == (is_left,)
