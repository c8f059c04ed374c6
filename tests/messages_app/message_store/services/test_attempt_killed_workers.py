"""Two real workers that are killed again and again: no message is lost, and none is applied twice."""

import itertools
import random
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

import hubconsole.celery  # noqa: F401 (whose broker the scans' tasks go to)
import tests.support.store_extension  # noqa: F401 (its processor is registered here, too)
from messages_app.message_store.models import MessageHistory, TargetRecord
from messages_app.message_store.selectors.summary import counts_by_status
from messages_app.message_store.tasks import monitor_message_store
from tests.support.eventually import eventually
from tests.support.stores import define, define_orders, execute
from tests.support.workers import kill

pytestmark = pytest.mark.django_db(transaction=True)

ENVIRONMENT = {
    "HUBCONSOLE_STORE_THREADS": "2",
    "HUBCONSOLE_STORE_QUEUE": "20",
    "HUBCONSOLE_STORE_MINIMUM_DELAY": "1",
    "HUBCONSOLE_STORE_MAXIMUM_DELAY": "2",
    "HUBCONSOLE_STORE_EXTENSIONS": "tests.support.store_extension",
    "HUBCONSOLE_STORE_WORK_SECONDS": "10",
}
# Seconds between the scans; more often than a real monitor's, to take back what the dead held.
_SCAN = 0.5
# Every tenth is an order, made before the customer that it names.
FILLING = """
WITH made AS (
  INSERT INTO message_store (message_identifier, source_system, source_entity, message_timestamp,
                             effective_timestamp, data)
  SELECT gen_random_uuid()::text, 'crm', CASE WHEN n %% 10 = 0 THEN 'order' ELSE 'customer' END,
         now() + n * interval '1 microsecond', now(),
         CASE WHEN n %% 10 = 0 THEN format('[{"id": %%s, "customer": %%s}]', n, n + 5)
              ELSE format('[{"id": %%s}]', n) END
    FROM generate_series(0, %s - 1) AS n
  RETURNING message_identifier
)
INSERT INTO message_process (message_identifier, status) SELECT message_identifier, 0 FROM made
"""


@pytest.fixture
def noted() -> Iterator[None]:
    execute("CREATE TABLE noted_by_test (message_identifier text NOT NULL)")
    yield
    execute("DROP TABLE noted_by_test")


def left() -> int:
    return sum(count for status, count in counts_by_status().items() if status != 10)


def process_under_fire(messages: int, start_worker: Callable, settings, *, kills: int) -> None:
    """Let two workers process messages, and kill one of them again and again."""
    settings.MESSAGE_STORE_THREADS = 2
    settings.MESSAGE_STORE_PROCESS_TIMEOUT = 4
    settings.MESSAGE_STORE_INTERVAL = 5
    settings.MESSAGE_STORE_EXTENSIONS = ["tests.support.store_extension"]
    define(processor="tests.note")
    define_orders()
    execute(FILLING, messages)
    execute("ANALYZE message_line, message_process, message_store")
    workers = [start_worker("store", **ENVIRONMENT) for _ in range(2)]
    shots = random.Random(7)  # noqa: S311 (which worker dies)
    for _ in range(kills):
        goal = max(0, left() - messages // (2 * kills))  # Fast workers may have left fewer.

        def is_on_its_way(goal: int = goal) -> bool:
            monitor_message_store()
            return left() <= goal

        eventually(is_on_its_way, seconds=900, every=_SCAN)
        victim = shots.randrange(2)
        kill(workers[victim])
        workers[victim] = start_worker("store", **ENVIRONMENT)

    def is_done() -> bool:
        monitor_message_store()
        return left() == 0

    eventually(is_done, seconds=60 + messages / 20, every=_SCAN)


def check(messages: int) -> None:
    """Every message is processed, its record is there once, and its processor ran once."""
    assert counts_by_status() == {10: messages}
    assert TargetRecord.objects.count() == messages
    successes = MessageHistory.objects.filter(status=10)
    assert successes.count() == successes.values("message_identifier").distinct().count() == messages
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), count(DISTINCT message_identifier) FROM noted_by_test")
        assert cursor.fetchone() == (messages - messages // 10,) * 2
    assert set(MessageHistory.objects.values_list("status", flat=True)) <= {2, 10, 20}
    deaths = MessageHistory.objects.filter(status=20).values_list("error_message", flat=True)
    assert all(text.startswith("Abandoned") for text in itertools.islice(deaths, 1000))


class TestKilledWorkers:
    @pytest.mark.slow
    def test_neither_lose_nor_repeat_any_of_100_messages(self, start_worker, settings, noted):
        process_under_fire(100, start_worker, settings, kills=2)
        check(100)

    @pytest.mark.slow
    def test_neither_lose_nor_repeat_any_of_100_000_messages(self, start_worker, settings, noted):
        process_under_fire(100_000, start_worker, settings, kills=20)
        check(100_000)
