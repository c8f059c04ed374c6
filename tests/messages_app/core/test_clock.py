import pytest

from messages_app.core.clock import database_clock

pytestmark = pytest.mark.django_db


class TestDatabaseClock:
    def test_continues_within_a_transaction(self):
        assert database_clock() < database_clock()

    def test_has_a_time_zone(self):
        assert database_clock().tzinfo is not None
