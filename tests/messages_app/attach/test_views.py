"""Lists, families and explanations of an attached hub agree with SQL on the hub's own tables."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.http import QueryDict
from django.test import Client

from messages_app.messages.failures.grouping import group_new_failures
from messages_app.messages.failures.models import FailureGroup
from messages_app.messages.filters import message_filter
from messages_app.messages.filters.vocabulary import VOCABULARY
from messages_app.messages.listing.histogram import make_histogram
from messages_app.messages.models import Message
from tests.support.attached import ZONE, AttachedHub, attached_hub
from tests.support.factories import make_user
from tests.support.hubs import LAYOUTS
from tests.support.page_client import show_values
from tests.support.parameters import quick_first

DAYS = "receive_timestamp_from=2024-07-01T00:00Z&receive_timestamp_to=2024-07-03T00:00Z"
# For each filter of the list, the condition on the hub's own table.
FILTERS = {
    "state=FAILED": "state = 'FAILED'",
    "state=FAILED&state=OK": "state IN ('FAILED', 'OK')",
    "state_not=FAILED,OK": "state NOT IN ('FAILED', 'OK')",
    "service_name_not=CUSTOMER": "service <> 'CUSTOMER'",
    "source_system_not=CRM": "source_system <> 'CRM'",
    "operation_name_not=setCustomer": "operation_name <> 'setCustomer'",
    "failed_error_code_not=E106": "failed_error_code IS DISTINCT FROM 'E106'",
    "service_name=CUSTOMER": "service = 'CUSTOMER'",
    "source_system=CRM": "source_system = 'CRM'",
    "operation_name=setCustomer": "operation_name = 'setCustomer'",
    "correlation_id=correlation-3": "correlation_id = 'correlation-3'",
    "process_id=process-3": "process_id = 'process-3'",
    "object_id=object-4": "object_id = 'object-4'",
    "entity_type=ACCOUNT": "entity_type = 'ACCOUNT'",
    "failed_error_code=E106": "failed_error_code = 'E106'",
    "funnel_component_id=component-1": "funnel_component_id = 'component-1'",
    "msg_id=4&msg_id=5": "msg_id IN (4, 5)",
    "parent_msg_id=7": "parent_msg_id = 7",
    "family=roots": "parent_msg_id IS NULL",
    "family=failed": "msg_id IN (SELECT parent_msg_id FROM {hub}.message WHERE state ~ 'FAILED')",
    "receive_timestamp_from=2024-07-01T14:00Z": "receive_timestamp >= '2024-07-01 16:00'",
    "receive_timestamp_to=2024-07-01T14:00Z": "receive_timestamp <= '2024-07-01 16:00'",
    "msg_timestamp_from=2024-07-01T14:00Z": "msg_timestamp >= '2024-07-01 16:00'",
    "msg_timestamp_to=2024-07-01T14:00Z": "msg_timestamp <= '2024-07-01 16:00'",
    "last_process_timestamp_from=2024-07-01T14:00Z": "last_update_timestamp >= '2024-07-01 16:00'",
    "last_process_timestamp_to=2024-07-01T14:00Z": "last_update_timestamp <= '2024-07-01 16:00'",
    "archived=false": "true",
    f"payload_contains=customer&{DAYS}": "payload LIKE '%%customer%%'",
}

# For each key of the query line, a term and the same.
LINES = {
    "state:failed": FILTERS["state=FAILED"],
    "state:FAILED,OK": FILTERS["state=FAILED&state=OK"],
    "-state:failed,ok": FILTERS["state_not=FAILED,OK"],
    "-service:CUSTOMER": FILTERS["service_name_not=CUSTOMER"],
    "-source:CRM": FILTERS["source_system_not=CRM"],
    "-operation:setCustomer": FILTERS["operation_name_not=setCustomer"],
    "-error:E106": FILTERS["failed_error_code_not=E106"],
    "source:CRM": FILTERS["source_system=CRM"],
    "service:CUSTOMER": FILTERS["service_name=CUSTOMER"],
    "operation:setCustomer": FILTERS["operation_name=setCustomer"],
    "correlation:correlation-3": FILTERS["correlation_id=correlation-3"],
    "process:process-3": FILTERS["process_id=process-3"],
    "object:object-4": FILTERS["object_id=object-4"],
    "entity:ACCOUNT": FILTERS["entity_type=ACCOUNT"],
    "component:component-1": FILTERS["funnel_component_id=component-1"],
    "error:E106": FILTERS["failed_error_code=E106"],
    "id:4,5": FILTERS["msg_id=4&msg_id=5"],
    "parent:7": FILTERS["parent_msg_id=7"],
    "family:roots": FILTERS["family=roots"],
    "sent:>=2024-07-01T14:00Z": FILTERS["msg_timestamp_from=2024-07-01T14:00Z"],
    "received:>=2024-07-01T14:00Z": FILTERS["receive_timestamp_from=2024-07-01T14:00Z"],
    "processed:>=2024-07-01T14:00Z": FILTERS["last_process_timestamp_from=2024-07-01T14:00Z"],
    '"customer" received:2024-07-01..2024-07-02': FILTERS[f"payload_contains=customer&{DAYS}"],
    "payload:customer received:2024-07-01..2024-07-02": FILTERS[f"payload_contains=customer&{DAYS}"],
}
# Compared by tests of their own: a table of the release, the archive, and groups of the console.
OF_OTHER_TABLES = {
    "archived",
    "external_system",
    "external_system_not",
    "failure_group",
    "funnel_value",
    "incident",
}
ARCHIVED = 900
IN_ARCHIVE = f"""
INSERT INTO {{archive}}.archive_message
SELECT (jsonb_populate_record(NULL::{{archive}}.archive_message,
                              to_jsonb(m) || '{{"msg_id": {ARCHIVED}, "correlation_id": "archived"}}')).*
  FROM {{hub}}.message AS m WHERE msg_id = 2
