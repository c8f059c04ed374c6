from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from messages_app.messages.filtering import filters
from messages_app.messages.histogram.histogram import Histogram, histogram
from messages_app.web.time_limits import was_too_slow
from tests.factories import NOON, make_archived_message, make_funnel, make_message, make_messages

pytestmark = pytest.mark.django_db

HOUR = "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T13:00:00Z"


def drawn(query: str) -> Histogram:
    return histogram(filters.parse(QueryDict(query), user=None))


def at(minute: float) -> dict[str, object]:
    return {"receive_timestamp": NOON + timedelta(minutes=minute)}


class TestHistogram:
    def test_counts_by_slice_and_state_within_the_range(self):
        for minute in (0, 0.5, 59.9, 61, -1):
            make_message(state="FAILED", **at(minute))
        make_message(state="OK", **at(0))
        found = drawn(HOUR)
        assert (found.slices.step, found.slices.count) == (timedelta(minutes=1), 60)
        assert found.counts == {(0, "FAILED"): 2, (0, "OK"): 1, (59, "FAILED"): 1}
        assert (found.sampled, found.is_usual) == (1, False)

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("state=FAILED", 1),
            ("state=FAILED,NEW", 3),
            ("service_name=orders", 1),
            ("service_name=orders&state=NEW", 1),
            ("source_system=ERP", 1),
            ("funnel_value=7", 2),
            ("archived=true", 1),
            ("archived=any", 4),
            ("family=roots", 2),
            ("correlation_id=nope", 0),
        ],
    )
    def test_counts_what_the_filter_lets_through(self, query, expected):
        root = make_message(state="FAILED", funnel_value="7", **at(1))
        make_message(service_name="orders", parent_msg_id=root.pk, **at(2))
        make_funnel(make_message(source_system="ERP", **at(3)), funnel_value="7")
        make_archived_message(**at(4))
        assert sum(drawn(f"{HOUR}&{query}").counts.values()) == expected

    def test_is_of_the_last_24_hours_without_a_range(self):
        now = timezone.now()
        make_message(receive_timestamp=now - timedelta(hours=1))
        make_message(receive_timestamp=now - timedelta(hours=30))
        found = drawn("")
        assert sum(found.counts.values()) == 1
        assert found.is_usual
        assert timedelta(0) <= found.stop - now < timedelta(minutes=1)

    def test_is_of_the_day_before_an_end_alone(self):
        found = drawn("receive_timestamp_to=2026-11-01T12:00:00Z")
        assert (found.start, found.stop) == (NOON - timedelta(days=1), NOON)

    @pytest.mark.parametrize(
        "query",
        [
            "receive_timestamp_from=0001-01-01T00:00:00Z&receive_timestamp_to=9999-12-31T23:59:59Z",
            "receive_timestamp_to=0001-01-01T00:00:00Z",
            "receive_timestamp_from=9999-12-31T23:59:59Z",
        ],
    )
    def test_can_be_of_any_range(self, query):
        assert drawn(query).slices.count <= 62

    def test_leaves_out_of_account_what_payloads_hold(self):
        make_message(payload="<a/>", **at(1))
        found = drawn(f"{HOUR}&payload_contains=nothing")
        assert (sum(found.counts.values()), found.note) == (1, "all payloads")

    def test_samples_what_is_too_much_to_count(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        found = histogram(filters.parse(QueryDict(HOUR), user=None), most_counted=500)
        assert found.sampled < 0.15
        assert 4000 < sum(found.counts.values()) < 8000
        assert len({number for number, _ in found.counts}) > 50

    @pytest.mark.django_db(transaction=True)
    def test_reads_the_index_alone(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        with CaptureQueriesContext(connection) as asked:
            drawn(HOUR)
        counting = next(query["sql"] for query in asked.captured_queries if "LATERAL" in query["sql"])
        with connection.cursor() as cursor:
            cursor.execute(
                "VACUUM ANALYZE message"
            )  # or the planner holds the table for as near as the index
            cursor.execute(f"EXPLAIN {counting}")
            plan = "\n".join(line for (line,) in cursor)
        assert "Index Only Scan using message_received_idx" in plan

    def test_gives_up_in_time(self):
        make_messages(20_000, step=timedelta(minutes=0.002))
        with pytest.raises(OperationalError) as ended:
            histogram(filters.parse(QueryDict(HOUR), user=None), timeout_ms=1)
        assert was_too_slow(ended.value)
