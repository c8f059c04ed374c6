from datetime import timedelta

from messages_app.first_page.drawing import COLUMN, HEIGHT, drawn
from tests.factories import NOON


def content(slices: list[tuple[int, str, int]], jobs: list[dict] | None = None) -> dict[str, object]:
    """Return what the tile `flow` holds: an hour by minutes; slices as (minute, state, count)."""
    return {
        "start": NOON,
        "end": NOON + timedelta(hours=1),
        "slice_seconds": 60,
        "slices": [
            {"at": NOON + timedelta(minutes=minute), "state": state, "count": count}
            for minute, state, count in slices
        ],
        "jobs": jobs or [],
    }


class TestDrawn:
    def test_stacks_states_from_the_failures_up(self):
        (column,) = drawn(content([(2, "OK", 30), (2, "FAILED", 10), (2, "NEW", 99)])).columns
        assert column.x == 2 * COLUMN
        assert [(bar.state, bar.y, bar.height) for bar in column.bars] == [("FAILED", 90, 30), ("OK", 0, 90)]
        assert column.counts == [10, 0, 30]

    def test_shows_a_single_failure_among_thousands_within_the_picture(self):
        (column,) = drawn(content([(0, "OK", 9999), (0, "FAILED", 1)])).columns
        failed, through = column.bars
        assert failed.height == 3
        assert (through.y, through.height) == (0, HEIGHT - 3)

    def test_marks_jobs(self):
        job = {"job_id": 7, "kind": "restart", "started_at": NOON + timedelta(minutes=30)}
        flow = drawn(content([(1, "OK", 1)], [job]))
        assert [(mark.job_id, mark.x) for mark in flow.marks] == [(7, 30 * COLUMN)]
        assert flow.totals == [("FAILED", 0), ("PARTLY_FAILED", 0), ("OK", 1)]

    def test_is_empty_where_nothing_flows(self):
        assert drawn(content([])).columns == []
