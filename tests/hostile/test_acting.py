"""Operators act on hostile rows, and on others next to them."""

import pytest
from django.db import connection

from messages_app.messages.models import Message
from messages_app.shared.far_times import parse_time
from tests.hostile.rows import LONG_NUMBERS, TIMES, table_of
from tests.hostile.test_paging import own_schema
from tests.hostile.world import new_keys, store_hub_rows
from tests.support.api_client import caller
from tests.support.factories import make_message


def far_message(time: str, **columns: object) -> Message:
    times = dict.fromkeys(("msg_timestamp", "receive_timestamp", "last_process_timestamp"), parse_time(time))
    return make_message(**{"state": "FAILED", **times, **columns})


def as_read(text: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [text])
        return str(cursor.fetchone()[0])


@pytest.mark.django_db
class TestOperators:
    @pytest.mark.parametrize("time", TIMES)
    def test_restart_a_message_of_any_time(self, time):
        message = far_message(as_read(time))
        operator = caller("operator")
        assert operator.get(f"messages/{message.pk}/restart-preview/").status_code == 200
        answer = operator.post(f"messages/{message.pk}/restart/", {"reason": "r"})
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")
        expected = as_read(time).replace(" ", "T", 1).replace("+00:00", "Z")
        assert answer.json()["msg_timestamp"] == expected.replace("TBC", " BC")

    @pytest.mark.parametrize("msg_id", LONG_NUMBERS)
    def test_restart_and_cancel_a_message_of_any_id(self, msg_id):
        messages = table_of("message", own_schema())
        assert messages.insert(messages.usual(msg_id=msg_id, state="FAILED"))
        operator = caller("operator")
        answer = operator.post(f"messages/{msg_id}/restart/", {"reason": "r"})
        assert (answer.status_code, answer.json()["msg_id"]) == (200, msg_id)
        assert operator.post(f"messages/{msg_id}/cancel/", {"reason": "r"}).json()["state"] == "CANCEL"

    def test_restart_others_next_to_hostile_rows(self):
        message = make_message(state="FAILED", object_id="o-1", entity_type="e-1", funnel_value="f-1")
        store_hub_rows(new_keys(), schema=own_schema())
        operator = caller("operator")
        explained = operator.get(f"messages/{message.pk}/explain/")
        assert (explained.status_code, explained.json()["reason"]) == (200, explained.json()["reason"])
        answer = operator.post(f"messages/{message.pk}/restart/", {"reason": "r"})
        assert (answer.status_code, answer.json()["state"]) == (200, "PARTLY_FAILED")
