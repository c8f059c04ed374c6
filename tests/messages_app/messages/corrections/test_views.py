"""The page of a correction: editor, changes, reason, and what the page of a message says about it."""

import re

import pytest
from django.test import Client
from django.utils.html import strip_tags

from messages_app.audit.models import AuditEntry
from messages_app.messages.models import Message, ResentMessage
from tests.support.factories import (
    PAYLOAD,
    make_archived_message,
    make_external_call,
    make_message,
    make_user,
)
from tests.support.page_client import text_of

pytestmark = pytest.mark.django_db

CORRECTED = PAYLOAD.replace("Ada Lovelace", "Grace Hopper")
WHY = {"reason": "wrong customer"}


@pytest.fixture(autouse=True)
def _values_are_shown(settings):
    settings.REVEAL_MINUTES = None


@pytest.fixture
def client() -> Client:
    return client_of("operator", "view_payload", "edit_payload")


@pytest.fixture
def failed() -> Message:
    return make_message(state="FAILED")


def client_of(*roles: str) -> Client:
    client = Client()
    client.force_login(make_user(*roles))
    return client


def digest_in(page: str) -> str:
    return re.search(r'name="reviewed" value="(\w*)"', page)[1]


def review(client: Client, msg_id: int, payload: str, **more: str) -> str:
    data = {"payload": payload, "step": "review", **more}
    return client.post(f"/messages/{msg_id}/resend/", data).content.decode()


def send(client: Client, msg_id: int, payload: str = CORRECTED, **more: str):
    reviewed = digest_in(review(client, msg_id, payload))
    data = {"payload": payload, "step": "send", "reviewed": reviewed, "cancel_original": "on", **WHY, **more}
    return client.post(f"/messages/{msg_id}/resend/", data)


