"""Every query of the CP queue uses an index on large tables, and a pickup reads few rows."""

from collections.abc import Iterator
from hashlib import md5

import pytest
from django.db import connection
from django.test import Client

from messages_app.access.roles import ROLES
from messages_app.core.clock import database_clock
from messages_app.core.statements import Statements
from messages_app.cp_queue import selectors
from messages_app.cp_queue.selectors.pickup_forecast import queue_of, queues_held_by
from messages_app.cp_queue.services.dispatch import Result, dispatch_many, dispatch_message
from messages_app.cp_queue.services.operators import delete_message, dispatch_all_for_service, send_on
from messages_app.cp_queue.services.pickup import get_next, get_next_many
from messages_app.cp_queue.services.reset import Selection, reset_message, reset_service
from tests.support.api_client import ApiClient
from tests.support.factories import make_user
from tests.support.fillings import undone_filling
from tests.support.page_client import client_of
from tests.support.plans import (
    faults_in,
    faults_of,
    index_pages,
    minute_of,
    pages_read_in,
    reads_of,
    rows_met,
)
from tests.support.queues import ADA
from tests.support.staff import HUB, faults_of_page, staff_client

statements = Statements("messages_app.cp_queue")


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

# Over eight queues, the largest with half of all; a tenth waits after a retry, and those are the newest of
# all.
FILLING = """
INSERT INTO oscpmqueue (messageguid, queuename, osid, ostype, created, lock_service, checkguid)
SELECT upper(md5(n::text)), CASE WHEN n % 2 = 0 THEN 'RENDITION' ELSE 'QUEUE-' || n % 7 END, n % 20000, 65536,
       now() - n * interval '1 second', CASE WHEN n % 40 = 0 THEN 'W' || n % 1600 END,
       CASE WHEN n % 40 = 0 THEN upper(md5(n::text)) END
  FROM generate_series(1, 100000) AS n;
INSERT INTO cp_deferred (messageguid, queuename, osid, ostype, created, not_before)
SELECT upper(md5('deferred ' || n)), 'RENDITION', n % 20000, 65536, now() + n * interval '1 millisecond',
       CASE WHEN n % 50 = 0 THEN NULL ELSE now() + interval '1 hour' END
  FROM generate_series(1, 30000) AS n;
INSERT INTO cp_retry (messageguid, attempts)
SELECT messageguid, 1 FROM cp_deferred;
INSERT INTO cp_reservation (messageguid, checkguid, service, is_fenced, collapsed)
SELECT messageguid, checkguid, lock_service, false, 0 FROM oscpmqueue WHERE lock_service IS NOT NULL;
INSERT INTO cp_service (service, queues)
SELECT DISTINCT lock_service, 'RENDITION' FROM oscpmqueue WHERE lock_service IS NOT NULL;
INSERT INTO cp_dispatch (messageguid, queuename, osid, ostype, created, service, reason, outcome, collapsed,
                         attempts, actor)
SELECT upper(md5('gone ' || n)), 'RENDITION', n % 20000, 65536, now(), 'W' || n % 400,
       CASE WHEN n % 1000 = 0 THEN 'broken' ELSE 'OK' END,
       CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'done' END,
       0, 0, ''
  FROM generate_series(1, 100000) AS n
"""
# Of thousands that the queue and its indexes have.
MAX_PAGES = 600
TABLES = "oscpmqueue, cp_deferred, cp_retry, cp_reservation, cp_service, cp_dispatch"


@pytest.fixture(scope="module")
def client(django_db_setup, django_db_blocker) -> Iterator[ApiClient]:
    """Fill the tables, in a transaction that is undone, and give a client that may see everything."""
    with undone_filling(django_db_blocker) as cursor:
        cursor.execute(FILLING)
        cursor.execute(f"ANALYZE {TABLES}")
        yield ApiClient(make_user(*ROLES))


@pytest.fixture(scope="module")
def browser(client) -> Client:
    """Log in, within the transaction of the filling."""
    return client_of(*ROLES, username="eve")


QUEUE_TABLES = ("oscpmqueue", "cp_deferred", "cp_retry", "cp_reservation", "cp_dispatch")


def pick_one(queues: str = "RENDITION") -> None:
    assert get_next(queues=queues, service="worker") is not None


def pick_many() -> None:
    assert len(get_next_many(queues="RENDITION", service="worker", count=100)) == 100


