"""Scopes with names fit their column, and going back keeps them whole: cut off, one could be another's."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from messages_app.access.token_services import create_token
from messages_app.audit.services import SYSTEM
from tests.support.factories import make_user

BEFORE, THIS = ("messages_app", "0035_revealing"), ("messages_app", "0036_confined_scopes")


def _move(direction: str) -> None:
    """Apply or unapply this migration, and no later one."""
    loader = MigrationExecutor(connection).loader
    with connection.schema_editor(atomic=True) as editor:
        getattr(loader.get_migration(*THIS), direction)(loader.project_state(BEFORE), editor)


@pytest.mark.django_db(transaction=True)
class TestMigration:
    def test_keeps_scopes_with_names_whole_there_and_back(self):
        scopes = ["history:use:" + "x" * 100, "queue:consume:" + "y" * 128]
        token, _ = create_token(user=make_user("operator"), name="t", actor=SYSTEM, scopes=scopes)
        for direction in ("unapply", "apply"):
            _move(direction)
            token.refresh_from_db()
            assert token.scopes == scopes

    def test_widens_the_column_of_the_version_before(self):
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE api_token ALTER COLUMN scopes TYPE varchar(40)[]")
        _move("apply")
        scopes = ["queue:consume:" + "y" * 128]
        token, _ = create_token(user=make_user("operator"), name="t", actor=SYSTEM, scopes=scopes)
        assert token.scopes == scopes
