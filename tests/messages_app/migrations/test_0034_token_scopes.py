"""Tokens made before scopes keep their rights; without the column none with scopes gains any."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F

from messages_app.access.models import ApiToken
from messages_app.access.token_services import create_token
from messages_app.audit.models import AuditEntry
from messages_app.audit.services import SYSTEM
from tests.support.factories import make_user

BEFORE, THIS = ("messages_app", "0033_age_of_tries"), ("messages_app", "0034_token_scopes")
# It made the column wider.
LATER = ("messages_app", "0036_confined_scopes")


def _move(direction: str, *, before: tuple[str, str] = BEFORE, this: tuple[str, str] = THIS) -> None:
    """Apply or unapply one migration, and no later one."""
    loader = MigrationExecutor(connection).loader
    with connection.schema_editor(atomic=True) as editor:
        getattr(loader.get_migration(*this), direction)(loader.project_state(before), editor)


def _columns() -> set[str]:
    with connection.cursor() as cursor:
        return {column.name for column in connection.introspection.get_table_description(cursor, "api_token")}


@pytest.fixture
def before() -> Iterator[dict[str, ApiToken]]:
    """The database as the version before has it, with tokens of this one."""
    user, scopes = make_user("operator"), ["messages:read"]
    tokens = {
        "all": create_token(user=user, name="all", actor=SYSTEM)[0],
        "some": create_token(user=user, name="some", actor=SYSTEM, scopes=scopes)[0],
        "ended": create_token(user=user, name="ended", actor=SYSTEM, scopes=scopes)[0],
    }
    ApiToken.objects.filter(name="ended").update(revoked_at=F("created_at") - timedelta(hours=1))
    _move("unapply")
    yield tokens
    if "scopes" not in _columns():
        _move("apply")
    _move("apply", before=("messages_app", "0035_revealing"), this=LATER)


@pytest.mark.django_db(transaction=True)
class TestMigration:
    def test_revokes_tokens_with_scopes_on_the_way_back(self, before):
        assert "scopes" not in _columns()
        with connection.cursor() as cursor:
            cursor.execute("SELECT name, revoked_at IS NULL, revoked_at > created_at FROM api_token")
            assert sorted(cursor) == [("all", True, None), ("ended", False, False), ("some", False, True)]
        entry = AuditEntry.objects.get(action="revoke_token")
        assert (entry.actor, entry.outcome, entry.details) == ("system", "done", {"token": "some"})

    def test_lets_every_token_keep_what_it_may_on_the_way_forth(self, before):
        _move("apply")
        token = ApiToken.objects.get(name="all")
        assert (token.scopes, token.revoked_at, token.key_sha256) == (None, None, before["all"].key_sha256)
