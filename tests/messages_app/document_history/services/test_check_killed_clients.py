"""Clients are killed between check and complete, the database restarts: no document is New a second time."""

import os
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from django.db import connection

from messages_app.document_history.models import DocumentHistory
from tests.messages_app.document_history.services.test_check_without_database import has_stored, restart
from tests.support.eventually import eventually
from tests.support.histories import make_trigger
from tests.support.servers import Servers
from tests.support.workers import database_of_tests

pytestmark = pytest.mark.django_db(transaction=True)

PROCESSES, THREADS = 4, 4
_PROGRAM = "tests.messages_app.document_history.asking_callers"


class Clients:
    """Processes of callers; one that is killed begins again with the first document."""

    def __init__(self, folder: Path, documents: int) -> None:
        self._folder = folder
        self._documents = documents
        self._started = 0
        self._running = [self._start() for _ in range(PROCESSES)]

    def _start(self) -> subprocess.Popen:
        self._started += 1
        log = self._folder / f"news-{self._started}"
        return subprocess.Popen(
            [sys.executable, "-m", _PROGRAM, str(log), str(self._documents), str(THREADS)],
            env=os.environ | database_of_tests(),
        )

    def kill_one(self, number: int) -> None:
        place = number % PROCESSES
        self._running[place].kill()
        self._running[place].wait()
        self._running[place] = self._start()

    def wait(self) -> list[int]:
        return [process.wait(timeout=240) for process in self._running]

    def stop(self) -> None:
        for process in self._running:
            process.kill()
            process.wait()

    def news(self) -> Counter[str]:
        """Return how often each caller got New for each document."""
        return Counter(line for log in self._folder.iterdir() for line in log.read_text().split())


def kill_and_restart(
    servers: Servers, folder: Path, *, documents: int, kills: int, restarts: int
) -> Counter[str]:
    make_trigger()
    clients = Clients(folder, documents)
    connection.close()  # this thread's own, which a restart would cut
    try:
        for number in range(1, kills + 1):
            eventually(partial(has_stored, number * documents // (kills + 1)), 240)
            clients.kill_one(number)
            if number * restarts // kills > (number - 1) * restarts // kills:
                restart(servers)
        assert clients.wait() == [0] * PROCESSES
    finally:
        clients.stop()
    return clients.news()


class TestCheck:
    @pytest.mark.slow
    def test_never_answers_new_to_two_callers_whatever_fails(self, servers, tmp_path):
        news = kill_and_restart(servers, tmp_path, documents=120, kills=3, restarts=1)
        self.has_no_two_news(news, documents=120, kills=3, restarts=1)

    @pytest.mark.slow
    def test_never_answers_new_to_two_callers_thousands_of_times(self, servers, tmp_path):
        news = kill_and_restart(servers, tmp_path, documents=2000, kills=12, restarts=4)
        self.has_no_two_news(news, documents=2000, kills=12, restarts=4)

    def has_no_two_news(self, news: Counter[str], *, documents: int, kills: int, restarts: int) -> None:
        assert set(news.values()) == {1}
        started = DocumentHistory.objects.filter(status="processing").count()
        assert started == documents
        # If the caller that got New died first, or its answer was lost, no other caller got New.
        lost = documents - len(news)
        assert 0 <= lost <= kills * THREADS + restarts * PROCESSES * THREADS
