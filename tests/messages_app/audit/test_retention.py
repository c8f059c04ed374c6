import datetime as dt
import json
from io import StringIO

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from messages_app.audit import retention, seals, verification
from messages_app.audit.models import AuditEntry, AuditSeal, AuditTombstone
from messages_app.audit.services import Actor, record_entry
from tests.messages_app.audit.tampering import behind_its_back
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor(username="ada")
ROLE = "hubconsole_tests_forgetting"
# Ways in which the owner of the tables could hide a removal.
TAMPERING = {
    "a tombstone of its own": "INSERT INTO audit_tombstone SELECT 3, 3, first_id, last_id, entries,"
    " digest, now() FROM audit_seal WHERE seal_id = 3; DELETE FROM audit_entry WHERE entry_id <="
    " (SELECT last_id FROM audit_seal WHERE seal_id = 3)",
    "a wider tombstone": "UPDATE audit_tombstone SET last_seal = 3",
    "no tombstone": "DELETE FROM audit_tombstone",
    "an entry put back": "INSERT INTO audit_entry (entry_id, actor, action, outcome, details, before_state,"
    " after_state, reason, token_name, request_id) SELECT first_id, 'x', 'x', 'done', '{}', '', '', '', '',"
    " '' FROM audit_seal WHERE seal_id = 1",
    "another seal under it": "UPDATE audit_seal SET entries = 7 WHERE seal_id = 1",
}


def sealed_entries(*ages: int, a_seal: int = 2) -> list[int]:
    """Store entries of these ages in months, and seal them. Return their ids, the oldest first."""
    for months in ages:
        entry = record_entry(actor=ADA, action="restart")
        at = timezone.now() - dt.timedelta(days=31 * months)
        behind_its_back("UPDATE audit_entry SET at = %s WHERE entry_id = %s", [at, entry.pk])
    ids = list(AuditEntry.objects.order_by("pk").values_list("pk", flat=True))
    seals.seal_up_to(ids[-1], most=a_seal)
    behind_its_back(
        "UPDATE audit_seal SET sealed_at = (SELECT max(at) + interval '2 minutes' FROM audit_entry"
        " WHERE entry_id <= last_id)"
    )
    return ids


def ids() -> list[int]:
    return list(AuditEntry.objects.order_by("pk").values_list("pk", flat=True))


def forget(months: int = 12, **more: int) -> retention.Forgotten:
    return retention.forget_entries(older_than_months=months, actor=ADA, **more)