BASE = "cp-queue/"
PATHS = [
    "messages/?queuename=RENDITION",
    "messages/?queuename=RENDITION&ordering=created",
    "messages/?queuename=RENDITION&state=free",
    "messages/?queuename=RENDITION&state=deferred",
    "messages/?queuename=RENDITION&state=parked",
    "messages/?queuename=QUEUE-3",
    "messages/?lock_service=W400",
    "messages/?lock_service=W400&state=reserved&queuename=RENDITION",
    "messages/?osid=77&state=free",
    "messages/?queuename=RENDITION&created_to=2020-01-01T00:00:00Z",
    "statistics/",
    "statistics/?QueueName=RENDITION",
    "preview/?QueueNames=RENDITION,QUEUE-3",
    "objects/77/",
    "dispatches/",
    "dispatches/?queuename=RENDITION",
    "dispatches/?osid=77",
    "dispatches/?service=W7",
    "dispatches/?osid=77&service=W7",
]


PAGES = [
    "",
    "?after=QUEUE-5",
    "queue/?queuename=RENDITION",
    "services/",
    "messages/",
    "messages/?queuename=RENDITION&ordering=created",
    "messages/?osid=77",
    "messages/?created_to=-3d",
    "objects/77/",
    "dispatches/",
    "dispatches/?queuename=RENDITION&at_from=-1h",
    "dispatches/?queuename=nobody",
    "dispatches/?service=W7&outcome=failed",
    "dispatches/?osid=77",
    "preview/?queue=RENDITION&others=QUEUE-3",
    "create/?object_id=77&object_type=1&queue=RENDITION",
    "reset/?service=W400",
    "reset/?queue=RENDITION&object_id=77",
]


