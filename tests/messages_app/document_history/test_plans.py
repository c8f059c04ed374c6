"""Every query of the document history uses an index on large tables, and no list reads much of it."""

from collections.abc import Iterator

import pytest
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.test import Client

from messages_app.access.roles import ROLES
from messages_app.audit.services import SYSTEM
from messages_app.core.statements import Statements
from messages_app.document_history import selectors
from messages_app.document_history.document_lookup import look_up
from messages_app.document_history.dry_run import dry_run
from messages_app.document_history.models import DocumentInDoubt
from messages_app.document_history.services.check import check_document, check_many
from messages_app.document_history.services.complete import complete_document, complete_many
from messages_app.document_history.services.delivery import Delivered
from messages_app.document_history.services.in_doubt import take_resubmitted
from messages_app.shared.sql_files import SqlFiles
from tests.support.api_client import ApiClient
from tests.support.factories import make_user
from tests.support.fillings import undone_filling
from tests.support.histories import make_trigger
from tests.support.plans import faults_in, faults_of, minute_of, pages_read_in, reads_of, scans_of_prepared
from tests.support.staff import HUB, faults_of_page, staff_client

statements = Statements("messages_app.document_history")


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

DOCUMENTS = 100_000

# Analyzed as it goes: figures of an emptier table would have the DELETE compare every row with every other.
FILLING = """
ANALYZE document_history;
INSERT INTO document_open (trigger_id, document_uuid, time, line_no)
SELECT trigger_id, document_uuid, time, document_line_no(trigger_id, document_uuid)
  FROM (SELECT trigger_id, document_uuid, time FROM document_history WHERE status = 'processing' LIMIT 33000)
       AS begun;
ANALYZE document_open;
DELETE FROM document_history AS entry
 USING document_open AS begun
 WHERE entry.trigger_id = begun.trigger_id
   AND entry.document_uuid = begun.document_uuid
   AND entry.status = 'completed';
INSERT INTO document_in_doubt (trigger_id, document_uuid, identifier, document_name, redelivery_count, rule,
                               message, deliveries, state, resolved_by, reason, taken_by)
SELECT trigger_id, document_uuid, document_uuid, '', 1, 'processing_only', '', 1,
       CASE WHEN line_no % 50 = 0 THEN 'open' ELSE 'settled' END, '', '', ''
  FROM document_open;
INSERT INTO document_outcome (trigger_id, document_name, identifier, status, at, redelivery_count, decided_by,
                              rule, message)
SELECT 'trigger-' || n % 4, '', n, CASE WHEN n % 9 = 0 THEN 'IN_DOUBT' ELSE 'DUPLICATE' END,
       now() - n * interval '1.5 seconds', 1, 'history', 'both_entries', ''
  FROM generate_series(1, 120000) AS n
"""


@pytest.fixture(scope="module")
def client(django_db_setup, django_db_blocker) -> Iterator[ApiClient]:
    """Fill the tables, in a transaction that is undone, and give a client that may see everything."""
    with undone_filling(django_db_blocker) as cursor:
        for number in range(4):
            make_trigger(f"trigger-{number}")
        cursor.execute("ALTER TABLE document_history DISABLE TRIGGER USER")
        filling = SqlFiles("benchmarks").read_text("filling/document_history")
        cursor.execute(filling, {"documents": DOCUMENTS})
        cursor.execute(FILLING)
        cursor.execute("ALTER TABLE document_history ENABLE TRIGGER USER")
        cursor.execute("ANALYZE document_history, document_open, document_in_doubt, document_outcome")
        yield ApiClient(make_user(*ROLES))


