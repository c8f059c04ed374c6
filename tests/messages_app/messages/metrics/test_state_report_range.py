from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict

from messages_app.core.clock import database_clock
from messages_app.core.problems import Problem
from messages_app.messages.metrics.state_report import TimeRange, parse_range

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def _parse(**params: str) -> TimeRange:
    query = QueryDict(mutable=True)
    query.update({f"receive_timestamp_{name}": text for name, text in params.items()})
    return parse_range(query, longest=7 * DAY)


class TestParseRange:
    def test_defaults_to_the_last_day_by_the_databases_clock(self):
        before = database_clock()
        found = _parse()
        assert before <= found.end <= database_clock()
        assert found.end - found.start == DAY

    def test_defaults_to_the_day_before_an_end(self):
        end = datetime(2026, 11, 1, tzinfo=UTC)
        assert _parse(to="2026-11-01T00:00:00Z") == TimeRange(end - DAY, end)

    def test_ends_now_after_a_start(self):
        now = database_clock()
        found = _parse(**{"from": (now - 2 * DAY).isoformat()})
        assert found.start == now - 2 * DAY
        assert now <= found.end <= database_clock()

    @pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
    def test_accepts_the_ends_of_the_calendar(self, text):
        assert _parse(to=text).end.isoformat() == text.replace("Z", "+00:00")
        assert _parse(**{"from": "9999-12-31T23:59:59Z"}).start.year == 9999

    @pytest.mark.parametrize(
        ("params", "field"),
        [
            ({"from": "2026-11-01T00:00:00Z", "to": "2026-11-08T00:00:01Z"}, "receive_timestamp_from"),
            ({"from": "2026-11-02T00:00:00Z", "to": "2026-11-01T00:00:00Z"}, "receive_timestamp_from"),
            ({"from": "2026-01-01T00:00:00Z"}, "receive_timestamp_from"),
            ({"to": "yesterday"}, "receive_timestamp_to"),
        ],
    )
    def test_refuses_other_ranges(self, params, field):
        with pytest.raises(Problem) as caught:
            _parse(**params)
        assert (caught.value.status, caught.value.errors[0].field) == (400, field)

    def test_accepts_exactly_the_longest_range(self):
        end = datetime(2026, 11, 8, tzinfo=UTC)
        found = _parse(**{"from": "2026-11-01T00:00:00Z", "to": "2026-11-08T00:00:00Z"})
        assert found == TimeRange(end - 7 * DAY, end)

    def test_accepts_any_length_without_a_longest(self):
        texts = {"from": "2020-11-01T00:00:00Z", "to": "2026-11-08T00:00:00Z"}
        found = parse_range(
            QueryDict("&".join(f"receive_timestamp_{name}={text}" for name, text in texts.items()))
        )
        assert found == TimeRange(datetime(2020, 11, 1, tzinfo=UTC), datetime(2026, 11, 8, tzinfo=UTC))
