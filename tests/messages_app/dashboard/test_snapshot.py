from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messages_app.core.clock import database_clock
from messages_app.dashboard.snapshot import Snapshot
from messages_app.dashboard.tiles import read_tiles
from messages_app.messages.metrics.passes import fold_changes
from tests.support.factories import make_message

pytestmark = pytest.mark.django_db


def snapshot() -> Snapshot:
    return Snapshot(now=database_clock(), window="24h")


class TestSnapshot:
    def test_shows_how_often_a_state_was_entered_in_the_last_two_hours(self):
        now = database_clock()
        for minutes in (5, 10, 70):
            make_message(state="FAILED", receive_timestamp=now - timedelta(minutes=minutes))
        make_message(state="OK", receive_timestamp=now - timedelta(minutes=130))
        fold_changes()
        assert snapshot().entered_lately("FAILED") == (2, 1)
        assert snapshot().entered_lately("OK") == (0, 0)

    def test_queries_each_count_once_for_all_tiles(self):
        make_message(state="FAILED")
        fold_changes()
        with CaptureQueriesContext(connection) as sent:
            assert [tile.fault for tile in read_tiles() if tile.fault] == []
        asked = [query["sql"] for query in sent.captured_queries]
        for text in ("SELECT state, sum(present), coalesce", "SELECT state, messages, long, since"):
            assert sum(text in sql for sql in asked) == 1
        assert len(asked) <= 65  # under load, the time of a page depends on its number of queries