# Of thousands that the tables and their indexes have; the rows that tests before have left count too.
MAX_PAGES = 1_500
BASE = "document-history/"
LISTS = [
    "entries/",
    "entries/?ordering=time",
    "entries/?trigger_id=trigger-3",
    "entries/?trigger_id=trigger-0&ordering=time",
    "entries/?state=processing&ordering=time",
    "entries/?state=processing&trigger_id=trigger-1",
    "entries/?state=both",
    "entries/?uuid=c4ca4238-a0b9-2382-0dcc-509a6f75849b",
    "entries/?uuid_prefix=c4ca",
    "entries/?uuid_prefix=c4ca4238-a0b9&trigger_id=trigger-3",
    "entries/?expired=true",
    "entries/?trigger_id=trigger-3&expired=true",
    "entries/?time_to=2020-01-01T00:00:00Z",
    "statistics/",
    "statistics/?trigger_id=trigger-2",
    "statistics/?status=IN_DOUBT",
    "statistics/?at_to=2020-01-01T00:00:00Z",
    "sweep/",
    "in-doubt/",
    "in-doubt/?state=open",
    "in-doubt/?state=resubmitted",
    "in-doubt/?state=open&trigger_id=trigger-3",
    "triggers/",
    "triggers/trigger-3/",
    "triggers/trigger-3/expiring/?history_ttl_seconds=3600",
]


PAGES = [
    "",
    "triggers/trigger-3/",
    "entries/?state=both&time_to=-1h",
    "entries/?uuid=c4ca4238-a0b9-2382-0dcc-509a6f75849b",
    "undetermined/",
    "undetermined/?trigger_id=trigger-3",
    "in-doubt/?state=open",
    "in-doubt/<line>/",
    "in-doubt/<line>/document/",
    "statistics/",
    "statistics/?trigger_id=trigger-2&status=IN_DOUBT",
    "statistics/?at_from=-2h&at_to=-1h",
    "sweeper/",
    "dry-run/?trigger_id=trigger-1&uuid=c4ca4238-a0b9-2382-0dcc-509a6f75849b",
]


ADMIN = [
    "",
    "?o=3",
    "?trigger_id=trigger-3",
    "?state=processing",
    "?state=both",
    "?state=processing&trigger_id=trigger-1",
    "?time_from=-1h",
    "?q=c4ca4238-a0b9-2382-0dcc-509a6f75849b",
    "?q=nobody",
]


class TestTheAdmin:
    @pytest.mark.parametrize("path", ADMIN)
    def test_reads_by_an_index(self, client, path):
        root = staff_client(*ROLES, username="root")
        assert faults_of_page(root, f"{HUB}historyline/{path}") == []

    def test_reads_a_document_by_an_index(self, client):
        root = staff_client(*ROLES, username="root")
        cl = root.get(f"{HUB}historyline/").context["cl"]
        assert faults_of_page(root, cl.url_for_result(cl.result_list[0])) == []


class TestQueriesOfTheLists:
    @pytest.mark.parametrize("path", LISTS)
    def test_read_by_an_index(self, client, path):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = client.get(BASE + path)
        assert answer.status_code == 200, answer.content
        assert sent
        assert faults_in(sent) == []

    def test_read_by_an_index_for_the_sweepers_state(self, client):
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            selectors.sweeper_state()
        assert faults_in(sent) == []

    def test_read_by_an_index_if_a_completed_entry_is_alone(self, client):
        """No index finds these few, so each request scans a part of the list."""
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            assert client.get(f"{BASE}entries/?state=completed").status_code == 200
        assert [fault for fault in faults_in(sent) if "scans" in fault[0]] == []


class TestLinesWhereFewDocumentsAreCompleted:
    @pytest.mark.parametrize("path", ["entries/", "entries/?trigger_id=trigger-3"])
    def test_are_read_without_the_entries_of_other_documents(self, client, path):
        with transaction.atomic(), connection.cursor() as cursor:
            # As a view of few rows: the planner would rather hash them than look one up for each line.
            cursor.execute("DELETE FROM document_history WHERE status = 'completed' AND document_uuid > '01'")
            cursor.execute("ANALYZE document_history")
            assert pages_of(client, path) < MAX_PAGES
            transaction.set_rollback(True)


class TestAMinuteOfATrigger:
    @pytest.mark.parametrize("order", ["time", "-time"])
    @pytest.mark.parametrize("state", ["", "both", "completed", "processing"])
    def test_is_found_without_reading_the_rest(self, client, state, order):
        start, stop = minute_of(12)
        path = f"entries/?trigger_id=trigger-3&time_from={start}&time_to={stop}&ordering={order}"
        assert pages_of(client, f"{path}&state={state}" if state else path) < MAX_PAGES

    @pytest.mark.parametrize("status", ["", "IN_DOUBT"])
    def test_of_its_outcomes_is_found_without_reading_the_rest(self, client, status):
        start, stop = minute_of(12)
        path = f"statistics/?trigger_id=trigger-0&at_from={start}&at_to={stop}"
        assert pages_of(client, f"{path}&status={status}" if status else path) < MAX_PAGES

    @pytest.mark.parametrize("state", ["", "&state=both", "&state=processing", "&expired=false"])
    def test_or_a_prefix_is_found_without_reading_the_rest(self, client, state):
        assert pages_of(client, f"entries/?trigger_id=trigger-3&uuid_prefix=77a{state}") < MAX_PAGES


