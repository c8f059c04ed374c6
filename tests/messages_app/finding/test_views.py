import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.test import Client

from messages_app.cp_queue.services.dispatch import dispatch_message
from tests.support.factories import (
    make_archived_message,
    make_external_call,
    make_message,
    make_request,
)
from tests.support.page_client import client_of, text_of
from tests.support.queues import store as store_cp
from tests.support.stores import store as store_message

pytestmark = pytest.mark.django_db


@pytest.fixture
def support() -> Client:
    return client_of("support")


class TestFindMessage:
    def test_redirects_to_the_message_or_to_the_list_of_messages_with_the_id(self, support):
        message = make_message(correlation_id="order-1", process_id="p-1")
        make_message(correlation_id="order-1", source_system="ERP", process_id="p-1")
        old = make_archived_message(correlation_id="order-0")
        targets = {
            str(message.pk): f"/messages/{message.pk}/",
            "order-1": "/messages/?correlation_id=order-1",
            "p-1": "/messages/?process_id=p-1",
            "order-0": f"/messages/{old.pk}/",
            "": "/messages/",
        }
        for text, target in targets.items():
            assert support.get("/messages/find/", {"id": text}).url == target, text

    def test_redirects_to_rows_of_other_stores_for_permitted_users(self, support):
        key, guid, gone = store_message(), store_cp("A"), store_cp("B", lock="W1")
        dispatch_message(guid=gone, service="W1", reason="OK")
        targets = {
            key.upper(): f"/message-store/messages/{key}/",
            guid.lower(): f"/cp-queue/messages/{guid}/",
            gone: f"/cp-queue/messages/{gone}/",
        }
        for text, target in targets.items():
            assert support.get("/messages/find/", {"id": text}).url == target, text
        assert "no longer in the queue" in text_of(support.get("/messages/find/part/", {"id": gone}))
        blind = client_of(username="eve")
        blind_user = get_user_model().objects.get(username="eve")
        blind_user.user_permissions.add(Permission.objects.get(codename="view_message"))
        for text in targets:
            page = text_of(blind.get("/messages/find/", {"id": text}))
            assert "No id matches this text exactly" in page, text
            assert "c-palette-line" not in page, text

    def test_continues_from_calls_and_exchanges_to_their_message(self, support):
        message = make_message()
        call = make_external_call(message, entity_id="CRM_o-1")
        request = make_request(message)
        for text in (str(call.pk), "CRM_o-1", str(request.pk)):
            assert support.get("/messages/find/", {"id": text}).url == f"/messages/{message.pk}/", text

    def test_shows_matches_that_no_list_shows(self, support):
        for _ in range(2):
            message = make_message()
            make_external_call(message, operation_name=f"direct:{message.pk}", entity_id="shared")
        page = text_of(support.get("/messages/find/", {"id": "shared"}))
        assert page.count("c-palette-line") == 2
        assert "Entity id of an external call" in page

    def test_finds_ids_exactly_with_the_white_space_at_their_ends(self, support):
        exact, _ = make_message(correlation_id="PAD-1   "), make_message(correlation_id="PAD-1")
        odd = make_message(object_id="\u2029o\xa0")
        assert support.get("/messages/find/", {"id": "PAD-1   "}).url == f"/messages/{exact.pk}/"
        assert support.get("/messages/find/", {"id": "\u2029o\xa0"}).url == f"/messages/{odd.pk}/"
        assert "No id matches this text exactly" in text_of(support.get("/messages/find/", {"id": "o"}))

    def test_shows_the_same_without_white_space_only_as_another_id(self, support):
        make_message(correlation_id="PAD-1")
        page = text_of(support.get("/messages/find/", {"id": " PAD-1\t"}))
        assert "No id matches this text exactly. These match it without the white space at its ends:" in page
        part = text_of(support.get("/messages/find/part/", {"id": " PAD-1\t"}))
        entered = (
            '<span class="c-unseen-mark" title="SPACE">U+0020</span>PAD-1'
            '<span class="c-unseen-mark" title="CHARACTER TABULATION">U+0009</span>'
        )
        assert f"No id is exactly <strong>{entered}</strong>. Without the white space at its ends:" in part

    def test_finds_no_other_id_for_one_that_no_row_can_have(self, support):
        make_message(correlation_id="x" * 100, object_id="ab")
        for text in ("x" * 5000, "a\0b"):
            page = support.get("/messages/find/", {"id": text})
            assert page.status_code == 200
            assert "No match: search for a text of at most 200 characters without NUL." in text_of(page)


class TestFoundPart:
    def test_shows_all_that_has_the_id(self, support):
        message = make_message(correlation_id="order-1", process_id="order-1", state="FAILED")
        page = text_of(support.get("/messages/find/part/", {"id": " order-1 "}))
        assert page.count('role="option"') == 2
        assert page.count(f'href="/messages/{message.pk}/"') == 2
        assert 'data-state="FAILED"' in page
        assert "<html" not in page

    def test_reports_that_nothing_was_found(self, support):
        assert "live or archived" in text_of(support.get("/messages/find/part/", {"id": "<b>nobody</b>"}))
        assert "<b>nobody" not in text_of(support.get("/messages/find/part/", {"id": "<b>nobody</b>"}))

    def test_is_not_for_everyone(self):
        assert client_of().get("/messages/find/part/", {"id": "1"}).status_code == 403