def told(command: str, *arguments: str) -> dict:
    out = StringIO()
    call_command(command, *arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


class TestForget:
    def test_removes_whole_old_spans_and_keeps_the_oldest_young_one(self):
        # seals of two entries; an entry of the third one is too young
        entries = sealed_entries(30, 26, 20, 13, 13, 1, 1)
        found = forget()

        assert found == retention.Forgotten(
            entries=4, seals=2, first_id=AuditSeal.objects.get(pk=1).first_id, last_id=entries[3]
        )
        assert ids()[:-1] == entries[4:]
        assert AuditEntry.objects.order_by("at").first().pk == entries[4]

    def test_leaves_a_tombstone_with_which_the_rest_is_valid(self):
        entries = sealed_entries(30, 26, 20, 13, 1)
        forget()
        stone = AuditTombstone.objects.get()

        assert (stone.first_seal, stone.last_seal, stone.last_id, stone.entries) == (1, 2, entries[3], 4)
        assert list(verification.find_faults()) == []
        newest = AuditSeal.objects.order_by("-pk").first()
        for seal in (AuditSeal.objects.get(pk=1), newest):
            call_command("verify_audit", expect=(seal.pk, seal.digest))
        removed = told("verify_audit")["removed"]
        assert [(each["last_id"], each["entries"]) for each in removed] == [(entries[3], 4)]

    def test_is_in_the_audit_itself_and_sealed_with_it(self):
        sealed_entries(*[30] * 7, 1)
        retention.forget_entries(older_than_months=11, actor=GRACE, most=4)
        span = {seal.pk: (seal.first_id, seal.last_id) for seal in AuditSeal.objects.all()}
        common = {"older_than_months": 11}
        assert audit_rows("forget_audit") == [
            by_grace(
                "forget_audit",
                details=common
                | {
                    "entries": entries,
                    "first_entry": span[first][0],
                    "last_entry": span[last][1],
                    "first_seal": first,
                    "last_seal": last,
                },
            )
            for entries, first, last in ((4, 1, 2), (2, 3, 3))
        ]
        seals.seal_up_to(AuditEntry.objects.latest("pk").pk)
        assert list(verification.find_faults()) == []

    def test_continues_at_its_position_the_next_time(self):
        sealed_entries(30, 30, 20, 20, 1)
        assert forget(24).entries == 2
        assert forget(24).entries == 0
        assert forget(12).entries == 2
        assert [stone.first_seal for stone in AuditTombstone.objects.order_by("pk")] == [1, 2]
        assert list(verification.find_faults()) == []

    def test_removes_some_thousands_in_each_transaction(self):
        sealed_entries(*[30] * 6, 1)
        first = AuditSeal.objects.get(pk=1).first_id
        last = AuditSeal.objects.get(pk=3).last_id
        would = retention.would_forget(older_than_months=12)
        assert (
            forget(most=4) == would == retention.Forgotten(entries=6, seals=3, first_id=first, last_id=last)
        )
        assert [stone.entries for stone in AuditTombstone.objects.order_by("pk")] == [4, 2]
        assert AuditEntry.objects.filter(action="forget_audit").count() == 2

    def test_keeps_unsealed_entries(self):
        record_entry(actor=ADA, action="restart")
        behind_its_back("UPDATE audit_entry SET at = '2001-01-01'")
        assert forget().entries == 0
        assert AuditEntry.objects.count() == 1

    @pytest.mark.parametrize(
        "tampering",
        [
            "UPDATE audit_entry SET reason = 'x' WHERE entry_id = (SELECT min(entry_id) FROM audit_entry)",
            "DELETE FROM audit_entry WHERE entry_id = (SELECT min(entry_id) FROM audit_entry)",
            "UPDATE audit_seal SET sealed_at = '2001-01-01'",
        ],
    )
    def test_removes_no_evidence(self, tampering):
        sealed_entries(30, 30, 1, 1)
        behind_its_back(tampering)
        before = ids()
        with pytest.raises(retention.CannotForget, match="do not match their seal"):
            forget(most=2)
        assert before[-2:] == [each for each in ids() if each in before][-2:]
        assert AuditEntry.objects.filter(pk__in=before[-2:]).count() == 2

    def test_happens_once_if_two_users_do_it_at_the_same_time(self):
        sealed_entries(30, 30, 30, 30, 1)
        in_threads(forget, forget)
        assert [stone.entries for stone in AuditTombstone.objects.all()] == [4]
        assert AuditEntry.objects.filter(action="forget_audit").count() == 1
        assert list(verification.find_faults()) == []


class TestFaults:
    @pytest.mark.parametrize("statement", TAMPERING.values(), ids=TAMPERING)
    def test_report_removals_that_were_not_by_the_console(self, statement):
        sealed_entries(30, 30, 20, 20, 1, 1)
        forget()
        assert list(verification.find_faults()) == []
        behind_its_back(statement)
        assert list(verification.find_faults())

    @pytest.mark.parametrize("first_seal", [1, 2])
    def test_report_each_tombstone_that_was_removed(self, first_seal):
        sealed_entries(30, 30, 20, 20, 1, 1)
        assert forget(most=2).seals == 2
        assert list(verification.find_faults()) == []
        behind_its_back("DELETE FROM audit_tombstone WHERE first_seal = %s", [first_seal])
        assert list(verification.find_faults())


class TestEntries:
    def test_are_removed_by_no_one_without_a_tombstone(self):
        sealed_entries(30, 30, 1)
        forget()
        left = ids()
        for statement in ("DELETE FROM audit_entry", "DELETE FROM audit_tombstone"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="never changed"):
                connection.connection.execute(statement)
        assert ids() == left


class TestCommand:
    def test_shows_what_it_removed(self):
        sealed_entries(30, 30, 1)
        would = told("forget_audit", "--older-than-months", "12", "--dry-run")
        assert (would["entries"], would["seals"], would["dry_run"]) == (2, 1, True)
        assert AuditEntry.objects.count() == 3
        did = told("forget_audit", "--older-than-months", "12")
        assert did == would | {"dry_run": False}
        assert AuditEntry.objects.filter(action="forget_audit", actor__startswith="command line").count() == 1
        assert told("forget_audit", "--older-than-months", "12")["entries"] == 0

    def test_writes_the_span_in_words(self):
        sealed_entries(*[30] * 5, 1)
        first, last = AuditSeal.objects.get(pk=1).first_id, AuditSeal.objects.get(pk=2).last_id
        span = f"{first} to {last}, under 2 seals."
        assert self.words("--dry-run") == f"4 entries would be removed, {span}"
        assert self.words() == f"4 entries were removed, {span}"
        assert self.words() == "No entry was sealed 12 months ago or before."

    def words(self, *arguments: str) -> str:
        out = StringIO()
        call_command("forget_audit", "--older-than-months", "12", *arguments, stdout=out)
        return out.getvalue().strip()

    @pytest.mark.parametrize("months", ["0", "-1", "x", "1.5", "1201", "9" * 40, ""])
    def test_requires_a_number_of_months(self, months):
        with pytest.raises(CommandError, match="whole number of months"):
            call_command("forget_audit", f"--older-than-months={months}")

    def test_needs_an_age(self):
        with pytest.raises(CommandError, match="older-than-months"):
            call_command("forget_audit")

    def test_is_not_for_the_consoles_own_role(self):
        sealed_entries(30, 30, 1)
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE ROLE {ROLE} LOGIN PASSWORD 'of the tests'")
        try:
            call_command("grant", ROLE)
            with connection.cursor() as cursor:
                cursor.execute(f"SET ROLE {ROLE}")
            with pytest.raises(CommandError, match=f"role {ROLE} has no permission .* owner of the tables"):
                call_command("forget_audit", "--older-than-months", "12")
            assert told("forget_audit", "--older-than-months", "12", "--dry-run")["entries"] == 2
            assert told("verify_audit")["seals"] == 2
            url = database_of_tests()["DATABASE_URL"]
            where = psycopg.conninfo.make_conninfo(url, user=ROLE, password="of the tests")
            with psycopg.connect(where, autocommit=True) as app:
                stone = "INSERT INTO audit_tombstone VALUES (1, 2, 1, 999999, 3, '', now())"
                for statement in (stone, "DELETE FROM audit_entry"):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege, match="permission denied"):
                        app.execute(statement)
        finally:
            with connection.cursor() as cursor:
                cursor.execute(f"RESET ROLE; DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")
