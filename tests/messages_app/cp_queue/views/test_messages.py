import pytest

from messages_app.audit.models import AuditEntry
from messages_app.cp_queue.models import CpDispatch
from messages_app.cp_queue.services.dispatch import dispatch_message
from messages_app.cp_queue.services.operators import delete_message
from messages_app.cp_queue.services.pickup import get_next
from messages_app.cp_queue.views.messages import look_up
from tests.support.page_client import client_of, notices_of, text_of
from tests.support.queues import ADA, guid_of, remaining_messages, store

pytestmark = pytest.mark.django_db


def address(guid: str, action: str = "") -> str:
    return f"/cp-queue/messages/{guid}/{action}"


class TestMessagePage:
    def test_explains_the_state_of_a_message(self):
        response = client_of("support").get(address(store("A", lock="cache-1")))
        page = text_of(response)
        for form in ("reset_form", "dispatch_form"):
            assert response.context[form].initial == {"service": "cache-1"}
        asked = {"reset": {"service", "reason"}, "dispatch": {"service", "result", "reason"}}
        for action, names in (asked | {"delete": {"reason"}, "send_on": {"reason"}}).items():
            form = response.context[f"{action}_form"]
            assert (form.auto_id, set(form.fields)) == (f"{action}_%s", names)
        assert "cache-1 holds it" in page
        assert "main type 1, sub type 0" in page
        assert "Reset message" not in page

    def test_offers_a_newer_message_for_one_that_waits_behind_others(self):
        old = store("A", osid=1, age="1 hour")
        store("B", osid=2)
        offer = "/cp-queue/create/?object_id=1&amp;object_type=65536&amp;others=RENDITION"
        assert offer in text_of(client_of("operator").get(address(old)))

    def test_is_also_found_in_lower_case(self):
        assert client_of("support").get(address(store("A").lower())).status_code == 200

    def test_reports_a_message_that_no_longer_exists(self):
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="no such file")
        page = text_of(client_of("support").get(address(guid)))
        assert "no longer in the queue" in page
        assert "no such file" in page

    def test_shows_the_user_who_deleted_it(self):
        guid = store("A")
        delete_message(guid=guid, actor=ADA, reason="twice by mistake")
        page = text_of(client_of("support").get(address(guid)))
        assert "twice by mistake" in page

    @pytest.mark.parametrize("guid", ["0" * 32, "nothing", "A" * 31])
    def test_is_missing_for_an_unknown_message(self, guid):
        assert client_of("support").get(address(guid)).status_code == 404

    @pytest.mark.parametrize(("reason", "status"), [("", 400), ("twice", 409)])
    def test_shows_why_an_action_on_an_unknown_message_is_refused(self, reason, status):
        answer = client_of("operator").post(address(guid_of("A"), "delete/"), {"reason": reason})
        assert answer.status_code == status
        assert not AuditEntry.objects.exists()


class TestLookUp:
    def test_leads_to_a_message_in_the_queue_or_to_its_last_dispatch(self):
        here, gone = store("A", osid=6), store("B", "PAGECOUNT", osid=7, lock="W1")
        dispatch_message(guid=gone, service="W1", reason="OK")
        for guid, about in (
            (here, "RENDITION · object 6"),
            (gone, "PAGECOUNT · object 7 · no longer in the queue"),
        ):
            for text in (guid, guid.lower()):
                (kind,) = look_up(text)
                assert kind.title == "CP message"
                assert [(hit.url, hit.name, hit.about) for hit in kind.hits] == [(address(guid), guid, about)]
        assert [*look_up("x"), *look_up(guid_of("C"))] == []


