"""
Messages that another writer stored with a GUID in small letters, or with another key than a GUID.

docs/contributing/spec/cp_queue.md, "Spelling of GUIDs": every message can be dispatched, reset and deleted,
whatever program wrote it.
"""

import pytest
from django.urls import reverse

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.selectors.pickup_forecast import queue_of
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import (
    delete_message,
    dispatch_all_for_service,
    dispatch_for_service,
    send_on,
    would_delete,
)
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.services.reset import Selection, reset_selective, reset_service
from messages_app.cp_queue.views.messages import look_up
from tests.messages_app.cp_queue.callers import ByApi, ByServices
from tests.support.api_client import caller
from tests.support.page_client import client_of
from tests.support.parameters import quick_first
from tests.support.queues import ADA, make_due, remaining_messages, store

pytestmark = pytest.mark.django_db

SMALL = "98190255976d4b45924133505b8af2ca"
LARGE = "98190255976D4B45924133505B8AF2CA"
MIXED = "98190255976d4b45924133505B8AF2CA"


@pytest.fixture(params=quick_first([ByApi, ByServices]), ids=["api", "services"])
def hub(request):
    return request.param()


class TestOneMessageInSmallLetters:
    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_dispatched_under_any_spelling(self, hub, asked):
        store("A", guid=SMALL)
        assert hub.get_next()["MessageGUID"] == SMALL
        assert hub.dispatch(asked) == "done"
        assert remaining_messages() == {}
        assert CpDispatch.objects.get().messageguid == SMALL

    def test_is_tried_again_and_ends(self, hub):
        store("A", guid=SMALL)
        hub.get_next()
        assert hub.dispatch(SMALL, reason="RETRY") == "deferred"
        make_due(SMALL)
        assert hub.get_next()["MessageGUID"] == SMALL
        assert hub.dispatch(LARGE, reason="RETRY") == "deferred"
        make_due(SMALL)
        hub.get_next()
        assert hub.dispatch(SMALL) == "done"
        assert list(CpDispatch.objects.order_by("pk").values_list("attempts", flat=True)) == [1, 2, 2]

    def test_keeps_its_token(self, hub):
        store("A", guid=SMALL)
        token = hub.get_next(WantToken=True)["Token"]
        assert hub.dispatch(LARGE) == "lease_lost"
        assert hub.dispatch(LARGE, Token=token.lower()) == "done"

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_refused_for_another_service_like_any_message(self, hub, asked):
        store("A", guid=SMALL)
        assert hub.dispatch(asked) == "not_reserved"
        hub.get_next()
        assert hub.dispatch(asked, "W2") == "not_owner"
        assert remaining_messages() == {SMALL: "W1"}

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_reset(self, hub, asked):
        store("A", guid=SMALL, lock="W9")
        assert hub.reset(asked) == "released"
        assert remaining_messages() == {SMALL: None}
        assert hub.reset(asked) == "not_reserved"

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_deleted_by_an_operator(self, asked):
        store("A", guid=SMALL)
        assert would_delete(guid=asked) == SMALL
        assert delete_message(guid=asked, actor=ADA) == SMALL
        assert remaining_messages() == {}
        assert AuditEntry.objects.get().subject == SMALL

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_sent_on(self, asked):
        store("A", guid=SMALL)
        get_next(queues="RENDITION", service="W1")
        dispatch_message(guid=SMALL, service="W1", reason="RETRY")
        assert send_on(guid=asked, actor=ADA) == SMALL
        assert get_next(queues="RENDITION", service="W1").guid == SMALL

    def test_is_dispatched_for_a_dead_service_one_by_one_and_together(self):
        store("A", guid=SMALL, lock="W9")
        dispatch_for_service(guid=LARGE, service="W9", reason="OK", actor=ADA)
        assert AuditEntry.objects.get().subject == SMALL
        store("A", guid=SMALL, lock="W9")
        assert dispatch_all_for_service(service="W9", reason="OK", actor=ADA) == {"done": 1}

    def test_is_freed_with_its_service_and_by_a_selection(self):
        store("A", guid=SMALL, lock="W9")
        assert reset_service(service="W9", actor=ADA) == 1
        store("B", guid=SMALL[::-1], osid=6, lock="W9")
        assert reset_selective(selection=Selection(object_id=6), actor=ADA) == 1
        assert set(remaining_messages().values()) == {None}

    def test_can_be_collapsed_by_and_into_one_in_capitals(self, hub):
        store("A", guid=SMALL, age="1 minute")
        store("B", guid=LARGE[::-1])
        assert hub.get_next()["MessageGUID"] == LARGE[::-1]
        assert remaining_messages() == {LARGE[::-1]: "W1"}

    def test_of_another_queue_is_hidden_from_a_confined_token(self):
        store("A", guid=SMALL, lock="W1")
        client = caller("operator", scopes=["queue:act:FULLTEXTIDX"])
        answer = client.post("cp-queue/reset/", {"MessageGUID": LARGE})
        assert answer.status_code == 403
        assert caller("operator", username="eve", scopes=["queue:act:RENDITION"]).post(
            "cp-queue/reset/", {"MessageGUID": LARGE}
        ).json() == {"return_code": 0, "released": 1, "result": "released"}

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_has_its_page_under_any_spelling_also_when_it_is_gone(self, asked):
        page = reverse("cp-message", args=[asked])
        store("A", guid=SMALL, lock="W9")
        client = client_of("operator", username="kim")
        assert SMALL in client.get(page).content.decode()
        assert "W9 holds it" in client.get(page).content.decode()
        dispatch_message(guid=SMALL, service="W9", reason="no text in it")
        assert "no text in it" in client.get(page).content.decode()

    def test_has_its_page_when_it_was_deleted_and_only_the_audit_knows_it(self):
        store("A", guid=SMALL)
        delete_message(guid=SMALL, actor=ADA, reason="made by mistake")
        page = client_of("operator", username="kim").get(reverse("cp-message", args=[LARGE]))
        assert "made by mistake" in page.content.decode()

    @pytest.mark.parametrize("asked", [SMALL, LARGE, MIXED])
    def test_is_found_by_its_id_in_the_queue_and_in_the_log(self, asked):
        store("A", guid=SMALL, lock="W9")
        address = reverse("cp-message", args=[SMALL])
        assert [hit.url for kind in look_up(asked) for hit in kind.hits] == [address]
        dispatch_message(guid=SMALL, service="W9", reason="OK")
        assert [hit.url for kind in look_up(asked) for hit in kind.hits] == [address]
        assert queue_of(asked) == "RENDITION"

    def test_answers_of_the_api_have_the_stored_spelling(self):
        client = caller("operator")
        store("A", guid=SMALL)
        deleted = client.post("cp-queue/delete/", {"MessageGUID": LARGE, "DryRun": True}).json()
        assert deleted == {"return_code": 0, "MessageGUID": SMALL, "deleted": 1}
        deleted = client.post("cp-queue/delete/", {"MessageGUID": LARGE}).json()
        assert deleted == {"return_code": 0, "MessageGUID": SMALL, "deleted": 1}


