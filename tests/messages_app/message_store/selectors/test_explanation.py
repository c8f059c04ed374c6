from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.message_store import selectors
from messages_app.message_store.models import MessageLine, UnresolvedReference
from messages_app.message_store.retry_times import Timing
from messages_app.message_store.selectors.explanation import Explanation, explain_message
from messages_app.shared.store_states import MEANINGS, Status
from tests.support.stores import set_process, store

pytestmark = pytest.mark.django_db

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


@pytest.fixture
def key() -> str:
    """Give a message that lacks two records, next to one that lacks a third."""
    key, other = store(), store()
    for identifier, entity, record in ((key, "b", "[1]"), (key, "a", "[2]"), (other, "c", "[3]")):
        UnresolvedReference.objects.create(message_identifier=identifier, entity=entity, record_key=record)
    return key


def explain(key: str, status: int | None, **columns: object) -> Explanation:
    """Return the explanation of a message whose line has these columns."""
    set_process(key, status=status)
    MessageLine.objects.filter(message_identifier=key).update(status=status, **columns)
    return explain_message(selectors.message_of(key))


class TestExplain:
    def test_shows_the_wait_for_missing_records(self, key, settings):
        settings.MESSAGE_STORE_TIMING = Timing(age_multiplier=0.5, message_timeout=9_000_000)
        now = database_clock()
        explanation = explain(
            key,
            2,
            message_timestamp=now - 1_000 * SECOND,
            last_started_at=now - 40 * SECOND,
            last_ended_at=now - 20 * SECOND,
            next_attempt_timestamp=now + 470 * SECOND,
        )
        assert explanation.summary.startswith("It refers to missing records; retried in 7 min")
        assert explanation.next_attempt == now + 470 * SECOND
        wait = explanation.wait
        assert (wait.age, wait.duration, wait.raw, wait.floor, wait.seconds) == (980, 20, 490, 200, 490)
        assert explanation.timing == settings.MESSAGE_STORE_TIMING
        assert sorted(explanation.missing) == [("a", "[2]"), ("b", "[1]")]
        assert explanation.gives_up_at == now + 8_999_000 * SECOND

    @pytest.mark.parametrize(("seconds", "is_known"), [(495, True), (505, False), (481, False), (485, True)])
    def test_shows_no_wait_if_the_next_attempt_was_moved(self, key, settings, seconds, is_known):
        settings.MESSAGE_STORE_TIMING = Timing(age_multiplier=0.5)
        now = database_clock()
        explanation = explain(
            key,
            2,
            message_timestamp=now - 1_000 * SECOND,
            last_started_at=now - 40 * SECOND,
            last_ended_at=now - 20 * SECOND,
            next_attempt_timestamp=now + (seconds - 20) * SECOND,
        )
        assert (explanation.wait is not None) == is_known

    @pytest.mark.parametrize("missing", ["last_started_at", "last_ended_at", "next_attempt_timestamp"])
    def test_shows_no_wait_if_a_time_is_unknown(self, key, missing):
        now = database_clock()
        times = {
            "last_started_at": now - 40 * SECOND,
            "last_ended_at": now,
            "next_attempt_timestamp": now + 400 * SECOND,
        }
        assert explain(key, 2, message_timestamp=now - 400 * SECOND, **times).wait is not None
        assert explain(key, 2, **times | {missing: None}).wait is None

    def test_says_that_a_message_is_due(self, key):
        now = database_clock()
        for time in (None, now - DAY):
            explanation = explain(key, 2, next_attempt_timestamp=time)
            assert explanation.summary == "It is due and will be processed when its turn comes."
            assert explanation.next_attempt == time

    def test_says_that_a_message_is_muted(self, key):
        now = database_clock()
        set_process(key, status=2)
        MessageLine.objects.filter(message_identifier=key).update(next_attempt_timestamp=now, muted_at=now)
        explanation = explain_message(selectors.message_of(key))
        assert explanation.summary.startswith("It is muted")
        assert (explanation.next_attempt, explanation.wait, explanation.gives_up_at) == (None, None, None)

    @pytest.mark.parametrize("status", [0, 1, 3, 10, 20, 26])
    def test_says_what_another_status_means(self, key, status):
        explanation = explain(key, status, next_attempt_timestamp=database_clock())
        assert explanation.summary == MEANINGS[Status(status)]
        assert (explanation.next_attempt, explanation.wait, explanation.gives_up_at) == (None, None, None)
        assert len(explanation.missing) == 2

    def test_says_that_a_status_or_a_message_is_unknown(self, key):
        assert explain(key, 77).summary == (
            "error 77: a code that the console does not know, taken as error."
        )
        MessageLine.objects.filter(message_identifier=key).update(status=None)
        assert explain_message(selectors.message_of(key)).summary.startswith("Only its history is stored")
