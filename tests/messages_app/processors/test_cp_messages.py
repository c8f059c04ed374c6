import pytest
from django.db import transaction

from messages_app.cp_queue.models import CpMessage
from messages_app.message_store.errors import InvalidInput
from messages_app.message_store.services.attempt import process_message
from messages_app.processors import cp_messages
from tests.support.api_client import caller
from tests.support.stores import define, status_of, store

pytestmark = pytest.mark.django_db
RECORD = [{"id": 1, "object_id": 7, "object_type": 65_536}]


def left() -> list[tuple[str, int, int]]:
    found = CpMessage.objects.order_by("queuename", "osid")
    return list(found.values_list("queuename", "osid", "ostype"))


class TestCreateCpMessages:
    def test_creates_one_for_each_object_and_queue(self):
        define(processor=cp_messages.NAME, json_schema={})
        records = [
            {"id": 1, "object_id": 7, "object_type": 65_536},
            {"id": 2, "object_id": 7, "object_type": 65_536},
            {"id": 3, "object_id": 8, "object_type": 0},
            {"id": 4},
        ]
        process_message(store(records))
        assert left() == [("FULLTEXTIDX", 7, 65_536), ("FULLTEXTIDX", 8, 0)]

    def test_creates_them_in_all_or_some_queues_of_the_definition(self):
        define(processor="cp_queue: RENDITION ,PAGECOUNT", json_schema={})
        process_message(store(RECORD))
        assert left() == [("PAGECOUNT", 7, 65_536), ("RENDITION", 7, 65_536)]
        CpMessage.objects.all().delete()
        process_message(store(RECORD, options={"cp_queues": ["PAGECOUNT"]}))
        assert left() == [("PAGECOUNT", 7, 65_536)]

    @pytest.mark.parametrize("processor", ["cp_queue", "cp_queue:RENDITION"])
    @pytest.mark.parametrize(
        "queues", [["FULLTEXTDELETE"], ["FULLTEXTIDX", "RENDITION"], ["rendition"], ["PENTESTQ'\"<b>"], [""]]
    )
    def test_creates_none_in_a_queue_that_only_the_sender_names(self, processor, queues):
        define(processor=processor, json_schema={})
        key = store(RECORD, options={"cp_queues": queues})
        process_message(key)
        assert (status_of(key), left()) == (20, [])

    def test_lets_a_sender_over_rest_reach_no_other_queue(self):
        define(processor="cp_queue", json_schema={})
        sender = caller("operator", scopes=["store:send"])
        body = {"system": "crm", "entity": "customer", "refresh": False, "process": True, "data": RECORD}
        allowed = sender.post("message-store/", body | {"options": {"cp_queues": ["FULLTEXTIDX"]}}).json()
        refused = sender.post("message-store/", body | {"options": {"cp_queues": ["FULLTEXTDELETE"]}}).json()
        assert (allowed["status"], refused["status"]) == (10, 20)
        assert "cp_queues names a queue" in refused["error_message"]
        assert left() == [("FULLTEXTIDX", 7, 65_536)]

    @pytest.mark.parametrize("processor", ["cp_queue:", "cp_queue: , ", f"cp_queue:{'Q' * 129}"])
    def test_refuses_a_definition_with_invalid_queues(self, processor):
        with pytest.raises(InvalidInput, match="takes queue names"):
            define(processor=processor, json_schema={})

    @pytest.mark.parametrize(
        ("second", "options"),
        [
            ({"object_id": 8, "object_type": "x"}, {}),
            ({"object_id": 8, "object_type": -1}, {}),
            ({"object_id": 8, "object_type": 1}, {"cp_queues": "RENDITION"}),
            ({"object_id": 8, "object_type": 1}, {"cp_queues": ["a,b"]}),
        ],
    )
    def test_creates_none_for_a_message_if_one_is_invalid(self, second, options):
        define(processor=cp_messages.NAME, json_schema={})
        records = [{"id": 1, "object_id": 7, "object_type": 1}, {"id": 2} | second]
        key = store(records, options=options)
        process_message(key)
        assert (status_of(key), left()) == (20, [])

    def test_creates_none_if_the_records_are_not_written(self):
        define(processor=cp_messages.NAME, json_schema={})
        key = store([{"id": 1, "object_id": 7, "object_type": 1}])
        with transaction.atomic():
            process_message(key)
            assert left()
            transaction.set_rollback(True)
        assert (status_of(key), left()) == (0, [])
