"""
Every query of every page and call about messages, on 240 000 of them: each is read by an index.

The pages are asked as a reader asks them; whatever they send to the database is then planned and run again
with EXPLAIN ANALYZE. Rows are shaped as in a hub, see benchmarks/filling.py.
"""

import html
import re
from collections.abc import Iterator
from itertools import product

import pytest
from django.db import connection, transaction
from django.test import Client

from messages_app.messages.models import Message
from messages_app.shared.message_states import MessageAction, MessageState
from messages_app.shared.state_changes import change_states
from tests.support.many_messages import LARGE_PARENT, check, many_messages, queries_of
from tests.support.parameters import quick_first
from tests.support.plans import faults_of, pages_read_in
from tests.support.staff import HUB

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("small_steps")]

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
    "incident=1",
    "incident=1&state=FAILED",
    "archived=true",
    "archived=true&correlation_id=corr-70a",
    "archived=true&service_name=legacy",
    "archived=true&operation_name=nowhere",
    "archived=any&state=FAILED",
    "archived=any&object_id=obj-70",
    "service_name=legacy&service_name=billing",
    "service_name_not=billing&state=FAILED",
    "state_not=OK",
    "failed_error_code=E103&failed_error_code=E100&state=FAILED,POSTPONED",
    "external_system=pay.example",
    "external_system=pay.example&state=FAILED",
    "external_system_not=pay.example",
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
# Sizes of a change, with whether a job makes it, and whether it names the former states.
QUICK_CHANGES = {(1, False, True), (500, True, False), (5_000, True, True)}
IDS = ("corr-77", "proc-77", "obj-77", "CRM_corr-80", "80", "82", "83", "no-such-id")


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker) -> Iterator[Client]:
    with many_messages(django_db_blocker) as client:
        yield client


def newest_in(state: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(msg_id) FROM message WHERE state = %s", [state])
        return cursor.fetchone()[0]


class TestLists:
    @pytest.mark.parametrize("query", LISTS)
    def test_read_by_an_index(self, many, query):
        check(many, f"/messages/?{query}")
        page = many.get(f"/messages/?{query}").content.decode()
        for address in re.findall(r'data-live="([^"]+)"', page):
            check(many, html.unescape(address))
        check(many, f"/api/v1/messages/?{query}")
        check(many, f"/api/v1/messages/count/?{query}")
        check(many, f"/messages/facets/?{query}")
        check(many, f"/messages/excluding/?{query}")

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


class TestStateChanges:
    """A chunk is 5 000 messages that are far apart."""

    # Each value of each parameter in each run.
    @pytest.mark.parametrize(
        ("size", "of_job", "is_expected"),
        quick_first(
            sorted(
                (pytest.param(*each) for each in product([1, 500, 5_000], [True, False], [True, False])),
                key=lambda each: each.values not in QUICK_CHANGES,
            ),
            quick=len(QUICK_CHANGES),
        ),
    )
    @pytest.mark.parametrize("action", MessageAction)
    def test_reads_each_message_by_its_id(self, many, of_job, size, is_expected, action):
        messages = Message.objects.values_list("pk", "state")
        rows = list(messages.exclude(state="OK").order_by("-pk")[: size // 2 + 1])
        rows += messages.filter(state="OK").order_by("pk")[: (size - len(rows)) * 40 : 40]
        sent = []

        def keep_statement(execute, sql, params, many, context):
            sent.append((sql, params))
            return execute(sql, params, many, context)

        expected = {pk: state if is_expected else None for pk, state in rows}
        allowed = {"FAILED", "CANCEL", "PARTLY_FAILED", "POSTPONED", "OK"}
        with connection.execute_wrapper(keep_statement), transaction.atomic(), connection.cursor() as cursor:
            changed = change_states(
                cursor, action, expected, allowed=allowed, new_state="NEW", zone=None, of_job=of_job
            )
            transaction.set_rollback(True)
        assert len(changed) >= size * 0.8
        ((sql, params),) = [each for each in sent if "UPDATE message" in each[0]]
        assert faults_of(sql, params, most_rows=2 * size + 10) == []


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
    for part in ("", "preview/", "payload/", "children/", "calls/", "exchanges/", "neighbours/"):
        check(client, f"/messages/{msg_id}/{part}")
    for part in ("", "payload/", "explain/", "timeline/", "tree/"):
        check(client, f"/api/v1/messages/{msg_id}/{part}")