class TestCorrectMessage:
    def test_opens_with_the_payload_and_records_the_view(self, client, failed):
        answer = client.get(f"/messages/{failed.msg_id}/resend/")
        assert answer.status_code == 200
        assert "Ada Lovelace" in answer.content.decode()
        assert AuditEntry.objects.get().action == "view_payload"

    def test_is_sent_in_the_encoding_that_adds_nothing_to_large_payloads(self, client, failed):
        page = client.get(f"/messages/{failed.msg_id}/resend/").content.decode()
        assert 'enctype="multipart/form-data"' in page.partition('id="correction"')[0].rpartition("<form")[2]

    def test_shows_the_changes_before_it_sends(self, client, failed):
        page = review(client, failed.msg_id, CORRECTED)
        assert "only in this one" in page
        assert "Ada Lovelace" in page
        assert "1 difference" in page
        assert "Resend as a new message" in page
        assert Message.objects.count() == 1

    def test_does_not_offer_to_send_before_the_changes_were_shown(self, client, failed):
        assert "Resend as a new message" not in text_of(client.get(f"/messages/{failed.msg_id}/resend/"))

    def test_sends_and_opens_the_new_message(self, client, failed):
        answer = send(client, failed.msg_id)
        sent = ResentMessage.objects.get(pk=failed.pk).msg_id
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/messages/{sent}/")
        assert Message.objects.get(pk=sent).payload == CORRECTED
        assert Message.objects.get(pk=failed.pk).state == "CANCEL"
        assert AuditEntry.objects.filter(action="resend", reason="wrong customer").count() == 2

    def test_leaves_the_original_if_the_box_is_empty(self, client, failed):
        send(client, failed.msg_id, cancel_original="")
        assert Message.objects.get(pk=failed.pk).state == "FAILED"

    def test_shows_the_changes_again_if_the_original_has_changed_since(self, client, failed):
        reviewed = digest_in(review(client, failed.msg_id, CORRECTED))
        Message.objects.filter(pk=failed.pk).update(payload=PAYLOAD.replace("Ada", "Eve"))
        data = {"payload": CORRECTED, "step": "send", "reviewed": reviewed, **WHY}
        answer = client.post(f"/messages/{failed.msg_id}/resend/", data)
        assert answer.status_code == 200
        assert "Eve Lovelace" in answer.content.decode()
        assert Message.objects.count() == 1

    def test_shows_the_changes_again_if_the_payload_was_edited_after_them(self, client, failed):
        reviewed = digest_in(review(client, failed.msg_id, CORRECTED))
        data = {"payload": PAYLOAD.replace("7", "8"), "step": "send", "reviewed": reviewed, **WHY}
        answer = client.post(f"/messages/{failed.msg_id}/resend/", data)
        assert answer.status_code == 200
        assert "Resend as a new message" in text_of(answer)
        assert Message.objects.count() == 1

    def test_needs_a_reason(self, client, failed):
        answer = send(client, failed.msg_id, reason=" ")
        assert answer.status_code == 400
        assert "Enter a reason" in text_of(answer)
        assert "Grace Hopper" in answer.content.decode()
        assert Message.objects.count() == 1

    @pytest.mark.parametrize(
        ("payload", "words"),
        [
            ("<order>", "Not well-formed"),
            ("", "Enter the corrected payload."),
            (PAYLOAD, "The payload is unchanged."),
            ("{}", "must be XML"),
            ("<a>•••</a>", "masked values"),
        ],
    )
    @pytest.mark.parametrize("step", ["review", "send"])
    def test_names_the_fault_and_keeps_the_text(self, client, failed, payload, words, step):
        data = {"payload": payload, "step": step, "reviewed": "x", **WHY}
        answer = client.post(f"/messages/{failed.msg_id}/resend/", data)
        assert answer.status_code == 400
        assert words in text_of(answer)
        assert "Resend as a new message" not in text_of(answer)
        assert Message.objects.count() == 1

    def test_keeps_the_line_ends_of_the_original(self, client):
        message = make_message(state="FAILED", payload="<a>\n<b>1</b>\n</a>")
        send(client, message.msg_id, "<a>\r\n<b>2</b>\r\n</a>")
        sent = ResentMessage.objects.get().msg_id
        assert Message.objects.get(pk=sent).payload == "<a>\n<b>2</b>\n</a>"

    def test_a_second_click_sends_nothing(self, client, failed):
        reviewed = digest_in(review(client, failed.msg_id, CORRECTED))
        data = {"payload": CORRECTED, "step": "send", "reviewed": reviewed, **WHY}
        statuses = [client.post(f"/messages/{failed.msg_id}/resend/", data).status_code for _ in range(2)]
        assert statuses == [302, 409]
        assert Message.objects.count() == 2

    def test_names_calls_and_parent(self, client):
        parent = make_message(state="FAILED")
        child = make_message(state="FAILED", parent_msg_id=parent.msg_id)
        make_external_call(child)
        page = review(client, child.msg_id, CORRECTED)
        assert "1 external call of this message succeeded." in page
        assert "does not become OK" in page

    @pytest.mark.parametrize("state", ["OK", "NEW", "CANCEL"])
    def test_refuses_other_states(self, client, state):
        message = make_message(state=state)
        answer = client.get(f"/messages/{message.msg_id}/resend/")
        assert answer.status_code == 409
        assert f"It is {state}" in text_of(answer)

    def test_refuses_an_archived_message(self, client):
        message = make_archived_message(state="FAILED")
        assert client.get(f"/messages/{message.msg_id}/resend/").status_code == 409

    @pytest.mark.parametrize(
        "roles", [("operator", "view_payload"), ("operator", "edit_payload"), ("admin",)]
    )
    @pytest.mark.parametrize("method", ["get", "post"])
    def test_needs_both_rights(self, failed, roles, method):
        client = client_of(*roles)
        answer = getattr(client, method)(f"/messages/{failed.msg_id}/resend/")
        assert answer.status_code == 403
        assert "Ada Lovelace" not in answer.content.decode()
        assert Message.objects.count() == 1

    def test_needs_a_reason_for_values_first(self, failed, settings):
        settings.REVEAL_MINUTES = 15
        client = client_of("operator", "view_payload", "edit_payload")
        answer = client.get(f"/messages/{failed.msg_id}/resend/")
        assert answer.status_code == 403
        page = answer.content.decode()
        assert "Ada Lovelace" not in page
        assert page.count("masked") == 1
        assert "To see values, give a reason." in page

    def test_a_refused_look_is_audited_and_not_in_the_history_of_the_message(self, failed):
        client = client_of("operator")
        assert client.get(f"/messages/{failed.msg_id}/resend/").status_code == 403
        entry = AuditEntry.objects.get(msg_id=failed.msg_id)
        assert (entry.action, entry.outcome) == ("view_payload", "refused")
        page = f"/messages/{failed.msg_id}/"
        assert 'data-state="refused"' not in client.get(page).content.decode()
        client.post(f"{page}resend/", {"payload": "<a/>"})
        assert AuditEntry.objects.filter(action="resend", outcome="refused").count() == 1
        assert 'data-state="refused"' in client.get(page).content.decode()

    def test_leads_to_the_place_of_a_fault(self, client, failed):
        answer = client.post(
            f"/messages/{failed.msg_id}/resend/", {"payload": "<a>\n<b></a>", "step": "review"}
        )
        page = answer.content.decode()
        assert answer.status_code == 400
        assert 'data-go-to-line="2"' in page
        assert "Go to line 2, column 8" in page


