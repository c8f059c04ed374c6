from datetime import UTC, datetime

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store import selectors
from messages_app.message_store.errors import StatusConflict
from messages_app.message_store.models import MessageLine
from messages_app.message_store.selectors.explanation import explain_message
from messages_app.message_store.selectors.failures import error_groups
from messages_app.message_store.selectors.messages import message_page
from messages_app.message_store.selectors.summary import ages_of_waiting
from messages_app.message_store.services.attempt import process_message
from messages_app.message_store.services.messages import (
    mute_message,
    reprocess_message,
    retry_now,
    unmute_message,
)
from messages_app.message_store.services.monitor import fill_queue
from messages_app.message_store.services.worker_loop import is_anything_left
from tests.support.api_client import caller
from tests.support.stores import ADA, define, define_orders, process, set_process, status_of, store

pytestmark = pytest.mark.django_db


def mute(key: str) -> None:
    mute_message(identifier=key, actor=ADA, reason="known")


def is_muted(key: str) -> bool:
    return MessageLine.objects.get(message_identifier=key).muted_at is not None


class TestMute:
    def test_is_for_waiting_and_failed_messages(self):
        key = store()
        for status in (0, 1, 2, 3, 4, 10, 15, 20, 26, 99):
            set_process(key, status=status)
            if status in (1, 3, 10):
                with pytest.raises(StatusConflict):
                    mute(key)
            else:
                mute(key)
            assert is_muted(key) is (status not in (1, 3, 10))
            with pytest.raises(StatusConflict):
                mute(key)
        assert AuditEntry.objects.filter(action="mute_stored", subject=key, reason="known").count() == 7

    def test_excludes_the_message_from_the_monitor_and_from_counts(self):
        define()
        define_orders()
        fresh, failed = store(), store()
        waiting = store([{"id": 1, "customer": 1}], entity="order")
        process(waiting)
        set_process(failed, status=20, error_message="why")
        for key in (fresh, failed, waiting):
            mute(key)
        set_process(waiting, next_attempt_timestamp=datetime(2020, 1, 1, tzinfo=UTC))
        assert is_anything_left() is False
        assert fill_queue() == 0
        assert error_groups() == []
        ages = ages_of_waiting()
        assert (ages.oldest_waiting, ages.due, ages.muted) == (None, 0, 3)
        listed = message_page(values={"muted": True}).rows
        assert {line.message_identifier for line in listed} == {fresh, failed, waiting}
        assert explain_message(selectors.message_of(waiting)).summary.startswith("It is muted")
        for key in (fresh, waiting):
            unmute_message(identifier=key, actor=ADA, reason="needed again")
        assert fill_queue() == 2

    def test_ends_when_the_message_moves_on(self):
        define()
        key = store()
        set_process(key, status=26)
        mute(key)
        reprocess_message(identifier=key, actor=ADA, reason="again")
        assert not is_muted(key)
        set_process(key, status=2, next_attempt_timestamp=datetime(2099, 1, 1, tzinfo=UTC))
        mute(key)
        retry_now(identifier=key, actor=ADA, reason="it came")
        assert not is_muted(key)
        mute(key)
        # A hub's own worker takes it.
        process_message(key)
        assert (status_of(key), is_muted(key)) == (10, False)

    def test_is_done_over_the_api(self):
        key = store()
        client = caller("operator")
        address = f"message-store/{key}/"
        stale = client.post(f"{address}mute/", {"reason": "known", "expected_state": 26})
        assert stale.status_code == 412
        answer = client.post(f"{address}mute/", {"reason": "known"})
        assert (answer.status_code, answer.json()["status"]) == (200, 0)
        assert answer.json()["muted_at"]
        again = client.post(f"{address}mute/", {"reason": "known"})
        assert (again.status_code, again.json()["code"]) == (409, "state_conflict")
        assert client.get("message-store/?muted=false").json()["results"] == []
        answer = client.post(f"{address}unmute/", {"reason": "needed again"})
        assert (answer.status_code, answer.json()["muted_at"]) == (200, None)
        unknown = "123e4567-e89b-12d3-a456-426614174000"
        assert client.post(f"message-store/{unknown}/mute/", {"reason": "x"}).status_code == 404
