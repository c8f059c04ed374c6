import pytest
from django.db import connection

from messages_app.jobs.preview.deadline import Deadline
from messages_app.jobs.preview.samples import pages_of, rows_of_pages, sample_of, take_sample
from messages_app.messages.models import Message
from tests.support.factories import make_messages
from tests.support.views import put_behind_views

pytestmark = pytest.mark.django_db


def fill() -> list[int]:
    """Store messages on some hundred pages, and return the number on each. Other pages may be empty."""
    make_messages(20_000)
    return rows_of_pages(Message.objects.all(), 1)


class TestPagesOf:
    def test_counts_pages_without_statistics(self):
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE unknown AS SELECT n FROM generate_series(1, 10000) AS n")
        table = type("Unknown", (), {"_meta": type("Meta", (), {"db_table": "unknown"})})
        pages, rows_a_page = pages_of(table)
        assert 30 < pages < 70
        assert rows_a_page == 40.0

    def test_counts_the_table_behind_a_view(self):
        fill()
        pages, rows_a_page = pages_of(Message)
        put_behind_views("message")
        assert pages > 100
        assert pages_of(Message) == (pages, pytest.approx(rows_a_page))

    def test_is_unknown_for_a_view_of_several_tables(self):
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE VIEW seen AS SELECT msg_id FROM message UNION ALL SELECT msg_id FROM archive_message"
            )
        view = type("Seen", (), {"_meta": type("Meta", (), {"db_table": "seen"})})
        assert pages_of(view)[0] == 0


class TestRowsOfPages:
    def test_counts_every_row_of_the_whole(self):
        found = fill()
        assert sum(found) == 20_000
        assert len(found) <= pages_of(Message)[0]

    def test_reads_about_the_share_of_pages_completely(self):
        whole = fill()
        found = rows_of_pages(Message.objects.all(), 0.3)
        assert 0.15 * len(whole) < len(found) < 0.45 * len(whole)
        assert set(found) <= set(whole)
        assert rows_of_pages(Message.objects.all(), 0.3) == found

    def test_reads_the_same_pages_through_a_view(self):
        fill()
        found = [sorted(rows_of_pages(Message.objects.all(), share)) for share in (0.3, 1)]
        put_behind_views("message")
        assert [sorted(rows_of_pages(Message.objects.all(), share)) for share in (0.3, 1)] == found

    def test_counts_the_rows_of_a_filter(self):
        fill()
        even = Message.objects.extra(where=["msg_id %% 2 = 0"])
        assert sum(rows_of_pages(even, 1)) == 10_000


class TestSampleOf:
    def test_with_a_smaller_share_is_part_of_a_larger_one(self):
        fill()
        small, large = (
            set(sample_of(Message.objects.all(), share).values_list("pk", "page")) for share in (0.1, 0.4)
        )
        assert small
        assert small < large

    def test_does_not_change_the_rows(self):
        fill()
        rows = Message.objects.all()
        sample_of(rows, 0.1)
        assert rows.count() == 20_000

    def test_of_a_view_keeps_the_columns_and_filters(self):
        fill()
        rows = Message.objects.filter(state="OK", msg_id__gt=0)
        found = set(sample_of(rows, 0.2).values_list("msg_id", "receive_timestamp", "page"))
        put_behind_views("message")
        assert found
        assert set(sample_of(rows, 0.2).values_list("msg_id", "receive_timestamp", "page")) == found


class TestTakeSample:
    def test_has_a_bound_above_the_truth_if_there_is_no_time_to_look(self):
        make_messages(60_000)
        # Planned as one row in 200, and too slow to count.
        slow = Message.objects.extra(where=["msg_id %% 1 = 0", "pg_sleep(0.01) IS NOT NULL"])
        sample = take_sample(slow, ["msg_id"], Deadline(2))
        assert sample.messages.least == 0
        assert sample.messages.most >= 60_000
        assert not sample.is_whole
