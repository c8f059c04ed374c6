"""Each action of an operator leaves one whole audit entry; a refused one leaves none."""

from datetime import UTC, datetime

import pytest

from messages_app.message_store.errors import MessageMissing, StatusConflict
from messages_app.message_store.models import MessageStore
from messages_app.message_store.services import begin
from messages_app.message_store.services.intake import read_message, store_message
from messages_app.message_store.services.messages import (
    mute_message,
    release_message,
    reprocess_message,
    retry_now,
    unmute_message,
)
from messages_app.shared.store_states import name_of
from tests.support.audit_entries import GRACE, audit_rows, by_grace
from tests.support.stores import history_of, row_of, set_process, store

pytestmark = pytest.mark.django_db

LATER = datetime(2099, 1, 1, tzinfo=UTC)


@pytest.fixture
def key() -> str:
    """Give a message between two others."""
    return [store([{"id": number}]) for number in range(3)][1]


def entry(action: str, key: str, before: int, after: int, **columns: object) -> dict[str, object]:
    states = {"before_state": str(before), "after_state": str(after)}
    return by_grace(action, subject_kind="store_message", subject=key, **states, **columns)


class TestReprocess:
    def test_audits_the_status_before_and_after(self, key):
        set_process(key, status=26)
        after = reprocess_message(identifier=key, actor=GRACE, reason="repaired")
        assert (after.pk, after.status) == (key, 0)
        details = {"confirmed_entity": None}
        assert audit_rows() == [entry("reprocess_stored", key, 26, 0, reason="repaired", details=details)]

    def test_audits_the_confirmed_entity_of_a_refresh(self):
        key = store(refresh=True)
        set_process(key, status=10)
        reprocess_message(identifier=key, actor=GRACE, reason="again", confirmed_entity="customer")
        details = {"confirmed_entity": "customer"}
        assert audit_rows() == [entry("reprocess_stored", key, 10, 0, reason="again", details=details)]


class TestRetryNow:
    def test_audits_the_status_it_keeps(self, key):
        set_process(key, status=2, next_attempt_timestamp=LATER)
        after = retry_now(identifier=key, actor=GRACE, reason="it is there")
        assert (after.pk, after.status) == (key, 2)
        assert audit_rows() == [entry("retry_now_stored", key, 2, 2, reason="it is there")]


class TestRelease:
    @pytest.mark.parametrize("status", [1, 3])
    def test_audits_that_the_worker_is_dead(self, key, status):
        set_process(key, status=status)
        after = release_message(identifier=key, actor=GRACE, reason="dead", is_worker_dead=True)
        assert (after.pk, after.status) == (key, 0)
        details = {"is_worker_dead": True}
        assert audit_rows() == [entry("release_stored", key, status, 0, reason="dead", details=details)]
        assert row_of(key).error_message == "Abandoned: released by grace."
        assert history_of(key)[0].log_text == "Abandoned: released by grace."

    def test_audits_that_it_was_past_its_timeout(self, key, settings):
        settings.MESSAGE_STORE_PROCESS_TIMEOUT = 0.0
        begin.take_one(key)
        release_message(identifier=key, actor=GRACE, reason="slow")
        details = {"is_worker_dead": False}
        assert audit_rows() == [entry("release_stored", key, 1, 0, reason="slow", details=details)]


class TestMute:
    def test_and_unmute_audit_the_status_they_keep(self, key):
        set_process(key, status=26)
        mute_message(identifier=key, actor=GRACE, reason="known")
        unmute_message(identifier=key, actor=GRACE, reason="solved")
        assert audit_rows() == [
            entry("mute_stored", key, 26, 26, reason="known"),
            entry("unmute_stored", key, 26, 26, reason="solved"),
        ]


class TestEveryAction:
    @pytest.mark.parametrize(
        ("act", "status", "text"),
        [
            (reprocess_message, 1, "A message that is processing cannot be reprocessed."),
            (retry_now, 0, "A message that is not processed cannot be retried now."),
            (release_message, 2, "A message that is requires reprocessing cannot be released."),
            (mute_message, 10, "A message that is processed cannot be muted."),
            (unmute_message, 2, "It is not muted."),
            (unmute_message, 10, "It is not muted."),
        ],
    )
    def test_audits_nothing_if_it_is_refused(self, key, act, status, text):
        set_process(key, status=status)
        for expected, words in (
            (None, text),
            (status, text),
            (99, f"It is {name_of(status)}, not error 99."),
        ):
            with pytest.raises(StatusConflict) as refused:
                act(identifier=key, actor=GRACE, reason="why", expected=expected)
            assert (refused.value.current, refused.value.is_expected) == (status, expected == 99)
            assert str(refused.value) == words
        with pytest.raises(MessageMissing):
            act(identifier="123e4567-e89b-12d3-a456-426614174000", actor=GRACE, reason="why")
        assert audit_rows() == []


class TestStoreMessage:
    def test_audits_a_dropped_one_and_whether_it_says_the_same(self, key):
        original = MessageStore.objects.get(pk=key)
        values = {"identifier": key, "system": "crm", "entity": "customer"}
        for data in (original.data, "[]"):
            message = read_message(values | {"data": data})
            stored = store_message(message, actor=GRACE)
            assert (stored.identifier, stored.is_dropped, stored.is_same) == (key, True, data != "[]")
        of_message = {"subject_kind": "store_message", "subject": key, "outcome": "refused"}
        assert audit_rows() == [
            by_grace(
                "store_message",
                **of_message,
                details={"refusal": "identifier_exists", "same_content": is_same},
            )
            for is_same in (True, False)
        ]
