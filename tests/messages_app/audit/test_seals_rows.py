"""Whole rows of seals: their entries, gaps and open transactions."""

import psycopg
import pytest

from messages_app.audit import seals, verification
from messages_app.audit.models import AuditSeal
from tests.messages_app.audit.test_seals_open import add, add_here, session

pytestmark = pytest.mark.django_db(transaction=True)


def rows() -> list[dict[str, object]]:
    """Return all seals without their digests and times."""
    return list(AuditSeal.objects.order_by("pk").values(*_COLUMNS))


_COLUMNS = (
    "seal_id",
    "first_id",
    "last_id",
    "entries",
    "late",
    "gaps_from",
    "gaps_to",
    "open_transactions",
)
NO_LISTS = dict.fromkeys(("late", "gaps_from", "gaps_to", "open_transactions"))


def transaction_of(database: psycopg.Connection) -> int:
    return database.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()[0]


class TestSealUpTo:
    def test_gives_each_seal_its_span_and_number(self):
        before = seals.last_assigned_id()
        first, second, third, last = [add_here() for _ in range(4)]
        assert seals.seal_up_to(third, most=2) == 3
        assert seals.seal_up_to(last, most=2) == 1
        assert rows() == [
            {"seal_id": 1, "first_id": 1, "last_id": second, "entries": 2} | NO_LISTS,
            {"seal_id": 2, "first_id": second + 1, "last_id": third, "entries": 1} | NO_LISTS,
            {"seal_id": 3, "first_id": third + 1, "last_id": last, "entries": 1} | NO_LISTS,
        ]
        assert (first, last) == (before + 1, before + 4)

    def test_names_gaps_and_open_transactions_only_together(self):
        seals.seal_up_to(start := add_here())
        with session() as other:
            transaction_of(other)
            seals.seal_up_to(without_gap := add_here())
            other.rollback()
            add(other)
            other.rollback()
            seals.seal_up_to(with_gap := add_here())
        assert rows()[1:] == [
            {"seal_id": 2, "first_id": start + 1, "last_id": without_gap, "entries": 1} | NO_LISTS,
            {"seal_id": 3, "first_id": without_gap + 1, "last_id": with_gap, "entries": 1} | NO_LISTS,
        ]
        assert with_gap == without_gap + 2

    def test_names_each_gap_in_which_an_entry_may_come_and_then_the_late_entries(self):
        with session() as one, session() as other:
            seals.seal_up_to(start := add_here())
            late = [add(one), add(one), add(other)]
            newest = [add_here(), add_here()]
            gap_of_one = add(one)
            newest.append(add_here())
            transactions = sorted([transaction_of(one), transaction_of(other)])
            assert seals.seal_up_to(newest[-1]) == 3
            one.rollback()
            other.commit()
            assert seals.seal_up_to(newest[-1]) == 1
            last = add_here()
            assert seals.seal_up_to(last) == 1
        assert rows()[1:] == [
            {
                "seal_id": 2,
                "first_id": start + 1,
                "last_id": newest[-1],
                "entries": 3,
                "late": None,
                "gaps_from": [late[0], gap_of_one],
                "gaps_to": [late[2], gap_of_one],
                "open_transactions": transactions,
            },
            NO_LISTS
            | {
                "seal_id": 3,
                "first_id": newest[-1] + 1,
                "last_id": newest[-1],
                "entries": 1,
                "late": [late[2]],
            },
            NO_LISTS | {"seal_id": 4, "first_id": newest[-1] + 1, "last_id": last, "entries": 1},
        ]
        assert list(verification.find_faults()) == []


class TestLastSealedId:
    def test_is_the_end_of_a_seal_whose_ids_were_assigned(self):
        assert seals.last_sealed_id(AuditSeal(first_id=5, last_id=9, entries=3), 9) == 9
        assert seals.last_sealed_id(AuditSeal(first_id=5, last_id=9, entries=3), 10) == 9

    def test_is_before_a_seal_beyond_all_ids_whose_entries_are_missing(self):
        assert (
            seals.last_sealed_id(AuditSeal(first_id=5_000_000, last_id=6_000_000, entries=3), 9) == 4_999_999
        )
