"""Messages by month, from PostgreSQL's statistics."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from messages_app.messages.archive_by_month import count_months
from messages_app.messages.models import Message
from tests.support.factories import make_archived_message, make_messages

pytestmark = pytest.mark.django_db
SEPTEMBER, OCTOBER, NOVEMBER, DECEMBER = (datetime(2026, month, 1, tzinfo=UTC) for month in range(9, 13))


def analyze(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {table}")


class TestCountMonths:
    def test_spreads_messages_over_their_months_within_a_percent(self):
        # 900 over the 91 days of three months, and 300 in the same second of October.
        make_messages(900, first=SEPTEMBER, step=(DECEMBER - SEPTEMBER) / 900)
        make_messages(300, first=OCTOBER + timedelta(days=3), step=timedelta(0))
        for table in ("archive_message", "cold_message"):
            analyze(table)
        found = count_months()
        assert found.unanalysed == []
        assert [month.first for month in found.months] == [NOVEMBER, OCTOBER, SEPTEMBER]
        assert [month.after for month in found.months] == [DECEMBER, NOVEMBER, OCTOBER]
        live = [month.messages["live"] for month in found.months]
        assert live == [pytest.approx(297, abs=12), pytest.approx(607, abs=12), pytest.approx(297, abs=12)]

    def test_keeps_the_archive_apart_and_shares_its_bytes(self):
        make_messages(50, first=NOVEMBER)
        for day in range(1, 11):
            make_archived_message(receive_timestamp=OCTOBER.replace(day=day))
        analyze("archive_message")
        november, october = count_months().months
        assert (november.messages, november.stored_bytes) == ({"live": 50, "archived": 0, "parquet": 0}, 0)
        assert october.messages == {"live": 0, "archived": 10, "parquet": 0}
        assert october.stored_bytes > 8_192

    def test_leaves_out_times_that_are_in_no_calendar(self):
        make_messages(40, first=NOVEMBER)
        Message.objects.filter(pk__in=Message.objects.values("pk")[:10]).update(
            receive_timestamp=datetime(9998, 1, 1, tzinfo=UTC)
        )
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE message SET receive_timestamp = 'infinity'"
                " WHERE msg_id IN (SELECT msg_id FROM message WHERE receive_timestamp < '2100-01-01' LIMIT 5)"
            )
        analyze("message")
        [month] = count_months().months
        assert (month.first, month.messages["live"]) == (NOVEMBER, pytest.approx(25, abs=15))
