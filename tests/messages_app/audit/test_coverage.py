"""The seal of one entry."""

import pytest

from messages_app.audit.coverage import Coverage, coverage_of
from messages_app.audit.models import AuditEntry, AuditSeal
from messages_app.core.clock import database_clock

pytestmark = pytest.mark.django_db


def seal(number: int, first_id: int, last_id: int, **columns: object) -> AuditSeal:
    return AuditSeal.objects.create(
        seal_id=number,
        first_id=first_id,
        last_id=last_id,
        entries=1,
        digest="d",
        sealed_at=database_clock(),
        **columns,
    )


def cover(one: AuditSeal, *, is_late: bool = False) -> Coverage:
    return Coverage(seal_id=one.seal_id, sealed_at=one.sealed_at, is_late=is_late)


class TestCoverageOf:
    def test_is_the_seal_of_the_span(self):
        seals = [seal(1, 1, 10), seal(2, 11, 20)]
        found = [coverage_of(AuditEntry(entry_id=number)) for number in (1, 10, 11, 20)]
        assert found == [cover(seals[0]), cover(seals[0]), cover(seals[1]), cover(seals[1])]

    def test_is_empty_beyond_the_last_seal(self):
        seal(1, 1, 10)
        assert coverage_of(AuditEntry(entry_id=11)) == Coverage()

    def test_of_a_late_entry_is_the_later_seal(self):
        seal(1, 1, 10, gaps_from=[3], gaps_to=[5])
        assert coverage_of(AuditEntry(entry_id=4)) == Coverage()
        later = seal(2, 11, 20, late=[4])
        assert coverage_of(AuditEntry(entry_id=4)) == cover(later, is_late=True)
        assert coverage_of(AuditEntry(entry_id=6)).seal_id == 1
