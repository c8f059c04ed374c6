from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.http import QueryDict

from messages_app.core.problems import Problem
from messages_app.messages import selectors
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.message_filter import MessageFilter
from messages_app.messages.models import Message
from messages_app.messages.tables import MessageNotFound
from tests.support.factories import NOON, make_archived_message, make_funnel, make_message

pytestmark = pytest.mark.django_db


def parsed(query: str) -> MessageFilter:
    return message_filter.parse_message_filter(QueryDict(query), user=None)


def found(query: str, ordering: str = "msg_id") -> list[int]:
    """Return the ids that a filter finds, read two to a page."""
    wanted, cursor, rows = parsed(query), None, []
    while True:
        page = selectors.message_page(filters=wanted, ordering=ordering, cursor=cursor, page_size=2)
        rows += [row.msg_id for row in page.rows]
        if (cursor := page.next_cursor) is None:
            return rows


class TestMessagePage:
    @pytest.mark.parametrize(
        ("column", "value"),
        [
            ("source_system", "ERP"),
            ("service_name", "orders"),
            ("operation_name", "op"),
            ("correlation_id", "corr"),
            ("process_id", "p"),
            ("object_id", "100%"),
            ("entity_type", "ACCOUNT"),
            ("funnel_component_id", "f"),
            ("failed_error_code", "E101"),
            ("parent_msg_id", "5"),
            ("state", "WAITING"),
        ],
    )
    def test_filters_by_equality(self, column, value):
        make_message()
        wanted = make_message(**{column: value})
        assert found(f"{column}={value.replace('%', '%25')}") == [wanted.msg_id]

    def test_finds_messages_by_their_ids(self):
        first, second, third = (make_message(state=state).pk for state in ("OK", "FAILED", "OK"))
        assert found(f"msg_id={first},{third},777") == [first, third]
        assert found(f"msg_id={first}&msg_id={third}&msg_id={first}") == [first, third]
        assert found(f"msg_id={first},{second}&state=FAILED") == [second]
        archived = make_archived_message().pk
        assert found(f"msg_id={first},{archived}") == [first]
        assert found(f"msg_id={first},{archived}&archived=true") == [archived]
        assert found(f"msg_id={first},{archived}&archived=any") == [first, archived]

    @pytest.mark.parametrize("column", ["msg_timestamp", "receive_timestamp", "last_process_timestamp"])
    def test_filters_by_time_with_both_ends(self, column):
        stored = [make_message(**{column: NOON + timedelta(hours=hour)}).msg_id for hour in range(4)]
        query = f"{column}_from=2026-11-01T13:00:00Z&{column}_to=2026-11-01T14:00:00Z"
        assert found(query) == stored[1:3]

    @pytest.mark.parametrize("ordering", ["msg_id", "receive_timestamp", "-msg_id", "-receive_timestamp"])
    def test_merges_states_in_order(self, ordering):
        states = ["FAILED", "CANCEL", "OK", "NEW"] * 3
        stored = [make_message(state=state).msg_id for state in states]
        wanted = [msg_id for msg_id, state in zip(stored, states, strict=True) if state != "NEW"]
        expected = wanted[::-1] if ordering.startswith("-") else wanted
        assert found("state=FAILED,CANCEL,OK", ordering) == expected

    def test_finds_a_funnel_value_wherever_the_hub_keeps_it(self):
        make_message(funnel_value="other")
        in_message = make_message(funnel_value="7")
        in_table = make_message()
        make_funnel(in_table, funnel_value="7")
        make_funnel(in_table, funnel_value="8")
        in_both = make_message(funnel_value="7")
        make_funnel(in_both, funnel_value="7")
        assert found("funnel_value=7") == [in_message.msg_id, in_table.msg_id, in_both.msg_id]

    def test_finds_text_in_payloads_literally(self):
        wanted = make_message(payload="<a>100%_x</a>", receive_timestamp=NOON)
        make_message(payload="<a>100 of x</a>", receive_timestamp=NOON)
        times = "receive_timestamp_from=2026-11-01T00:00:00Z&receive_timestamp_to=2026-11-02T00:00:00Z"
        assert found(f"payload_contains=100%25_x&{times}") == [wanted.msg_id]

    def test_reads_the_archive(self):
        make_message(state="OK")
        old = make_archived_message(funnel_value="7")
        assert found("archived=true&state=OK&funnel_value=7") == [old.msg_id]

    @pytest.mark.parametrize("ordering", ["msg_id", "receive_timestamp", "-msg_id", "-receive_timestamp"])
    def test_merges_the_live_table_and_the_archive(self, ordering):
        makers = [make_message, make_archived_message] * 5
        stored = [make(state="FAILED").msg_id for make in makers]
        expected = stored[::-1] if ordering.startswith("-") else stored
        assert found("archived=any", ordering) == expected
        assert found("archived=any&state=FAILED&service_name=billing", ordering) == expected
        rows = selectors.message_page(filters=parsed("archived=any"), ordering="msg_id").rows
        assert [row.archived for row in rows] == [False, True] * 5

    def test_shows_a_message_once_that_is_in_both_tables(self):
        ids = [make_message().msg_id for _ in range(7)]
        for row in Message.objects.filter(pk__in=ids[1:6]):
            make_archived_message(msg_id=row.pk, receive_timestamp=row.receive_timestamp)
        for ordering in ("msg_id", "receive_timestamp"):
            assert found("archived=any", ordering) == ids

    def test_reads_the_error_of_a_row_from_its_own_table(self):
        make_message(failed_desc="live\nsecond line")
        make_archived_message(failed_desc=f"old{'x' * 300}\nsecond line")
        make_archived_message()
        rows = selectors.message_page(filters=parsed("archived=any"), ordering="msg_id").rows
        assert [row.failed_summary for row in rows] == ["live", f"old{'x' * 197}", None]

    def test_finds_roots(self):
        root = make_message()
        make_message(parent_msg_id=root.pk)
        assert found("family=roots") == [root.pk]

    @pytest.mark.parametrize("make", [make_message, make_archived_message])
    def test_finds_parents_of_a_failure(self, make):
        families = [make(state="WAITING") for _ in range(5)]
        for parent, child in zip(families, ["FAILED", "PARTLY_FAILED", "OK", "CANCEL"], strict=False):
            make(state="OK", parent_msg_id=parent.pk)
            make(state=child, parent_msg_id=parent.pk)
        make(state="FAILED")
        place = "&archived=true" if make is make_archived_message else ""
        assert found(f"family=failed{place}") == [families[0].pk, families[1].pk]
        assert found("family=failed&archived=any&state=WAITING") == [families[0].pk, families[1].pk]

    def test_pages_through_a_filter_without_an_index(self):
        wanted = []
        for number in range(30):
            make = make_archived_message(entity_type="ORDER" if number % 7 == 0 else "ACCOUNT")
            wanted += [make.pk] if number % 7 == 0 else []
        assert found("archived=true&entity_type=ORDER") == wanted

    def test_reads_no_wide_column(self, django_assert_num_queries):
        make_message(state="FAILED", failed_desc="x" * 1000 + "\nsecond line")
        with django_assert_num_queries(2) as asked:
            rows = selectors.message_page(filters=MessageFilter()).rows
            assert rows[0].failed_summary == "x" * 200
        assert not any('"payload"' in query["sql"] for query in asked.captured_queries)
        assert {"payload", "envelope", "failed_desc"} <= rows[0].get_deferred_fields()

    def test_rejects_the_cursor_of_another_filter(self):
        for _ in range(3):
            make_message(state="FAILED")
        page = selectors.message_page(filters=parsed("state=FAILED"), page_size=1)
        with pytest.raises(Problem, match="not valid for this list"):
            selectors.message_page(filters=parsed("state=CANCEL"), cursor=page.next_cursor)


