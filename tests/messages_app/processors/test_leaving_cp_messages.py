import pytest
from django.db import transaction

from messages_app.cp_queue.models import CpMessage
from messages_app.message_store import services
from messages_app.processors import leaving_cp_messages
from tests.stores import define, status_of, store

pytestmark = pytest.mark.django_db


def left() -> list[tuple[str, int, int]]:
    found = CpMessage.objects.order_by("queuename", "osid")
    return list(found.values_list("queuename", "osid", "ostype"))


class TestLeaveCpMessages:
    def test_leaves_one_for_each_object_of_the_records_and_queue(self):
        define(processor=leaving_cp_messages.NAME, json_schema={})
        records = [
            {"id": 1, "object_id": 7, "object_type": 65_536},
            {"id": 2, "object_id": 7, "object_type": 65_536},
            {"id": 3, "object_id": 8, "object_type": 0},
            {"id": 4},
        ]
        services.process_message(store(records))
        assert left() == [("FULLTEXTIDX", 7, 65_536), ("FULLTEXTIDX", 8, 0)]
        CpMessage.objects.all().delete()
        asked = store(records[:1], options={"cp_queues": ["RENDITION", "PAGECOUNT"]})
        services.process_message(asked)
        assert left() == [("PAGECOUNT", 7, 65_536), ("RENDITION", 7, 65_536)]

    @pytest.mark.parametrize(
        ("second", "options"),
        [
            ({"object_id": 8, "object_type": "x"}, {}),
            ({"object_id": 8, "object_type": -1}, {}),
            ({"object_id": 8, "object_type": 1}, {"cp_queues": "RENDITION"}),
            ({"object_id": 8, "object_type": 1}, {"cp_queues": ["a,b"]}),
        ],
    )
    def test_leaves_none_of_a_message_when_one_cannot_be(self, second, options):
        define(processor=leaving_cp_messages.NAME, json_schema={})
        records = [{"id": 1, "object_id": 7, "object_type": 1}, {"id": 2} | second]
        key = store(records, options=options)
        services.process_message(key)
        assert (status_of(key), left()) == (20, [])

    def test_leaves_none_when_the_records_are_not_written(self):
        define(processor=leaving_cp_messages.NAME, json_schema={})
        key = store([{"id": 1, "object_id": 7, "object_type": 1}])
        with transaction.atomic():
            services.process_message(key)
            assert left()
            transaction.set_rollback(True)
        assert (status_of(key), left()) == (0, [])
