from datetime import timedelta

import pytest

from messages_app.core.clock import database_clock
from messages_app.message_store.models import MessageLine
from messages_app.message_store.selectors import summary
from messages_app.message_store.selectors.summary import Ages, ages_of_waiting
from messages_app.message_store.services.messages import mute_message
from tests.support.stores import ADA, define, make_older, process, set_process, store

pytestmark = pytest.mark.django_db


def ago(**span: float):
    return database_clock() - timedelta(**span)


def line(identifier: str, **columns: object) -> None:
    """Write what the console keeps of a message."""
    MessageLine.objects.filter(message_identifier=identifier).update(**columns)


class TestAges:
    def test_are_all_empty_without_messages(self):
        assert ages_of_waiting() == Ages(
            oldest_waiting=None,
            oldest_due=None,
            due=0,
            queued=0,
            oldest_queued=None,
            processing=0,
            oldest_processing=None,
            first_succeeded=0,
            first_ended=0,
            near_timeout=0,
            muted=0,
        )

    def test_return_each_value_of_its_own_messages(self):
        times = {
            name: ago(hours=hours) for hours, name in enumerate(("due", "queued", "processing"), start=2)
        }
        waiting, younger = store(), store()
        make_older(waiting, "5 hours")
        make_older(younger, "1 hour")
        for number in range(2):
            set_process(store(), status=2, next_attempt_timestamp=times["due"] + timedelta(minutes=number))
        set_process(store(), status=2, next_attempt_timestamp=ago(hours=-1))  # not due yet
        for number in range(3):
            queued = store()
            set_process(queued, status=3)
            line(queued, claimed_at=times["queued"] + timedelta(minutes=number))
        for number in range(4):
            taken = store()
            set_process(taken, status=1)
            line(taken, claimed_at=times["processing"] + timedelta(minutes=number))
        near = store()
        set_process(near, status=2, next_attempt_timestamp=ago(hours=-2))
        make_older(near, "36 days")  # of 40, after which it gives up
        failed = store()
        set_process(failed, status=26, next_attempt_timestamp=ago(hours=99))
        make_older(failed, "50 days")
        muted = store()
        make_older(muted, "9 days")
        mute_message(identifier=muted, actor=ADA, reason="known")

        ages = ages_of_waiting()

        assert ages.oldest_waiting == MessageLine.objects.get(message_identifier=waiting).message_timestamp
        assert (ages.due, ages.oldest_due) == (2, times["due"])
        assert (ages.queued, ages.oldest_queued) == (3, times["queued"])
        assert (ages.processing, ages.oldest_processing) == (4, times["processing"])
        assert (ages.near_timeout, ages.muted) == (1, 1)

    def test_count_first_attempts_among_the_newest_processed_messages(self, monkeypatch):
        monkeypatch.setattr(summary, "_NEWEST", 3)
        define()
        for number, (age, attempts) in enumerate(
            [("1 hour", 1), ("2 hours", 2), ("3 hours", 1), ("4 hours", 5)]
        ):
            identifier = store([{"id": number}])
            process(identifier)
            make_older(identifier, age)
            line(identifier, attempts=attempts)
        failed = store([{"id": "x"}])
        process(failed)
        line(failed, attempts=1)
        ages = ages_of_waiting()
        assert (ages.first_succeeded, ages.first_ended) == (2, 3)
