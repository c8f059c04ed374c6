"""Concurrent attempts, on separate connections."""

from functools import partial

import pytest

from messages_app.message_store.models import TargetRecord
from messages_app.message_store.services import attempt, begin
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.worker_loop import work_for
from tests.support.stores import define, define_orders, records, status_of, store
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)


class TestAttempts:
    def test_leave_one_valid_version_of_a_record_that_all_write(self):
        define()
        for _ in range(5):
            identifiers = [
                store([{"id": 1, "name": f"v{second}"}], timestamp=f"2026-05-01T00:00:{second:02}Z")
                for second in range(8)
            ]
            in_threads(*[partial(process_message, one) for one in reversed(identifiers)])
            versions = records()["customer", "[1]"]
            assert [version[0]["name"] for version in versions] == [f"v{second}" for second in range(8)]
            ends = [version[2] for version in versions]
            assert ends == [*(version[1] for version in versions[1:]), None]

    def test_wait_for_a_concurrent_reference_no_longer_than_needed(self):
        define()
        define_orders()
        for number in range(15):
            order = store([{"id": number, "customer": number}], entity="order")
            customer = store([{"id": number}])
            in_threads(partial(process_message, order), partial(process_message, customer))
            work_for(seconds=5)
            assert status_of(order) == 10

    def test_take_keys_in_one_order(self):
        define()
        data = [{"id": number} for number in range(100)]
        identifiers = [store(data[:: 1 if number % 2 else -1]) for number in range(8)]
        taken = [begin.take_one(one) for one in identifiers]
        answers = in_threads(*[partial(attempt.finish_attempt, one) for one in taken])
        assert [answer.status for answer in answers] == [10] * 8
        assert TargetRecord.objects.filter(valid_to=None).count() == 100

    def test_of_a_refresh_and_a_record_give_one_result(self):
        define()
        for _ in range(5):
            TargetRecord.objects.all().delete()
            record = store([{"id": 1}], timestamp="2026-05-01T00:00:00Z")
            refresh = store([{"id": 2}], timestamp="2026-05-02T00:00:00Z", refresh=True)
            in_threads(partial(process_message, record), partial(process_message, refresh))
            assert records()["customer", "[1]"][0][2].day == 2
