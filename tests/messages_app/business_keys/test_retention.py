import pytest
from django.db import connection

from messages_app.business_keys.models import BusinessKey, KeyPass
from messages_app.business_keys.passes import extract_new_keys
from messages_app.business_keys.retention import forget_lost_keys
from messages_app.messages.models import Message
from tests.messages_app.erasure.test_sql_messages import make_cold_message
from tests.support.factories import NOON, make_archived_message, make_message, next_id
from tests.support.plans import faults_in, reads_of

pytestmark = pytest.mark.django_db


def give_key(msg_id: int, value: str) -> None:
    BusinessKey.objects.create(definition_id=1, value=value, msg_id=msg_id, receive_timestamp=NOON)


def values() -> set[str]:
    return set(BusinessKey.objects.values_list("value", flat=True))


@pytest.fixture(autouse=True)
def started() -> None:
    extract_new_keys()


class TestForgetLostKeys:
    def test_deletes_the_values_of_messages_that_are_nowhere_and_no_others(self):
        cold_id = next_id()
        make_cold_message(cold_id, state="OK")
        for msg_id, value in (
            (make_message().pk, "live"),
            (make_archived_message().pk, "archived"),
            (cold_id, "cold"),
            (lost := next_id(), "lost"),
            (lost, "also lost"),
        ):
            give_key(msg_id, value)
        assert forget_lost_keys() == 2
        assert values() == {"live", "archived", "cold"}

    def test_continues_where_it_stopped_and_begins_again_after_the_last_message(self):
        first, second, third = (make_message().pk for _ in range(3))
        for msg_id in (first, second, third):
            give_key(msg_id, str(msg_id))
        Message.objects.filter(pk=third).delete()
        assert [forget_lost_keys(seconds=-1, most=2) for _ in range(2)] == [0, 1]
        Message.objects.filter(pk=first).delete()
        assert [forget_lost_keys(seconds=-1, most=2) for _ in range(2)] == [0, 1]
        assert values() == {str(second)}

    def test_reads_few_rows_of_large_tables(self):
        with connection.cursor() as cursor:
            cursor.execute("SELECT make_business_key_month('2026-10-01')")
            cursor.execute(
                "INSERT INTO business_key (definition_id, value, msg_id, receive_timestamp)"
                " SELECT 1, 'N' || id, id, timestamptz '2026-11-10' - id * interval '20 seconds'"
                "   FROM generate_series(1, 100000) AS id"
            )
            cursor.execute("ANALYZE business_key")
        KeyPass.objects.update(swept=50_000)
        sent: list = []
        with connection.execute_wrapper(reads_of(sent)):
            assert forget_lost_keys(seconds=-1, most=100) == 100
        assert faults_in(sent, most_rows=2_000) == []
