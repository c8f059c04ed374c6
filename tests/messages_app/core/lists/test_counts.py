import pytest
from django.db import DataError, connection

from messages_app.core.clock import time_limit
from messages_app.core.lists.counts import Counted, count_or_estimate
from messages_app.messages.models import Message
from tests.support.factories import make_message, make_messages

pytestmark = pytest.mark.django_db


def count_within(milliseconds: int) -> int:
    with time_limit(milliseconds):
        return Message.objects.filter(source_system="CRM").count()


def never() -> int:
    raise AssertionError("nothing is estimated that was counted")


def broken() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 / 0")
        return cursor.fetchone()[0]


class TestCounted:
    def test_counts_exactly_within_the_time(self):
        make_message()
        assert count_or_estimate(lambda: count_within(2000), never) == Counted(number=1, is_exact=True)

    def test_estimates_when_counting_takes_too_long(self):
        make_messages(50_000)
        assert count_or_estimate(lambda: count_within(1), lambda: 7) == Counted(number=7, is_exact=False)

    def test_does_not_handle_other_errors(self):
        with pytest.raises(DataError):
            count_or_estimate(broken, never)