class TestPageOfARestart:
    @pytest.mark.parametrize("box", ["on", ""])
    def test_warns_that_a_correction_was_sent(self, client, failed, box):
        send(client, failed.msg_id, cancel_original=box)
        sent = ResentMessage.objects.get().msg_id
        page = client.get(f"/messages/{failed.msg_id}/restart/")
        assert f"It was corrected and resent as message {sent}." in strip_tags(text_of(page))
        assert f'href="/messages/{sent}/"' in page.content.decode()

    def test_restarts_the_original_only_with_a_tick(self, client, failed):
        send(client, failed.msg_id)
        sent = ResentMessage.objects.get().msg_id
        address = f"/messages/{failed.msg_id}/restart/"
        assert f"Restart it although message {sent} was sent instead" in text_of(client.get(address))
        body = {"reason": "both are needed", "expected_state": "CANCEL"}
        refused = client.post(address, body)
        assert refused.status_code == 400
        assert "Tick this if the hub is to process both." in text_of(refused)
        assert Message.objects.get(pk=failed.pk).state == "CANCEL"
        client.post(address, body | {"also_resent": "on"})
        assert Message.objects.get(pk=failed.pk).state == "PARTLY_FAILED"

    def test_does_not_warn_without_one(self, client, failed):
        page = client.get(f"/messages/{failed.msg_id}/restart/")
        assert "corrected" not in text_of(page)
        assert "also_resent" not in page.content.decode()


class TestPageOfAMessage:
    def test_offers_it_for_a_failed_message(self, client, failed):
        assert (
            f"/messages/{failed.msg_id}/resend/" in client.get(f"/messages/{failed.msg_id}/").content.decode()
        )

    @pytest.mark.parametrize("state", ["OK", "NEW", "PARTLY_FAILED"])
    def test_does_not_offer_it_in_other_states(self, client, state):
        message = make_message(state=state)
        page = text_of(client.get(f"/messages/{message.msg_id}/"))
        assert "Correct and resend" not in page
        assert "cannot be corrected" not in page

    def test_says_why_not_while_values_are_masked(self, failed):
        page = text_of(client_of("operator", "edit_payload").get(f"/messages/{failed.msg_id}/"))
        assert "They are masked for you." in page
        assert "Correct and resend" not in page

    def test_says_nothing_to_others(self, failed):
        page = text_of(client_of("operator").get(f"/messages/{failed.msg_id}/"))
        assert "corrected" not in page

    def test_links_both_messages(self, client, failed):
        send(client, failed.msg_id, cancel_original="")
        sent = ResentMessage.objects.get().msg_id
        original = client.get(f"/messages/{failed.msg_id}/")
        assert "Corrected and resent as" in text_of(original)
        assert f"/messages/{sent}/" in original.content.decode()
        assert f'href="/messages/{failed.msg_id}/resend/"' not in original.content.decode()
        page = text_of(client.get(f"/messages/{sent}/"))
        assert "Sent with a corrected payload instead of" in page
        assert f"message {failed.msg_id}" in page

    def test_does_not_advise_to_restart_the_original(self, client, failed):
        """The hub would process both."""
        advised = client.get(f"/messages/{failed.msg_id}/").content.decode()
        send(client, failed.msg_id, cancel_original="")
        resent = client.get(f"/messages/{failed.msg_id}/").content.decode()
        assert "c-button-main" in advised
        assert "c-button-main" not in resent
        assert f'href="/messages/{failed.msg_id}/restart/' in resent
