"""Tests of the statements that count attempts and requests, on every row of a table."""

from datetime import datetime, timedelta

import pytest

from messages_app.access.models import LoginFailure, RequestWindow
from messages_app.access.throttling import statements
from messages_app.core.clock import database_clock

pytestmark = pytest.mark.django_db

A_MINUTE, A_SECOND = timedelta(minutes=1), timedelta(seconds=1)
FREE, LONGEST = 5, 900


@pytest.fixture
def now() -> datetime:
    """Return the time of the rows, which is hardly earlier than that of the statements."""
    return database_clock()


def add(subject: str, failures: int, last_at: datetime, blocked_until: datetime | None = None) -> None:
    LoginFailure.objects.create(
        subject=subject, failures=failures, last_at=last_at, blocked_until=blocked_until
    )


def rows() -> dict[str, tuple[int, bool]]:
    """Return the count of each subject, and whether it is blocked."""
    now = database_clock()
    return {
        row.subject: (row.failures, row.blocked_until is not None and row.blocked_until > now)
        for row in LoginFailure.objects.all()
    }


def count_try(subject: str) -> int:
    return statements.count("count_try", {"subject": subject, "free": FREE, "longest": LONGEST})


class TestCountTry:
    def test_counts_the_attempts_of_one_subject(self, now):
        add("other", 3, now)
        assert [count_try("ada") for _ in range(4)] == [1, 1, 1, 1]
        assert rows() == {"other": (3, False), "ada": (4, False)}

    @pytest.mark.parametrize(
        ("before", "seconds"), [(3, None), (4, 1), (5, 2), (6, 4), (13, 512), (14, 900), (400, 900)]
    )
    def test_blocks_twice_as_long_each_time_from_the_last_free_one_on(self, now, before, seconds):
        add("ada", before, now)
        assert count_try("ada") == 1
        row = LoginFailure.objects.get()
        assert row.failures == before + 1
        assert now <= row.last_at < now + A_MINUTE
        if seconds is None:
            assert row.blocked_until is None
        else:
            waited = (row.blocked_until - row.last_at).total_seconds()
            assert waited == pytest.approx(seconds, abs=0.5)

    @pytest.mark.parametrize(("seconds", "failures"), [(895, 8), (905, 1)])
    def test_begins_again_after_a_quarter_of_an_hour(self, now, seconds, failures):
        add("ada", 7, now - seconds * A_SECOND, now - A_SECOND)
        assert count_try("ada") == 1
        assert rows() == {"ada": (failures, failures == 8)}

    def test_does_not_count_while_attempts_are_blocked(self, now):
        add("ada", 7, now - A_MINUTE, now + A_MINUTE)
        assert count_try("ada") == 0
        row = LoginFailure.objects.get()
        assert (row.failures, row.last_at, row.blocked_until) == (7, now - A_MINUTE, now + A_MINUTE)


class TestBlockedFor:
    def seconds_of(self, *subjects: str) -> int | None:
        (seconds,) = statements.only_row("blocked_for", {"subjects": list(subjects)})
        return seconds

    def test_is_the_longest_wait_of_the_subjects_rounded_up(self, now):
        add("short", 6, now, now + 100 * A_SECOND)
        add("long", 6, now, now + 200 * A_SECOND)
        add("longest", 6, now, now + 900 * A_SECOND)
        add("over", 6, now, now - A_SECOND)
        add("free", 1, now)
        assert self.seconds_of("short", "long", "over", "free") in (199, 200)
        assert self.seconds_of("short") in (99, 100)
        assert self.seconds_of("over", "free") is None


class TestTakeBackTry:
    def take_back(self, subject: str) -> int:
        return statements.count("take_back_try", {"subject": subject, "free": FREE})

    def test_removes_the_only_attempt_and_subtracts_one_of_several(self, now):
        for subject, failures in (("once", 1), ("never", 0), ("twice", 2), ("other", 1), ("another", 9)):
            add(subject, failures, now)
        assert [self.take_back(subject) for subject in ("once", "never", "twice")] == [0, 0, 1]
        assert rows() == {"twice": (1, False), "other": (1, False), "another": (9, False)}

    @pytest.mark.parametrize(("failures", "is_blocked"), [(7, True), (6, True), (5, False)])
    def test_keeps_a_block_only_with_enough_failures(self, now, failures, is_blocked):
        add("ada", failures, now - A_MINUTE, now + A_MINUTE)
        self.take_back("ada")
        assert rows() == {"ada": (failures - 1, is_blocked)}
        assert LoginFailure.objects.get().last_at == now - A_MINUTE


class TestForget:
    def test_removes_the_count_of_one_subject(self, now):
        add("ada", 3, now)
        add("bob", 4, now)
        assert statements.count("forget_failures", {"subject": "ada"}) == 1
        assert rows() == {"bob": (4, False)}

    def test_removes_counts_that_are_more_than_a_day_old(self, now):
        add("old", 3, now - timedelta(days=1, seconds=5))
        add("young", 3, now - timedelta(days=1, seconds=-5))
        assert statements.count("forget_old_tries", {}) == 1
        assert list(rows()) == ["young"]


class TestCountRequest:
    def count(self, caller: str) -> tuple[int, int]:
        return statements.only_row("count_request", {"caller": caller})

    def test_counts_each_caller_by_the_minute(self, now):
        RequestWindow.objects.create(caller="young", began_at=now - 40 * A_SECOND, used=7)
        RequestWindow.objects.create(caller="old", began_at=now - 61 * A_SECOND, used=9)
        used, seconds = self.count("young")
        assert used == 8
        assert 18 <= seconds <= 20
        assert RequestWindow.objects.get(caller="young").began_at == now - 40 * A_SECOND
        for caller in ("old", "new"):
            assert self.count(caller) == (1, 60)
            assert RequestWindow.objects.get(caller=caller).began_at >= now
        assert self.count("new")[0] == 2
        assert dict(RequestWindow.objects.values_list("caller", "used")) == {
            "young": 8,
            "old": 1,
            "new": 2,
        }
