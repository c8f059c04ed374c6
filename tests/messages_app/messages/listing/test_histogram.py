from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from messages_app.core.clock import is_too_slow
from messages_app.messages.filters import message_filter
from messages_app.messages.listing.histogram import Histogram, from_ground, make_histogram
from messages_app.messages.models import Message
from tests.support.factories import NOON, make_archived_message, make_funnel, make_message, make_messages
from tests.support.fillings import undone_filling
from tests.support.plans import nodes_of, reads_of, rows_read

COLUMNS = {field.column for field in Message._meta.concrete_fields}
pytestmark = pytest.mark.django_db

HOUR = "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-01T13:00:00Z"


def drawn(query: str) -> Histogram:
    return make_histogram(message_filter.parse_message_filter(QueryDict(query), user=None))


def at(minute: float) -> dict[str, object]:
    return {"receive_timestamp": NOON + timedelta(minutes=minute)}


@pytest.fixture(scope="class")
def large_tables(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Store many live messages, and as many archived ones, a few of them of a rare operation."""
    with undone_filling(django_db_blocker) as cursor:
        make_messages(60_000, step=timedelta(seconds=10))
        cursor.execute("UPDATE message SET operation_name = 'rare' WHERE msg_id % 20000 = 7")
        cursor.execute("UPDATE message SET state = 'FAILED' WHERE msg_id % 10 = 3")
        columns = ", ".join(sorted(COLUMNS))
        cursor.execute(f"INSERT INTO archive_message ({columns}) SELECT {columns} FROM message")
        cursor.execute("ANALYZE message, archive_message")
        yield


def rows_of_plan(sql: str, params: tuple) -> float:
    """Return how many rows a query reads of its tables and indexes."""
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        plan = cursor.fetchone()[0][0]["Plan"]
    return sum(rows_read(node) for node in nodes_of(plan) if "Relation Name" in node)


@pytest.fixture(autouse=True)
def _no_kept_picture():
    cache.clear()


def analyze() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE message")


def few_are_ok(*places: int) -> None:
    """Make all messages NEW but those at these places, by receipt: no index has only OK messages."""
    ids = Message.objects.order_by("receive_timestamp").values_list("pk", flat=True)
    ok = [ids[place] for place in places]
    Message.objects.exclude(pk__in=ok).update(state="NEW")
    analyze()


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
    def test_counts_the_messages_of_the_filter(self, query, expected):
        root = make_message(state="FAILED", funnel_value="7", **at(1))
        make_message(service_name="orders", parent_msg_id=root.pk, **at(2))
        make_funnel(make_message(source_system="ERP", **at(3)), funnel_value="7")
        make_archived_message(**at(4))
        assert sum(drawn(f"{HOUR}&{query}").counts.values()) == expected

    def test_counts_all_messages_if_the_statistics_expect_many_more(self):
        for minute in (1, 2, 50):
            make_message(state="FAILED", **at(minute))
        with connection.cursor() as cursor:
            # As after many messages were deleted, until the next ANALYZE.
            cursor.execute("UPDATE pg_class SET reltuples = 1e9, relpages = 1 WHERE relname = 'message'")
        found = drawn(HOUR)
        assert (found.counts, found.sampled, found.why_not) == (
            {(1, "FAILED"): 1, (2, "FAILED"): 1, (50, "FAILED"): 1},
            1,
            "",
        )

    @pytest.mark.parametrize(
        "query",
        ["", "state=NEW", "service_name=billing", "source_system=CRM", "operation_name=createInvoice"],
    )
    def test_covers_the_messages_of_the_list_without_a_range(self, query):
        for days in (0, -1, -600):
            make_message(receive_timestamp=NOON + timedelta(days=days))
        if query:
            other = {"state": "OK"} | dict.fromkeys(("service_name", "source_system", "operation_name"), "o")
            make_message(receive_timestamp=NOON - timedelta(days=900), **other)
        found = drawn(query)
        assert (found.start, found.stop) == (NOON - timedelta(days=600), NOON)
        assert sum(found.counts.values()) == 3
        assert (found.sampled, found.note, found.why_not) == (1, "", "")

    @pytest.mark.parametrize("query", ["archived=true", "archived=any"])
    def test_covers_the_messages_of_the_archive(self, query):
        for days in (0, -400):
            make_archived_message(receive_timestamp=NOON + timedelta(days=days))
        found = drawn(query)
        assert (found.start, found.stop) == (NOON - timedelta(days=400), NOON)
        assert sum(found.counts.values()) == 2

    def test_covers_the_last_24_hours_of_an_empty_list(self):
        found = drawn("")
        assert found.stop - found.start == timedelta(days=1)
        assert timedelta(0) <= timezone.now() - found.stop < timedelta(minutes=1)

    def test_begins_with_the_first_row_if_only_an_end_is_given(self):
        make_message(**at(-90))
        make_message(**at(1))
        found = drawn("receive_timestamp_to=2026-11-01T12:00:00Z")
        assert (found.start, found.stop) == (NOON - timedelta(minutes=90), NOON)
        assert sum(found.counts.values()) == 1

    def test_continues_until_now_if_only_a_beginning_is_given(self):
        make_message(receive_timestamp=timezone.now() - timedelta(hours=1))
        start = timezone.now() - timedelta(hours=2)
        found = drawn(f"receive_timestamp_from={start:%Y-%m-%dT%H:%M:%SZ}")
        assert timedelta(0) <= timezone.now() - found.stop < timedelta(minutes=1)
        assert sum(found.counts.values()) == 1

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

    def test_ignores_a_search_of_payloads(self):
        make_message(payload="<a/>", **at(1))
        found = drawn(f"{HOUR}&payload_contains=nothing")
        assert (sum(found.counts.values()), found.note) == (1, "with any payload, not only matches")

    def test_samples_too_many_messages_to_count(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        analyze()
        found = make_histogram(
            message_filter.parse_message_filter(QueryDict(HOUR), user=None), most_read=1000
        )
        assert found.sampled < 0.15
        assert 4000 < sum(found.counts.values()) < 8000
        assert len({number for number, _ in found.counts}) > 50

    def test_samples_a_condition_that_many_messages_meet(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        with connection.cursor() as cursor:
            cursor.execute("UPDATE message SET source_system = 'ERP' WHERE msg_id % 2 = 0")
        analyze()
        found = make_histogram(
            message_filter.parse_message_filter(QueryDict("source_system=ERP"), user=None), most_read=1000
        )
        assert 2000 < sum(found.counts.values()) < 4000
        assert found.sampled < 0.5
        assert found.stop - found.start > timedelta(minutes=50)

    def test_covers_only_the_newest_messages_if_few_of_them_match_and_reports_it(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        few_are_ok(5, 5990)
        found = make_histogram(
            message_filter.parse_message_filter(QueryDict("state=OK"), user=None), most_read=1000
        )
        assert sum(found.counts.values()) == 1
        assert found.start > NOON
        assert found.note == "of the newest 1\u202f000 messages"

    def test_reports_that_older_messages_were_not_searched(self):
        make_messages(6000, step=timedelta(minutes=0.01))
        few_are_ok(5)
        found = make_histogram(
            message_filter.parse_message_filter(QueryDict("state=OK"), user=None), most_read=1000
        )
        assert found.counts == {}
        assert found.why_not.startswith("None of the newest 1\u202f000 messages match the filter.")

    def test_draws_nothing_if_all_messages_have_the_same_time_and_explains_it(self):
        make_messages(3000, step=timedelta(0))
        make_message(**at(59))
        analyze()
        found = make_histogram(message_filter.parse_message_filter(QueryDict(""), user=None), most_read=300)
        assert found.counts == {}
        assert "Narrow the time range" in found.why_not

    @pytest.mark.django_db(transaction=True)
    def test_reads_only_the_index(self):
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

    def test_stops_in_time(self):
        make_messages(20_000, step=timedelta(minutes=0.002))
        with pytest.raises(OperationalError) as ended:
            make_histogram(message_filter.parse_message_filter(QueryDict(HOUR), user=None), timeout_ms=1)
        assert is_too_slow(ended.value)


class TestLargeTables:
    @pytest.mark.parametrize(
        "query",
        [
            "",
            "operation_name=rare",
            "parent_msg_id=1",
            "archived=any",
            "archived=true",
            "archived=any&operation_name=rare",
            "state=OK",
            "state=FAILED",
            "state=OK,FAILED",
            "state=POSTPONED",
            "service_name=billing",
            "service_name=nobody",
            "source_system=CRM",
            "receive_timestamp_from=2026-11-01T12:00:00Z&receive_timestamp_to=2026-11-08T12:00:00Z",
        ],
    )
    def test_are_read_no_more_than_they_may(self, large_tables, query):
        most, sent = 2_000, []
        with connection.execute_wrapper(reads_of(sent)):
            found = make_histogram(
                message_filter.parse_message_filter(QueryDict(query), user=None), most_read=most
            )
        for sql, params in sent:
            assert rows_of_plan(sql, params) <= 1.1 * most, sql
        assert sum(rows_of_plan(sql, params) for sql, params in sent) <= 3 * most
        assert (
            found.counts
            or found.why_not
            or query.endswith(("rare", "parent_msg_id=1", "POSTPONED", "nobody"))
        )


class TestFromGround:
    def test_has_failures_at_the_ground_and_ok_at_the_top(self):
        states = ["OK", "odd", "CANCEL", "WAITING", "PARTLY_FAILED", "FAILED"]
        assert sorted(states, key=from_ground) == [
            "FAILED",
            "PARTLY_FAILED",
            "WAITING",
            "odd",
            "CANCEL",
            "OK",
        ]
