import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest
from django.db import OperationalError, connection, transaction

from messages_app.core.time_budget import TimeIsOver, postpone_limits, work_limit
from tests.support.threads import in_threads

# Ends work at the moment when it is done, until an error has to be taken back. Then traces a function.
_TRACED = """
import sys
import django
from django.conf import settings
settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql"}})
django.setup()
from messages_app.core.time_budget import WorkLimit, TimeIsOver

limit = WorkLimit(60, TimeIsOver)
try:
    limit.end_work()
    limit.finish()
except TimeIsOver:
    limit.finish()


def trace(*arguments):
    return trace


def work():
    number = 1
    return (lambda: number)()


sys.settrace(trace)
work()
"""


def _work_for_ever() -> None:
    while True:
        sum(range(100))


class TooSlow(TimeIsOver):
    pass


class TestWorkLimit:
    def test_ends_work_and_lets_the_thread_continue(self):
        with pytest.raises(TooSlow), work_limit(0.2, error=TooSlow) as limit:
            _work_for_ever()

        assert limit.is_over
        assert sum(range(1000)) == 499_500

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
    @pytest.mark.slow
    def test_ends_work_that_ignores_the_first_error(self):
        """Python ignores an error that is raised in a finalizer."""

        class Slow:
            def __del__(self) -> None:
                until = time.monotonic() + 0.6
                while time.monotonic() < until:
                    pass

        def work() -> None:
            with work_limit(0.2):
                Slow()
                _work_for_ever()

        with pytest.raises(TimeIsOver):
            work()

    def test_does_not_interrupt_work_that_is_done_in_time(self):
        with work_limit(60) as limit:
            done = sum(range(1000))

        assert (done, limit.is_over) == (499_500, False)

    def test_passes_handlers_of_ordinary_errors(self):
        def stubborn() -> None:
            with contextlib.suppress(Exception):
                _work_for_ever()

        with pytest.raises(TimeIsOver), work_limit(0.2):
            stubborn()

    def test_never_reaches_code_after_the_block(self):
        ends = {"over": 0, "in time": 0}
        for number in range(2000):
            try:
                with work_limit(number % 20 / 10_000):
                    sum(range(number % 50 * 2_000))
                ends["in time"] += 1
            except TimeIsOver:
                ends["over"] += 1
            assert sum(range(300)) == 44_850  # the error would be raised here

        assert ends["over"] + ends["in time"] == 2000
        assert all(ends.values()), ends

    def test_holds_no_lock_when_the_error_arrives(self):
        """An error between taking a lock and entering its `with` block would leave the lock taken."""
        for number in range(20_000):
            with contextlib.suppress(TimeIsOver), work_limit(number % 40 / 1_000_000):
                pass

        ended = threading.Event()

        def work() -> None:
            with contextlib.suppress(TimeIsOver), work_limit(0.2):
                _work_for_ever()
            ended.set()

        threading.Thread(target=work, daemon=True).start()
        assert ended.wait(20)

    def test_ends_only_the_inner_work(self):
        with work_limit(60) as outer:
            with pytest.raises(TooSlow), work_limit(0.2, error=TooSlow):
                _work_for_ever()
            done = sum(range(1000))

        assert (done, outer.is_over) == (499_500, False)

    def test_waits_longer_when_it_is_postponed(self):
        def work() -> None:
            with work_limit(0.1) as limit:
                limit.postpone(0.9)
                _work_for_ever()

        began = time.monotonic()
        with pytest.raises(TimeIsOver):
            work()

        assert time.monotonic() - began > 0.9

    def test_waits_longer_when_all_limits_of_the_thread_are_postponed(self):
        with work_limit(0.3), work_limit(0.2):
            postpone_limits(20)
            time.sleep(0.5)

    def test_is_not_postponed_by_other_threads(self):
        def work() -> None:
            in_threads(lambda: postpone_limits(20))
            _work_for_ever()

        with pytest.raises(TimeIsOver), work_limit(0.3):
            work()

    def test_ends_each_of_many_threads_by_its_own_limit(self):
        ended: list[float] = []

        def work(seconds: float) -> None:
            with pytest.raises(TimeIsOver), work_limit(seconds):
                _work_for_ever()
            ended.append(seconds)

        threads = [threading.Thread(target=work, args=(seconds,)) for seconds in (0.9, 0.5, 0.1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)

        assert sorted(ended) == [0.1, 0.5, 0.9]

    def test_keeps_a_thread_traceable(self):
        """Python 3.11 never finishes a traced function while it assumes a pending error."""
        traced = subprocess.run([sys.executable, "-c", _TRACED], timeout=60)

        assert traced.returncode == 0

    def test_works_in_a_process_that_was_forked(self):
        with work_limit(60):
            pass  # the watching thread runs here, but not in the child
        child = os.fork()
        if child == 0:
            try:
                with work_limit(0.2):
                    _work_for_ever()
            except TimeIsOver:
                os._exit(7)
            os._exit(1)

        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.django_db(transaction=True)
class TestStatements:
    def test_are_cancelled_and_their_transaction_is_undone(self):
        def work() -> None:
            with work_limit(0.5), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("CREATE TABLE begun (id int)")
                cursor.execute("SELECT pg_sleep(60)")

        began = time.monotonic()
        with pytest.raises((TimeIsOver, OperationalError)):
            work()

        assert time.monotonic() - began < 30
        with connection.cursor() as cursor:
            cursor.execute("SELECT to_regclass('begun')")
            assert cursor.fetchone() == (None,)
