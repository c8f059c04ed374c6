import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit import seals
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.services import Actor, record
from tests.support.workers import database_of_tests

_COPY_AS = (
    "INSERT INTO audit_entry SELECT (jsonb_populate_record(e, jsonb_build_object('entry_id', {}))).*"
    " FROM audit_entry AS e WHERE entry_id = %(last)s"
)
# Changes that the owner of the table can make.
TAMPERING = {
    "a changed field": "UPDATE audit_entry SET reason = 'another' WHERE entry_id = %(second)s",
    "a changed time": "UPDATE audit_entry SET at = at - interval '1 hour' WHERE entry_id = %(second)s",
    "a removed entry": "DELETE FROM audit_entry WHERE entry_id = %(second)s",
    "a moved entry": "UPDATE audit_entry SET entry_id = %(first)s - 1 WHERE entry_id = %(last)s",
    "a forged entry": _COPY_AS.format("%(first)s - 1"),
    "a forged entry in the place of one": "DELETE FROM audit_entry WHERE entry_id = %(second)s;"
    + _COPY_AS.format("%(second)s"),
    "entries that changed places": "UPDATE audit_entry SET entry_id = -1 WHERE entry_id = %(first)s;"
    " UPDATE audit_entry SET entry_id = %(first)s WHERE entry_id = %(second)s;"
    " UPDATE audit_entry SET entry_id = %(second)s WHERE entry_id = -1",
    "swapped digests": "UPDATE audit_seal AS one SET digest = other.digest FROM audit_seal AS other"
    " WHERE one.seal_id <> other.seal_id",
    "a digest that was made without the key": "UPDATE audit_entry SET actor = 'bob';"
    " UPDATE audit_seal SET digest = encode(sha256((SELECT string_agg(e::text, '') FROM audit_entry AS e)"
    "::bytea), 'hex')",
    "all of it": "DELETE FROM audit_entry; DELETE FROM audit_seal",
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
    assert seals.seal_up_to(ids[-1], most=2) == 3
    return ids


@pytest.mark.django_db
class TestFaults:
    @pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
    def test_report_what_was_changed_behind_the_console(self, entries, statement):
        newest = AuditSeal.objects.order_by("-pk").first()
        expected = f"{newest.pk}:{newest.digest}"
        call_command("verify_audit", expect=(newest.pk, newest.digest))

        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(statement, dict(zip(("first", "second", "last"), entries, strict=True)))

        with pytest.raises(CommandError, match=r"do not match their seal|is not there"):
            call_command("verify_audit", "--expect", expected)

    def test_report_a_rewrite_with_all_seals_made_again_without_the_key(self, entries, settings):
        key, settings.SECRET_KEY = settings.SECRET_KEY, "what an intruder made up " * 3
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("UPDATE audit_entry SET actor = 'bob'")
            cursor.execute("DELETE FROM audit_seal")
        assert seals.seal_up_to(entries[-1], most=2) == 3
        assert list(seals.faults()) == []
        settings.SECRET_KEY = key
        with pytest.raises(CommandError, match="do not match their seal"):
            call_command("verify_audit")

    def test_find_a_removed_tail_only_by_a_seal_that_was_kept_elsewhere(self, entries):
        newest = AuditSeal.objects.order_by("-pk").first()
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(TAMPERING["a removed tail"], {"last": entries[-1]})
        assert list(seals.faults()) == []
        assert list(seals.faults((newest.pk, newest.digest))) == [
            f"Seal {newest.pk} is not there with this digest: there are 1 seals."
        ]

    def test_report_seals_that_were_made_with_another_key(self, entries, settings):
        settings.SECRET_KEY, old = "another " * 10, settings.SECRET_KEY
        assert len(list(seals.faults())) == 2
        settings.SECRET_KEY_FALLBACKS = [old]
        assert list(seals.faults()) == []


@pytest.mark.django_db(transaction=True)
class TestSeal:
    def test_omits_entries_that_may_still_get_predecessors(self):
        with psycopg.connect(database_of_tests()["DATABASE_URL"]) as other:
            other.execute("SELECT pg_current_xact_id()")  # it writes, and is still open
            record(actor=Actor(username="ada"), action="restart")
            assert [seals.seal() for _ in range(4)] == [0, 0, 0, 0]
        # One pass records the ids, the next one waits for open transactions, the third one seals.
        assert [seals.seal() for _ in range(3)].count(1) == 1
        assert list(seals.faults()) == []
