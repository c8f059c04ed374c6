"""A batch of attempts leaves the rows that attempts one after the other leave."""

import random
from functools import partial

import pytest
from django.db import connection, transaction

from messages_app.message_store.models import (
    MessageProcess,
    MessageStore,
    SourceDefinition,
    UnresolvedReference,
)
from messages_app.message_store.services import attempt, begin, record_versions
from messages_app.message_store.services.dry_run import make_dry_run
from messages_app.message_store.services.monitor import fill_queue
from messages_app.message_store.services.reading import read_message
from messages_app.message_store.services.worker_loop import work_for
from tests.support.stores import (
    current,
    define,
    define_orders,
    execute,
    history_of,
    records,
    row_of,
    set_process,
    status_of,
    store,
)
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

# Without the times of attempts, which differ; of next attempts and claims only whether there is one.
TABLES = {
    "process": "SELECT message_identifier, status, next_attempt_timestamp IS NULL,"
    " next_attempt_timestamp > now(), error_message, processed_timestamp IS NULL FROM message_process",
    "history": "SELECT message_identifier, status, error_message,"
    " regexp_replace(log_text, '^Attempt of .*?\\n', ''),"
    " row_number() OVER (PARTITION BY message_identifier ORDER BY processed_timestamp) FROM message_history",
    "lines": "SELECT message_identifier, status, attempts, abandoned, claimed_at IS NULL, has_store,"
    " has_process, last_started_at IS NULL, last_ended_at IS NULL, source_entity FROM message_line",
    "records": "SELECT entity, record_key, valid_from, valid_to, data::text, source_message,"
    " message_timestamp FROM target_record",
    "refreshes": "SELECT entity, effective_timestamp, source_message, message_timestamp FROM entity_refresh",
    "missing": "SELECT message_identifier, entity, record_key FROM unresolved_reference",
    "counts": "SELECT source_system, source_entity, status, sum(change) FROM message_count_change"
    " GROUP BY 1, 2, 3 HAVING sum(change) <> 0",
}
WRITTEN = (
    "message_process, message_history, message_line, message_count_change, target_record, entity_refresh,"
)
WRITTEN += " unresolved_reference"


def rows() -> dict[str, list[tuple]]:
    """Return what each table has, in one order."""
    found = {}
    with connection.cursor() as cursor:
        for name, sql in TABLES.items():
            cursor.execute(sql)
            found[name] = sorted(cursor.fetchall(), key=repr)
    return found


def store_anything(dice: random.Random, number: int) -> str:
    """Store a message of a few keys, times and kinds, with errors and references to what comes later."""
    day = f"2026-05-{dice.randrange(1, 5):02}T00:00:00Z"
    key = dice.randrange(6)
    if dice.random() < 0.4:
        data = [{"id": number, "customer": dice.choice([key, [key, 3], 99])}]
        return store(data, entity="order", timestamp=day)
    if dice.random() < 0.2:
        wrong = dice.choice(["no json", [{"id": "x"}], [{"id": 1}, {"id": 1}]])
        return store(wrong, timestamp=day)
    data = [{"id": one, "name": f"n{number}"} for one in {key, dice.randrange(6)}]
    return store(
        data, timestamp=day, refresh=dice.random() < 0.1, entity=dice.choice(["customer"] * 9 + ["x"])
    )


def take(identifiers: list[str]) -> list[begin.ClaimedMessage]:
    return [taken for one in identifiers if (taken := begin.take_one(one))]


def set_data(data: dict[str, str]) -> None:
    for identifier, text in data.items():
        MessageStore.objects.filter(pk=identifier).update(data=text)


@pytest.fixture
def two_is_refused():
    """Let the database refuse records with the key 2."""
    execute("ALTER TABLE target_record ADD CONSTRAINT is_not_two CHECK (record_key <> '[2]')")
    yield
    execute("ALTER TABLE target_record DROP CONSTRAINT is_not_two")


def reset() -> None:
    """Let no message have been attempted."""
    execute(f"TRUNCATE {WRITTEN}")
    execute("UPDATE message_store SET message_timestamp = message_timestamp")
    execute("INSERT INTO message_process SELECT message_identifier, 0 FROM message_store")
    execute("TRUNCATE message_count_change")


