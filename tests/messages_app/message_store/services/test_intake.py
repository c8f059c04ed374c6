"""Storing several messages by one statement."""

from functools import partial

import pytest

from messages_app.audit.models import AuditEntry
from messages_app.message_store.models import MessageStore
from messages_app.message_store.services.intake import NewMessage, store_message, store_messages
from tests.support.stores import ADA, execute, status_of
from tests.support.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

IDS = [f"123e4567-e89b-12d3-a456-4266141740{number:02}" for number in range(30)]


def message(identifier: str, data: str = "[]", **more: object) -> NewMessage:
    return NewMessage(identifier=identifier, system="crm", entity="customer", data=data, **more)


@pytest.fixture
def slow_inserts():
    """Let each row take 10 ms, so that simultaneous statements meet."""
    execute(
        "CREATE FUNCTION insert_slowly() RETURNS trigger LANGUAGE plpgsql"
        " AS 'BEGIN PERFORM pg_sleep(0.01); RETURN NEW; END';"
        "CREATE TRIGGER slow BEFORE INSERT ON message_store FOR EACH ROW EXECUTE FUNCTION insert_slowly()"
    )
    yield
    execute("DROP FUNCTION insert_slowly CASCADE")


class TestStoreMessages:
    def test_stores_them_in_order_with_status_0(self):
        asked = [message(one) for one in reversed(IDS)]
        stored = store_messages(asked, actor=ADA)
        assert [(one.identifier, one.is_dropped) for one in stored] == [(one, False) for one in reversed(IDS)]
        by_time = MessageStore.objects.order_by("message_timestamp").values_list("pk", "message_timestamp")
        assert [identifier for identifier, _ in by_time] == list(reversed(IDS))
        assert len({time for _, time in by_time}) == len(IDS)
        assert {status_of(one) for one in IDS} == {0}

    def test_drops_what_exists_and_what_came_before_in_the_same_call(self):
        store_message(message(IDS[0]), actor=ADA)
        asked = [message(IDS[1]), message(IDS[0]), message(IDS[1], "[7]"), message(IDS[2])]
        stored = store_messages(asked, actor=ADA)
        assert [(one.is_dropped, one.is_same) for one in stored] == [
            (False, False),
            (True, True),
            (True, False),
            (False, False),
        ]
        assert MessageStore.objects.get(pk=IDS[1]).data == "[]"
        entries = AuditEntry.objects.filter(action="store_message").order_by("pk")
        assert [entry.subject for entry in entries] == IDS[:2]

    def test_stores_each_once_for_simultaneous_callers_in_any_order(self, slow_inserts):
        asked = [message(one) for one in IDS[:8]]
        calls = [partial(store_messages, asked[::step], actor=ADA) for step in (1, -1)]
        answers = [one for stored in in_threads(*calls) for one in stored]
        assert sum(not one.is_dropped for one in answers) == 8
        assert all(one.is_same for one in answers if one.is_dropped)

    def test_stores_large_data_by_several_statements(self):
        asked = [message(one, f'["{"x" * 600_000}"]') for one in IDS[:3]]
        assert [one.is_dropped for one in store_messages(asked, actor=ADA)] == [False] * 3
        assert MessageStore.objects.count() == 3
