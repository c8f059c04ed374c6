"""A constraint or a trigger of the hub's table refuses the new message or the cancel: nothing is changed."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection

from messages_app.messages.models import Message, ResentMessage
from tests.messages_app.messages.corrections.test_services import CORRECTED
from tests.support.api_client import caller, problem
from tests.support.factories import make_message
from tests.support.jobs import refusing_rows
from tests.support.page_client import client_of

pytestmark = pytest.mark.django_db(transaction=True)

EDITOR = ("operator", "view_payload", "edit_payload")
BY_TRIGGER = (
    "The hub's database refused the new message by a trigger or the type of a column. Nothing was sent or"
    " changed."
)


@contextmanager
def hub_trigger(when: str, body: str) -> Iterator[None]:
    """Give the table of messages a trigger, as a hub's may have."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE FUNCTION of_hub() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$")
        cursor.execute(f"CREATE TRIGGER of_hub {when} ON message FOR EACH ROW EXECUTE FUNCTION of_hub()")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP FUNCTION of_hub CASCADE")


@pytest.mark.parametrize(
    ("when", "body"),
    [
        ("BEFORE INSERT", "RAISE 'not now';"),
        ("AFTER INSERT", "RAISE 'not now';"),
        ("BEFORE INSERT", "RETURN NULL;"),
        ("BEFORE UPDATE", "RAISE 'not now';"),
        ("BEFORE UPDATE", "RETURN NULL;"),
    ],
)
def test_a_trigger_that_refuses_or_leaves_out_a_row_is_named(when, body):
    failed = make_message(state="FAILED")
    with hub_trigger(when, body):
        answer = caller(*EDITOR).post(
            f"messages/{failed.pk}/resend/", {"payload": CORRECTED, "reason": "wrong customer"}
        )
    body = problem(answer)
    assert (body["status"], body["code"], body["detail"]) == (409, "refused_by_hub", BY_TRIGGER)
    assert list(Message.objects.values_list("msg_id", "state")) == [(failed.pk, "FAILED")]
    assert not ResentMessage.objects.exists()


def test_a_constraint_is_named_and_the_page_keeps_the_text(settings):
    settings.REVEAL_MINUTES = None
    failed = make_message(state="FAILED")
    client = client_of(*EDITOR)
    path = f"/messages/{failed.pk}/resend/"
    review = client.post(path, {"payload": CORRECTED, "step": "review"})
    form = {"payload": CORRECTED, "step": "send", "reason": "r", "reviewed": review.context["digest"]}
    with refusing_rows("message", "payload LIKE '%%Grace%%'", []):
        page = client.post(path, form)
    assert page.status_code == 409
    text = page.content.decode()
    assert "refused the new message by the constraint no_change" in text
    assert "Grace Hopper" in text
    assert list(Message.objects.values_list("msg_id", "state")) == [(failed.pk, "FAILED")]
