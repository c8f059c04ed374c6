"""Outcomes of the statistics: at the ends of their windows, among those of other triggers and statuses."""

from datetime import UTC, datetime, timedelta

import pytest

from messages_app.core.charts.slices import cut_into_slices
from messages_app.document_history.models import DocumentOutcome, DocumentTrigger
from messages_app.document_history.selectors import outcomes
from messages_app.document_history.selectors.outcomes import count_outcomes_over_time, outcome_page
from tests.support.histories import make_trigger

pytestmark = pytest.mark.django_db

MINUTE, BIT = timedelta(minutes=1), timedelta(microseconds=1)
START = datetime(2026, 11, 8, 12, tzinfo=UTC)
STOP = START + timedelta(hours=1)


@pytest.fixture(autouse=True)
def _triggers() -> None:
    for trigger_id in ("t-0", "t-1", "t-2"):
        make_trigger(trigger_id)


def store(trigger_id: str, status: str, *times: datetime) -> None:
    for time in times:
        DocumentOutcome.objects.create(
            trigger_id=trigger_id, status=status, at=time, decided_by="history", rule="r"
        )


def counted(**values: object) -> dict[tuple[int, str], int]:
    """Return the outcomes by the number of ten minutes, and status."""
    slices = cut_into_slices(START, STOP)
    found = count_outcomes_over_time(values=values, start=START, stop=STOP, slices=slices)
    assert not found.is_cut
    counts: dict[tuple[int, str], int] = {}
    for (number, status), count in found.counts.items():
        place = (number * slices.step + slices.start - START) // (10 * MINUTE), status
        counts[place] = counts.get(place, 0) + count
    return counts


class TestOutcomesOverTime:
    def test_are_counted_by_status_within_the_range(self):
        store("t-1", "DUPLICATE", START - BIT, START, START + BIT, STOP, STOP + BIT)
        store("t-1", "IN_DOUBT", START + 31 * MINUTE, START + 31 * MINUTE, START + 31 * MINUTE)
        store("t-1", "FAILED", START + MINUTE)
        found = counted(trigger_id="t-1")
        assert (found.pop((3, "IN_DOUBT")), found.pop((0, "DUPLICATE"))) == (3, 1)
        # The end of the range is within it.
        assert list(found.values()) == [1]
        assert {status for _, status in found} == {"DUPLICATE"}

    def test_are_of_the_asked_triggers_and_status(self):
        for count, trigger_id in enumerate(("t-0", "t-1", "t-2"), start=1):
            store(trigger_id, "DUPLICATE", *[START + MINUTE] * count)
            store(trigger_id, "IN_DOUBT", *[START + MINUTE] * (10 * count))
        assert counted() == {(0, "DUPLICATE"): 6, (0, "IN_DOUBT"): 60}
        assert counted(trigger_id="t-1") == {(0, "DUPLICATE"): 2, (0, "IN_DOUBT"): 20}
        assert counted(trigger_id="t-1", status="IN_DOUBT") == {(0, "IN_DOUBT"): 20}

    def test_begin_after_they_were_cleared(self):
        times = [START + minutes * MINUTE for minutes in (1, 2, 3)]
        for trigger_id in ("t-1", "t-2"):
            store(trigger_id, "DUPLICATE", *times)
        DocumentTrigger.objects.filter(pk="t-1").update(cleared_at=times[1])
        DocumentTrigger.objects.filter(pk="t-2").update(cleared_at=START - MINUTE)
        assert counted(trigger_id="t-1") == {(0, "DUPLICATE"): 1}
        assert counted(trigger_id="t-2") == {(0, "DUPLICATE"): 3}
        page = outcome_page(values={})
        assert [(row.trigger_id, row.at) for row in page.rows] == [
            ("t-2", times[2]),
            ("t-1", times[2]),
            ("t-2", times[1]),
            ("t-2", times[0]),
        ]

    def test_are_the_newest_of_each_trigger_up_to_the_fence(self, monkeypatch):
        monkeypatch.setattr(outcomes, "_MAX_ROWS", 4)
        store("t-1", "DUPLICATE", *[START + minutes * MINUTE for minutes in (35, 35.001, 1, 2)])
        slices = cut_into_slices(START, STOP)
        asked = {"start": START, "stop": STOP, "slices": slices}
        found = count_outcomes_over_time(values={"trigger_id": "t-1"}, **asked)
        first = (START + 35 * MINUTE - slices.start) // slices.step
        assert (sum(found.counts.values()), found.is_cut) == (2, True)
        assert {number for number, _ in found.counts} <= {first, first + 1}
        monkeypatch.setattr(outcomes, "_MAX_ROWS", 10)
        assert not count_outcomes_over_time(values={"trigger_id": "t-1"}, **asked).is_cut


class TestOutcomePage:
    def test_shows_the_asked_trigger_status_and_time(self):
        store("t-1", "DUPLICATE", START - BIT, START, STOP - BIT, STOP)
        store("t-1", "IN_DOUBT", START), store("t-2", "DUPLICATE", START)

        def found(**values: object) -> list[tuple]:
            rows = outcome_page(values=values).rows
            return [(row.trigger_id, row.status, row.at) for row in rows]

        assert found(trigger_id="t-2") == [("t-2", "DUPLICATE", START)]
        assert found(status="IN_DOUBT") == [("t-1", "IN_DOUBT", START)]
        assert len(found(trigger_id="t-1")) == 5
        assert found(trigger_id="t-9") == []