class TestThePages:
    @pytest.mark.parametrize("path", PAGES)
    def test_read_by_an_index(self, client, browser, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = browser.get(f"/cp-queue/{path}")
        assert answer.status_code == 200
        assert sent
        assert faults_in(sent) == []

    def test_of_one_message_reads_by_an_index(self, client, browser):
        guids = ["upper(md5('200'))", "upper(md5('2'))", "upper(md5('deferred 9'))", "upper(md5('gone 5'))"]
        for guid in guids:
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT {guid}")
                path = f"/cp-queue/messages/{cursor.fetchone()[0]}/"
            sent = []
            with connection.execute_wrapper(reads_of(sent)):
                assert browser.get(path).status_code == 200
            assert faults_in(sent) == []


ADMIN = [
    "",
    "?o=5",
    "?queuename=RENDITION",
    "?state=free",
    "?state=deferred",
    "?state=parked",
    "?state=reserved",
    "?lock_service=W400",
    "?queuename=RENDITION&created_from=-1h",
    "?q=77",
    f"?q={md5(b'2', usedforsecurity=False).hexdigest().upper()}",
]


class TestTheAdmin:
    @pytest.mark.parametrize("path", ADMIN)
    def test_reads_by_an_index(self, client, path):
        assert faults_of_page(staff_client(*ROLES, username="root"), f"{HUB}cpmessage/{path}") == []

    def test_reads_a_message_by_an_index(self, client):
        root = staff_client(*ROLES, username="root")
        for key in ("2", "200", "deferred 9"):
            assert faults_of_page(root, f"{HUB}cpmessage/{guid(key)}/change/") == []


class TestQueriesOfTheReports:
    @pytest.mark.parametrize("path", PATHS)
    def test_read_by_an_index(self, client, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = client.get(BASE + path)
        assert answer.status_code == 200, answer.content
        assert sent
        assert faults_in(sent) == []

    def test_read_by_an_index_if_few_of_the_log_failed(self, client):
        """No index finds these, so each request scans a part of the log."""
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert client.get(f"{BASE}dispatches/?outcome=failed").status_code == 200
        assert [fault for fault in faults_in(sent) if "scans" in fault[0]] == []

    def test_read_by_an_index_for_the_count_of_a_reset(self, client):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            selectors.count_selected(Selection(service="W400"))
            selectors.count_selected(Selection(queue="RENDITION", object_id=77))
        assert faults_in(sent) == []

    def test_read_by_an_index_for_the_queues_that_a_call_touches(self, client):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert queue_of(guid("300")) == "RENDITION"
            assert queue_of(guid("gone 7")) == "RENDITION"
            assert queue_of(guid("never there")) is None
            assert queue_of(guid("1").lower()) == "QUEUE-1"
            assert queues_held_by("W400") == ["RENDITION"]
        assert len(sent) == 15
        assert faults_in(sent) == []


def guid(text: str) -> str:
    return md5(text.encode(), usedforsecurity=False).hexdigest().upper()


class TestAMinuteOfAQueue:
    @pytest.mark.parametrize("order", ["created", "-created"])
    @pytest.mark.parametrize(
        ("filter", "found"),
        [("state=free", 30), ("state=reserved", 0), ("", 30), ("state=deferred", 0), ("osid=77", 0)],
    )
    def test_is_found_without_reading_the_rest(self, client, filter, found, order):
        """Before PostgreSQL 18 it was not: all of the queue beyond the minute was read."""
        start, stop = minute_of(12)
        path = (
            f"messages/?queuename=RENDITION&created_from={start}&created_to={stop}&ordering={order}&{filter}"
        )
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = client.get(BASE + path)
        # Every fortieth message is held: one or two of a minute.
        assert abs(len(answer.json()["results"]) - found) <= 2
        # The messages of services, by queue, are counted up to a separate limit.
        of_list = [(sql, params) for sql, params in sent if "AS held" not in sql]
        assert pages_read_in(of_list) < MAX_PAGES


class TestAPickup:
    def test_checks_few_rows_though_tens_of_thousands_wait_after_a_retry(self, client):
        """
        Those are the newest of the queue, and would be before all others (docs/contributing/spec/promises.md,
        I-52).
        """
        assert 0 < rows_met(pick_one, QUEUE_TABLES) < 1_000

    def test_checks_few_rows_of_several_queues(self, client):
        queues = ",".join(["RENDITION", *(f"QUEUE-{number}" for number in range(7))])
        assert rows_met(lambda: pick_one(queues), QUEUE_TABLES) < 120

    def test_of_a_hundred_checks_a_few_rows_for_each(self, client):
        assert rows_met(pick_many, QUEUE_TABLES) < 2_500

    def test_finds_the_other_messages_of_each_object_in_few_pages(self, client):
        """PostgreSQL before 18 read half of the index for each, in which a count of rows has no part."""
        assert 0 < index_pages("oscpmqueue_object_idx", pick_many) < 2_000

    def test_brings_back_no_more_than_its_batch(self, client):
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE cp_deferred SET not_before = now() - interval '1 minute' WHERE osid < 2000"
            )
            cursor.execute("ANALYZE cp_deferred")
            cursor.execute("SELECT count(*) FROM cp_deferred")
            (before,) = cursor.fetchone()
            # The longest due are met behind the entries of their old versions, which this transaction keeps.
            assert rows_met(pick_one, QUEUE_TABLES) < 12_000
            cursor.execute("SELECT count(*) FROM cp_deferred")
            assert before - cursor.fetchone()[0] in {500, 501}


class TestDispatches:
    def test_check_few_rows(self, client):
        guid = get_next(queues="RENDITION", service="worker").guid
        work = lambda: dispatch_message(guid=guid, service="worker", reason="OK")  # noqa: E731
        assert 0 < rows_met(work, QUEUE_TABLES) < 20

    def test_of_a_hundred_check_a_few_rows_for_each(self, client):
        picked = get_next_many(queues="RENDITION", service="worker", count=100)
        results = [Result(guid=one.guid, reason="RETRY") for one in picked]
        work = lambda: dispatch_many(service="worker", results=results)  # noqa: E731
        assert rows_met(work, QUEUE_TABLES) < 2_000


class TestStatementsOfTheServices:
    def test_find_a_message_by_its_key(self, client):
        sent = []

        def note(execute, sql, params, many, context):
            if "oscpmqueue" in sql:
                sent.append((sql, params))
            return execute(sql, params, many, context)

        with connection.execute_wrapper(note):
            guids = [get_next(queues="RENDITION", service="worker").guid for _ in range(3)]
            dispatch_message(guid=guids[0], service="worker", reason="OK")
            dispatch_message(guid=guids[1], service="worker", reason="RETRY")
            send_on(guid=guids[1], actor=ADA)
            delete_message(guid=guids[1], actor=ADA)
            reset_message(guid=guids[2].lower(), actor=ADA)
            reset_service(service="W400", actor=ADA)
            dispatch_all_for_service(service="W401", reason="OK", actor=ADA, before=database_clock())
        assert len(sent) >= 5
        assert faults_in(sent, most_rows=2_000) == []

    def test_forget_the_log_by_an_index(self, client):
        values = {"days": 30, "limit": 1_000}
        assert faults_of(statements.read_text("forget_dispatches"), values, most_rows=3_000) == []