class TestAttemptMany:
    @pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
    def test_leaves_the_rows_of_attempts_one_after_the_other(self, seed):
        define()
        define_orders()
        dice = random.Random(seed)  # noqa: S311 (which messages are stored)
        messages = [store_anything(dice, number) for number in range(40)]
        original = dict(MessageStore.objects.values_list("pk", "data"))
        # Second attempts take back what the first ones wrote.
        changed = original | {one: f'[{{"id": {dice.randrange(9)}}}]' for one in messages[::4]}
        expected = []
        reset()
        for data in (original, changed):
            set_data(data)
            for taken in take(messages):
                attempt.finish_attempt(taken)
            expected.append(rows())
            MessageProcess.objects.update(status=0)
        assert {status for _, status, *_ in expected[0]["process"]} == {2, 10, 24, 25}
        assert any("1 taken back" in log for _, _, _, log, _ in expected[1]["history"])
        reset()
        for data, one in zip((original, changed), expected, strict=True):
            set_data(data)
            attempt.attempt_many(take(messages))
            assert rows() == one
            MessageProcess.objects.update(status=0)

    def test_resolves_references_to_earlier_messages_and_wakes_those_to_later_ones(self):
        define()
        define_orders()
        early = store([{"id": 1, "customer": 7}], entity="order")
        customer = store([{"id": 7}])
        late = store([{"id": 2, "customer": 7}], entity="order")
        attempt.attempt_many(take([early, customer, late]))
        assert [status_of(one) for one in (early, customer, late)] == [2, 10, 10]
        assert work_for(seconds=5) == 1
        assert status_of(early) == 10

    def test_looks_all_references_up_by_one_statement_and_commits_once(self):
        define()
        define_orders()
        orders = [store([{"id": number, "customer": number}], entity="order") for number in range(10)]
        taken = take(orders)
        sent = []

        def note(execute, sql, params, many, context):
            sent.append(sql)
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            attempt.attempt_many(taken)
        assert sum("AS asked (entity, record_key)" in sql for sql in sent) == 1
        assert len(sent) < 10
        assert {status_of(one) for one in orders} == {2}

    def test_notes_what_each_lacks_now(self):
        define()
        define_orders()
        mine, other = (store([{"id": number, "customer": 7}], entity="order") for number in (1, 2))
        attempt.attempt_many(take([mine, other]))
        set_data({mine: '[{"id": 1, "customer": 8}]'})
        attempt.attempt_many(take([mine, other]))
        lacking = set(UnresolvedReference.objects.values_list("message_identifier", "record_key"))
        assert lacking == {(mine, "[8]"), (other, "[7]")}

    def test_ends_each_separately_if_one_was_overtaken(self):
        define()
        mine, lost = store([{"id": 1}]), store([{"id": 2}])
        taken = take([mine, lost])
        set_process(lost, status=0)
        attempt.attempt_many(taken)
        assert (status_of(mine), status_of(lost), set(current())) == (10, 0, {("customer", "[1]")})
        assert (len(history_of(mine)), len(history_of(lost))) == (1, 0)

    def test_ends_only_the_message_in_an_error_that_the_database_refuses(self, two_is_refused):
        define()
        good, bad = store([{"id": 1}]), store([{"id": 2}])
        attempt.attempt_many(take([good, bad]))
        assert (status_of(good), status_of(bad), set(current())) == (10, 20, {("customer", "[1]")})
        assert row_of(bad).error_message.startswith("IntegrityError")

    def test_of_many_workers_leave_one_chain_of_versions(self):
        define()
        define_orders()
        identifiers = [
            store([{"id": 1, "name": f"v{second}"}], timestamp=f"2026-05-01T00:00:{second:02}Z")
            for second in range(24)
        ]
        batches = [take(identifiers[first::4]) for first in range(4)]
        in_threads(*[partial(attempt.attempt_many, batch) for batch in batches])
        versions = records()["customer", "[1]"]
        assert [version[0]["name"] for version in versions] == [f"v{second}" for second in range(24)]
        assert [version[2] for version in versions] == [*(version[1] for version in versions[1:]), None]

    def test_of_different_records_do_not_wait_for_each_other(self):
        define()
        (mine,) = take([store([{"id": 1}])])
        other = store([{"id": 2}])
        with transaction.atomic():
            record_versions.lock_records(
                [record_versions.Writing(mine, "customer", read_message(mine).records)]
            )
            # It waits for locks for two seconds.
            (dry_run,) = in_threads(partial(make_dry_run, other))
        assert dry_run.status == 10


class TestTakeQueued:
    def test_takes_messages_separately_that_may_take_long(self, settings):
        settings.MESSAGE_STORE_QUEUE = 30
        define()
        SourceDefinition.objects.create(
            system="crm", entity="report", key_fields=["id"], reader="tests.report"
        )
        first = [store() for _ in range(2)]
        alone = [
            {"refresh": True},
            {"data": [{"id": 1, "name": "x" * 20_000}]},
            {"entity": "report"},
            {"file_path": "a.json"},
            {"user": "killer"},
        ]
        pairs = [(store(**values), store()) for values in alone]
        killer = pairs[-1][0]
        execute("UPDATE message_line SET abandoned = 1 WHERE message_identifier = %s", killer)
        fill_queue()
        taken = iter(partial(begin.take_queued, most=9), [])
        batches = [[one.identifier for one in batch] for batch in taken]
        assert batches == [first, *([one] for pair in pairs for one in pair)]

    def test_takes_no_more_than_asked_for_in_order(self, settings):
        settings.MESSAGE_STORE_QUEUE = 30
        messages = [store() for _ in range(5)]
        fill_queue()
        assert [taken.identifier for taken in begin.take_queued(most=3)] == messages[:3]
        assert [status_of(one) for one in messages] == [1, 1, 1, 3, 3]