"""
# So that a filter that leaves out a value leaves a message.
OF_ANOTHER_SERVICE = """
UPDATE {hub}.message SET source_system = 'ERP', service = 'INVOICE', operation_name = 'getInvoice'
 WHERE msg_id = 3
"""
# The layouts whose tables differ most are first.
PARAMS = quick_first(dict.fromkeys(("OpenHub 2.3", "CleverBus 1.1", "CleverBus 2.0", *LAYOUTS)))


@pytest.fixture(scope="module", params=PARAMS)
def hub(request, django_db_setup, django_db_blocker) -> Iterator[AttachedHub]:
    with django_db_blocker.unblock(), attached_hub(request.param, "--create-triggers") as attached:
        if archive := LAYOUTS[request.param].archive:
            attached.run(IN_ARCHIVE.replace("{archive}", archive))
        for state in ("PROCESSING", "FAILED"):
            attached.run("UPDATE {hub}.message SET state = %s WHERE msg_id = 4", state)
        attached.run(OF_ANOTHER_SERVICE)
        group_new_failures()
        yield attached


@pytest.fixture(scope="module")
def admin(hub: AttachedHub) -> Client:
    client = Client()
    client.force_login(make_user(username="admin", is_superuser=True))
    show_values(client)
    return client


def listed(admin: Client, query: str) -> list[int]:
    answer = admin.get(f"/api/v1/messages/?{query}")
    assert answer.status_code == 200, answer.content
    return sorted(message["msg_id"] for message in answer.json()["results"])


def of_hub(hub: AttachedHub, condition: str) -> list[int]:
    rows = hub.run(f"SELECT msg_id FROM {{hub}}.message WHERE {condition} ORDER BY msg_id")
    return [msg_id for (msg_id,) in rows]


@pytest.mark.parametrize("query", FILTERS)
def test_a_filter_of_the_list_finds_the_rows_of_the_hub(hub: AttachedHub, admin: Client, query: str):
    expected = of_hub(hub, FILTERS[query])
    assert expected
    assert listed(admin, query) == expected


def test_a_funnel_value_is_that_of_the_release(hub: AttachedHub, admin: Client):
    condition = "funnel_value = 'value-2'"
    if hub.layout.startswith("CleverBus 2"):
        condition += " OR msg_id IN (SELECT msg_id FROM {hub}.funnel WHERE funnel_value = 'value-2')"
    assert listed(admin, "funnel_value=value-2") == of_hub(hub, condition)


def test_the_archive_is_that_of_the_hub(hub: AttachedHub, admin: Client):
    archived = [ARCHIVED] if LAYOUTS[hub.layout].archive else []
    assert listed(admin, "archived=true") == archived
    assert listed(admin, "archived=any") == of_hub(hub, "true") + archived


def test_a_failure_group_has_the_message_that_failed(hub: AttachedHub, admin: Client):
    group_id = FailureGroup.objects.get().pk
    assert listed(admin, f"failure_group={group_id}") == [4]
    assert listed(admin, "incident=777") == []


@pytest.mark.parametrize("line", LINES)
def test_a_term_of_the_query_line_finds_the_rows_of_the_hub(hub: AttachedHub, admin: Client, line: str):
    page = admin.get("/messages/", {"q": line}, follow=True)
    assert page.status_code == 200
    shown = {int(msg_id) for msg_id in re.findall(r'name="msg_id" value="(\d+)"', page.content.decode())}
    assert sorted(shown) == of_hub(hub, LINES[line]) != []


def test_every_filter_and_key_is_compared():
    compared = {name for query in FILTERS for name in QueryDict(query)}
    assert set(message_filter.FILTERS) - compared == {
        "external_system",
        "external_system_not",
        "failure_group",
        "funnel_value",
        "incident",
    }
    keys = {term.partition(":")[0] for line in LINES for term in line.split()}
    assert set(VOCABULARY.short_keys) - keys == {VOCABULARY.key_of(name) for name in OF_OTHER_TABLES}


def test_columns_and_times_are_those_of_the_hub(hub: AttachedHub):
    differing = hub.run(
        "SELECT m.msg_id FROM message AS m JOIN {hub}.message AS base USING (msg_id)"
        " WHERE m.service_name <> base.service OR m.state <> base.state OR m.payload <> base.payload"
        f"    OR timezone('{ZONE}', m.receive_timestamp) <> base.receive_timestamp"
        f"    OR timezone('{ZONE}', m.last_process_timestamp) <> base.last_update_timestamp"
    )
    assert differing == []
    assert Message.objects.count() == len(of_hub(hub, "true"))


def test_every_message_is_explained_and_in_its_family(hub: AttachedHub, admin: Client):
    for msg_id in of_hub(hub, "true"):
        explained = admin.get(f"/api/v1/messages/{msg_id}/explain/")
        assert explained.status_code == 200
        assert explained.json()["summary"]
    tree = admin.get("/api/v1/messages/9/tree/").json()
    assert tree["root"] == 7
    assert [node["msg_id"] for node in tree["nodes"]] == [7, 9, 10]


def test_the_histogram_counts_every_message_once(hub: AttachedHub):
    drawn = make_histogram(message_filter.parse_message_filter(QueryDict(DAYS), user=None))
    found = Counter()
    for (_, state), count in drawn.counts.items():
        found[state] += count
    assert found == dict(hub.run("SELECT state, count(*) FROM {hub}.message GROUP BY 1"))
