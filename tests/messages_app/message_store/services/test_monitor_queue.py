from datetime import timedelta
from functools import partial

import pytest
from django.db import transaction

from messages_app.message_store.monitor_models import MessageCount
from messages_app.message_store.selectors.messages import listed_messages, message_page
from messages_app.message_store.selectors.summary import count_by_system, counts_by_status
from messages_app.message_store.services import begin, monitor
from messages_app.message_store.services.end import abandon_attempt
from messages_app.message_store.services.monitor import fill_queue, fold_counts, take_back_dead
from messages_app.message_store.services.worker_loop import work_for
from tests.support.plans import join_by_loops
from tests.support.stores import (
    define,
    define_orders,
    execute,
    history_of,
    make_held_longer,
    make_older,
    process,
    row_of,
    set_process,
    status_of,
    store,
)
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
GROUP = ("source_system", "source_entity", "status")


class TestFillQueue:
    def test_queues_the_oldest_first_up_to_its_depth(self, settings):
        settings.MESSAGE_STORE_QUEUE = 3
        messages = [store() for _ in range(5)]
        make_older(messages[4], "1 day")
        set_process(messages[3], status=2, next_attempt_timestamp=row_of(messages[0]).processed_timestamp)
        make_older(messages[3], "2 days")
        assert fill_queue() == 3
        assert [status_of(one) for one in messages] == [3, 0, 0, 3, 3]
        assert fill_queue() == 0
        assert begin.take_queued(most=1)[0].identifier == messages[3]
        assert begin.take_queued(most=1)[0].identifier == messages[4]
        assert fill_queue() == 2

    def test_is_done_once_by_many(self, settings):
        settings.MESSAGE_STORE_QUEUE = 30
        for _ in range(20):
            store()
        assert sum(in_threads(*[fill_queue] * 6)) == 20

    def test_omits_messages_with_only_history(self):
        execute(
            "INSERT INTO message_history (message_identifier, processed_timestamp, status)"
            " VALUES ('123e4567-e89b-12d3-a456-426614174000', now(), 10)"
        )
        assert fill_queue() == 0
        (line,) = message_page(values={"orphaned": True}).rows
        assert listed_messages([line])[0].orphan == "history only"


class TestTakeQueued:
    def test_returns_each_message_to_only_one_of_many(self, settings):
        settings.MESSAGE_STORE_QUEUE = 30
        for _ in range(24):
            store()
        fill_queue()

        take_two = partial(begin.take_queued, most=2)

        def take() -> list[str]:
            return [taken.identifier for batch in iter(take_two, []) for taken in batch]

        found = [one for part in in_threads(*[take] * 6) for one in part]
        assert len(found) == len(set(found)) == 24


class TestTakeBackDead:
    def test_sets_a_message_aside_that_killed_its_workers_three_times(self):
        identifier = store()
        for _ in range(3):
            begin.take_one(identifier)
            make_held_longer(identifier, "7 hours")
            assert take_back_dead() == 1
        assert status_of(identifier) == 20
        assert [attempt.status for attempt in history_of(identifier)] == [20, 20, 20]
        assert "Set aside" in history_of(identifier)[2].log_text

    def test_counts_only_deaths_in_a_row(self):
        define()
        define_orders()
        identifier = store([{"id": 1, "customer": 9}], entity="order")
        for _ in range(2):
            begin.take_one(identifier)
            make_held_longer(identifier, "7 hours")
            assert take_back_dead() == 1
        assert process(identifier).status == 2

        begin.take_one(identifier)
        make_held_longer(identifier, "7 hours")
        assert take_back_dead() == 1

        assert "Set aside" not in history_of(identifier)[-1].log_text

    def test_is_done_once_by_many(self):
        identifiers = [store() for _ in range(10)]
        for identifier in identifiers:
            begin.take_one(identifier)
            make_held_longer(identifier, "7 hours")
        assert sum(in_threads(*[take_back_dead] * 4)) == 10
        assert all(len(history_of(identifier)) == 1 for identifier in identifiers)

    def test_leaves_an_attempt_that_began_after_the_dead_one_was_found(self):
        identifier = store()
        dead = begin.take_one(identifier)
        set_process(identifier, processed_timestamp=dead.started_at + timedelta(seconds=1))
        values = {"identifier": identifier, "status": 1, "why": "Abandoned."}
        assert not abandon_attempt(started_at=dead.started_at, **values)
        assert (status_of(identifier), history_of(identifier)) == (1, [])
        assert abandon_attempt(started_at=dead.started_at + timedelta(seconds=1), **values)

    def test_does_not_change_a_message_that_was_taken_again_meanwhile(self):
        identifier = store()
        taken = begin.take_one(identifier)
        assert row_of(identifier).processed_timestamp == taken.started_at
        set_process(identifier, processed_timestamp=taken.started_at + timedelta(seconds=1))
        assert take_back_dead() == 0
        assert status_of(identifier) == 1


