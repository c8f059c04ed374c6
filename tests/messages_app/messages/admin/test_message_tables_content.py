"""Every column of the hub's tables in the admin, in lists and on pages, with a value of its own in each."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from messages_app.messages.models import ArchiveMessage
from tests.support.factories import (
    NOON,
    make_archived_message,
    make_external_call,
    make_funnel,
    make_message,
    make_request,
    make_response,
)
from tests.support.staff import HUB, lines_of_list, lines_of_page, listed_keys, related_lines, staff_client

pytestmark = pytest.mark.django_db

ID, PARENT, CHILD = 7_001, 7_000, 7_005


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


DIFFERENT = {
    "msg_id": ID,
    "correlation_id": "corr-1",
    "process_id": "process-2",
    "msg_timestamp": at(1),
    "receive_timestamp": at(2),
    "start_process_timestamp": at(3),
    "last_process_timestamp": at(4),
    "start_in_queue_timestamp": at(5),
    "service_name": "billing",
    "source_system": "ERP",
    "operation_name": "createInvoice",
    "object_id": "object-3",
    "entity_type": "invoice",
    "state": "FAILED",
    "failed_error_code": "E103",
    "failed_count": 4,
    "failed_desc": "refused",
    "business_error": "too late",
    "custom_data": "<custom/>",
    "parent_msg_id": PARENT,
    "parent_binding_type": "SOFT",
    "funnel_value": "hot",
    "funnel_component_id": "component-5",
    "guaranteed_order": True,
    "exclude_failed_state": False,
    "node_id": 6,
    "payload": "x" * 1_500,
    "envelope": "x" * 2_500,
}
CHILD_VALUES = {
    "msg_id": CHILD,
    "parent_msg_id": ID,
    "correlation_id": "corr-7",
    "receive_timestamp": at(9),
    "service_name": "orders",
    "source_system": "CRM",
    "operation_name": "createOrder",
    "state": "OK",
    "failed_error_code": "E105",
    "failed_count": 8,
}
CHILD_LINE = {
    "Msg id": f"[7005]({HUB}message/7005/change/)",
    "State": "{OK} OK",
    "Receive timestamp": "2026-11-01 12:09:00 UTC",
    "Service name": "orders",
    "Operation name": "createOrder",
    "Source system": "CRM",
    "Correlation id": "corr-7",
    "Failed error code": "E105",
    "Failed count": "8",
}


@pytest.fixture
def client() -> Client:
    return staff_client("support")


def page_of(table: str, key: int) -> str:
    return f"{HUB}{table}/{key}/change/"


def link_to(table: str, key: int) -> str:
    return f"[{key}]({page_of(table, key)})"


class TestMessages:
    def test_have_each_column_of_the_list_below_its_heading(self, client):
        make_message(**DIFFERENT)
        make_message(**CHILD_VALUES)
        assert lines_of_list(client, f"{HUB}message/") == [
            CHILD_LINE | {"Parent": link_to("message", ID)},
            {
                "Msg id": link_to("message", ID),
                "State": "{FAILED} FAILED",
                "Receive timestamp": "2026-11-01 12:02:00 UTC",
                "Service name": "billing",
                "Operation name": "createInvoice",
                "Source system": "ERP",
                "Correlation id": "corr-1",
                "Failed error code": "E103",
                "Failed count": "4",
                "Parent": link_to("message", PARENT),
            },
        ]

    def test_have_each_field_of_the_page_behind_its_label(self, client):
        make_message(**DIFFERENT)
        assert lines_of_page(client, page_of("message", ID)) == {
            "Msg id": "7001",
            "Correlation id": "corr-1",
            "Process id": "process-2",
            "Service name": "billing",
            "Source system": "ERP",
            "Object id": "object-3",
            "Entity type": "invoice",
            "Operation name": "createInvoice",
            "Msg timestamp": "2026-11-01 12:01:00 UTC",
            "Receive timestamp": "2026-11-01 12:02:00 UTC",
            "Start process timestamp": "2026-11-01 12:03:00 UTC",
            "Last process timestamp": "2026-11-01 12:04:00 UTC",
            "Start in queue timestamp": "2026-11-01 12:05:00 UTC",
            "State": "{FAILED} FAILED",
            "Failed desc": "refused",
            "Failed error code": "E103",
            "Failed count": "4",
            "Business error": "too late",
            "Node id": "6",
            "Parent": link_to("message", PARENT),
            "Funnel value": "hot",
            "Parent binding type": "SOFT",
            "Guaranteed order": "True",
            "Exclude failed state": "False",
            "Funnel component id": "component-5",
            "Payload": "[1.5 kB](/messages/7001/payload/)",
            "Envelope": "[2.5 kB](/messages/7001/envelope/)",
            "Custom data": "<custom/>",
        }

    def test_are_the_archived_ones_in_the_archive_although_a_live_one_has_the_id(self, client):
        make_message(msg_id=ID, correlation_id="live", state="NEW")
        make_archived_message(msg_id=ID, correlation_id="archived", state="OK", parent_msg_id=PARENT)
        make_message(msg_id=PARENT, correlation_id="only live")
        for table, correlation_id, state in (
            ("message", "live", "NEW"),
            ("archivemessage", "archived", "OK"),
        ):
            shown = lines_of_page(client, page_of(table, ID))
            assert shown["Correlation id"] == correlation_id, table
            assert shown["State"] == f"{{{state}}} {state}"
            for query in (f"?q={ID}", f"?q={correlation_id}"):
                (line,) = lines_of_list(client, f"{HUB}{table}/{query}")
                assert (line["Msg id"], line["Correlation id"]) == (link_to(table, ID), correlation_id)
        assert listed_keys(client, f"{HUB}archivemessage/?q={PARENT}") == []
        answer = client.get(page_of("archivemessage", PARENT))
        assert (answer.status_code, answer.url) == (302, page_of("message", PARENT))


class TestTraffic:
    @pytest.fixture
    def keys(self) -> dict[str, int]:
        """Store one row of each kind for one message, and rows of another; return the keys of the first."""
        message, other = make_message(**DIFFERENT), make_message(**CHILD_VALUES)
        call = make_external_call(
            message,
            operation_name="direct:one",
            state="FAILED",
            entity_id="entity-1",
            msg_timestamp=at(11),
            creation_timestamp=at(12),
            last_update_timestamp=at(13),
            failed_count=9,
        )
        request = make_request(
            message,
            uri="http://one.example/ws",
            req_envelope="12345",
            res_join_id="join-1",
            req_timestamp=at(14),
        )
        response = make_response(
            request, res_envelope="1234567", res_timestamp=at(15), failed=True, failed_reason="broken"
        )
        funnel = make_funnel(message, funnel_value="hot")
        make_external_call(other)
        make_response(make_request(other))
        make_funnel(other, funnel_value="cold")
        return {
            "externalcall": call.pk,
            "request": request.pk,
            "response": response.pk,
            "funnel": funnel.pk,
        }

    def test_of_a_message_is_on_its_page(self, client, keys):
        assert related_lines(client, page_of("message", ID)) == {
            "Children": [CHILD_LINE],
            "External calls": [
                {
                    "Call id": link_to("externalcall", keys["externalcall"]),
                    "State": "{FAILED} FAILED",
                    "Operation name": "direct:one",
                    "Entity id": "entity-1",
                    "Last update timestamp": "2026-11-01 12:13:00 UTC",
                }
            ],
            "Requests": [
                {
                    "Req id": link_to("request", keys["request"]),
                    "Uri": "http://one.example/ws",
                    "Req timestamp": "2026-11-01 12:14:00 UTC",
                    "Req envelope": f"[5 B](/messages/7001/requests/{keys['request']}/)",
                }
            ],
            "Responses": [
                {
                    "Res id": link_to("response", keys["response"]),
                    "Request": link_to("request", keys["request"]),
                    "Res timestamp": "2026-11-01 12:15:00 UTC",
                    "Failed": "True",
                    "Res envelope": f"[7 B](/messages/7001/responses/{keys['response']}/)",
                }
            ],
            "Funnel values": [{"Funnel id": link_to("funnel", keys["funnel"]), "Funnel value": "hot"}],
        }
        assert related_lines(client, page_of("request", keys["request"])) == {
            "Responses": [
                {
                    "Res id": link_to("response", keys["response"]),
                    "Message": link_to("message", ID),
                    "Res timestamp": "2026-11-01 12:15:00 UTC",
                    "Failed": "True",
                    "Res envelope": f"[7 B](/messages/7001/responses/{keys['response']}/)",
                }
            ]
        }

    def test_has_each_column_of_the_lists_below_its_heading(self, client, keys):
        shown = {name: lines_of_list(client, f"{HUB}{name}/?q={keys[name]}") for name in keys}
        assert shown == {
            "externalcall": [
                {
                    "Call id": link_to("externalcall", keys["externalcall"]),
                    "State": "{FAILED} FAILED",
                    "Message": link_to("message", ID),
                    "Operation name": "direct:one",
                    "Entity id": "entity-1",
                    "Last update timestamp": "2026-11-01 12:13:00 UTC",
                }
            ],
            "request": [
                {
                    "Req id": link_to("request", keys["request"]),
                    "Message": link_to("message", ID),
                    "Uri": "http://one.example/ws",
                    "Req timestamp": "2026-11-01 12:14:00 UTC",
                    "Req envelope": f"[5 B](/messages/7001/requests/{keys['request']}/)",
                }
            ],
            "response": [
                {
                    "Res id": link_to("response", keys["response"]),
                    "Request": link_to("request", keys["request"]),
                    "Message": link_to("message", ID),
                    "Res timestamp": "2026-11-01 12:15:00 UTC",
                    "Failed": "True",
                    "Res envelope": f"[7 B](/messages/7001/responses/{keys['response']}/)",
                }
            ],
            "funnel": [
                {
                    "Funnel id": link_to("funnel", keys["funnel"]),
                    "Message": link_to("message", ID),
                    "Funnel value": "hot",
                }
            ],
        }

    def test_has_each_field_of_the_pages_behind_its_label(self, client, keys):
        assert {name: lines_of_page(client, page_of(name, keys[name])) for name in keys} == {
            "externalcall": {
                "Call id": str(keys["externalcall"]),
                "Message": link_to("message", ID),
                "Operation name": "direct:one",
                "State": "{FAILED} FAILED",
                "Entity id": "entity-1",
                "Msg timestamp": "2026-11-01 12:11:00 UTC",
                "Creation timestamp": "2026-11-01 12:12:00 UTC",
                "Last update timestamp": "2026-11-01 12:13:00 UTC",
                "Failed count": "9",
            },
            "request": {
                "Req id": str(keys["request"]),
                "Message": link_to("message", ID),
                "Res join id": "join-1",
                "Uri": "http://one.example/ws",
                "Req timestamp": "2026-11-01 12:14:00 UTC",
                "Req envelope": f"[5 B](/messages/7001/requests/{keys['request']}/)",
            },
            "response": {
                "Res id": str(keys["response"]),
                "Request": link_to("request", keys["request"]),
                "Message": link_to("message", ID),
                "Res timestamp": "2026-11-01 12:15:00 UTC",
                "Failed": "True",
                "Failed reason": "broken",
                "Res envelope": f"[7 B](/messages/7001/responses/{keys['response']}/)",
            },
            "funnel": {
                "Funnel id": str(keys["funnel"]),
                "Message": link_to("message", ID),
                "Funnel value": "hot",
            },
        }


def test_archived_messages_link_to_the_archive(client):
    make_archived_message(**DIFFERENT)
    make_archived_message(**CHILD_VALUES)
    assert ArchiveMessage.objects.count() == 2
    (child, _) = lines_of_list(client, f"{HUB}archivemessage/")
    assert (child["Msg id"], child["Parent"]) == (
        link_to("archivemessage", CHILD),
        link_to("archivemessage", ID),
    )
    children = related_lines(client, page_of("archivemessage", ID))["Children"]
    assert children == [CHILD_LINE | {"Msg id": link_to("archivemessage", CHILD)}]


@pytest.mark.parametrize(
    ("make_parent", "table"), [(make_message, "message"), (make_archived_message, "archivemessage")]
)
def test_children_link_to_the_table_that_has_them(client, make_parent, table):
    make_parent(msg_id=ID)
    make_message(**CHILD_VALUES | {"msg_id": 7_006})
    make_archived_message(**CHILD_VALUES)
    assert related_lines(client, page_of(table, ID))["Children"] == [
        CHILD_LINE | {"Msg id": link_to("archivemessage", CHILD)},
        CHILD_LINE | {"Msg id": link_to("message", 7_006)},
    ]
