from collections.abc import Sequence
from datetime import timedelta

from messages_app.dashboard.flow_chart import COLUMN, HEIGHT, draw_flow
from tests.support.factories import NOON


def content(
    slices: list[tuple[int, str, int]],
    jobs: list[dict] | None = None,
    before: Sequence[tuple[int, float]] = (),
) -> dict[str, object]:
    """
    Return the content of the tile `flow`: an hour by minutes.

    Args:
        slices: (minute, state, count).
        before: (minute, count) of a week before.
    """
    return {
        "start": NOON,
        "end": NOON + timedelta(hours=1),
        "slice_seconds": 60,
        "slices": [
            {"at": NOON + timedelta(minutes=minute), "state": state, "count": count}
            for minute, state, count in slices
        ],
        "week_before": [{"at": NOON + timedelta(minutes=minute), "count": count} for minute, count in before],
        "jobs": jobs or [],
    }


class TestDrawn:
    def test_stacks_states_from_the_failures_up(self):
        flow = draw_flow(content([(2, "OK", 30), (2, "FAILED", 10), (2, "NEW", 99)]))
        (column,) = flow.columns
        assert (column.x, column.counts) == (2 * COLUMN, [10, 0, 30])
        assert column.title == f"{NOON:%Y-%m-%d} 12:02 UTC: 10 FAILED, 30 OK"
        assert flow.shapes == {"FAILED": "M20 90h8.5v30h-8.5z", "OK": "M20 0h8.5v90h-8.5z"}

    def test_shows_a_single_failure_among_thousands_within_the_picture(self):
        shapes = draw_flow(content([(0, "OK", 9999), (0, "FAILED", 1)])).shapes
        assert shapes["FAILED"] == f"M0 {HEIGHT - 3}h8.5v3h-8.5z"
        assert shapes["OK"] == f"M0 0h8.5v{HEIGHT - 3}h-8.5z"

    def test_draws_the_week_before_to_the_same_scale(self):
        flow = draw_flow(content([(0, "OK", 10)], before=[(0, 40), (1, 20), (2, 0)]))
        assert flow.shapes == {"OK": "M0 90h8.5v30h-8.5z"}
        assert flow.week_before == "M5 0L15 60L25 120"

    def test_draws_no_line_at_the_ground(self):
        assert draw_flow(content([(0, "OK", 10)], before=[(0, 0), (1, 0)])).week_before == ""

    def test_marks_jobs(self):
        job = {"job_id": 7, "kind": "restart", "started_at": NOON + timedelta(minutes=30)}
        flow = draw_flow(content([(1, "OK", 1)], [job]))
        assert [(mark.job_id, mark.x) for mark in flow.marks] == [(7, 30 * COLUMN)]
        assert flow.totals == [("FAILED", 0), ("PARTLY_FAILED", 0), ("OK", 1)]

    def test_is_empty_if_nothing_flows(self):
        assert draw_flow(content([])).columns == []