class TestTwoMessagesThatDifferInCase:
    @pytest.mark.parametrize(("asked", "stays"), [(SMALL, LARGE), (LARGE, SMALL)])
    def test_are_two_and_the_given_spelling_is_meant(self, hub, asked, stays):
        for osid, guid in enumerate((SMALL, LARGE)):
            store(guid, guid=guid, osid=osid, lock="W1")
        assert hub.dispatch(asked) == "done"
        assert remaining_messages() == {stays: "W1"}

    def test_a_third_spelling_names_neither(self):
        for osid, guid in enumerate((SMALL, LARGE)):
            store(guid, guid=guid, osid=osid, lock="W1")
        client = caller("operator")
        for call, more in (
            ("dispatch", {"ServiceName": "W1", "Reason": "OK"}),
            ("reset", {}),
            ("delete", {}),
            ("send-on", {}),
        ):
            answer = client.post(f"cp-queue/{call}/", {"MessageGUID": MIXED} | more)
            assert answer.status_code == 400, call
            assert answer.json()["errors"][0]["field"] == "MessageGUID"
            assert answer.json()["errors"][0]["code"] == "ambiguous"
        assert remaining_messages() == {SMALL: "W1", LARGE: "W1"}

    def test_one_that_no_longer_exists_stays_gone_while_the_other_waits(self, hub):
        """A repeated dispatch must not remove another message."""
        store("A", guid=LARGE, lock="W1")
        store("B", guid=SMALL, osid=6, lock="W1")
        assert hub.dispatch(LARGE) == "done"
        assert hub.dispatch(LARGE) == "not_found"
        assert remaining_messages() == {SMALL: "W1"}


class TestAKeyThatIsNoGuid:
    @pytest.mark.parametrize("key", ["MSG-1", "{9819-0255}", "x"])
    def test_is_dispatched_reset_and_deleted_as_it_is_stored(self, hub, key):
        store("A", guid=key)
        assert hub.get_next()["MessageGUID"] == key
        assert hub.reset(key) == "released"
        assert hub.get_next()["MessageGUID"] == key
        assert hub.dispatch(key) == "done"
        store("A", guid=key)
        assert delete_message(guid=key, actor=ADA) == key

    def test_is_bad_input_if_the_queue_has_none(self):
        api = ByApi()
        assert api.post("reset/", {"MessageGUID": "MSG-1"}).status_code == 400
        answer = api.post("dispatch/", {"MessageGUID": "MSG-1", "ServiceName": "a", "Reason": "OK"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "MessageGUID")
