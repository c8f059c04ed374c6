from time import monotonic

import pytest
from django.db import OperationalError
from psycopg.errors import AdminShutdown, LockNotAvailable

from messages_app.demo.hub.agenda import Agenda, Workers, retry_while_busy
from tests.messages_app.demo.hub.playing import done


def failing(cause: Exception) -> OperationalError:
    """Return the error as Django passes it on."""
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


class TestAgenda:
    def test_runs_the_earliest_due_work_first(self):
        told: list[str] = []

        def tell(name: str):
            told.append(name)
            yield 1000.0
            told.append("later")

        agenda = Agenda()
        agenda.add(tell("second"), at=monotonic() - 1)
        agenda.add(tell("first"), at=monotonic() - 2)
        while agenda.seconds_left() <= 0:
            agenda.step()
        assert told == ["first", "second"]

    def test_waits_forever_without_work(self):
        assert Agenda().seconds_left() == float("inf")


class TestWorkers:
    def test_process_a_limited_number_and_then_the_rest(self):
        agenda, begun = Agenda(), []

        def work(number: int):
            begun.append(number)
            yield 0.0

        workers = Workers(agenda, count=2, queue=1, broken=[])
        for number in range(3):
            workers.enqueue(lambda number=number: work(number))
        assert not workers.has_free_worker
        agenda.step()
        agenda.step()
        assert begun == [0, 1]
        while agenda.seconds_left() < float("inf"):
            agenda.step()
        assert begun == [0, 1, 2]
        assert workers.is_idle

    def test_continue_after_one_route_broke(self):
        agenda, begun, broken = Agenda(), [], []

        def work(number: int):
            begun.append(number)
            if number == 0:
                raise failing(LockNotAvailable("held"))
            yield 0.0

        workers = Workers(agenda, count=1, queue=9, broken=broken)
        for number in range(2):
            workers.enqueue(lambda number=number: work(number))
        while agenda.seconds_left() < float("inf"):
            agenda.step()
        assert begun == [0, 1]
        assert len(broken) == 1


class TestRetryWhileBusy:
    def test_retries_work_on_a_locked_row(self):
        tries = []

        def step() -> str:
            tries.append(1)
            if len(tries) < 3:
                raise failing(LockNotAvailable("held"))
            return "done"

        assert done(retry_while_busy(step)) == "done"
        assert len(tries) == 3

    def test_passes_on_the_loss_of_the_database(self):
        def step() -> None:
            raise failing(AdminShutdown("the server stops"))

        with pytest.raises(OperationalError):
            done(retry_while_busy(step))
