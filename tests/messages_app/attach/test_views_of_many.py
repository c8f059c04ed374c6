"""
Lists, families, explanations and the histogram of an attached hub with 430 000 messages agree with SQL, and
whatever they send to the database is read by an index of the console.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.http import QueryDict
from django.test import Client

from messages_app.messages.filters import message_filter
from messages_app.messages.listing.histogram import make_histogram
from tests.messages_app.messages.test_plans import check_message
from tests.support.attached import AttachedHub, attached_hub
from tests.support.factories import make_user
from tests.support.many_messages import check
from tests.support.page_client import show_values

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_steps")]

MESSAGES = 430_000
LARGE_PARENT = MESSAGES // 2 * 10
PAGE = 200
START = datetime.now(UTC).replace(microsecond=0) - timedelta(days=20)
END = START + timedelta(hours=3)
RANGE = f"BETWEEN timezone('Europe/Prague', '{START}') AND timezone('Europe/Prague', '{END}')"


def within(column: str) -> str:
    return f"{column}_from={START:%Y-%m-%dT%H:%M:%SZ}&{column}_to={END:%Y-%m-%dT%H:%M:%SZ}"


# For each filter of the list, the condition on the hub's own table.
FILTERS = {
    "": "true",
    "state=FAILED": "state = 'FAILED'",
    "state=FAILED,POSTPONED,WAITING": "state IN ('FAILED', 'POSTPONED', 'WAITING')",
    "service_name=legacy": "service = 'legacy'",
    "source_system=CRM&state=FAILED": "source_system = 'CRM' AND state = 'FAILED'",
    "correlation_id=corr-77": "correlation_id = 'corr-77'",
    "process_id=proc-77": "process_id = 'proc-77'",
    "object_id=obj-77": "object_id = 'obj-77'",
    "entity_type=ORDER": "entity_type = 'ORDER'",
    "operation_name=legacyOp3": "operation_name = 'legacyOp3'",
    "funnel_component_id=funnel_0": "funnel_component_id = 'funnel_0'",
    "failed_error_code=E103": "failed_error_code = 'E103'",
    "msg_id=7770,7780": "msg_id IN (7770, 7780)",
    f"parent_msg_id={LARGE_PARENT}": f"parent_msg_id = {LARGE_PARENT}",
    "family=roots": "parent_msg_id IS NULL",
    "family=failed": "msg_id IN (SELECT parent_msg_id FROM {hub}.message WHERE state ~ 'FAILED')",
    within("receive_timestamp"): f"receive_timestamp {RANGE}",
    within("msg_timestamp"): f"msg_timestamp {RANGE}",
    within("last_process_timestamp"): f"last_update_timestamp {RANGE}",
    f"payload_contains=C77&{within('receive_timestamp')}": f"payload ~ 'C77' AND receive_timestamp {RANGE}",
}


@pytest.fixture(scope="module", params=["CleverBus 2.0", "OpenHub 2.3"])
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    options = ("--create-triggers", "--create-indexes")
    with (
        django_db_blocker.unblock(),
        attached_hub(request.param, *options, messages=MESSAGES) as attached,
    ):
        yield attached


@pytest.fixture(scope="module")
def admin(hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    show_values(client)
    return client


def ids(hub: AttachedHub, condition: str, *, most: int) -> list[int]:
    found = hub.run(f"SELECT msg_id FROM {{hub}}.message WHERE {condition} ORDER BY msg_id DESC LIMIT {most}")
    return [msg_id for (msg_id,) in found]


def answer(admin: Client, address: str) -> dict:
    response = admin.get(f"/api/v1/messages/{address}")
    assert response.status_code == 200, response.content
    return response.json()


class TestLists:
    @pytest.mark.parametrize("query", FILTERS)
    def test_a_filter_finds_the_rows_of_the_hub(self, hub: AttachedHub, admin: Client, query: str):
        expected = ids(hub, FILTERS[query], most=PAGE)
        assert expected
        listed = answer(admin, f"?{query}&ordering=-msg_id&page_size={PAGE}".replace("?&", "?"))["results"]
        assert [message["msg_id"] for message in listed] == expected

    @pytest.mark.parametrize("query", FILTERS)
    def test_is_read_by_an_index(self, hub: AttachedHub, admin: Client, query: str):
        check(admin, f"/messages/?{query}")
        check(admin, f"/api/v1/messages/?{query}")
        check(admin, f"/messages/histogram/?{query}")
        check(admin, f"/api/v1/messages/?{query}&ordering=-last_process_timestamp".replace("?&", "?"))

    @pytest.mark.parametrize("value", ["hot", "fv-77", "old-40"])
    def test_a_funnel_value_is_that_of_the_release(self, hub: AttachedHub, admin: Client, value: str):
        condition = f"funnel_value = '{value}'"
        if hub.layout.startswith("CleverBus 2"):
            holders = f"SELECT msg_id FROM {{hub}}.funnel WHERE funnel_value = '{value}'"
            condition = f"({condition} OR msg_id IN ({holders}))"
        listed = answer(admin, f"?funnel_value={value}&ordering=-msg_id&page_size={PAGE}")["results"]
        assert [message["msg_id"] for message in listed] == ids(hub, condition, most=PAGE)
        check(admin, f"/messages/?funnel_value={value}")

    def test_the_histogram_counts_every_message_of_a_range_once(self, hub: AttachedHub):
        drawn = make_histogram(
            message_filter.parse_message_filter(QueryDict(within("receive_timestamp")), user=None)
        )
        found = Counter()
        for (_, state), count in drawn.counts.items():
            found[state] += count
        expected = hub.run(
            f"SELECT state, count(*) FROM {{hub}}.message WHERE receive_timestamp {RANGE} GROUP BY 1"
        )
        assert drawn.sampled == 1
        assert found == dict(expected)
        assert found.total() > 800


class TestFamilies:
    @pytest.mark.parametrize("parent", [1000, 200_000, LARGE_PARENT])
    def test_has_the_children_of_the_hub(self, hub: AttachedHub, admin: Client, parent: int):
        children = ids(hub, f"parent_msg_id = {parent}", most=MESSAGES)
        tree = answer(admin, f"{children[0]}/tree/")
        grandchildren = hub.run(
            "SELECT g.msg_id FROM {hub}.message AS g JOIN {hub}.message AS c ON g.parent_msg_id = c.msg_id"
            " WHERE c.parent_msg_id = %s",
            parent,
        )
        expected = {parent, *children, *(msg_id for (msg_id,) in grandchildren)}
        assert tree["root"] == parent
        assert {node["msg_id"] for node in tree["nodes"]} == expected


class TestExplanations:
    def test_a_failed_parent_names_its_failed_children(self, hub: AttachedHub, admin: Client):
        rows = hub.run(
            "SELECT parent.msg_id, array_agg(child.msg_id ORDER BY child.msg_id)"
            "  FROM {hub}.message AS parent"
            "  JOIN {hub}.message AS child ON child.parent_msg_id = parent.msg_id"
            " WHERE parent.state = 'FAILED' AND child.state = 'FAILED' AND child.parent_binding_type = 'HARD'"
            " GROUP BY 1 ORDER BY 1 DESC LIMIT 20"
        )
        assert len(rows) == 20
        for parent, children in rows:
            # The hub copies the error of a child, by which the explanation recognizes it.
            copied = (
                "UPDATE {hub}.message AS child SET failed_error_code = parent.failed_error_code"
                "  FROM {hub}.message AS parent WHERE parent.msg_id = %s AND child.msg_id = %s"
            )
            hub.run(copied, parent, children[0])
            explained = answer(admin, f"{parent}/explain/")
            assert explained["reason"] == "failed_by_child"
            assert explained["blocked_by"] == children[:1]

    @pytest.mark.parametrize(
        "state", ["OK", "FAILED", "CANCEL", "POSTPONED", "PARTLY_FAILED", "PROCESSING", "WAITING"]
    )
    def test_every_state_is_explained_by_an_index(self, hub: AttachedHub, admin: Client, state: str):
        (newest,) = ids(hub, f"state = '{state}'", most=1)
        assert answer(admin, f"{newest}/explain/")["summary"]
        check_message(admin, newest)


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/handover/",
        "/map/",
        "/funnels/",
        "/funnels/?value=hot",
        "/messages/suggest/?q=service:b&at=9",
        "/messages/find/part/?id=corr-77",
        "/messages/find/part/?id=CRM_corr-800",
        "/api/v1/external-calls/?state=FAILED",
        "/api/v1/external-calls/?operation_name=direct:target1",
        "/api/v1/requests/",
        "/api/v1/responses/?failed=true",
        "/api/v1/funnels/",
        "/api/v1/stats/",
    ],
)
def test_other_pages_are_read_by_an_index(hub: AttachedHub, admin: Client, address: str):
    check(admin, address)