def pages_of(client: ApiClient, path: str) -> int:
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        answer = client.get(BASE + path)
    assert answer.status_code == 200, answer.content
    return pages_read_in(sent)


class TestQueriesOfThePages:
    @pytest.mark.parametrize("path", PAGES)
    def test_read_by_an_index(self, client, path):
        browser = Client()
        browser.force_login(get_user_model().objects.get())
        path = path.replace("<line>", str(DocumentInDoubt.objects.order_by("-pk").first().pk))
        sent = []
        with connection.execute_wrapper(reads_of(sent)):
            answer = browser.get(f"/{BASE}{path}")
        assert answer.status_code == 200
        assert sent
        faults = faults_in(sent)
        if path.startswith("statistics"):
            # The picture reads what it draws, up to its fence, and a second at most.
            faults = [fault for fault in faults if "scans" in fault[0]]
        assert faults == []


class TestLookUp:
    def test_finds_a_document_by_an_index(self, client):
        uuid = DocumentInDoubt.objects.order_by("pk")[500].identifier
        reads: list = []
        with connection.execute_wrapper(reads_of(reads)):
            kinds = list(look_up(uuid))
        assert [(kind.name, len(kind.hits)) for kind in kinds] == [("document", 1), ("document_in_doubt", 1)]
        assert faults_in(reads) == []


class TestStatementsOfTheServices:
    def test_find_a_document_by_its_key(self, client):
        sent = []

        def note(execute, sql, params, many, context):
            if "document_" in sql:
                sent.append((sql, params))
            return execute(sql, params, many, context)

        known = "c4ca4238-a0b9-2382-0dcc-509a6f75849b"
        with connection.execute_wrapper(note):
            token = check_document(trigger_id="trigger-3", uuid="fresh").token
            complete_document(trigger_id="trigger-3", uuid="fresh", token=token)
            complete_document(trigger_id="trigger-3", uuid="fresh", token=token)
            check_document(trigger_id="trigger-3", uuid=known)
            take_resubmitted(trigger_id="trigger-3", actor=SYSTEM)
            dry_run(trigger_id="trigger-3", uuid=known)
        assert len(sent) >= 6
        assert faults_in(sent) == []

    def test_find_a_document_by_its_key_with_plans_for_all_values(self, client):
        token = check_document(trigger_id="trigger-3", uuid="prepared", content_sha256="a" * 64).token
        complete_document(trigger_id="trigger-3", uuid="prepared", token=token)
        assert scans_of_prepared() == (2, [])

    def test_find_the_documents_of_a_batch_by_their_keys(self, client):
        sent = []

        def note(execute, sql, params, many, context):
            if "SAVEPOINT" not in sql:
                sent.append((sql, params))
            return execute(sql, params, many, context)

        batch = [
            Delivered(trigger_id=f"trigger-{number % 4}", uuid=f"batch-{number}", content_sha256="b" * 64)
            for number in range(500)
        ]
        with connection.execute_wrapper(note):
            checked = check_many(batch)
            complete_many(
                [
                    {"trigger_id": one.trigger_id, "uuid": answer.uuid, "token": answer.token}
                    for one, answer in zip(batch, checked, strict=True)
                ]
            )
        assert len(sent) == 2
        assert faults_in(sent, most_rows=3_000) == []

    def test_sweep_by_an_index(self, client):
        values = {"trigger_id": "trigger-3", "ttl_seconds": 3600, "limit": 1000}
        assert faults_of(statements.read_text("remove_expired"), values, most_rows=3_000) == []
        assert (
            faults_of(statements.read_text("forget_outcomes"), {"days": 1, "limit": 1000}, most_rows=3_000)
            == []
        )
        assert statements.count("remove_expired", values) > 0
