"""The ranges of ids in which the tasks of a job read its set."""

from collections.abc import Iterable

import pytest
from django.db import connection

from messages_app.jobs.drivers import driver
from messages_app.jobs.drivers.driver import queries_of_set, split_into_ranges
from messages_app.jobs.models import Job, JobRefusal
from messages_app.messages.models import Message
from spark_tasks.plans.selection import Query
from tests.support.factories import make_message, make_messages
from tests.support.parameters import quick_first

pytestmark = pytest.mark.django_db

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def ids_of_each(last_msg_id: int) -> list[list[int]]:
    return ids_of_queries(split_into_ranges(Message.objects.all(), last_msg_id))


def ids_of_queries(queries: Iterable[Query]) -> list[list[int]]:
    found = []
    with connection.cursor() as cursor:
        for sql, params in queries:
            cursor.execute(sql, params)
            found.append([row[0] for row in cursor])
    return found


class TestSetQueries:
    def test_share_the_failed_messages_of_a_retry_among_tasks_whatever_single_ids_are(self, monkeypatch):
        monkeypatch.setattr(driver, "_MESSAGES_A_TASK", 1_000)
        ids = (LOWEST, *range(500_000, 504_500), HIGHEST)
        JobRefusal.objects.bulk_create(
            JobRefusal(job_id=7, msg_id=msg_id, root_msg_id=msg_id, old_state="OK", outcome=outcome)
            for msg_id in ids
            for outcome in ["skipped:in_job" if msg_id == 502_000 else "failed:too_slow"]
        )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE job_refusal")
        parts = ids_of_queries(queries_of_set(Job(retry_of=7)))
        assert [600 < len(part) < 1_700 for part in parts] == [True] * 4
        assert sorted(msg_id for part in parts for msg_id in part) == sorted({*ids} - {502_000})


class TestRanges:
    @pytest.mark.parametrize("far", quick_first([(LOWEST, HIGHEST), ()]))
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
