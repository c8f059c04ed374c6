"""The database disappears while documents are checked: no document is New twice."""

import threading
from collections import Counter
from functools import partial

import pytest
from django.db import DatabaseError, InterfaceError, connection

from messages_app.document_history.models import DocumentHistory
from messages_app.document_history.services.check import check_document
from messages_app.document_history.services.delivery import Checked
from messages_app.document_history.services.errors import HistoryUnavailable
from messages_app.document_history.states import Verdict
from tests.support.api_client import caller, problem
from tests.support.eventually import eventually
from tests.support.histories import make_trigger
from tests.support.servers import Servers
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

CALLERS = 16


class Asking:
    """Sixteen callers who ask about the same documents, one after the other, each until it has a verdict.

    They begin again until every restart is over, so that each restart meets callers who ask.
    """

    def __init__(self, documents: int) -> None:
        self._documents = [f"u-{number}" for number in range(documents)]
        self.news: Counter[str] = Counter()
        self.failures = 0
        self.all_restarts_over = threading.Event()
        self._lock = threading.Lock()

    def ask_until_over(self) -> None:
        self._ask_all()
        while not self.all_restarts_over.is_set():
            self._ask_all()

    def _ask_all(self) -> None:
        for uuid in self._documents:
            checked = self._ask(uuid)
            if checked.verdict is Verdict.NEW:
                with self._lock:
                    self.news[uuid] += 1

    def _ask(self, uuid: str) -> Checked:
        def try_once() -> Checked | None:
            try:
                return check_document(trigger_id="t-1", uuid=uuid)
            except HistoryUnavailable:
                with self._lock:
                    self.failures += 1
                return None

        return eventually(try_once, 60)


def restart(servers: Servers) -> None:
    """Stop the database immediately, with all sessions, and start it again."""
    servers.end_database_at_once()
    come_back(servers)


def come_back(servers: Servers) -> None:
    def is_back() -> bool:
        servers.look_after()
        return servers.serve()

    eventually(is_back, 60)


def stored() -> int:
    return DocumentHistory.objects.count()


def ask_and_restart(servers: Servers, *, documents: int, restarts: int) -> Asking:
    asking = Asking(documents)
    connection.close()  # this thread's own, which would be lost

    def disturb() -> None:
        try:
            for number in range(1, restarts + 1):
                eventually(partial(has_stored, number * documents // (restarts + 1)), 120)
                restart(servers)
        finally:
            asking.all_restarts_over.set()

    assert in_threads(disturb, *[asking.ask_until_over] * CALLERS) == [None] * (CALLERS + 1)
    return asking


def has_stored(count: int) -> bool:
    """Return whether this many entries are stored; False while the database is not available."""
    try:
        return stored() >= count
    except (DatabaseError, InterfaceError):
        connection.close()
        return False


class TestCheck:
    @pytest.mark.slow
    def test_never_answers_new_twice_while_the_database_restarts(self, servers):
        make_trigger()
        asking = ask_and_restart(servers, documents=60, restarts=1)
        self.has_no_two_news(asking, documents=60)
        assert asking.failures > 0

    def test_is_answered_503_over_rest_while_the_database_is_away(self, servers):
        make_trigger()
        client = caller("operator")
        servers.end_database_at_once()
        try:
            eventually(lambda: not servers.serve())
            answer = client.post("document-history/check/", {"trigger_id": "t-1", "uuid": "u-1"})
            assert (answer.status_code, problem(answer)["code"]) == (503, "history_unavailable")
            assert answer.headers["Retry-After"]
        finally:
            connection.close()
            come_back(servers)

    @pytest.mark.slow
    def test_never_answers_new_twice_in_thousands_of_rounds(self, servers):
        make_trigger()
        asking = ask_and_restart(servers, documents=3000, restarts=5)
        self.has_no_two_news(asking, documents=3000)

    def has_no_two_news(self, asking: Asking, *, documents: int) -> None:
        assert set(asking.news.values()) == {1}
        # If the answer to the first caller was lost, no caller got New: the document is in doubt.
        assert documents - CALLERS * 5 <= len(asking.news) <= documents
        assert stored() == documents