class TestChosenMessages:
    def test_finds_them_in_both_tables_newest_first(self):
        live, old = make_message(failed_desc="no"), make_archived_message()
        found_rows = selectors.chosen_messages([live.pk, old.pk, 777_777])
        assert [(row.pk, row.archived) for row in found_rows] == [(old.pk, True), (live.pk, False)]
        assert found_rows[1].failed_summary == "no"


class TestExactCount:
    def test_counts_every_branch(self):
        make_message(state="FAILED")
        make_message(state="CANCEL")
        make_message()
        assert selectors.count_exactly(parsed("state=FAILED,CANCEL"), timeout_ms=2000) == 2

    @pytest.mark.django_db(transaction=True)
    def test_stops_in_time_and_restores_the_session(self):
        with connection.cursor() as cursor:
            cursor.execute(_MANY, [60_000])
        with pytest.raises(OperationalError):
            selectors.count_exactly(parsed("object_id=x"), timeout_ms=1)
        assert selectors.count_exactly(MessageFilter(), timeout_ms=0) == 60_000


_MANY = """
INSERT INTO message (msg_id, correlation_id, msg_timestamp, receive_timestamp, service_name, source_system,
                     state, operation_name, payload, object_id)
SELECT 1 + n, 'c' || n, now(), now(), 's', 'S', 'OK', 'o', '<a/>', 'x' FROM generate_series(1, %s) AS n
"""


class TestEstimatedCount:
    def test_reads_only_the_estimate_of_the_planner(self):
        for _ in range(300):
            make_message(state="FAILED")
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE message")
        assert selectors.estimate_count(MessageFilter()) == 300
        assert 290 <= selectors.estimate_count(parsed("state=FAILED,CANCEL")) <= 310


class TestGetMessage:
    def test_finds_live_and_archived_messages(self):
        live, old = make_message(), make_archived_message()
        assert [selectors.get_message(row.msg_id) for row in (live, old)] == [(live, False), (old, True)]

    def test_raises_for_an_unknown_id(self):
        with pytest.raises(MessageNotFound, match="No message has the id 777"):
            selectors.get_message(777)
