import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit.granting import may_rewrite
from messages_app.audit.models import AuditEntry
from messages_app.messages.models import Message
from tests.api_client import caller
from tests.factories import make_message
from tests.workers import database_of_tests

ROLE = "hubconsole_tests_app"
REWRITING = [
    "UPDATE audit_entry SET actor = 'nobody'",
    "UPDATE audit_entry SET reason = '' WHERE false",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    "DELETE FROM audit_seal",
    "DROP TABLE audit_entry",
    "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
    "ALTER TABLE audit_entry DROP COLUMN actor",
    "ALTER TABLE audit_entry OWNER TO CURRENT_USER",
    "DROP TRIGGER audit_entry_stays ON audit_entry",
    "DROP FUNCTION audit_entry_stays() CASCADE",
    "CREATE OR REPLACE FUNCTION audit_entry_stays() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
    "CREATE RULE nothing AS ON INSERT TO audit_entry DO INSTEAD NOTHING",
    "SET session_replication_role = replica",
    "INSERT INTO audit_entry SELECT * FROM audit_entry ON CONFLICT (entry_id) DO UPDATE SET actor = 'x'",
    "MERGE INTO audit_entry USING audit_entry AS o ON false WHEN MATCHED THEN DELETE",
    "SET ROLE hubconsole",
]


@pytest.fixture
def role(transactional_db):
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'of the tests'")
    yield ROLE
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")


class TestGrant:
    def test_lets_a_role_run_the_console_and_never_rewrite_the_audit(self, role):
        call_command("grant", role)
        operator, message = caller("operator", "view_payload"), make_message(state="FAILED")
        with connection.cursor() as cursor:
            cursor.execute(f"SET ROLE {role}")
        try:
            assert not may_rewrite()
            answer = operator.post(f"messages/{message.pk}/restart/", {"reason": "r"}, Idempotency_Key="k")
            assert answer.status_code == 200
            assert operator.get(f"messages/{message.pk}/payload/").status_code == 200
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET ROLE")
        assert Message.objects.get(pk=message.pk).state == "PARTLY_FAILED"
        before = list(AuditEntry.objects.order_by("pk").values())
        assert {each["action"] for each in before} >= {"restart", "view_payload"}

        url = database_of_tests()["DATABASE_URL"]
        where = psycopg.conninfo.make_conninfo(url, user=role, password="of the tests")
        with psycopg.connect(where, autocommit=True) as app:
            for statement in REWRITING:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    app.execute(statement)
        assert list(AuditEntry.objects.order_by("pk").values()) == before

    def test_is_for_a_role_that_is_fit_for_it(self, role):
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_user")
            owner = cursor.fetchone()[0]
        for unfit, said in ((owner, "superuser"), ("nobody-there", "There is no role")):
            with pytest.raises(CommandError, match=said):
                call_command("grant", unfit)
        assert may_rewrite()


@pytest.mark.django_db
class TestAuditEntry:
    @pytest.mark.parametrize("statement", REWRITING[:5])
    def test_is_changed_by_nobody(self, statement):
        connection.ensure_connection()
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="never changed"):
            connection.connection.execute(statement)
