"""
Every query of every page and call about messages, on 240 000 of them: each is read by an index.

The pages are asked as a reader asks them; whatever they send to the database is then planned and run again
with EXPLAIN ANALYZE. Rows are shaped as in a hub, see benchmarks/filling.py.
"""

import html
import math
import re
import time
from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test import Client

from benchmarks.filling import IDS_PER_MESSAGE, fill
from messages_app.access.roles import ROLES
from messages_app.jobs.preview import samples
from messages_app.jobs.preview.quick import quick_preview
from messages_app.shared.message_states import MessageState
from tests.support.factories import make_user
from tests.support.fillings import undone_filling
from tests.support.ledgers import store_large_ledger
from tests.support.parameters import quick_first
from tests.support.plans import faults_of, pages_read_in, reads_of
from tests.support.staff import HUB

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

# With half of them the archive's tables are so small that scanning them is right.
MESSAGES = 240_000
# A quick preview's two seconds, and room for other runs next to it.
MOST_SECONDS = 4
# Reads of a quick preview that may be useless, with a time limit: random pages, a count, and a small set.
FENCED = re.compile(r"TABLESAMPLE|^SELECT COUNT\(\*\)|LIMIT (50001|1000)$")

# All that failed, as one failure group, and as another all the rest: the largest that there can be.
GROUPED = """
INSERT INTO failure_member
SELECT msg_id, CASE state WHEN 'FAILED' THEN 1 ELSE 2 END, receive_timestamp FROM message;
ANALYZE failure_member;
"""
# The two groups failed a moment ago, and the job that had all messages came after them.
FAILED_NOW = """
INSERT INTO failure_group (group_id, fingerprint, service_name, operation_name, failed_error_code, summary,
                           example, failures, first_seen, last_seen, state, state_at, owner, ticket, note)
SELECT n, n::text, 'billing', 'op', '', 'timed out', '', 1, now(), now(), 'new', now(), '', '', ''
  FROM generate_series(1, 2) AS n;
UPDATE job SET finished_at = now(), state = 'done', filter = '{"failure_group": "1"}', watermark = now()
 WHERE job_id = %(job_id)s;
UPDATE failure_member SET at = now() - interval '1 hour' WHERE group_id = 1;
INSERT INTO audit_entry (actor, token_name, request_id, action, outcome, msg_id, before_state, after_state,
                         reason, details)
SELECT 'ana', '', '', 'restart', 'done', n, '', '', '', '{}' FROM generate_series(1, 100000) AS n;
ANALYZE failure_group, job, failure_member, audit_entry;
"""
LARGE_PARENT = MESSAGES // 2 * IDS_PER_MESSAGE


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker) -> Iterator[Client]:
    """Fill the tables, in a transaction that is undone, and give a client that may see everything."""
    with undone_filling(django_db_blocker) as cursor:
        fill(cursor, messages=MESSAGES)
        cursor.execute(GROUPED)
        client = Client()
        client.force_login(make_user(*ROLES, is_staff=True))
        yield client


def queries_of(client: Client, address: str) -> list[tuple[str, tuple]]:
    """Return what asking for a page sends to the database, as (SQL, parameters)."""
    sent = []
    with connection.execute_wrapper(reads_of(sent)):
        response = client.get(address)
        assert response.status_code == 200, (address, response.status_code, response.content[:500])
        if response.streaming:
            response.getvalue()
    assert sent, address
    return sent


def queries_of_preview(kind: str, filter: dict[str, str], options: dict[str, object]) -> list[tuple]:
    """Return what a quick preview sends to the database, after checking that it came in time."""
    sent = []
    began = time.monotonic()
    with connection.execute_wrapper(reads_of(sent)):
        quick_preview(kind=kind, filter=filter, options=options, user=None)
    assert sent
    assert time.monotonic() - began < MOST_SECONDS
    return sent


def check(client: Client, address: str) -> None:
    for sql, params in queries_of(client, address):
        faults = faults_of(sql, params)
        assert not faults, f"{address}: {faults}\n{sql}\n{params}"


