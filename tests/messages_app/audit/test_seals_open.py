"""Seals while transactions are open: committed entries are sealed immediately, late ones by a later seal."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from messages_app.audit import retention, seals, verification
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.audit.services import Actor, record_entry
from tests.messages_app.audit.tampering import behind_its_back, with_trigger_of_others
from tests.support.parameters import quick_first
from tests.support.threads import in_threads
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

ADA = Actor(username="ada")
ENTRY = (
    "INSERT INTO audit_entry (actor, action, outcome, details, before_state, after_state, reason, token_name,"
    " request_id) VALUES ('bob', 'restart', 'done', '{}', '', '', '', '', '') RETURNING entry_id"
)
FORGED = ENTRY.replace("(actor", "(entry_id, transaction_id, actor").replace("('bob'", "(%s, %s, 'bob'")


@contextmanager
def session() -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_of_tests()["DATABASE_URL"]) as database:
        yield database


def add(database: psycopg.Connection) -> int:
    return database.execute(ENTRY).fetchone()[0]


def add_here() -> int:
    return record_entry(actor=ADA, action="restart").pk


def unsealed_entries() -> int:
    return verification.count_unsealed().entries


def faults() -> list[str]:
    return list(verification.find_faults())


class TestSeal:
    def test_covers_all_entries_in_one_pass(self):
        add_here()
        add_here()
        assert unsealed_entries() == 2
        assert seals.seal_entries() == 2
        assert unsealed_entries() == 0
        assert seals.seal_entries() == 0
        assert faults() == []

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT pg_current_xact_id()",
            "LOCK TABLE message IN ROW EXCLUSIVE MODE",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM audit_entry",
        ],
    )
    def test_does_not_wait_for_a_transaction_of_others(self, statement):
        with session() as other:
            other.execute(statement)
            add_here()
            assert seals.seal_entries() == 1
            assert unsealed_entries() == 0
            assert faults() == []

    def test_does_not_wait_for_a_transaction_that_has_an_entry_itself(self):
        with session() as other:
            add_here()
            late = add(other)
            add_here()
            assert seals.seal_entries() == 2
            assert unsealed_entries() == 0
            assert faults() == []
        assert unsealed_entries() == 1
        assert faults() == []
        assert seals.seal_entries() == 1
        assert AuditSeal.objects.latest("pk").late == [late]
        assert (unsealed_entries(), faults()) == (0, [])

    def test_does_not_wait_for_a_prepared_transaction_or_a_savepoint(self):
        with session() as other:
            other.execute("SAVEPOINT one")
            late = [add(other)]
            other.execute("RELEASE SAVEPOINT one")
            other.execute("SAVEPOINT two")
            late.append(add(other))
            lost = add_here()
            other.execute("SAVEPOINT three")
            add(other)
            other.execute("ROLLBACK TO SAVEPOINT three")
            newest = add_here()
            assert seals.seal_entries() == 2
        assert seals.seal_entries() == 2
        assert AuditSeal.objects.latest("pk").late == late
        assert lost < newest
        assert faults() == []

    def test_forgets_ids_that_were_rolled_back(self):
        with session() as other:
            lost = add(other)
            add_here()
            assert seals.seal_entries() == 1
            other.rollback()
        assert seals.seal_entries() == 0
        assert seals.settled_seal() == 1
        with session() as other:  # some transaction is open again
            other.execute("SELECT pg_current_xact_id()")
            behind_its_back(FORGED, [lost, None])
            assert seals.seal_entries() == 0
            assert any("do not match their seal" in fault for fault in faults())

    def test_counts_an_entry_in_a_gap_of_another_transaction_as_forged(self):
        with with_trigger_of_others(), session() as other:
            lost = add(other)
            other.rollback()
            add_here()
            (transaction,) = other.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
            add(other)
            add_here()
            assert seals.seal_entries() == 2
            behind_its_back(FORGED, [lost, transaction + 1000])
            assert seals.seal_entries() == 0
            assert any("do not match their seal" in fault for fault in faults())

    def test_holds_no_row_or_lock_that_an_action_waits_for(self):
        with session() as other:
            add_here()
            other.execute("SELECT pg_advisory_xact_lock(hashtextextended('hubconsole audit_seal', 0))")
            assert seals.seal_entries() == 0
            add_here()
        assert seals.seal_entries() == 2

    @pytest.mark.parametrize("seed", quick_first(range(12), quick=4))
    def test_covers_every_entry_once_in_any_order_of_sessions(self, seed):
        """Sessions add entries, commit and roll back in a random order, and passes come in between."""
        chance = random.Random(seed)  # noqa: S311 (not a secret)
        with session() as one, session() as two, session() as three:
            for _ in range(60):
                database = chance.choice([one, two, three])
                step = chance.choices(["add", "commit", "rollback", "seal", "idle"], [6, 3, 1, 3, 1])[0]
                if step == "add":
                    add(database)
                elif step == "seal":
                    before = set(AuditEntry.objects.values_list("pk", flat=True))
                    seals.seal_entries()
                    assert unsealed_entries() == 0, before
                    assert faults() == []
                elif step == "idle":
                    database.execute("SELECT pg_current_xact_id()")
                else:
                    getattr(database, step)()
                    assert faults() == []
        seals.seal_entries()
        assert (unsealed_entries(), faults()) == (0, [])
        assert sum(AuditSeal.objects.values_list("entries", flat=True)) == AuditEntry.objects.count()
        self._finds_each_forgery(chance)

    def test_covers_every_entry_while_sessions_seals_and_checks_run_at_the_same_time(self):
        until = time.monotonic() + 4

        def write(seed: int) -> None:
            chance = random.Random(seed)  # noqa: S311 (not a secret)
            with session() as database:
                while time.monotonic() < until:
                    for _ in range(chance.randrange(4)):
                        add(database)
                        time.sleep(chance.random() / 50)
                    chance.choice([database.commit, database.commit, database.rollback])()

        def seal_again() -> None:
            while time.monotonic() < until:
                seals.seal_entries()

        def check() -> list[str]:
            found: list[str] = []
            while time.monotonic() < until:
                found += faults()
            return found

        written = [partial(write, seed) for seed in range(4)]
        assert in_threads(*written, seal_again, check) == [None] * 5 + [[]]
        seals.seal_entries()
        assert (unsealed_entries(), faults()) == (0, [])
        assert AuditSeal.objects.filter(late__isnull=False).exists()
        assert sum(AuditSeal.objects.values_list("entries", flat=True)) == AuditEntry.objects.count() > 50

    def _finds_each_forgery(self, chance: random.Random) -> None:
        entry_id = chance.choice(AuditEntry.objects.values_list("pk", flat=True))
        behind_its_back("UPDATE audit_entry SET reason = 'x' WHERE entry_id = %s", [entry_id])
        assert len(faults()) == 1
        behind_its_back("UPDATE audit_entry SET reason = '' WHERE entry_id = %s", [entry_id])
        assert faults() == []
        behind_its_back("UPDATE audit_seal SET gaps_from = '{1}', gaps_to = '{9}'")
        assert len(faults()) >= 1


class TestHugeIds:
    """Databases of older versions may have entries whose ids were never assigned."""

    @staticmethod
    def put_huge_id(entry_id: int = 9_000_000_000_000_000) -> None:
        behind_its_back(FORGED, [entry_id, None])

    def test_are_named_and_do_not_keep_later_entries_from_being_sealed(self):
        self.put_huge_id()
        add_here()
        assert seals.seal_entries() == 1
        add_here()
        assert seals.seal_entries() == 1
        assert unsealed_entries() == 0
        assert faults() == ["Entries with ids that were never assigned: 9000000000000000."]
        with pytest.raises(CommandError, match="never assigned: 9000000000000000"):
            call_command("verify_audit")

    def test_may_be_the_end_of_a_seal_already(self):
        first = add_here()
        add_here()
        self.put_huge_id()
        # An older version took the last id from the table.
        assert seals.seal_up_to(9_000_000_000_000_000) == 3
        named = ["Entries with ids that were never assigned: 9000000000000000."]
        assert faults() == named
        last = [add_here(), add_here()][-1]
        assert unsealed_entries() == 2
        assert faults() == named

        assert seals.seal_entries() == 2
        assert faults() == named
        assert AuditSeal.objects.latest("pk").last_id == last
        assert (unsealed_entries(), seals.seal_entries()) == (0, 0)
        for entry_id in (first, last, 9_000_000_000_000_000):
            behind_its_back("UPDATE audit_entry SET reason = 'x' WHERE entry_id = %s", [entry_id])
            assert len(faults()) == 2, entry_id
            behind_its_back("UPDATE audit_entry SET reason = '' WHERE entry_id = %s", [entry_id])

    def test_below_one_are_named_too(self):
        add_here()
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_entry DROP CONSTRAINT audit_entry_id_check")
        try:
            self.put_huge_id(0)
            self.put_huge_id(-1)
            seals.seal_entries()
            assert faults() == ["Entries with ids that were never assigned: -1, 0."]
        finally:
            behind_its_back("DELETE FROM audit_entry WHERE entry_id <= 0")
            with connection.cursor() as cursor:
                cursor.execute(
                    "ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_id_check"
                    " CHECK (entry_id > 0) NOT VALID"
                )


class TestForget:
    def test_removes_late_entries_with_the_seal_that_covers_them(self):
        with session() as other:
            add_here()
            late = add(other)
            add_here()
            seals.seal_entries()
        kept = add_here()
        seals.seal_entries()
        assert AuditSeal.objects.latest("pk").late == [late]

        behind_its_back("UPDATE audit_seal SET sealed_at = now() + interval '1 day' WHERE seal_id = 2")
        assert retention.forget_entries(older_than_months=0, actor=ADA).entries == 2
        restarts = AuditEntry.objects.filter(action="restart").order_by("pk")
        assert list(restarts.values_list("pk", flat=True)) == [late, kept]
        assert faults() == []

        behind_its_back("UPDATE audit_seal SET sealed_at = now() WHERE seal_id = 2")
        assert retention.forget_entries(older_than_months=0, actor=ADA).entries == 2
        assert not restarts.exists()
        assert faults() == []