class TestFoldCounts:
    def test_does_not_change_the_counts(self):
        define()
        for number in range(6):
            store([{"id": number}], system="crm" if number % 2 else None)
        work_for(seconds=5)
        store(entity="order")
        before = count_by_system()
        assert [(one.source_system, one.source_entity, one.status, one.messages) for one in before] == [
            ("", "customer", 10, 3),
            ("crm", "customer", 10, 3),
            ("crm", "order", 0, 1),
        ]
        assert fold_counts() > 0
        assert count_by_system() == before
        assert fold_counts() == 0

    def test_includes_messages_in_the_queue_and_in_work(self):
        define()
        queued, taken, waiting = store(), store(system=None), store(entity="order")
        set_process(queued, status=3)
        set_process(taken, status=1)
        expected = [
            ("", "customer", 1, 1),
            ("crm", "customer", 3, 1),
            ("crm", "order", 0, 1),
        ]
        for _ in range(2):
            totals = count_by_system()
            lines = [(one.source_system, one.source_entity, one.status, one.messages) for one in totals]
            assert lines == expected
            assert counts_by_status() == {0: 1, 1: 1, 3: 1}
            fold_counts()
        assert status_of(waiting) == 0

    def test_loses_no_change_that_is_made_meanwhile(self):
        works = [partial(store), fold_counts] * 4
        in_threads(*works)
        fold_counts()
        assert counts_by_status() == {0: 4}

    @pytest.mark.parametrize("is_planned_badly", [False, True])
    def test_adds_the_oldest_changes_up_to_its_limit(self, is_planned_badly):
        changes = [("a", "x", 0, 1), ("a", "x", 0, 20), ("a", "x", 10, 300), ("a", "y", 0, 4_000)]
        changes += [("b", "x", 0, 50_000), ("a", "x", 0, 600_000), ("a", "y", 0, -1_000)]
        for change in changes:
            execute(
                "INSERT INTO message_count_change (source_system, source_entity, status, change)"
                " VALUES (%s, %s, %s, %s)",
                *change,
            )
        folded = []
        for _ in range(3):
            with transaction.atomic():
                if is_planned_badly:
                    join_by_loops()
                monitor.statements.count("fold_counts", {"limit": 3})
            folded.append(list(MessageCount.objects.values_list(*GROUP, "messages").order_by(*GROUP)))
        assert folded == [
            [("a", "x", 0, 21), ("a", "x", 10, 300)],
            [("a", "x", 0, 600_021), ("a", "x", 10, 300), ("a", "y", 0, 4_000), ("b", "x", 0, 50_000)],
            [("a", "x", 0, 600_021), ("a", "x", 10, 300), ("a", "y", 0, 3_000), ("b", "x", 0, 50_000)],
        ]

    def test_follows_rows_that_are_removed(self):
        store()
        execute("DELETE FROM message_process")
        assert counts_by_status() == {0: 1}
        execute("DELETE FROM message_store")
        assert counts_by_status() == {}


class TestWork:
    def test_finds_no_place_if_every_one_is_taken(self, settings):
        settings.MESSAGE_STORE_THREADS = 1
        define()
        for number in range(5):
            store([{"id": number}])
        answers = in_threads(*[partial(work_for, seconds=5)] * 3)
        assert sum(answer for answer in answers if answer) == 5
        assert work_for(seconds=5) == 0