def newest_in(state: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(msg_id) FROM message WHERE state = %s", [state])
        return cursor.fetchone()[0]


LISTS = (
    "",
    "state=FAILED",
    "state=FAILED,POSTPONED,WAITING",
    "service_name=legacy",
    "source_system=CRM&state=FAILED",
    "correlation_id=corr-77",
    "process_id=proc-77",
    "object_id=obj-77",
    "entity_type=ORDER",
    "operation_name=legacyOp3",
    "funnel_value=hot",
    "funnel_component_id=funnel_0",
    "failed_error_code=E103",
    f"parent_msg_id={LARGE_PARENT}",
    "family=roots",
    "family=failed",
    "failure_group=1",
    "failure_group=1&state=FAILED",
    "failure_group=2",
    "failure_group=2&state=FAILED",
    "failure_group=2&state=PARTLY_FAILED",
    "archived=true",
    "archived=true&correlation_id=corr-70a",
    "archived=true&service_name=legacy",
    "archived=true&operation_name=nowhere",
    "archived=any&state=FAILED",
    "archived=any&object_id=obj-70",
)
STATES = [state for state in MessageState if state not in {MessageState.NEW, MessageState.IN_QUEUE}]
# Of the calls next to the list of messages.
CALLS = (
    "external-calls/",
    "external-calls/?state=FAILED",
    "external-calls/?operation_name=direct:target1",
    f"external-calls/?msg_id={LARGE_PARENT}",
    "requests/",
    f"requests/?msg_id={LARGE_PARENT}",
    "responses/",
    "responses/?failed=true",
    "funnels/",
    "failure-groups/",
    "stats/",
)
# Of the admin.
ADMIN = (
    "message/",
    "message/?o=2",
    "message/?state=FAILED",
    "message/?state=OK",
    "message/?state=FAILED&service_name=legacy",
    "message/?service_name=legacy",
    "message/?source_system=CRM&state=FAILED",
    "message/?failed_error_code=E103",
    "message/?receive_timestamp_from=-24h",
    "message/?receive_timestamp_from=-7d&state=FAILED",
    "message/?receive_timestamp_from=-7d&service_name=billing",
    "message/?object_id=obj-77",
    "message/?process_id=proc-77",
    "message/?funnel_value=hot",
    f"message/?parent_msg_id={LARGE_PARENT}",
    "message/?q=corr-77",
    f"message/?q={LARGE_PARENT}",
    "message/?q=no-such-id",
    "archivemessage/",
    "archivemessage/?state=FAILED",
    "archivemessage/?receive_timestamp_from=-7d",
    "archivemessage/?q=corr-70a",
    "externalcall/",
    "externalcall/?state=FAILED",
    "externalcall/?state=OK",
    f"externalcall/?msg_id={LARGE_PARENT}",
    "request/",
    "request/?req_timestamp_from=-24h",
    f"request/?q={LARGE_PARENT}",
    "response/",
    "response/?failed=true",
    f"response/?msg_id={LARGE_PARENT}",
    "funnel/",
    "funnel/?q=hot",
    "archiveexternalcall/",
    "archiverequest/",
    "archiveresponse/",
    "archivefunnel/",
    f"archiverequest/?q={LARGE_PARENT}",
    f"archiveresponse/?msg_id={LARGE_PARENT}",
    "archivefunnel/?funnel_value=hot",
)
# Of bulk jobs: (kind, filter, options).
PREVIEWS = (
    ("restart", {"state": "FAILED"}, {}),
    ("restart", {"state": "OK"}, {}),
    ("restart", {"service_name": "billing"}, {"total": True}),
    ("restart", {"service_name": "billing", "state": "FAILED"}, {}),
    ("cancel", {"state": "POSTPONED,PARTLY_FAILED,WAITING"}, {"rate": 50}),
    ("restart", {"receive_timestamp_from": "2000-01-01T00:00:00Z"}, {}),
    ("restart", {"last_process_timestamp_from": "2000-01-01T00:00:00Z", "service_name": "legacy"}, {}),
    ("restart", {"correlation_id": "no-such-id"}, {}),
    ("restart", {"funnel_value": "hot"}, {}),
    ("restart", {"family": "failed"}, {}),
    ("restart", {"failure_group": "1", "state": "FAILED"}, {}),
    ("restart", {"failure_group": "2", "state": "PARTLY_FAILED"}, {}),
    ("export", {"parent_msg_id": str(LARGE_PARENT)}, {}),
    ("export", {"archived": "true", "state": "OK"}, {}),
    ("export", {"archived": "any", "service_name": "billing"}, {}),
    ("restore", {"service_name": "billing"}, {}),
    ("archive", {}, {"older_than_months": 1}),
    ("archive", {"state": "OK", "service_name": "billing"}, {"older_than_months": 1}),
)
IDS = ("corr-77", "proc-77", "obj-77", "CRM_corr-80", "80", "82", "83", "no-such-id")


class TestLists:
    @pytest.mark.parametrize("query", LISTS)
    def test_read_by_an_index(self, many, query):
        check(many, f"/messages/?{query}")
        page = many.get(f"/messages/?{query}").content.decode()
        for address in re.findall(r'data-live="([^"]+)"', page):
            check(many, html.unescape(address))
        check(many, f"/api/v1/messages/?{query}")
        check(many, f"/api/v1/messages/count/?{query}")

    @pytest.mark.parametrize("order", ["msg_id", "receive_timestamp", "-receive_timestamp"])
    @pytest.mark.parametrize("query", ["", "state=FAILED", "service_name=legacy", "archived=any"])
    def test_read_by_an_index_in_every_order(self, many, query, order):
        check(many, f"/messages/?{query}&ordering={order}".replace("?&", "?"))

    @pytest.mark.parametrize("order", ["last_process_timestamp", "-last_process_timestamp"])
    @pytest.mark.parametrize(
        "query",
        [
            "",
            "&state=FAILED",
            "&service_name=legacy",
            "&operation_name=nowhere",
            "&family=failed",
            "&failure_group=2",
            "&last_process_timestamp_from=2026-01-01T00:00:00Z",
            "&last_process_timestamp_from=2026-01-01T00:00:00Z&state=FAILED,WAITING",
        ],
    )
    def test_read_by_an_index_in_the_order_of_changes(self, many, query, order):
        check(many, f"/api/v1/messages/?ordering={order}{query}")

    @pytest.mark.parametrize("query", quick_first(LISTS, quick=9))
    def test_draw_a_day_by_an_index(self, many, query):
        check(many, f"/messages/histogram/?{query}")

    @pytest.mark.parametrize(
        "key", ["state:", "service:b", "source:C", "operation:o", "error:E", "component:f"]
    )
    def test_suggest_by_an_index(self, many, key):
        check(many, f"/messages/suggest/?q={key}&at={len(key)}")

    @pytest.mark.parametrize("call", CALLS)
    def test_of_the_other_tables_read_by_an_index(self, many, call):
        check(many, f"/api/v1/{call}")

    @pytest.mark.parametrize("query", ["", "value=hot", "value=hot&component=funnel_0"])
    def test_of_funnels_read_by_an_index(self, many, query):
        check(many, f"/funnels/?{query}")

    def test_of_funnels_look_up_no_ended_message_of_a_value(self, many):
        assert pages_read_in(queries_of(many, "/api/v1/funnels/?value=hot")) < 4_000

    def test_of_the_first_page_read_by_an_index(self, many):
        check(many, "/")
        check(many, "/handover/")

    @pytest.mark.parametrize("text", IDS)
    def test_find_an_id_by_an_index(self, many, text):
        check(many, f"/messages/find/part/?id={text}")


def check_preview(kind: str, filter: dict[str, str], options: dict[str, object]) -> None:
    """Check that the preview of a job reads by an index, or up to a fence."""
    sent = queries_of_preview(kind, filter, options)
    assert any(FENCED.search(sql) for sql, _ in sent)
    for sql, params in sent:
        faults = [] if FENCED.search(sql) else faults_of(sql, params)
        assert not faults, f"{kind} {filter}: {faults}\n{sql}\n{params}"


class TestQuickPreview:
    @pytest.mark.parametrize(("kind", "filter", "options"), PREVIEWS)
    def test_is_in_time_and_reads_by_an_index(self, many, kind, filter, options):
        check_preview(kind, filter, options)

    @pytest.mark.parametrize(
        ("kind", "filter", "options"), quick_first([pytest.param(*one) for one in PREVIEWS], quick=6)
    )
    def test_is_in_time_if_a_sample_has_too_few_rows(self, many, monkeypatch, kind, filter, options):
        monkeypatch.setattr(samples, "_ENOUGH", math.inf)
        check_preview(kind, filter, options)


class TestOneMessage:
    @pytest.mark.parametrize("state", STATES)
    def test_is_read_by_an_index_in_every_state(self, many, state):
        check_message(many, newest_in(state))

    @pytest.mark.parametrize("state", STATES)
    def test_has_its_neighbours_by_an_index(self, many, state):
        check(many, f"/messages/{newest_in(state)}/?state={state}")

    def test_is_read_by_an_index_with_thousands_of_children(self, many):
        check_message(many, LARGE_PARENT)

    @pytest.mark.parametrize("state", [MessageState.FAILED, MessageState.CANCEL])
    def test_is_acted_on_by_an_index(self, many, state):
        msg_id = newest_in(state)
        for query in ("", "?total=true"):
            check(many, f"/messages/{msg_id}/restart/{query}")
            check(many, f"/api/v1/messages/{msg_id}/restart-preview/{query}")

    @pytest.mark.parametrize("state", [MessageState.POSTPONED, MessageState.PARTLY_FAILED])
    def test_is_cancelled_by_an_index(self, many, state):
        check(many, f"/messages/{newest_in(state)}/cancel/")

    def test_is_compared_by_an_index(self, many):
        check(many, f"/messages/{newest_in(MessageState.FAILED)}/compare/?kind=payload&with=last-ok")


class TestAdmin:
    @pytest.mark.parametrize("path", ADMIN)
    def test_lists_read_by_an_index(self, many, path):
        check(many, HUB + path)
        link = many.get(HUB + path).context["cl"].next_link
        if link:
            check(many, f"{HUB}{path.partition('?')[0]}{link}")

    @pytest.mark.parametrize("state", [MessageState.OK, MessageState.FAILED, MessageState.POSTPONED])
    def test_a_message_is_read_by_an_index(self, many, state):
        check(many, f"{HUB}message/{newest_in(state)}/change/")

    def test_a_message_with_thousands_of_children_is_read_by_an_index(self, many):
        check(many, f"{HUB}message/{LARGE_PARENT}/change/")

    @pytest.mark.parametrize(
        "table",
        [
            "archivemessage",
            *(f"{place}{name}" for place in ("", "archive") for name in ("request", "response", "funnel")),
            *("externalcall", "archiveexternalcall"),
        ],
    )
    def test_other_rows_are_read_by_an_index(self, many, table):
        row = many.get(f"{HUB}{table}/").context["cl"].result_list[0]
        check(many, f"{HUB}{table}/{row.pk}/change/")


def check_message(client: Client, msg_id: int) -> None:
    for part in ("", "payload/", "children/", "calls/", "exchanges/"):
        check(client, f"/messages/{msg_id}/{part}")
    for part in ("", "payload/", "explain/", "timeline/", "tree/"):
        check(client, f"/api/v1/messages/{msg_id}/{part}")


@pytest.fixture(scope="module")
def ledger(many) -> int:
    """Store a job with every message and one with a tenth of them; return the id of the larger job."""
    last = MESSAGES * IDS_PER_MESSAGE
    return [store_large_ledger(last=each) for each in (last // 10, last)][1]


class TestJobs:
    @pytest.mark.parametrize(
        "query",
        [
            "",
            "outcome=done",
            "outcome=skipped",
            "outcome=failed",
            "outcome=failed:too_slow",
            f"msg_id={LARGE_PARENT}",
        ],
    )
    def test_of_many_have_their_ledger_by_an_index(self, many, ledger, query):
        address = f"/jobs/{ledger}/?{query}"
        check(many, address)
        page = many.get(address).context["ledger"].page
        if page and page.next_cursor:
            check(many, f"{address}&cursor={page.next_cursor}")
        if "msg_id" not in query:
            check(many, f"/api/v1/jobs/{ledger}/items/?{query}")

    @pytest.mark.parametrize("part", ["progress/", "since/", "ledger/?outcome=failed"])
    def test_of_many_have_their_parts_by_an_index(self, many, ledger, part):
        check(many, f"/jobs/{ledger}/{part}")

    def test_of_one_message_are_found_by_an_index(self, many, ledger):
        check(many, f"/jobs/of-message/{LARGE_PARENT}/")

    def test_that_repaired_failures_are_reported_by_an_index(self, many, ledger):
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(FAILED_NOW, {"job_id": ledger})
            found = many.get("/handover/").context["found"]
            assert [repair.job.pk for repair in found.repairs] == [ledger]
            assert {one.group.pk for one in [*found.repaired, *found.open_groups]} == {1, 2}
            assert not found.by_hand.is_whole
            for address in ("/handover/", "/failures/1/", "/failures/2/", "/jobs/of-failure-group/1/"):
                check(many, address)
            transaction.set_rollback(True)

    @pytest.mark.parametrize("query", ["", "mine=true", "kind=archive&state=failed"])
    def test_are_listed_by_an_index(self, many, ledger, query):
        check(many, f"/jobs/?{query}")
        check(many, "/archive/")
