import re

import pytest
from django.http import HttpResponse
from django.test import Client

from messages_app.audit.models import AuditEntry
from messages_app.messages.available_actions import MAX_SELECTED
from messages_app.messages.models import Message
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_message,
    make_user,
    message_columns,
)
from tests.support.page_client import client_of, text_of

pytestmark = pytest.mark.django_db

MAX_PAGE_BYTES = 200_000


@pytest.fixture
def operator() -> Client:
    client = Client()
    client.force_login(make_user("operator"))
    return client


def post(client: Client, **fields: object) -> HttpResponse:
    return client.post("/messages/act/", fields)


def confirm(client: Client, action: str, targets: list[str], reason: str = "again") -> HttpResponse:
    return post(client, action=action, confirmed="1", target=targets, reason=reason)


def state_of(message: Message) -> str:
    return Message.objects.get(pk=message.pk).state


class TestActOnMessages:
    def test_shows_a_preview_first(self, operator):
        failed, ok = make_message(state="FAILED"), make_message(state="OK")
        make_external_call(failed, operation_name="direct:billing")
        page = text_of(post(operator, action="total", msg_id=[failed.pk, ok.pk]))
        assert f'name="target" value="{failed.pk}:FAILED"' in page
        assert f'value="{ok.pk}:OK"' not in page
        assert "possible only from" in page
        assert "direct:billing" in page
        assert "1 of them already succeeded" in page
        assert state_of(failed) == "FAILED"
        assert not AuditEntry.objects.exists()

    def test_acts_after_the_confirmation_and_shows_each_outcome(self, operator):
        failed, moved = make_message(state="FAILED"), make_message(state="OK")
        page = text_of(confirm(operator, "restart", [f"{failed.pk}:FAILED", f"{moved.pk}:FAILED"]))
        assert "1 restarted, 1 not changed" in page
        assert f"Message {moved.pk} is OK, not FAILED" in page
        assert (state_of(failed), state_of(moved)) == ("PARTLY_FAILED", "OK")
        assert AuditEntry.objects.get(outcome="done").address == "127.0.0.1"

    def test_links_back_to_the_list_with_the_selection(self, operator):
        message = make_message(state="FAILED")
        fields = {"action": "restart", "msg_id": message.pk}
        list_page = "http://testserver/messages/?state=FAILED&cursor=x"
        page = text_of(operator.post("/messages/act/", fields, headers={"Referer": list_page}))
        assert 'href="/messages/?state=FAILED"' in page
        fields = {"action": "restart", "confirmed": "1", "target": f"{message.pk}:FAILED", "reason": "again"}
        done = text_of(operator.post("/messages/act/", fields | {"list_query": "?state=FAILED"}))
        assert 'href="/messages/?state=FAILED"' in done

    def test_does_not_act_twice(self, operator):
        message = make_message(state="FAILED")
        targets = [f"{message.pk}:FAILED"]
        confirm(operator, "restart", targets)
        assert "0 restarted, 1 not changed" in text_of(confirm(operator, "restart", targets))
        assert AuditEntry.objects.filter(outcome="done").count() == 1

    def test_requires_a_reason(self, operator):
        message = make_message(state="POSTPONED")
        response = confirm(operator, "cancel", [f"{message.pk}:POSTPONED"], reason=" ")
        assert response.status_code == 400
        assert "Enter a reason" in text_of(response)
        assert state_of(message) == "POSTPONED"

    def test_does_not_offer_an_action_that_no_message_allows(self, operator):
        page = text_of(post(operator, action="cancel", msg_id=[make_archived_message().pk]))
        assert "None of these messages can be cancelled" in page
        assert "<textarea" not in page

    @pytest.mark.parametrize(
        ("fields", "text"),
        [
            ({"action": "archive", "msg_id": "1"}, "action must be one of cancel, restart, total"),
            ({"msg_id": "1"}, "action must be one of"),
            ({"action": "cancel"}, "No messages were selected"),
            ({"action": "cancel", "msg_id": ["x"]}, "msg_id must be a message"),
            ({"action": "cancel", "msg_id": [str(-(2**63) - 1)]}, "msg_id must be a message"),
            ({"action": "cancel", "msg_id": ["9" * 30]}, "msg_id must be a message"),
            ({"action": "cancel", "msg_id": [str(2**63)]}, "msg_id must be a message"),
            ({"action": "cancel", "confirmed": "1"}, "No messages were selected"),
            ({"action": "cancel", "confirmed": "1", "target": ["5"]}, "an id and a state"),
            ({"action": "cancel", "confirmed": "1", "target": ["x:NEW"]}, "target must be a message"),
        ],
    )
    def test_rejects_invalid_input(self, operator, fields, text):
        response = operator.post("/messages/act/", fields)
        assert response.status_code == 400
        assert re.search(re.escape(text), text_of(response))

    def test_rejects_too_many_messages_and_names_the_limit(self, operator):
        response = post(operator, action="cancel", msg_id=range(1, MAX_SELECTED + 2))
        assert response.status_code == 400
        assert f"At most {MAX_SELECTED}" in text_of(response)
        assert post(operator, action="cancel", msg_id=range(1, MAX_SELECTED + 1)).status_code == 200

    def test_shows_the_maximum_number_of_messages_on_a_small_page(self, operator):
        ids = range(1, MAX_SELECTED + 1)
        Message.objects.bulk_create(Message(**message_columns(pk, state="FAILED")) for pk in ids)
        assert len(post(operator, action="total", msg_id=ids).content) < MAX_PAGE_BYTES

    def test_counts_a_message_once(self, operator):
        message = make_message(state="FAILED")
        page = text_of(post(operator, action="restart", msg_id=[message.pk, message.pk]))
        assert page.count('name="target"') == 1

    def test_is_forbidden_to_support_and_recorded(self, client):
        client.force_login(make_user("support"))
        message = make_message(state="FAILED")
        assert confirm(client, "restart", [f"{message.pk}:FAILED"]).status_code == 403
        assert AuditEntry.objects.get().outcome == "refused"
        assert state_of(message) == "FAILED"

    def test_takes_only_posts(self, operator):
        assert operator.get("/messages/act/").status_code == 405


class TestRestore:
    def test_redirects_to_a_job_of_the_selected_messages(self):
        first, second = make_archived_message(), make_archived_message()
        response = post(client_of("admin"), action="restore", msg_id=[first.pk, second.pk, first.pk])
        assert response.status_code == 302
        assert response.url == f"/jobs/new/?kind=restore&archived=true&msg_id={first.pk},{second.pk}"

    def test_is_refused_to_users_who_may_not_archive(self):
        response = post(client_of("operator"), action="restore", msg_id=[1])
        assert response.status_code == 403
        assert "archive_messages (role admin)" in text_of(response)
        assert AuditEntry.objects.get().action == "restore"

    @pytest.mark.parametrize(
        ("ids", "text"),
        [
            ([], "No messages were selected."),
            (range(1, 152), "At most 150 messages at a time"),
            (["x"], "message"),
        ],
    )
    def test_rejects_invalid_input(self, ids, text):
        response = post(client_of("admin"), action="restore", msg_id=list(ids))
        assert response.status_code == 400
        assert text in text_of(response)

    def test_fits_into_an_address_with_the_longest_ids(self):
        ids = range(9_000_000_000_000_000_000, 9_000_000_000_000_000_150)
        response = post(client_of("admin"), action="restore", msg_id=list(ids))
        assert len(response.url) < 4000
