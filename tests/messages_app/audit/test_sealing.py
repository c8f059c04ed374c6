import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit import sealing
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.services import Actor, record
from tests.workers import database_of_tests

# What a role can do that owns the table.
TAMPERING = {
    "a changed field": "UPDATE audit_entry SET reason = 'another' WHERE entry_id = %(second)s",
    "a changed time": "UPDATE audit_entry SET at = at - interval '1 hour' WHERE entry_id = %(second)s",
    "a removed entry": "DELETE FROM audit_entry WHERE entry_id = %(second)s",
    "a moved entry": "UPDATE audit_entry SET entry_id = %(first)s - 1 WHERE entry_id = %(last)s",
    "swapped entries": "UPDATE audit_entry SET actor = CASE entry_id WHEN %(first)s THEN 'bob' ELSE 'ada' END"
    " WHERE entry_id <= %(second)s",
    "a removed tail": "DELETE FROM audit_entry WHERE entry_id = %(last)s;"
    " DELETE FROM audit_seal WHERE last_id = %(last)s",
}


@pytest.fixture
def entries() -> list[int]:
    """Three entries under two seals; their ids."""
    for name in ("ada", "bob", "cy"):
        record(actor=Actor(username=name), action="restart", reason="it is back", details={"b": 1, "a": 2.5})
    ids = list(AuditEntry.objects.order_by("pk").values_list("pk", flat=True))
    assert sealing.seal_up_to(ids[-1], most=2) == 3
    return ids


@pytest.mark.django_db
class TestFaults:
    @pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
    def test_tell_of_what_was_changed_behind_the_console(self, entries, statement):
        newest = AuditSeal.objects.order_by("-pk").first()
        expected = f"{newest.pk}:{newest.digest}"
        call_command("verify_audit", expect=(newest.pk, newest.digest))

        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(statement, dict(zip(("first", "second", "last"), entries, strict=True)))

        with pytest.raises(CommandError, match=r"not those that were sealed|is not there"):
            call_command("verify_audit", "--expect", expected)

    def test_tell_of_seals_that_were_made_with_another_key(self, entries, settings):
        settings.SECRET_KEY, old = "another " * 10, settings.SECRET_KEY
        assert len(list(sealing.faults())) == 2
        settings.SECRET_KEY_FALLBACKS = [old]
        assert list(sealing.faults()) == []


@pytest.mark.django_db(transaction=True)
class TestSeal:
    def test_leaves_out_what_may_still_get_company(self):
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("SELECT pg_current_xact_id()")  # it writes, and has not ended
            record(actor=Actor(username="ada"), action="restart")
            assert [sealing.seal() for _ in range(4)] == [0, 0, 0, 0]
        # A pass notes, the next waits for what is open, the third seals.
        assert [sealing.seal() for _ in range(3)].count(1) == 1
        assert list(sealing.faults()) == []
