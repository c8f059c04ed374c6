"""The ranges of ids in which the tasks of a job read its set."""

import pytest
from django.db import connection

from messages_app.jobs.drivers.item_queries import ranges
from messages_app.messages.models import Message
from tests.support.factories import make_message, make_messages

pytestmark = pytest.mark.django_db

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def ids_of_each(last_msg_id: int) -> list[list[int]]:
    found = []
    with connection.cursor() as cursor:
        for sql, params in ranges(Message.objects.all(), last_msg_id):
            cursor.execute(sql, params)
            found.append([row[0] for row in cursor])
    return found


class TestRanges:
    @pytest.mark.parametrize("far", [(), (LOWEST, HIGHEST)])
    def test_share_the_messages_among_tasks_whatever_single_ids_are(self, far):
        make_messages(200_000)
        usual = list(Message.objects.order_by("pk").values_list("pk", flat=True))
        for msg_id in far:
            make_message(msg_id=msg_id)
        parts = ids_of_each(HIGHEST)
        assert [len(part) > 90_000 for part in parts] == [True, True]
        assert sorted(msg_id for part in parts for msg_id in part) == sorted([*usual, *far])

    def test_end_at_the_last_id_of_the_job(self):
        first, second, third = (make_message(msg_id=msg_id).pk for msg_id in (-7, 0, 9))
        assert [ids_of_each(last) for last in (first, second, third)] == [
            [[-7]],
            [[-7, 0]],
            [[-7, 0, 9]],
        ]
