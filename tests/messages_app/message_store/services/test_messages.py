"""Actions of operators on messages of the store, by the services and by the API."""

from datetime import UTC, datetime

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store.services import attempt as attempting
from messages_app.message_store.services import begin
from messages_app.message_store.services.monitor import fill_queue
from tests.support.stores import (
    history_of,
    make_held_longer,
    row_of,
    set_process,
    status_of,
    store,
)

pytestmark = pytest.mark.django_db(transaction=True)


class TestAnOperator:
    def test_reprocesses_only_final_messages(self, hub):
        identifier = store()
        answers = {}
        for status in (0, 1, 2, 3, 4, 10, 15, 20, 26, 99):
            set_process(identifier, status=status, error_message="why")
            answers[status] = hub.reprocess(identifier)
        assert {status for status, answer in answers.items() if answer == 0} == {2, 10, 20, 26, 99}
        assert row_of(identifier).error_message is None
        assert AuditEntry.objects.filter(action="reprocess_stored", outcome="done").count() == 5

    def test_must_name_the_entity_of_a_refresh(self, hub):
        identifier = store(refresh=True)
        set_process(identifier, status=10)
        assert hub.reprocess(identifier) == "confirm_refresh"
        assert hub.reprocess(identifier, "order") == "confirm_refresh"
        assert status_of(identifier) == 10
        assert hub.reprocess(identifier, "customer") == 0

    def test_retries_a_waiting_message(self, hub):
        identifier = store()
        assert hub.retry_now(identifier) == "state_conflict"
        set_process(identifier, status=2, next_attempt_timestamp=datetime(2099, 1, 1, tzinfo=UTC))
        assert fill_queue() == 0
        assert hub.retry_now(identifier) == 2
        assert fill_queue() == 1

    def test_releases_a_message_past_its_timeout_or_with_a_dead_worker(self, hub):
        first, second = store(), store()
        taken = begin.take_one(first)
        begin.take_one(second)
        assert hub.release(first) == "state_conflict"
        assert hub.release(first, worker_is_dead=True) == 0
        make_held_longer(second, "7 hours")
        assert hub.release(second) == 0
        assert [attempt.status for attempt in history_of(first)] == [20]
        assert attempting.finish_attempt(taken) is None
        assert hub.release(first) == "state_conflict"
