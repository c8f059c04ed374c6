import pytest

from messages_app.cp_queue.selectors.throughput import object_types
from tests.support.queues import store

pytestmark = pytest.mark.django_db


class TestObjectTypes:
    def test_count_the_messages_of_a_queue_the_most_first(self):
        for number in range(3):
            store(f"A{number}", osid=number, ostype=131_073)
        store("B", osid=9, lock="W1")
        store("C", "PAGECOUNT")
        found = [
            (one.main_type, one.sub_type, one.messages, one.reserved) for one in object_types("RENDITION")
        ]
        assert found == [(2, 1, 3, 0), (1, 0, 1, 1)]