class TestReset:
    def test_frees_a_message_and_is_audited(self):
        guid = store("A", lock="W9")
        asked = {"service": "W9", "reason": "its host is gone"}
        answer = client_of("operator").post(address(guid, "reset/"), asked)
        assert answer.url == address(guid)
        assert notices_of(answer) == ["Message reset. Any service can pick it up."]
        assert remaining_messages() == {guid: None}
        entry = AuditEntry.objects.get()
        assert (entry.subject_kind, entry.subject, entry.reason) == ("cp_message", guid, "its host is gone")

    def test_does_not_change_a_message_that_another_service_holds_now(self):
        guid = store("A", lock="W2")
        answer = client_of("operator").post(address(guid, "reset/"), {"service": "W9", "reason": "r"})
        assert answer.status_code == 409
        assert remaining_messages() == {guid: "W2"}

    def test_needs_a_reason(self):
        guid = store("A", lock="W9")
        answer = client_of("operator").post(address(guid, "reset/"), {"service": "W9", "reason": ""})
        assert answer.status_code == 400
        assert "Enter a reason" in text_of(answer)
        assert remaining_messages() == {guid: "W9"}


class TestDispatch:
    def test_dispatches_with_the_reason_of_a_dead_service(self):
        guid = store("A", lock="W9")
        asked = {"service": "W9", "result": "OK", "reason": "its result is there"}
        answer = client_of("operator").post(address(guid, "dispatch/"), asked)
        assert notices_of(answer) == ["Message dispatched as done and removed."]
        assert (CpDispatch.objects.get().outcome, CpDispatch.objects.get().actor) == ("done", "ada")
        assert AuditEntry.objects.get().reason == "its result is there"

    def test_is_refused_if_it_was_dispatched_meanwhile(self):
        guid = store("A", lock="W9")
        dispatch_message(guid=guid, service="W9", reason="OK")
        asked = {"service": "W9", "result": "OK", "reason": "r"}
        answer = client_of("operator").post(address(guid, "dispatch/"), asked)
        assert answer.status_code == 409
        assert "Nothing was changed" in text_of(answer)


class TestDelete:
    def test_removes_only_a_free_message(self):
        free, held = store("A"), store("B", lock="W2")
        client = client_of("operator")
        answer = client.post(address(free, "delete/"), {"reason": "twice"})
        assert AuditEntry.objects.values_list("action", "reason").get() == ("delete_cp_message", "twice")
        assert notices_of(answer) == ["Message deleted. Its object is not processed for it."]
        assert client.post(address(held, "delete/"), {"reason": "r"}).status_code == 409
        assert remaining_messages() == {held: "W2"}


class TestSendOn:
    def test_frees_a_waiting_message(self):
        guid = store("A", lock="W1")
        dispatch_message(guid=guid, service="W1", reason="RETRY")
        client = client_of("operator")
        assert "Send on" in text_of(client.get(address(guid)))
        answer = client.post(address(guid, "send-on/"), {"reason": "the converter is back"})
        assert notices_of(answer) == ["Message sent on. It is free, and its attempts are reset."]
        assert AuditEntry.objects.get(action="send_on_cp_message").reason == "the converter is back"
        assert get_next(queues="RENDITION", service="W1").guid == guid


class TestEveryAction:
    @pytest.mark.parametrize(
        ("action", "audited"),
        [
            ("reset/", "reset_cp_message"),
            ("dispatch/", "dispatch_cp_message"),
            ("delete/", "delete_cp_message"),
            ("send-on/", "send_on_cp_message"),
        ],
    )
    def test_is_refused_and_remembered_without_the_right(self, action, audited):
        guid = store("A", lock="W1")
        answer = client_of("support").post(
            address(guid, action), {"service": "W1", "reason": "r", "result": "OK"}
        )
        assert answer.status_code == 403
        entry = AuditEntry.objects.get()
        assert (entry.action, entry.actor, entry.outcome) == (audited, "ada", "refused")
        assert (entry.subject_kind, entry.subject) == ("cp_message", guid)
        assert remaining_messages() == {guid: "W1"}

    @pytest.mark.parametrize("action", ["reset/", "dispatch/", "delete/", "send-on/"])
    def test_is_not_a_page(self, action):
        assert client_of("operator").get(address(guid_of("A"), action)).status_code == 405
